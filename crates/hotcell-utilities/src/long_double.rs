//! The numbers that C's `long double` has on x86: what `printf` and `seq` of GNU compute with.

use num_bigint::BigUint;

use crate::printf::{Float, Spec, put_fill};

/// More digits than these do not change the value, but whether it is exact.
const SIGNIFICANT: usize = 6000;

/// Exponents beyond this are infinity or zero.
const FARTHEST: i64 = 5000;

/// The lowest exponent of a mantissa of 64 bits.
const LOWEST: i64 = -16445;

/// The highest.
const HIGHEST: i64 = 16384 - 64;

/// A number with a mantissa of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LongDouble {
    is_negative: bool,
    magnitude: Magnitude,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Magnitude {
    /// `mantissa * 2^exponent`; the highest bit of the mantissa is set unless the exponent is the lowest, or it is zero.
    Finite {
        mantissa: u64,
        exponent: i64,
    },
    Infinite,
    Nan,
}

/// What stands at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParsedFloat {
    pub(crate) value: LongDouble,
    /// How many bytes it takes; 0 if there is no number.
    pub(crate) length: usize,
    /// It is too large or too small for the kind.
    pub(crate) is_out_of_range: bool,
}

impl LongDouble {
    pub(crate) const ZERO: Self = Self {
        is_negative: false,
        magnitude: Magnitude::Finite {
            mantissa: 0,
            exponent: 0,
        },
    };

    /// A whole number.
    pub(crate) fn from_integer(value: i128) -> Self {
        let magnitude = round(&BigUint::from(value.unsigned_abs()), 0, false);
        Self {
            is_negative: value < 0,
            magnitude,
        }
    }

    /// As `strtold` reads it: blanks, a sign, digits in base ten or sixteen, `inf`, `nan`.
    pub(crate) fn parse(text: &[u8]) -> ParsedFloat {
        let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace());
        let mut position = blanks.count();
        let is_negative = text.get(position) == Some(&b'-');
        if matches!(text.get(position), Some(b'+' | b'-')) {
            position += 1;
        }
        let rest = text.get(position..).unwrap_or_default();
        let (magnitude, length, is_out_of_range) = parse_magnitude(rest);
        ParsedFloat {
            value: Self {
                is_negative: is_negative && length > 0,
                magnitude,
            },
            length: if length == 0 { 0 } else { position + length },
            is_out_of_range,
        }
    }

    /// Mantissa and exponent, if it is finite.
    fn parts(&self) -> (u64, i64) {
        match self.magnitude {
            Magnitude::Finite { mantissa, exponent } => (mantissa, exponent),
            Magnitude::Infinite | Magnitude::Nan => (0, 0),
        }
    }

    /// The magnitude times `10^power`, rounded to a whole number.
    fn scaled(&self, power: i64) -> BigUint {
        let (mantissa, exponent) = self.parts();
        let mut numerator = BigUint::from(mantissa);
        let mut denominator = BigUint::from(1u8);
        let tens = BigUint::from(10u8).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX));
        if power >= 0 {
            numerator *= tens;
        } else {
            denominator *= tens;
        }
        if exponent >= 0 {
            numerator <<= exponent.unsigned_abs();
        } else {
            denominator <<= exponent.unsigned_abs();
        }
        let quotient = &numerator / &denominator;
        let rest = numerator - &quotient * &denominator;
        let twice = rest << 1u8;
        let is_odd = quotient.bit(0);
        if twice > denominator || (twice == denominator && is_odd) {
            quotient + 1u8
        } else {
            quotient
        }
    }
}

fn parse_magnitude(text: &[u8]) -> (Magnitude, usize, bool) {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    for word in [&b"infinity"[..], b"inf"] {
        if lower.starts_with(word) {
            return (Magnitude::Infinite, word.len(), false);
        }
    }
    if lower.starts_with(b"nan") {
        return (Magnitude::Nan, 3, false);
    }
    let is_hexadecimal =
        lower.starts_with(b"0x") && lower.iter().skip(2).take(2).any(u8::is_ascii_hexdigit);
    let (digits, base) = if is_hexadecimal {
        (text.get(2..).unwrap_or_default(), 16u32)
    } else {
        (text, 10)
    };
    let Some(number) = Digits::read(digits, base) else {
        let zero = LongDouble::ZERO.magnitude;
        return (zero, 0, false);
    };
    let length = number.length + if is_hexadecimal { 2 } else { 0 };
    let (magnitude, is_out_of_range) = number.value(base);
    (magnitude, length, is_out_of_range)
}

/// The digits of a number, and by how much they are shifted.
struct Digits {
    /// In its base, without the point and without leading zeros.
    digits: Vec<u8>,
    /// By which power of the base (of two, if it is sixteen) they are multiplied.
    exponent: i64,
    /// Digits that were left away are not all zero.
    is_inexact: bool,
    length: usize,
}

impl Digits {
    fn read(text: &[u8], base: u32) -> Option<Self> {
        let mut number = Self {
            digits: Vec::new(),
            exponent: 0,
            is_inexact: false,
            length: 0,
        };
        let per_digit = if base == 16 { 4 } else { 1 };
        let (mut has_point, mut has_digits) = (false, false);
        for byte in text {
            if *byte == b'.' && !has_point {
                has_point = true;
            } else if let Some(digit) = char::from(*byte).to_digit(base) {
                has_digits = true;
                if has_point {
                    number.exponent -= per_digit;
                }
                number.push(digit, per_digit);
            } else {
                break;
            }
            number.length += 1;
        }
        if !has_digits {
            return None;
        }
        number.read_exponent(text, base);
        Some(number)
    }

    fn push(&mut self, digit: u32, per_digit: i64) {
        if self.digits.is_empty() && digit == 0 {
            return;
        }
        if self.digits.len() < SIGNIFICANT {
            self.digits.push(digit.to_le_bytes()[0]);
        } else {
            self.is_inexact |= digit != 0;
            self.exponent += per_digit;
        }
    }

    fn read_exponent(&mut self, text: &[u8], base: u32) {
        let letter = if base == 16 { b'p' } else { b'e' };
        let rest = text.get(self.length..).unwrap_or_default();
        let Some((first, rest)) = rest.split_first() else {
            return;
        };
        if first.to_ascii_lowercase() != letter {
            return;
        }
        let (sign, digits) = match rest.split_first() {
            Some((b'-', digits)) => (-1, digits),
            Some((b'+', digits)) => (1, digits),
            _ => (1, rest),
        };
        let count = digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if count == 0 {
            return;
        }
        let value = digits.iter().take(count).fold(0i64, |value, digit| {
            (value * 10 + i64::from(digit - b'0')).min(1 << 40)
        });
        self.exponent += sign * value;
        self.length += 1 + (rest.len() - digits.len()) + count;
    }

    fn value(&self, base: u32) -> (Magnitude, bool) {
        let zero = LongDouble::ZERO.magnitude;
        if self.digits.is_empty() {
            return (zero, false);
        }
        let mut integer = BigUint::from_radix_be(&self.digits, base).unwrap_or_default();
        let magnitude = if base == 16 {
            round(&integer, self.exponent, self.is_inexact)
        } else {
            let order = self.exponent + i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
            if order > FARTHEST {
                return (Magnitude::Infinite, true);
            }
            if order < -FARTHEST {
                return (zero, true);
            }
            let tens = u32::try_from(self.exponent.unsigned_abs()).unwrap_or(u32::MAX);
            let tens = BigUint::from(10u8).pow(tens);
            if self.exponent >= 0 {
                integer *= tens;
                round(&integer, 0, self.is_inexact)
            } else {
                // So far that the quotient has more bits than are kept.
                let shift = tens.bits().saturating_sub(integer.bits()) + 70;
                integer <<= shift;
                let quotient = &integer / &tens;
                let is_inexact = self.is_inexact || &quotient * &tens != integer;
                let shift = i64::try_from(shift).unwrap_or(i64::MAX);
                round(&quotient, -shift, is_inexact)
            }
        };
        let is_out = magnitude == Magnitude::Infinite || magnitude == zero;
        (magnitude, is_out)
    }
}

/// `integer * 2^exponent` and a little more if it is inexact, with 64 bits, halves to even.
fn round(integer: &BigUint, exponent: i64, is_inexact: bool) -> Magnitude {
    let bits = i64::try_from(integer.bits()).unwrap_or(i64::MAX);
    if bits == 0 {
        return LongDouble::ZERO.magnitude;
    }
    // Very small numbers have fewer bits.
    let dropped = (bits - 64).max(LOWEST - exponent);
    let (mut mantissa, mut exponent) = if dropped <= 0 {
        let shifted = integer << dropped.unsigned_abs();
        (
            u64::try_from(shifted).unwrap_or(u64::MAX),
            exponent + dropped,
        )
    } else {
        let kept = u64::try_from(integer >> dropped.unsigned_abs()).unwrap_or(u64::MAX);
        let half = integer.bit(dropped.unsigned_abs() - 1);
        let low = integer.trailing_zeros().unwrap_or(0);
        let is_more = is_inexact || low < dropped.unsigned_abs() - 1;
        let goes_up = half && (is_more || kept & 1 == 1);
        match kept.checked_add(u64::from(goes_up)) {
            Some(kept) => (kept, exponent + dropped),
            None => (1 << 63, exponent + dropped + 1),
        }
    };
    // Whole numbers of few bits are shifted up, so that each number has one form.
    let free = i64::from(mantissa.leading_zeros()).min(exponent - LOWEST);
    if mantissa != 0 && free > 0 {
        mantissa <<= free;
        exponent -= free;
    }
    if exponent > HIGHEST {
        return Magnitude::Infinite;
    }
    Magnitude::Finite { mantissa, exponent }
}

impl Float for LongDouble {
    const DIGITS: usize = 16_500;

    fn is_negative(&self) -> bool {
        self.is_negative
    }

    fn is_nan(&self) -> bool {
        self.magnitude == Magnitude::Nan
    }

    fn is_finite(&self) -> bool {
        matches!(self.magnitude, Magnitude::Finite { .. })
    }

    fn fixed(&self, precision: usize) -> String {
        let power = i64::try_from(precision).unwrap_or(i64::MAX);
        let mut digits = self.scaled(power).to_string();
        if digits.len() <= precision {
            digits.insert_str(0, &"0".repeat(precision + 1 - digits.len()));
        }
        if precision > 0 {
            digits.insert(digits.len() - precision, '.');
        }
        digits
    }

    fn scientific(&self, precision: usize) -> String {
        let (mantissa, exponent) = self.parts();
        let wanted = precision + 1;
        let (digits, order) = if mantissa == 0 {
            ("0".repeat(wanted), 0)
        } else {
            // The order of magnitude; one too many or too few is seen by the number of digits.
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "an estimate, which is corrected below"
            )]
            let mut order = ((mantissa as f64).log10()
                + exponent as f64 * std::f64::consts::LOG10_2)
                .floor() as i64;
            loop {
                let power = i64::try_from(precision).unwrap_or(i64::MAX) - order;
                let digits = self.scaled(power).to_string();
                match digits.len().cmp(&wanted) {
                    std::cmp::Ordering::Equal => break (digits, order),
                    std::cmp::Ordering::Less => order -= 1,
                    std::cmp::Ordering::Greater => order += 1,
                }
            }
        };
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}e{order}")
    }

    /// The first digit has four bits, as glibc has it.
    fn hexadecimal(&self, body: &mut Vec<u8>, spec: &Spec) {
        let (mut mantissa, mut exponent) = self.parts();
        let mut digits = match spec.precision {
            Some(precision) => precision.min(15),
            None => 15 - (mantissa.trailing_zeros() as usize / 4).min(15),
        };
        if mantissa == 0 {
            digits = 0;
            exponent = -60;
        } else if digits < 15 {
            let dropped = 60 - 4 * digits;
            let half = 1u64 << (dropped - 1);
            let rest = mantissa & ((1 << dropped) - 1);
            let kept = mantissa >> dropped;
            let goes_up = rest > half || (rest == half && kept & 1 == 1);
            match (kept + u64::from(goes_up)).checked_mul(1 << dropped) {
                Some(rounded) => mantissa = rounded,
                None => {
                    mantissa = 1 << 60;
                    exponent += 4;
                }
            }
        }
        let all = format!("{mantissa:016x}");
        let (first, rest) = all.split_at(1);
        body.extend_from_slice(first.as_bytes());
        if digits > 0 || spec.alternate || spec.precision.unwrap_or(0) > 0 {
            body.push(b'.');
        }
        body.extend_from_slice(rest.as_bytes().get(..digits).unwrap_or_default());
        put_fill(
            body,
            b'0',
            spec.precision.unwrap_or(0).saturating_sub(digits),
        );
        let power = exponent + 60;
        let sign = if power < 0 { '-' } else { '+' };
        body.extend_from_slice(format!("p{sign}{}", power.unsigned_abs()).as_bytes());
    }
}
