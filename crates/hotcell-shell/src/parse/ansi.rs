//! `$'…'`

use super::builder::Builder;
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::quotes::Quoting;
use crate::ast::Part;

impl Grammar<'_> {
    /// At the opening quote; `line` is that of the dollar. In `"${x:-$'…'}"` it stands for text without quotes.
    #[inline(never)]
    pub(super) fn ansi_quoted(
        &mut self,
        builder: &mut Builder,
        quoting: Quoting,
        line: u32,
    ) -> Result<()> {
        self.input.advance();
        let mut source = Vec::new();
        loop {
            let start = source.len();
            let found = self.input.take_through(b'\'', &mut source);
            self.spend(source.len() - start)?;
            found.ok_or_else(|| SyntaxError::unmatched(line, b'\''))?;
            // An odd number of backslashes right before it quotes the quote. A pair of them may begin before `start`
            // only if a quote is in between, so what was read last is enough to look at.
            let read = source.get(start..).unwrap_or_default();
            let backslashes = read.iter().rev().take_while(|&&byte| byte == b'\\').count();
            if backslashes % 2 == 0 {
                break;
            }
            source.push(b'\'');
        }
        let value = decode(&source);
        self.charge(value.len() + 32)?;
        if quoting == Quoting::Plain {
            builder.push(Part::AnsiQuoted(value.into()));
        } else {
            self.charge(value.len() * size_of::<Part>())?;
            for byte in value {
                push_braced(byte, builder);
            }
        }
        Ok(())
    }
}

/// A byte that stands for itself in `"${x:-…}"`.
fn push_braced(byte: u8, builder: &mut Builder) {
    match byte {
        b'$' | b'`' | b'"' | b'\\' | b'}' => builder.push(Part::Escaped(byte)),
        b'\'' => builder.push(Part::DoubleQuoted([Part::Literal([byte].into())].into())),
        _ => builder.byte(byte),
    }
}

/// What the text between the quotes stands for. A NUL ends it, as bash's strings do.
pub(crate) fn decode(source: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(source.len());
    let mut rest = source;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'\\' {
            rest = escape(after, &mut value);
        } else {
            value.push(*byte);
        }
    }
    if let Some(nul) = value.iter().position(|&byte| byte == 0) {
        value.truncate(nul);
    }
    value
}

/// Decodes what follows a backslash, and returns what follows that.
fn escape<'a>(text: &'a [u8], value: &mut Vec<u8>) -> &'a [u8] {
    let [kind, rest @ ..] = text else {
        value.push(b'\\');
        return text;
    };
    let simple = match kind {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1b,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'\'' | b'"' | b'?' => *kind,
        b'0'..=b'7' => {
            let (number, rest) = digits(text, 8, 3);
            value.extend(number.map(low_byte));
            return rest;
        }
        b'x' => return hexadecimal(rest, value),
        b'u' => return unicode(rest, 4, text, value),
        b'U' => return unicode(rest, 8, text, value),
        b'c' => return control(rest, value),
        _ => {
            value.extend_from_slice(&[b'\\', *kind]);
            return rest;
        }
    };
    value.push(simple);
    rest
}

/// After `\x`: two digits, or any number of them in braces.
fn hexadecimal<'a>(text: &'a [u8], value: &mut Vec<u8>) -> &'a [u8] {
    if let Some(inside) = text.strip_prefix(b"{") {
        let (number, rest) = digits(inside, 16, usize::MAX);
        if let Some(number) = number {
            value.push(low_byte(number));
            return rest.strip_prefix(b"}").unwrap_or(rest);
        }
    }
    let (number, rest) = digits(text, 16, 2);
    match number {
        Some(number) => value.push(low_byte(number)),
        None => value.extend_from_slice(b"\\x"),
    }
    rest
}

/// After `\u` or `\U`: a character by its number, as UTF-8.
fn unicode<'a>(
    text: &'a [u8],
    length: usize,
    with_kind: &'a [u8],
    value: &mut Vec<u8>,
) -> &'a [u8] {
    let (number, rest) = digits(text, 16, length);
    if let Some(number) = number {
        push_utf8(number, value);
    } else {
        value.push(b'\\');
        value.extend(with_kind.first());
    }
    rest
}

/// bash encodes surrogates like any other number, and leaves out what UTF-8 has no place for.
fn push_utf8(number: u32, value: &mut Vec<u8>) {
    let tail = |shift: u32| low_byte(0x80 | (number >> shift) & 0x3f);
    match number {
        0..0x80 => value.push(low_byte(number)),
        0x80..0x800 => value.extend([low_byte(0xc0 | number >> 6), tail(0)]),
        0x800..0x1_0000 => value.extend([low_byte(0xe0 | number >> 12), tail(6), tail(0)]),
        0x1_0000..0x11_0000 => {
            value.extend([low_byte(0xf0 | number >> 18), tail(12), tail(6), tail(0)]);
        }
        _ => {}
    }
}

/// After `\c`: the control character of what follows.
fn control<'a>(text: &'a [u8], value: &mut Vec<u8>) -> &'a [u8] {
    let [byte, rest @ ..] = text else {
        value.extend_from_slice(b"\\c");
        return text;
    };
    // `\c\\` is one character.
    let rest = if *byte == b'\\' {
        rest.strip_prefix(b"\\").unwrap_or(rest)
    } else {
        rest
    };
    value.push(if *byte == b'?' {
        0x7f
    } else {
        byte.to_ascii_uppercase() & 0x1f
    });
    rest
}

/// The number that up to `most` digits make, modulo 2³².
fn digits(text: &[u8], radix: u32, most: usize) -> (Option<u32>, &[u8]) {
    let mut number = None;
    let mut rest = text;
    for _ in 0..most.min(text.len()) {
        let [byte, after @ ..] = rest else { break };
        let Some(digit) = char::from(*byte).to_digit(radix) else {
            break;
        };
        number = Some(
            number
                .unwrap_or(0_u32)
                .wrapping_mul(radix)
                .wrapping_add(digit),
        );
        rest = after;
    }
    (number, rest)
}

fn low_byte(number: u32) -> u8 {
    number.to_le_bytes()[0]
}
