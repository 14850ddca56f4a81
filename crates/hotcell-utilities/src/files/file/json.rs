//! Whether a text is JSON.

use bstr::ByteSlice;

/// Deeper JSON is not recognized: nothing that people write is.
const DEEPEST: usize = 500;

/// Whether a text is one object or list of JSON.
pub(super) fn is_document(text: &[u8]) -> bool {
    let text = text.trim();
    matches!(text.first(), Some(b'{' | b'[')) && value(text, 0).is_some_and(<[u8]>::is_empty)
}

/// Whether each of several lines is such.
pub(super) fn is_lines(text: &[u8]) -> bool {
    let mut lines = text.lines().peekable();
    let Some(first) = lines.next() else {
        return false;
    };
    lines.peek().is_some() && is_document(first) && lines.all(is_document)
}

/// What follows a value.
fn value(text: &[u8], depth: usize) -> Option<&[u8]> {
    if depth > DEEPEST {
        return None;
    }
    let text = text.trim_start();
    match text.first()? {
        b'{' => items(text, b'}', |text| {
            let text = string(text.trim_start())?;
            value(text.trim_start().strip_prefix(b":")?, depth + 1)
        }),
        b'[' => items(text, b']', |text| value(text, depth + 1)),
        b'"' => string(text),
        b'-' | b'0'..=b'9' => {
            let is_part = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            let length = text.iter().take_while(is_part).count();
            let (number, rest) = text.split_at(length);
            number.to_str().ok()?.parse::<f64>().ok()?;
            Some(rest)
        }
        _ => [&b"true"[..], b"false", b"null"]
            .iter()
            .find_map(|word| text.strip_prefix(*word)),
    }
}

fn items(text: &[u8], end: u8, mut item: impl FnMut(&[u8]) -> Option<&[u8]>) -> Option<&[u8]> {
    let mut rest = text.get(1..)?.trim_start();
    if rest.first() == Some(&end) {
        return rest.get(1..);
    }
    loop {
        rest = item(rest)?.trim_start();
        let (next, after) = rest.split_first()?;
        rest = after;
        match next {
            b',' => {}
            next if *next == end => return Some(rest),
            _ => return None,
        }
    }
}

fn string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        let (byte, after) = rest.split_first()?;
        rest = match byte {
            b'"' => return Some(after),
            b'\\' => after.get(1..)?,
            0..0x20 => return None,
            _ => after,
        };
    }
}
