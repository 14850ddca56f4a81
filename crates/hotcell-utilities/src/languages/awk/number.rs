//! Numbers in text, as `awk` reads them.

use std::io::Write;

use crate::printf;

/// Powers of ten that doubles hold exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The number that a text begins with, zero if it begins with none.
#[inline]
pub(crate) fn leading(text: &[u8]) -> f64 {
    scan(skip_blanks(text)).map_or(0.0, |(number, _)| number)
}

/// The number that a text is, blanks around it aside.
#[inline]
pub(crate) fn whole(text: &[u8]) -> Option<f64> {
    let text = skip_blanks(text);
    let (number, length) = scan(text)?;
    let rest = text.get(length..).unwrap_or_default();
    rest.iter().all(|byte| is_blank(*byte)).then_some(number)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

#[inline]
fn skip_blanks(text: &[u8]) -> &[u8] {
    match text.first() {
        Some(byte) if is_blank(*byte) => {
            let start = text.iter().position(|byte| !is_blank(*byte));
            text.get(start.unwrap_or(text.len())..).unwrap_or_default()
        }
        _ => text,
    }
}

/// A decimal number at the very beginning, and how long it is.
#[inline]
pub(crate) fn scan(text: &[u8]) -> Option<(f64, usize)> {
    let mut at = 0;
    let is_negative = match text.first() {
        Some(b'-') => {
            at = 1;
            true
        }
        Some(b'+') => {
            at = 1;
            false
        }
        _ => false,
    };
    let first = *text.get(at)?;
    if !first.is_ascii_digit() && first != b'.' {
        return special(text, at, is_negative);
    }
    let mut mantissa = 0u64;
    let mut digits = 0usize;
    let mut dropped = false;
    let mut scale = 0i32;
    let mut is_fraction = false;
    let mut any = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'0'..=b'9' => {
                any = true;
                if digits < 19 {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    digits += usize::from(mantissa != 0);
                    scale -= i32::from(is_fraction);
                } else {
                    dropped = true;
                }
            }
            b'.' if !is_fraction => is_fraction = true,
            _ => break,
        }
        at += 1;
    }
    if !any {
        return None;
    }
    let (exponent, length) = exponent(text.get(at..).unwrap_or_default());
    at += length;
    let exponent = exponent.saturating_add(scale);
    let magnitude = if dropped || mantissa > 1 << 53 {
        slow(text.get(..at)?)
    } else {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let mantissa = mantissa as f64;
        match usize::try_from(exponent.unsigned_abs())
            .ok()
            .and_then(|exponent| TENS.get(exponent))
        {
            Some(ten) if exponent < 0 => mantissa / ten,
            Some(ten) => mantissa * ten,
            None => slow(text.get(..at)?),
        }
    };
    Some((
        if is_negative {
            -magnitude.abs()
        } else {
            magnitude
        },
        at,
    ))
}

/// The magnitude of what the quick way does not round right.
#[cold]
fn slow(text: &[u8]) -> f64 {
    let text = std::str::from_utf8(text).unwrap_or_default();
    text.parse().map_or(0.0, f64::abs)
}

/// `e5`, if that is there: the exponent and its length.
fn exponent(text: &[u8]) -> (i32, usize) {
    if !matches!(text.first(), Some(b'e' | b'E')) {
        return (0, 0);
    }
    let mut at = 1;
    let is_negative = match text.get(1) {
        Some(b'-') => {
            at = 2;
            true
        }
        Some(b'+') => {
            at = 2;
            false
        }
        _ => false,
    };
    let start = at;
    let mut exponent = 0i32;
    while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
        exponent = exponent
            .saturating_mul(10)
            .saturating_add(i32::from(digit - b'0'))
            .min(100_000);
        at += 1;
    }
    if at == start {
        return (0, 0);
    }
    (if is_negative { -exponent } else { exponent }, at)
}

/// `+inf` and `-nan`, which need a sign and nothing behind them.
#[cold]
fn special(text: &[u8], at: usize, is_negative: bool) -> Option<(f64, usize)> {
    if at == 0 {
        return None;
    }
    let word = text.get(at..at + 3)?;
    if text.get(at + 3).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let number = if word.eq_ignore_ascii_case(b"inf") {
        f64::INFINITY
    } else if word.eq_ignore_ascii_case(b"nan") {
        f64::NAN
    } else {
        return None;
    };
    let sign = if is_negative { -1.0 } else { 1.0 };
    Some((number.copysign(sign), at + 3))
}

/// A number as text, if that does not depend on a format: whole numbers, and what is no number.
#[inline]
pub(crate) fn put_whole(out: &mut Vec<u8>, number: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "compared below")]
    let integer = number as i64;
    #[expect(clippy::cast_precision_loss, reason = "compared, and bounded")]
    let is_integer = integer as f64 == number && integer.unsigned_abs() < 1 << 53;
    if is_integer {
        printf::decimal(out, integer);
        return true;
    }
    put_unusual(out, number)
}

fn put_unusual(out: &mut Vec<u8>, number: f64) -> bool {
    if !number.is_finite() {
        out.push(if number.is_sign_negative() {
            b'-'
        } else {
            b'+'
        });
        out.extend_from_slice(if number.is_nan() { b"nan" } else { b"inf" });
        return true;
    }
    if number.fract() == 0.0 {
        let _ = write!(out, "{number:.0}");
        return true;
    }
    false
}

/// `%.6g`, the format that hardly anybody changes.
pub(crate) fn put_default(out: &mut Vec<u8>, number: f64) {
    if number.is_sign_negative() {
        out.push(b'-');
    }
    printf::general(out, number.abs(), 6);
}

/// The number of a constant in a program, or of `strtonum`: decimal, `0x1f`, or `017`. And how long it is.
pub(crate) fn scan_constant(text: &[u8]) -> Option<(f64, usize)> {
    let (base, start) = match text {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => (16, 2),
        [b'0', b'0'..=b'7', ..] => (8, 1),
        _ => return scan(text),
    };
    let digits = text.get(start..).unwrap_or_default();
    let length = digits
        .iter()
        .position(|byte| !char::from(*byte).is_digit(base))
        .unwrap_or(digits.len());
    let end = start + length;
    if base == 8 && matches!(text.get(end), Some(b'8' | b'9' | b'.' | b'e' | b'E')) {
        return scan(text);
    }
    let value = digits.iter().take(length).fold(0.0, |sum, byte| {
        sum * f64::from(base) + f64::from(char::from(*byte).to_digit(base).unwrap_or(0))
    });
    Some((value, end))
}
