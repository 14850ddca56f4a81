//! Text quoted so that the shell reads it back.

/// `'text'`, with `'\''` for each quote in it.
pub(crate) fn single(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'\'');
    for byte in text {
        if *byte == b'\'' {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(*byte);
        }
    }
    quoted.push(b'\'');
    quoted
}

/// The word as `set -x` shows it: quoted only if it has to be.
pub(crate) fn shown(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        b"''".to_vec()
    } else if has_metacharacters(text) {
        single(text)
    } else if needs_ansi(text) {
        ansi(text)
    } else {
        text.to_vec()
    }
}

/// Whether a character in it means something to the shell.
fn has_metacharacters(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(index, byte)| match byte {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<'
        | b'>' | b'!' | b'{' | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' => true,
        b'~' => {
            let before = index.checked_sub(1).and_then(|index| text.get(index));
            matches!(before, None | Some(b'=' | b':'))
        }
        b'#' => index == 0,
        _ => false,
    })
}

/// Whether there is something in it that a terminal would not show.
pub(crate) fn needs_ansi(text: &[u8]) -> bool {
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().any(char::is_control),
        Err(_) => true,
    }
}

/// `$'text'`, with escapes for what cannot be shown.
pub(crate) fn ansi(text: &[u8]) -> Vec<u8> {
    use bstr::ByteSlice;
    let mut quoted = b"$'".to_vec();
    for (start, end, char) in text.char_indices() {
        let bytes = text.get(start..end).unwrap_or_default();
        match bytes {
            b"\x07" => quoted.extend_from_slice(b"\\a"),
            b"\x08" => quoted.extend_from_slice(b"\\b"),
            b"\x1b" => quoted.extend_from_slice(b"\\E"),
            b"\x0c" => quoted.extend_from_slice(b"\\f"),
            b"\n" => quoted.extend_from_slice(b"\\n"),
            b"\r" => quoted.extend_from_slice(b"\\r"),
            b"\t" => quoted.extend_from_slice(b"\\t"),
            b"\x0b" => quoted.extend_from_slice(b"\\v"),
            b"\\" => quoted.extend_from_slice(b"\\\\"),
            b"'" => quoted.extend_from_slice(b"\\'"),
            _ if char.is_control() || (char == '\u{fffd}' && bytes != "\u{fffd}".as_bytes()) => {
                for byte in bytes {
                    quoted.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                }
            }
            _ => quoted.extend_from_slice(bytes),
        }
    }
    quoted.push(b'\'');
    quoted
}
