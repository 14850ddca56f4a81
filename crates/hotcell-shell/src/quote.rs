//! Quotes around text, as bash puts them where it prints values so that they can be read again.

use bstr::{ByteSlice, ByteVec};
use hotcell_regex::CharClass;

/// As `${x@Q}` has it: always quoted.
pub(crate) fn reusable(text: &[u8]) -> Vec<u8> {
    if has_unprintable(text) {
        ansi(text)
    } else {
        single(text)
    }
}

/// As `printf %q` has it: backslashes where needed.
pub(crate) fn escaped(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return "''".into();
    }
    if has_unprintable(text) {
        return ansi(text);
    }
    let mut quoted = Vec::new();
    let mut before = None;
    for &byte in text {
        let needs = match byte {
            b'~' => matches!(before, None | Some(b'=' | b':')),
            b'#' => before.is_none(),
            b',' => true,
            _ => is_meta(byte),
        };
        if needs {
            quoted.push(b'\\');
        }
        quoted.push(byte);
        before = Some(byte);
    }
    quoted
}

/// As `declare -p` has values: in double quotes.
pub(crate) fn declared(text: &[u8]) -> Vec<u8> {
    if has_unprintable(text) {
        ansi(text)
    } else {
        double(text)
    }
}

/// As `set` has values: quoted if that is needed.
pub(crate) fn listed(text: &[u8]) -> Vec<u8> {
    if has_unprintable(text) {
        ansi(text)
    } else if has_metas(text) {
        single(text)
    } else {
        text.into()
    }
}

/// As `set -x` has words.
pub(crate) fn shown(text: &[u8]) -> Vec<u8> {
    if text.is_empty() || has_metas(text) {
        single(text)
    } else if has_unprintable(text) {
        ansi(text)
    } else {
        text.into()
    }
}

/// As `declare -p` has the keys of associative arrays.
pub(crate) fn key(text: &[u8]) -> Vec<u8> {
    if has_unprintable(text) {
        ansi(text)
    } else if text.is_empty() || has_metas(text) || text == b"@" {
        double(text)
    } else {
        text.into()
    }
}

/// `'…'`, as `alias` and `trap -p` have it.
pub(crate) fn single(text: &[u8]) -> Vec<u8> {
    if text == b"'" {
        return "\\'".into();
    }
    let mut quoted = Vec::from("'");
    for (index, piece) in text.split_str("'").enumerate() {
        if index > 0 {
            quoted.push_str("'\\''");
        }
        quoted.push_str(piece);
    }
    quoted.push(b'\'');
    quoted
}

/// `"…"`
pub(crate) fn double(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::from("\"");
    for &byte in text {
        if matches!(byte, b'"' | b'$' | b'`' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}

/// `$'…'`
pub(crate) fn ansi(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::from("$'");
    let mut rest = text;
    while !rest.is_empty() {
        let (char, length) = bstr::decode_utf8(rest);
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
        rest = after;
        match char {
            Some('\x1b') => quoted.push_str("\\E"),
            Some('\x07') => quoted.push_str("\\a"),
            Some('\x08') => quoted.push_str("\\b"),
            Some('\x0c') => quoted.push_str("\\f"),
            Some('\n') => quoted.push_str("\\n"),
            Some('\r') => quoted.push_str("\\r"),
            Some('\t') => quoted.push_str("\\t"),
            Some('\x0b') => quoted.push_str("\\v"),
            Some('\\') => quoted.push_str("\\\\"),
            Some('\'') => quoted.push_str("\\'"),
            Some(char) if CharClass::Print.contains(char) => quoted.push_str(piece),
            _ => {
                for byte in piece {
                    quoted.push_str(format!("\\{byte:03o}"));
                }
            }
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Whether text has something that a terminal would not show.
pub(crate) fn has_unprintable(text: &[u8]) -> bool {
    if text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return false;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let (char, length) = bstr::decode_utf8(rest);
        if !char.is_some_and(|char| CharClass::Print.contains(char)) {
            return true;
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    false
}

/// Whether text would mean something else without quotes.
pub(crate) fn has_metas(text: &[u8]) -> bool {
    let mut before = None;
    text.iter().any(|&byte| {
        let special = match byte {
            b'~' => matches!(before, None | Some(b'=' | b':')),
            b'#' => matches!(before, None | Some(b' ' | b'\t')),
            _ => is_meta(byte),
        };
        before = Some(byte);
        special
    })
}

fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\n'
            | b'\''
            | b'"'
            | b'\\'
            | b'|'
            | b'&'
            | b';'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'!'
            | b'{'
            | b'}'
            | b'*'
            | b'['
            | b'?'
            | b']'
            | b'^'
            | b'$'
            | b'`'
    )
}
