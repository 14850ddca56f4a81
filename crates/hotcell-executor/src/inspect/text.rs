//! Numbers, strings and keys as JavaScript prints them.

use std::{borrow::Cow, fmt::Write as _};

use hotcell_cell::Text;

/// Whether a character changes the direction of what follows it, or says where that ends: what is shown would not be what is there.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text whose control characters are written out, all but line breaks and tabs: a terminal would obey them. So are those that
/// change the direction of writing.
pub fn visible(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t' || turns(c);
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // Writing to a string cannot fail.
        if turns(c) {
            _ = write!(out, "\\u{{{:x}}}", c as u32);
        } else if steers(c) {
            _ = write!(out, "\\x{:02x}", c as u32);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// What `String(number)` gives, and `-0`.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let size = value.abs();
    if (1e-6..1e21).contains(&size) || size == 0.0 {
        // `-0` keeps its sign here.
        return format!("{value}");
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A string with quotes, which are chosen so that fewest need a backslash.
pub(super) fn quoted(text: &Text, most: usize) -> String {
    let units = text.to_utf16();
    let has = |quote: char| units.contains(&(quote as u16));
    let quote = ['\'', '"', '`']
        .into_iter()
        .find(|quote| !has(*quote))
        .unwrap_or('\'');
    let mut out = String::from(quote);
    let mut left = most;
    let mut rest = 0;
    for unit in char::decode_utf16(units.iter().copied()) {
        if left == 0 {
            rest += 1;
            continue;
        }
        left -= 1;
        match unit {
            Ok(c) if c == quote || c == '\\' => out.extend(['\\', c]),
            Ok('\n') => out.push_str("\\n"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\t') => out.push_str("\\t"),
            Ok(c) if (c as u32) < 0x20 || (0x7f..=0x9f).contains(&(c as u32)) => {
                // Writing to a string cannot fail, here and below.
                _ = write!(out, "\\x{:02X}", c as u32);
            }
            Ok(c) => out.push(c),
            Err(lone) => _ = write!(out, "\\u{:04X}", lone.unpaired_surrogate()),
        }
    }
    out.push(quote);
    if rest > 0 {
        let plural = if rest == 1 { "" } else { "s" };
        _ = write!(out, "... {rest} more character{plural}");
    }
    out
}

/// A key, with quotes if it needs them, and of a long one so many characters.
pub(super) fn key(key: &Text, most: usize) -> String {
    let is_name = |name: &&str| {
        name.chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '$')
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
    };
    let is_index = |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |name: &&str| name.len() <= most && (is_name(name) || is_index(name));
    match key.as_str().filter(is_plain) {
        Some(name) => name.to_owned(),
        None => quoted(key, most),
    }
}
