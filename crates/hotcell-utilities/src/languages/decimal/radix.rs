//! Numbers as text, in any base.

use std::io;

use super::{Decimal, Magnitude, Math};

const LETTERS: &[u8; 16] = b"0123456789ABCDEF";

impl Math<'_> {
    /// The number that digits in a base stand for. Digits that the base does not have count as its highest, unless there
    /// is only one of them.
    pub(crate) fn read(&self, text: &[u8], base: u32) -> io::Result<Decimal> {
        self.read_with(text, base, base.saturating_sub(1))
    }

    /// As [`Math::read`], with digits that the base does not have for what they are.
    pub(crate) fn read_freely(&self, text: &[u8], base: u32) -> io::Result<Decimal> {
        self.read_with(text, base, 15)
    }

    fn read_with(&self, text: &[u8], base: u32, highest: u32) -> io::Result<Decimal> {
        let (whole, part) = match text.iter().position(|byte| *byte == b'.') {
            Some(point) => {
                let (whole, part) = text.split_at(point);
                (whole, part.get(1..).unwrap_or_default())
            }
            None => (text, &b""[..]),
        };
        self.check_room(text.len())?;
        let is_decimal = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
        if base == 10 && is_decimal(whole) && is_decimal(part) {
            self.process.spend(text.len());
            let digits = [whole, part].concat();
            return self.make(false, Magnitude::from_digits(&digits), part.len());
        }
        if let (&[digit], []) = (whole, part) {
            return self.whole(i64::from(value(digit)));
        }
        let number = self.whole_in_base(whole, base, highest)?;
        if part.is_empty() {
            return Ok(number);
        }
        let digits = self.whole_in_base(part, base, highest)?;
        let base = self.whole(i64::from(base))?;
        let count = i64::try_from(part.len()).unwrap_or(i64::MAX);
        let Some(divisor) = self.power(&base, count, 0)? else {
            return Ok(number);
        };
        let fraction = self.divide(&digits, &divisor, part.len())?;
        match fraction {
            Some(fraction) => self.add(&number, &fraction),
            None => Ok(number),
        }
    }

    fn whole_in_base(&self, digits: &[u8], base: u32, highest: u32) -> io::Result<Decimal> {
        let mut number = Magnitude::default();
        for digit in digits {
            self.process.spend(number.bytes() / 8 + 1);
            number.times_plus(base, value(*digit).min(highest));
        }
        self.make(false, number, 0)
    }

    /// A number as text, without a sign for zero and without a zero before the point.
    pub(crate) fn show(&self, number: &Decimal, base: u32) -> io::Result<Vec<u8>> {
        if number.is_zero() {
            return Ok(b"0".to_vec());
        }
        // Its digits, and the text with a point among them.
        let per_digit = if base == 10 { 2 } else { 16 };
        let _room = self
            .budget
            .hold(number.length().saturating_mul(per_digit))?;
        let mut text = Vec::new();
        if number.is_negative {
            text.push(b'-');
        }
        if base == 10 {
            let digits = number.digits.magnitude.to_digits(self.process);
            let whole = digits.len().saturating_sub(number.scale);
            let (whole, part) = digits.split_at(whole);
            text.extend_from_slice(whole);
            if number.scale > 0 {
                text.push(b'.');
                text.extend(std::iter::repeat_n(b'0', number.scale - part.len()));
                text.extend_from_slice(part);
            }
            return Ok(text);
        }
        self.put_in_base(&mut text, number, base)?;
        Ok(text)
    }

    fn put_in_base(&self, text: &mut Vec<u8>, number: &Decimal, base: u32) -> io::Result<()> {
        // How wide a digit is written if digits are numbers themselves.
        let width = base.saturating_sub(1).max(1).ilog10() as usize + 1;
        for digit in self.whole_digits(number, base).iter().rev() {
            put_digit(text, *digit, base, width, true);
        }
        if number.scale == 0 {
            return Ok(());
        }
        text.push(b'.');
        let whole = self.with_scale(number, 0)?;
        let mut fraction = self.subtract(number, &whole)?;
        fraction.is_negative = false;
        let factor = self.whole(i64::from(base))?;
        // As many digits as say what the decimal ones say.
        let mut reached = Magnitude::from_u64(1);
        let mut is_first = true;
        while reached.digits() <= number.scale {
            let product = self.multiply_exactly(&fraction, &factor)?;
            let product = self.with_scale(&product, number.scale)?;
            let digit = self.with_scale(&product, 0)?;
            fraction = self.subtract(&product, &digit)?;
            let digit = u32::try_from(digit.to_i64().unwrap_or(0)).unwrap_or(0);
            put_digit(text, digit, base, width, !is_first);
            is_first = false;
            self.process.spend(reached.bytes() / 8 + 1);
            reached.times_plus(base, 0);
        }
        Ok(())
    }

    /// The digits of the whole part, the lowest first.
    fn whole_digits(&self, number: &Decimal, base: u32) -> Vec<u32> {
        let mut rest = number.digits.magnitude.shifted_down(number.scale);
        // Several digits at once, as many as fit into a word.
        let mut count = 1;
        let mut chunk = base;
        while let Some(larger) = chunk.checked_mul(base).filter(|larger| *larger < 1 << 30) {
            chunk = larger;
            count += 1;
        }
        let mut digits = Vec::new();
        while !rest.is_zero() {
            self.process.spend(rest.bytes() / 2 + 1);
            let mut several = rest.divide_by_small(chunk);
            for _ in 0..count {
                digits.push(several % base);
                several /= base;
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits
    }

    /// The bytes of the whole part in base 256, the highest first: what `P` of `dc` prints.
    pub(crate) fn bytes(&self, number: &Decimal) -> Vec<u8> {
        let digits = self.whole_digits(number, 256);
        digits
            .iter()
            .rev()
            .map(|digit| u8::try_from(*digit).unwrap_or_default())
            .collect()
    }
}

fn value(digit: u8) -> u32 {
    char::from(digit).to_digit(16).unwrap_or(0)
}

fn put_digit(text: &mut Vec<u8>, digit: u32, base: u32, width: usize, has_space: bool) {
    if base <= 16 {
        let letter = LETTERS.get(digit as usize).copied().unwrap_or(b'?');
        text.push(letter);
        return;
    }
    if has_space {
        text.push(b' ');
    }
    text.extend_from_slice(format!("{digit:0width$}").as_bytes());
}
