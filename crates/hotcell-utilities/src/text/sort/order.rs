//! The ways in which two keys are compared.

use std::cmp::Ordering;

/// How keys are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Text,
    Numeric,
    General,
    Human,
    Month,
    Version,
    Random,
}

/// A number as text has it, without limits: `-12.50`.
#[derive(Clone, Copy)]
struct Decimal<'t> {
    is_negative: bool,
    whole: &'t [u8],
    fraction: &'t [u8],
}

impl<'t> Decimal<'t> {
    /// The number at the beginning of a text, which may be none: that is 0. And what is behind it.
    fn parse(text: &'t [u8]) -> (Self, &'t [u8]) {
        let text = skip_blanks(text);
        let (is_negative, text) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            _ => (false, text),
        };
        let (whole, rest) = digits(text);
        let (fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => digits(rest),
            _ => (&b""[..], rest),
        };
        let zeros = whole
            .iter()
            .position(|digit| *digit != b'0')
            .unwrap_or(whole.len());
        let last = fraction
            .iter()
            .rposition(|digit| *digit != b'0')
            .map_or(0, |last| last + 1);
        let number = Self {
            is_negative,
            whole: whole.get(zeros..).unwrap_or_default(),
            fraction: fraction.get(..last).unwrap_or_default(),
        };
        (number, rest)
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.is_zero(), number.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign != Ordering::Equal {
            return by_sign;
        }
        let size = self.whole.len().cmp(&other.whole.len());
        let size = size
            .then_with(|| self.whole.cmp(other.whole))
            .then_with(|| self.fraction.cmp(other.fraction));
        if self.is_negative {
            size.reverse()
        } else {
            size
        }
    }

    /// Near enough: of two numbers the larger is never nearer to zero here.
    fn approximate(&self) -> f64 {
        let mut value = 0.0f64;
        for digit in self.whole {
            value = value * 10.0 + f64::from(digit - b'0');
        }
        let mut scale = 0.1;
        for digit in self.fraction.iter().take(15) {
            value += f64::from(digit - b'0') * scale;
            scale /= 10.0;
        }
        if self.is_negative { -value } else { value }
    }
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t' | b'\n'))
        .unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

pub(super) fn numeric(one: &[u8], other: &[u8]) -> Ordering {
    Decimal::parse(one).0.compare(&Decimal::parse(other).0)
}

/// `2K` before `1M`: the unit counts before the number.
pub(super) fn human(one: &[u8], other: &[u8]) -> Ordering {
    let parts = |text| {
        let (number, rest): (Decimal<'_>, &[u8]) = Decimal::parse(text);
        let unit = match rest.first() {
            Some(b'k' | b'K') => 1,
            Some(letter) => b"MGTPEZYRQ"
                .iter()
                .position(|known| known == letter)
                .map_or(0, |at| at as i32 + 2),
            None => 0,
        };
        let unit = if number.is_zero() {
            0
        } else if number.is_negative {
            -unit
        } else {
            unit
        };
        (unit, number)
    };
    let ((unit, number), (other_unit, other_number)) = (parts(one), parts(other));
    let sign = |number: &Decimal<'_>| {
        if number.is_zero() {
            0
        } else if number.is_negative {
            -1
        } else {
            1
        }
    };
    sign(&number)
        .cmp(&sign(&other_number))
        .then(unit.cmp(&other_unit))
        .then_with(|| number.compare(&other_number))
}

/// As C's `strtod` reads it: what is no number comes before all, then NaN, then numbers.
pub(super) fn general(one: &[u8], other: &[u8]) -> Ordering {
    match (float(one), float(other)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(one), Some(other)) => match (one.is_nan(), other.is_nan()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
        },
    }
}

fn float(text: &[u8]) -> Option<f64> {
    let text = skip_blanks(text);
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let body = text.get(sign..).unwrap_or_default();
    let lower = |count: usize| body.get(..count).map(<[u8]>::to_ascii_lowercase);
    let is_negative = text.first() == Some(&b'-');
    if lower(3).as_deref() == Some(b"inf") {
        return Some(if is_negative {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    if lower(3).as_deref() == Some(b"nan") {
        return Some(f64::NAN);
    }
    if lower(2).as_deref() == Some(b"0x") {
        let digits = body.get(2..).unwrap_or_default();
        let end = digits
            .iter()
            .position(|byte| !byte.is_ascii_hexdigit())
            .unwrap_or(digits.len());
        let value = digits.iter().take(end).fold(0.0, |sum, digit| {
            sum * 16.0 + f64::from(char::from(*digit).to_digit(16).unwrap_or(0))
        });
        return (end > 0).then_some(if is_negative { -value } else { value });
    }
    let (whole, rest) = digits(body);
    let fraction = match rest.split_first() {
        Some((b'.', rest)) => digits(rest).0.len() + 1,
        _ => 0,
    };
    let mut end = whole.len() + fraction;
    if whole.is_empty() && fraction < 2 {
        return None;
    }
    if let Some(b'e' | b'E') = body.get(end) {
        let sign = usize::from(matches!(body.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(body.get(end + 1 + sign..).unwrap_or_default())
            .0
            .len();
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = body
        .get(..end)
        .and_then(|number| std::str::from_utf8(number).ok());
    let value: f64 = number?.parse().ok()?;
    Some(if is_negative { -value } else { value })
}

/// Unknown names come before January.
pub(super) fn month(text: &[u8]) -> u8 {
    const MONTHS: [&[u8; 3]; 12] = [
        b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV",
        b"DEC",
    ];
    let name = skip_blanks(text).get(..3).map(<[u8]>::to_ascii_uppercase);
    let found = name.and_then(|name| MONTHS.iter().position(|month| month.as_slice() == name));
    found.map_or(0, |at| u8::try_from(at + 1).unwrap_or(0))
}

/// A number that is smaller for whatever comes first, or equal if that is not known without a closer look.
pub(super) fn rank(order: Order, key: &[u8]) -> u64 {
    match order {
        Order::Text => {
            if let Some(first) = key.first_chunk() {
                return u64::from_be_bytes(*first);
            }
            let mut bytes = [0; 8];
            let count = key.len();
            if let (Some(to), Some(from)) = (bytes.get_mut(..count), key.get(..count)) {
                to.copy_from_slice(from);
            }
            u64::from_be_bytes(bytes)
        }
        Order::Numeric => {
            let value = Decimal::parse(key).0.approximate();
            // Adding zero makes one zero of both.
            let bits = (value + 0.0).to_bits();
            // The order of floats is that of their bits, turned round for negative ones.
            if bits >> 63 == 0 {
                bits | 1 << 63
            } else {
                !bits
            }
        }
        _ => 0,
    }
}
