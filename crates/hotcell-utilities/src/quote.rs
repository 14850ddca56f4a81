//! Names in messages, as GNU tools put them there.

use bstr::{BStr, BString, ByteVec};

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
    let is_plain = !text.is_empty()
        && !text
            .iter()
            .any(|byte| byte.is_ascii_control() || b" '\"\\$`:;|&<>()*?[]".contains(byte));
    if is_plain {
        BStr::new(text).to_owned()
    } else {
        quote(text)
    }
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
