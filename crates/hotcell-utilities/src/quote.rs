//! Names in messages, as GNU tools put them there.

use bstr::{BStr, BString, ByteVec};

/// How much of a name a message repeats that names it several times: more than the path of any file.
const SHOWN: usize = 8 << 10;

/// A name, or its beginning if it is longer than any name of a file.
pub(crate) fn shortened(text: &[u8]) -> BString {
    match text.get(..SHOWN) {
        Some(start) if text.len() > SHOWN => [start, b"..."].concat().into(),
        _ => text.into(),
    }
}

/// `'name'`, with what a terminal should not see escaped.
pub(crate) fn quote(text: &[u8]) -> BString {
    let mut quoted = BString::from("'");
    for byte in text {
        match byte {
            b'\'' => quoted.push_str("'\\''"),
            b'\n' => quoted.push_str("'$'\\n''"),
            0..0x20 | 0x7f => quoted.push_str(format!("'$'\\{byte:03o}''")),
            _ => quoted.push_byte(*byte),
        }
    }
    quoted.push_byte(b'\'');
    quoted
}

/// A name as it stands before a colon: quoted only if it has to be.
pub(crate) fn name(text: &[u8]) -> BString {
    if text.contains(&b':') {
        quoted_for_shell(text)
    } else {
        for_shell_escaped(text)
    }
}

/// A word as a shell would read it, quoted only if it has to be; what cannot be printed becomes `$'\n'`.
pub(crate) fn for_shell_escaped(text: &[u8]) -> BString {
    let is_special = |(at, byte): (usize, &u8)| match byte {
        b' ' | b'!' | b'"' | b'$' | b'&' | b'(' | b')' | b'*' | b';' | b'<' | b'=' | b'>' => true,
        b'[' | b'^' | b'`' | b'|' | b'\'' | b'\\' | b'?' => true,
        b'#' | b'~' => at == 0,
        b'{' | b'}' => text.len() == 1,
        byte => byte.is_ascii_control(),
    };
    if text.is_empty() || text.iter().enumerate().any(is_special) {
        quoted_for_shell(text)
    } else {
        text.into()
    }
}

fn quoted_for_shell(text: &[u8]) -> BString {
    // Double quotes read better around single ones, as long as nothing in them means something.
    let is_simple = |byte: &u8| {
        byte.is_ascii_alphanumeric() || b" %+,-./:]_{}'#~".contains(byte) || *byte >= 0x80
    };
    if text.contains(&b'\'') && text.iter().all(is_simple) {
        return [b"\"", text, b"\""].concat().into();
    }
    let mut quoted = BString::from("'");
    let mut is_escape = false;
    for byte in text {
        if byte.is_ascii_control() {
            if !std::mem::replace(&mut is_escape, true) {
                quoted.push_str("'$'");
            }
            match byte {
                0x07 => quoted.push_str("\\a"),
                0x08 => quoted.push_str("\\b"),
                b'\t' => quoted.push_str("\\t"),
                b'\n' => quoted.push_str("\\n"),
                0x0b => quoted.push_str("\\v"),
                0x0c => quoted.push_str("\\f"),
                b'\r' => quoted.push_str("\\r"),
                byte => quoted.push_str(format!("\\{byte:03o}")),
            }
        } else if *byte == b'\'' {
            is_escape = false;
            quoted.push_str("'\\''");
        } else {
            if std::mem::replace(&mut is_escape, false) {
                quoted.push_str("''");
            }
            quoted.push_byte(*byte);
        }
    }
    quoted.push_byte(b'\'');
    quoted
}

/// A word as a shell would take it, quoted only if it has to be.
pub(crate) fn for_shell(text: &[u8]) -> BString {
    let is_plain = !text.is_empty()
        && text.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || b"_-./+,:%@^=".contains(byte) || *byte >= 0x80
        });
    if is_plain {
        BStr::new(text).to_owned()
    } else {
        quote(text)
    }
}
