//! How a name is written where one line stands for one name.

use std::fmt::Write;

/// A path as text on one line. A name that could be taken for something else (it has a line break, another control
/// character, or bytes that are not UTF-8) is written as a string literal, so that it cannot forge a line.
pub(crate) fn shown(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    show(path, &mut out);
    out
}

/// [`shown`], appended.
pub(crate) fn show(path: &[u8], out: &mut String) {
    match std::str::from_utf8(path) {
        Ok(text) if !text.chars().any(breaks) => out.push_str(text),
        _ => quote(path, out),
    }
}

fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn quote(path: &[u8], out: &mut String) {
    out.push('"');
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if breaks(c) => {
                    let _ = write!(out, "\\u{:04x}", u32::from(c));
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
}
