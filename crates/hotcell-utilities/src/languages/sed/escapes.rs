//! Escapes of GNU sed that stand for a character: `\t`, `\x41`, `\cA` and their kin.

/// What kind of text the escapes are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Regex,
    Replacement,
    /// Of `a`, `i`, `c` and `y`.
    Text,
}

/// Replaces escapes that stand for a character. All others stay as they are.
pub(crate) fn convert(text: &[u8], kind: Kind) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte != b'\\' {
            out.push(*byte);
            at += 1;
            continue;
        }
        let rest = text.get(at + 1..).unwrap_or_default();
        match escape(rest) {
            Some((byte, length)) => {
                // What means something in a replacement does not if it is written this way.
                if kind == Kind::Replacement && matches!(byte, b'&' | b'\\') {
                    out.push(b'\\');
                }
                out.push(byte);
                at += 1 + length;
            }
            None => {
                out.push(b'\\');
                out.extend(rest.first());
                at += 2;
            }
        }
    }
    out
}

/// The character that the text behind a backslash stands for, and how long that text is.
fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    Some(match rest {
        [b'a', ..] => (7, 1),
        [b'f', ..] => (12, 1),
        [b'r', ..] => (b'\r', 1),
        [b't', ..] => (b'\t', 1),
        [b'v', ..] => (11, 1),
        [b'c', b'\\', b'\\', ..] => (b'\\' ^ 0x40, 3),
        [b'c', control, ..] if *control != b'\\' => (control.to_ascii_uppercase() ^ 0x40, 2),
        [b'd', digits @ ..] => number(digits, 10, 3)?,
        [b'o', digits @ ..] => number(digits, 8, 3)?,
        [b'x', digits @ ..] => number(digits, 16, 2)?,
        _ => return None,
    })
}

fn number(digits: &[u8], base: u32, most: usize) -> Option<(u8, usize)> {
    let values = digits
        .iter()
        .map_while(|byte| char::from(*byte).to_digit(base));
    let (mut value, mut length) = (0, 0);
    for digit in values.take(most) {
        value = value * base + digit;
        length += 1;
    }
    (length > 0).then(|| (u8::try_from(value & 0xff).unwrap_or_default(), length + 1))
}
