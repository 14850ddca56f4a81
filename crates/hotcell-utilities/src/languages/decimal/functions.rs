//! The functions of `bc -l`. Each is computed with some digits more than are wanted, and then cut.

use std::io;

use super::{Decimal, Math};

/// Digits beyond those that are wanted.
const GUARD: usize = 12;

/// About log10(2), as a fraction.
const LOG_2: (usize, usize) = (30_103, 100_000);

/// How many decimal digits so many bits are, rounded up.
fn digits_of_bits(bits: usize) -> usize {
    bits.saturating_mul(LOG_2.0) / LOG_2.1 + 1
}

impl Math<'_> {
    fn product(&self, left: &Decimal, right: &Decimal, scale: usize) -> io::Result<Decimal> {
        let product = self.multiply_exactly(left, right)?;
        self.with_scale(&product, scale.min(product.scale))
    }

    /// A quotient whose divisor is not zero.
    fn quotient(&self, left: &Decimal, right: &Decimal, scale: usize) -> io::Result<Decimal> {
        let quotient = self.divide(left, right, scale)?;
        quotient.map_or_else(|| self.whole(0), Ok)
    }

    fn by_whole(&self, number: &Decimal, divisor: u64, scale: usize) -> io::Result<Decimal> {
        let divisor = self.whole(i64::try_from(divisor).unwrap_or(i64::MAX))?;
        self.quotient(number, &divisor, scale)
    }

    fn root(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let root = self.square_root(number, scale)?;
        let root = root.map_or_else(|| self.whole(0), Ok)?;
        self.with_scale(&root, scale)
    }

    /// Times a power of two.
    fn doubled(&self, number: &Decimal, times: usize) -> io::Result<Decimal> {
        let two = self.whole(2)?;
        let factor = self.power(&two, i64::try_from(times).unwrap_or(i64::MAX), 0)?;
        match factor {
            Some(factor) => self.multiply_exactly(number, &factor),
            None => Ok(number.clone()),
        }
    }

    /// Halves a number until it is below 1 / 2^`bits`. Also how often.
    fn halved(&self, number: &Decimal, bits: usize, scale: usize) -> io::Result<(Decimal, usize)> {
        let whole = self.with_scale(number, 0)?;
        // Digits as bits, rounded up: at most three halvings too many.
        let times = if whole.is_zero() {
            bits
        } else {
            bits + whole.length() * 10 / 3 + 1
        };
        let two = self.whole(2)?;
        let power = self.power(&two, i64::try_from(times).unwrap_or(i64::MAX), 0)?;
        let power = power.map_or_else(|| self.whole(1), Ok)?;
        Ok((self.quotient(number, &power, scale)?, times))
    }

    /// The exponential function.
    pub(crate) fn exponential(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let mut magnitude = number.clone();
        magnitude.is_negative = false;
        // The result has about 0.4343 times as many digits before the point.
        let whole = usize::try_from(magnitude.to_i64().unwrap_or(i64::MAX)).unwrap_or(usize::MAX);
        let before = (whole / 1000)
            .saturating_mul(435)
            .saturating_add(whole % 1000);
        let bits = 8 + scale.isqrt();
        let steps = bits.saturating_add(magnitude.length().saturating_mul(4));
        let working = scale
            .saturating_add(before)
            .saturating_add(digits_of_bits(steps))
            .saturating_add(GUARD);
        self.check_room(working.saturating_mul(4))?;
        let (small, times) = self.halved(&magnitude, bits, working)?;
        let mut sum = self.whole(1)?;
        let mut term = self.whole(1)?;
        for number in 1.. {
            term = self.product(&term, &small, working)?;
            term = self.by_whole(&term, number, working)?;
            if term.is_zero() {
                break;
            }
            sum = self.add(&sum, &term)?;
        }
        for _ in 0..times {
            sum = self.product(&sum, &sum, working)?;
        }
        if number.is_negative {
            let one = self.whole(1)?;
            return self.quotient(&one, &sum, scale);
        }
        self.with_scale(&sum, scale)
    }

    /// The natural logarithm. Of what has none, the lowest number of so many digits.
    pub(crate) fn logarithm(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let one = self.whole(1)?;
        if number.is_negative || number.is_zero() {
            let ten = self.whole(10)?;
            let power = self.power(&ten, i64::try_from(scale).unwrap_or(i64::MAX), 0)?;
            let lowest = self.subtract(&one, &power.unwrap_or(one.clone()))?;
            return self.with_scale(&lowest, scale);
        }
        // Roots bring it near to one, where the series is quick.
        let size = number.length();
        let roots = 8 + scale.isqrt() / 2 + size.ilog2() as usize * 2;
        let working = scale + GUARD + digits_of_bits(roots + 4) + size;
        self.check_room(working.saturating_mul(8))?;
        let mut near = number.clone();
        for _ in 0..roots {
            near = self.root(&near, working)?;
        }
        let difference = self.subtract(&near, &one)?;
        let sum = self.add(&near, &one)?;
        let ratio = self.quotient(&difference, &sum, working)?;
        let square = self.product(&ratio, &ratio, working)?;
        let series = self.odd_series(&ratio, &square, working, false)?;
        let logarithm = self.doubled(&series, roots + 1)?;
        self.with_scale(&logarithm, scale)
    }

    /// `x + x^3/3 + x^5/5 …`, with alternating signs or not.
    fn odd_series(
        &self,
        first: &Decimal,
        square: &Decimal,
        scale: usize,
        alternates: bool,
    ) -> io::Result<Decimal> {
        let mut power = first.clone();
        let mut sum = first.clone();
        for number in 1.. {
            power = self.product(&power, square, scale)?;
            if power.is_zero() {
                break;
            }
            let term = self.by_whole(&power, 2 * number + 1, scale)?;
            sum = if alternates && number % 2 == 1 {
                self.subtract(&sum, &term)?
            } else {
                self.add(&sum, &term)?
            };
        }
        Ok(sum)
    }

    /// The arc tangent of one over a whole number.
    fn arctangent_of_inverse(&self, number: u64, scale: usize) -> io::Result<Decimal> {
        let one = self.with_scale(&self.whole(1)?, scale)?;
        let mut power = self.by_whole(&one, number, scale)?;
        let mut sum = power.clone();
        for count in 1.. {
            power = self.by_whole(&power, number * number, scale)?;
            if power.is_zero() {
                break;
            }
            let term = self.by_whole(&power, 2 * count + 1, scale)?;
            sum = if count % 2 == 1 {
                self.subtract(&sum, &term)?
            } else {
                self.add(&sum, &term)?
            };
        }
        Ok(sum)
    }

    /// By Machin's formula.
    fn pi(&self, scale: usize) -> io::Result<Decimal> {
        let working = scale + GUARD;
        let fifth = self.arctangent_of_inverse(5, working)?;
        let other = self.arctangent_of_inverse(239, working)?;
        let sixteen = self.multiply_exactly(&fifth, &self.whole(16)?)?;
        let four = self.multiply_exactly(&other, &self.whole(4)?)?;
        let pi = self.subtract(&sixteen, &four)?;
        self.with_scale(&pi, scale)
    }

    pub(crate) fn arctangent(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let working = scale + GUARD + number.length() + 8;
        self.check_room(working.saturating_mul(8))?;
        let one = self.whole(1)?;
        let mut magnitude = number.clone();
        magnitude.is_negative = false;
        let is_large = self.compare(&magnitude, &one)?.is_gt();
        let mut small = if is_large {
            self.quotient(&one, &magnitude, working)?
        } else {
            self.with_scale(&magnitude, working)?
        };
        // Half the angle, some times.
        let halvings = 4 + scale.isqrt() / 4;
        for _ in 0..halvings {
            let square = self.product(&small, &small, working)?;
            let root = self.root(&self.add(&square, &one)?, working)?;
            small = self.quotient(&small, &self.add(&root, &one)?, working)?;
        }
        let square = self.product(&small, &small, working)?;
        let series = self.odd_series(&small, &square, working, true)?;
        let mut angle = self.doubled(&series, halvings)?;
        if is_large {
            let quarter = self.by_whole(&self.pi(working)?, 2, working)?;
            angle = self.subtract(&quarter, &angle)?;
        }
        angle.is_negative = number.is_negative && !angle.is_zero();
        self.with_scale(&angle, scale)
    }

    pub(crate) fn sine(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let working = self.circle_scale(number, scale)?;
        let angle = self.within_circle(number, working)?;
        self.sine_series(&angle, &angle, 1, working)
            .and_then(|sine| self.with_scale(&sine, scale))
    }

    pub(crate) fn cosine(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let working = self.circle_scale(number, scale)?;
        let angle = self.within_circle(number, working)?;
        let one = self.whole(1)?;
        self.sine_series(&angle, &one, 0, working)
            .and_then(|cosine| self.with_scale(&cosine, scale))
    }

    fn circle_scale(&self, number: &Decimal, scale: usize) -> io::Result<usize> {
        let working = scale + GUARD + number.length() + 8;
        self.check_room(working.saturating_mul(8))?;
        Ok(working)
    }

    /// An angle of at most half a turn either way.
    fn within_circle(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let whole = self.with_scale(number, 0)?;
        if whole.to_i64().is_some_and(|whole| whole.abs() <= 3) {
            return Ok(number.clone());
        }
        let turn = self.multiply_exactly(&self.pi(scale + whole.length())?, &self.whole(2)?)?;
        let turns = self.quotient(number, &turn, 0)?;
        let angle = self.subtract(number, &self.multiply_exactly(&turns, &turn)?)?;
        self.with_scale(&angle, scale)
    }

    /// `first - first * x^2 / ((n + 1) (n + 2)) + …`
    fn sine_series(
        &self,
        angle: &Decimal,
        first: &Decimal,
        begin: u64,
        scale: usize,
    ) -> io::Result<Decimal> {
        let square = self.product(angle, angle, scale)?;
        let mut term = self.with_scale(first, scale)?;
        let mut sum = term.clone();
        let mut number = begin;
        loop {
            term = self.product(&term, &square, scale)?;
            term = self.by_whole(&term, (number + 1) * (number + 2), scale)?;
            if term.is_zero() {
                return Ok(sum);
            }
            term = self.negate(&term);
            sum = self.add(&sum, &term)?;
            number += 2;
        }
    }

    /// The Bessel function of the first kind of a whole order.
    pub(crate) fn bessel(&self, order: i64, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        let whole = self.with_scale(number, 0)?;
        let size = usize::try_from(whole.to_i64().unwrap_or(i64::MAX).unsigned_abs());
        let size = size.unwrap_or(usize::MAX);
        let working = size
            .saturating_add(scale)
            .saturating_add(GUARD + number.length() + 8);
        self.check_room(working.saturating_mul(8))?;
        let half = self.by_whole(number, 2, working)?;
        let count = order.unsigned_abs();
        let mut term = self.whole(1)?;
        for factor in 1..=count {
            term = self.product(&term, &half, working)?;
            term = self.by_whole(&term, factor, working)?;
        }
        let square = self.product(&half, &half, working)?;
        let mut sum = term.clone();
        for number in 1.. {
            term = self.product(&term, &square, working)?;
            term = self.by_whole(&term, number * (number + count), working)?;
            if term.is_zero() {
                break;
            }
            term = self.negate(&term);
            sum = self.add(&sum, &term)?;
        }
        // A negative order of an odd number has the other sign.
        if order < 0 && count % 2 == 1 {
            sum = self.negate(&sum);
        }
        self.with_scale(&sum, scale)
    }
}
