//! Numbers with letters for powers, as people write them.

use std::{cmp::Ordering, io};

use bstr::ByteSlice;

use crate::{
    languages::{Decimal, Math},
    printf,
    quote::quote,
};

/// The letters of the powers, from the first.
pub(super) const POWERS: &[u8] = b"KMGTPEZY";

/// Digits that a number may have without a letter.
const MAX_DIGITS: usize = 18;

/// Digits that a number may have at all.
const MAX_INPUT_DIGITS: usize = 27;

/// Digits that are kept when powers are divided.
const WORKING: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    None,
    Auto,
    Si,
    Iec,
    IecI,
}

impl Scale {
    fn base(self) -> i64 {
        match self {
            Self::Iec | Self::IecI => 1024,
            Self::None | Self::Auto | Self::Si => 1000,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

pub(super) struct Converter<'p> {
    pub(super) math: Math<'p>,
    pub(super) from: Scale,
    pub(super) to: Scale,
    pub(super) from_unit: u64,
    pub(super) to_unit: u64,
    pub(super) round: Round,
    /// Digits behind the point that were asked for.
    pub(super) precision: Option<usize>,
}

/// A converted number, or what is wrong with it.
type Converted = Result<Vec<u8>, Vec<u8>>;

impl Converter<'_> {
    pub(super) fn convert(&self, text: &[u8], suffix: &[u8]) -> io::Result<Converted> {
        let number = if suffix.is_empty() {
            text
        } else {
            text.strip_suffix(suffix).unwrap_or(text)
        };
        match self.read(number)? {
            Ok(value) => self.show(&value),
            Err(message) => Ok(Err(message)),
        }
    }

    fn read(&self, text: &[u8]) -> io::Result<Result<Decimal, Vec<u8>>> {
        let complain = |message: &str, behind: &str| -> Vec<u8> {
            let mut complaint = message.as_bytes().to_vec();
            complaint.extend_from_slice(&quote(text));
            complaint.extend_from_slice(behind.as_bytes());
            complaint
        };
        let (is_negative, digits) = match text.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let whole = digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let mut length = whole;
        if digits.get(whole) == Some(&b'.') {
            let part = digits.get(whole + 1..).unwrap_or_default();
            let count = part.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return Ok(Err(complain("invalid number: ", "")));
            }
            length += 1 + count;
        }
        if length == 0 {
            return Ok(Err(complain("invalid number: ", "")));
        }
        if whole > MAX_INPUT_DIGITS {
            return Ok(Err(complain("value too large to be converted: ", "")));
        }
        let (digits, rest) = digits.split_at(length);
        let mut value = self.math.read(digits, 10)?;
        let power = match rest.first() {
            None => 0,
            Some(letter) => match POWERS.find_byte(*letter) {
                None => return Ok(Err(complain("invalid suffix in input: ", ""))),
                Some(_) if self.from == Scale::None => {
                    return Ok(Err(complain(
                        "rejecting suffix in input: ",
                        " (consider using --from)",
                    )));
                }
                Some(power) => power + 1,
            },
        };
        let mut behind = rest.get(1..).unwrap_or_default();
        let mut base = self.from.base();
        match (self.from, behind.strip_prefix(b"i")) {
            (Scale::Auto, Some(rest)) if power > 0 => {
                base = 1024;
                behind = rest;
            }
            (Scale::IecI, Some(rest)) if power > 0 => behind = rest,
            (Scale::IecI, _) if power > 0 => {
                return Ok(Err(complain(
                    "missing 'i' suffix in input: ",
                    " (e.g Ki/Mi/Gi)",
                )));
            }
            _ => {}
        }
        if !behind.is_empty() {
            let mut complaint = complain("invalid suffix in input ", ": ");
            complaint.extend_from_slice(&quote(behind));
            return Ok(Err(complaint));
        }
        if is_negative {
            value = self.math.negate(&value);
        }
        if power > 0 {
            let base = self.math.whole(base)?;
            let factor = self
                .math
                .power(&base, i64::try_from(power).unwrap_or(0), 0)?;
            if let Some(factor) = factor {
                let product = self.math.multiply_exactly(&value, &factor)?;
                value = self.without_trailing_zeros(&product)?;
            }
        }
        Ok(Ok(value))
    }

    /// A number with a letter has the digits that it needs.
    fn without_trailing_zeros(&self, value: &Decimal) -> io::Result<Decimal> {
        let whole = self.math.with_scale(value, 0)?;
        if self.math.compare(&whole, value)?.is_eq() {
            return Ok(whole);
        }
        Ok(value.clone())
    }

    fn show(&self, value: &Decimal) -> io::Result<Converted> {
        let precision = self.precision.unwrap_or(value.scale());
        let mut value = value.clone();
        if (self.from_unit, self.to_unit) != (1, 1) {
            let whole = |unit: u64| self.math.whole(i64::try_from(unit).unwrap_or(i64::MAX));
            let product = self
                .math
                .multiply_exactly(&value, &whole(self.from_unit)?)?;
            let quotient = self.math.divide(&product, &whole(self.to_unit)?, WORKING)?;
            value = quotient.unwrap_or(product);
        }
        let digits = self.math.with_scale(&value, 0)?.significant();
        let extra = self.precision.unwrap_or(0);
        if self.to == Scale::None && digits + extra > MAX_DIGITS {
            return self.too_large(&value, " (consider using --to)").map(Err);
        }
        if digits > MAX_INPUT_DIGITS + 6 {
            return self
                .too_large(&value, " (cannot handle values > 999Y)")
                .map(Err);
        }
        if self.to == Scale::None {
            let rounded = self.rounded(&value, precision)?;
            return Ok(Ok(self.plain(&rounded, precision)?));
        }
        self.scaled(value).map(Ok)
    }

    fn too_large(&self, value: &Decimal, behind: &str) -> io::Result<Vec<u8>> {
        let text = self.math.show(value, 10)?;
        let number: f64 = text
            .to_str()
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0.0);
        let mut shown = Vec::new();
        printf::float(&mut shown, &printf::Spec::default(), b'g', number);
        let mut message = b"value too large to be printed: '".to_vec();
        message.extend_from_slice(&shown);
        message.push(b'\'');
        message.extend_from_slice(behind.as_bytes());
        Ok(message)
    }

    fn magnitude(&self, value: &Decimal) -> Decimal {
        if value.is_negative() {
            self.math.negate(value)
        } else {
            value.clone()
        }
    }

    fn is_at_least(&self, value: &Decimal, limit: i64) -> io::Result<bool> {
        let limit = self.math.whole(limit)?;
        let ordering = self.math.compare(&self.magnitude(value), &limit)?;
        Ok(ordering != Ordering::Less)
    }

    fn scaled(&self, mut value: Decimal) -> io::Result<Vec<u8>> {
        let base = self.to.base();
        let divisor = self.math.whole(base)?;
        let mut power = 0;
        while power < POWERS.len() && self.is_at_least(&value, base)? {
            value = self
                .math
                .divide(&value, &divisor, WORKING)?
                .unwrap_or(value);
            power += 1;
        }
        let digits = match self.precision {
            Some(precision) => (power * 3).min(precision),
            None => usize::from(!self.is_at_least(&value, 10)?),
        };
        value = self.rounded(&value, digits)?;
        if power < POWERS.len() && self.is_at_least(&value, base)? {
            value = self
                .math
                .divide(&value, &divisor, WORKING)?
                .unwrap_or(value);
            power += 1;
        }
        let has_point = !value.is_zero() && power > 0 && !self.is_at_least(&value, 10)?;
        let precision = self.precision.unwrap_or(usize::from(has_point));
        let mut text = self.plain(&value, precision)?;
        if let Some(letter) = power.checked_sub(1).and_then(|power| POWERS.get(power)) {
            text.push(*letter);
            if self.to == Scale::IecI {
                text.push(b'i');
            }
        }
        Ok(text)
    }

    /// With so many digits behind the point.
    fn rounded(&self, value: &Decimal, digits: usize) -> io::Result<Decimal> {
        let cut = self.math.with_scale(value, digits)?;
        let rest = self.math.subtract(value, &cut)?;
        if rest.is_zero() {
            return Ok(cut);
        }
        let is_away = match self.round {
            Round::FromZero => true,
            Round::TowardsZero => false,
            Round::Up => !value.is_negative(),
            Round::Down => value.is_negative(),
            Round::Nearest => {
                let twice = self
                    .math
                    .add(&self.magnitude(&rest), &self.magnitude(&rest))?;
                self.math.compare(&twice, &self.unit(digits)?)? != Ordering::Less
            }
        };
        if !is_away {
            return Ok(cut);
        }
        let unit = self.unit(digits)?;
        if value.is_negative() {
            self.math.subtract(&cut, &unit)
        } else {
            self.math.add(&cut, &unit)
        }
    }

    /// One in the last place.
    fn unit(&self, digits: usize) -> io::Result<Decimal> {
        let by = i64::try_from(digits).unwrap_or(i64::MAX);
        self.math.shift_point(&self.math.whole(1)?, -by)
    }

    /// Digits with a zero before the point.
    fn plain(&self, value: &Decimal, precision: usize) -> io::Result<Vec<u8>> {
        let value = self.math.with_scale(value, precision)?;
        let shown = self.math.show(&value, 10)?;
        let (sign, digits): (&[u8], &[u8]) = match shown.strip_prefix(b"-") {
            Some(digits) => (b"-", digits),
            None => (b"", &shown),
        };
        let mut text = sign.to_vec();
        let (whole, part) = digits.split_once_str(".").unwrap_or((digits, b""));
        text.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
        if precision > 0 {
            text.push(b'.');
            text.extend(part.iter().chain(std::iter::repeat(&b'0')).take(precision));
        }
        Ok(text)
    }
}
