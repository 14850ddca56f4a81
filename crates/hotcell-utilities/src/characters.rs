//! Characters of texts that are UTF-8, as far as they are: a byte that belongs to no character is one.

use hotcell_process::Process;

/// Whether characters are bytes: where the environment asks for the C locale. Who says nothing gets UTF-8.
pub(crate) fn are_bytes(process: &Process) -> bool {
    let chosen = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| process.env(name))
        .find(|value| !value.is_empty());
    chosen.is_some_and(|locale| locale == "C" || locale == "POSIX")
}

/// The length of the character that a text begins with; none has no length.
#[inline]
pub(crate) fn first(text: &[u8]) -> usize {
    match text.first() {
        None => 0,
        Some(byte) if byte.is_ascii() => 1,
        Some(_) => match bstr::decode_utf8(text) {
            (Some(_), length) => length,
            (None, _) => 1,
        },
    }
}

/// How many columns of a screen a text takes.
pub(crate) fn columns(text: &[u8]) -> usize {
    use bstr::ByteSlice as _;
    // Control characters have no width.
    let width = |character| unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
    text.chars().map(width).sum()
}

/// How many characters a text has.
pub(crate) fn count(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut rest = text;
    let mut count = 0;
    while !rest.is_empty() {
        rest = rest.get(first(rest)..).unwrap_or_default();
        count += 1;
    }
    count
}

/// Where in a text so many characters end; its length if it has no more.
pub(crate) fn offset(text: &[u8], characters: usize) -> usize {
    if characters >= text.len() {
        return text.len();
    }
    let mut at = 0;
    for _ in 0..characters {
        let length = first(text.get(at..).unwrap_or_default());
        if length == 0 {
            break;
        }
        at += length;
    }
    at
}
