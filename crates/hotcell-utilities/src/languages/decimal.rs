//! Decimal numbers of any size, as `bc` and `dc` have them.
//!
//! A number is a whole number and a scale, which says how many of its digits stand behind the point. Results are cut,
//! never rounded. The digits are kept nine in a word, so that cutting and printing cost nothing, and every operation says
//! as it goes how much it has done: there is none that cannot be stopped.

mod functions;
mod magnitude;
mod radix;

use std::{cmp::Ordering, io, rc::Rc};

use hotcell_process::Process;

use self::magnitude::Magnitude;
use super::budget::{Budget, Held};

/// A number. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Decimal {
    is_negative: bool,
    digits: Rc<Digits>,
    scale: usize,
}

/// What a number takes beside its digits: counts, allocations, its place in an array. Most numbers have few digits.
const NUMBER: usize = 160;

/// The digits of a number, with the room that was taken for them.
struct Digits {
    magnitude: Magnitude,
    _held: Held,
}

/// What arithmetic is done with: time and memory of a process.
pub(crate) struct Math<'p> {
    process: &'p Process,
    budget: Budget,
}

impl<'p> Math<'p> {
    pub(crate) fn new(process: &'p Process) -> io::Result<Self> {
        Ok(Self {
            process,
            budget: Budget::new(process)?,
        })
    }

    fn make(&self, is_negative: bool, magnitude: Magnitude, scale: usize) -> io::Result<Decimal> {
        let held = self.budget.hold(magnitude.bytes() + NUMBER)?;
        Ok(Decimal {
            is_negative: is_negative && !magnitude.is_zero(),
            digits: Rc::new(Digits {
                magnitude,
                _held: held,
            }),
            scale,
        })
    }

    /// Makes sure that there is memory for so many digits before they are computed.
    fn check_room(&self, digits: usize) -> io::Result<()> {
        drop(self.budget.hold(digits / 2)?);
        Ok(())
    }

    pub(crate) fn whole(&self, number: i64) -> io::Result<Decimal> {
        self.make(number < 0, Magnitude::from_u64(number.unsigned_abs()), 0)
    }

    /// The same number with another scale; digits beyond it are cut.
    pub(crate) fn with_scale(&self, number: &Decimal, scale: usize) -> io::Result<Decimal> {
        if scale == number.scale {
            return Ok(number.clone());
        }
        let magnitude = self.scaled(number, scale)?;
        self.make(number.is_negative, magnitude, scale)
    }

    fn scaled(&self, number: &Decimal, scale: usize) -> io::Result<Magnitude> {
        let magnitude = &number.digits.magnitude;
        self.process.spend(magnitude.bytes() / 8);
        if scale >= number.scale {
            let more = scale - number.scale;
            self.check_room(magnitude.digits().saturating_add(more))?;
            Ok(magnitude.shifted_up(more))
        } else {
            Ok(magnitude.shifted_down(number.scale - scale))
        }
    }

    /// Times a power of ten.
    pub(crate) fn shift_point(&self, number: &Decimal, by: i64) -> io::Result<Decimal> {
        let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        if by < 0 {
            let scale = number.scale.saturating_add(distance);
            self.check_room(scale)?;
            return Ok(Decimal {
                scale,
                ..number.clone()
            });
        }
        if distance <= number.scale {
            return Ok(Decimal {
                scale: number.scale - distance,
                ..number.clone()
            });
        }
        let whole = self.scaled(number, distance)?;
        self.make(number.is_negative, whole, 0)
    }

    pub(crate) fn negate(&self, number: &Decimal) -> Decimal {
        Decimal {
            is_negative: !number.is_negative && !number.is_zero(),
            ..number.clone()
        }
    }

    pub(crate) fn add(&self, left: &Decimal, right: &Decimal) -> io::Result<Decimal> {
        let scale = left.scale.max(right.scale);
        let first = self.scaled(left, scale)?;
        let second = self.scaled(right, scale)?;
        self.process.spend(first.bytes() / 8 + second.bytes() / 8);
        if left.is_negative == right.is_negative {
            return self.make(left.is_negative, first.plus(&second), scale);
        }
        match first.cmp(&second) {
            Ordering::Less => self.make(right.is_negative, second.minus(&first), scale),
            _ => self.make(left.is_negative, first.minus(&second), scale),
        }
    }

    pub(crate) fn subtract(&self, left: &Decimal, right: &Decimal) -> io::Result<Decimal> {
        self.add(left, &self.negate(right))
    }

    pub(crate) fn compare(&self, left: &Decimal, right: &Decimal) -> io::Result<Ordering> {
        match (left.is_negative, right.is_negative) {
            (true, false) => return Ok(Ordering::Less),
            (false, true) => return Ok(Ordering::Greater),
            _ => {}
        }
        let scale = left.scale.max(right.scale);
        let ordering = self.scaled(left, scale)?.cmp(&self.scaled(right, scale)?);
        Ok(if left.is_negative {
            ordering.reverse()
        } else {
            ordering
        })
    }

    /// The product with all its digits.
    pub(crate) fn multiply_exactly(&self, left: &Decimal, right: &Decimal) -> io::Result<Decimal> {
        let (first, second) = (&left.digits.magnitude, &right.digits.magnitude);
        // What the parts of a large product need beside the result.
        self.check_room((first.digits() + second.digits()).saturating_mul(4))?;
        let product = first.times(second, self.process);
        let scale = left.scale.saturating_add(right.scale);
        self.make(left.is_negative != right.is_negative, product, scale)
    }

    /// The product, with as many digits as its factors have, or as `scale` says if that is more.
    pub(crate) fn multiply(
        &self,
        left: &Decimal,
        right: &Decimal,
        scale: usize,
    ) -> io::Result<Decimal> {
        let product = self.multiply_exactly(left, right)?;
        let scale = product.scale.min(scale.max(left.scale).max(right.scale));
        self.with_scale(&product, scale)
    }

    /// The quotient with so many digits; `None` if the divisor is zero.
    pub(crate) fn divide(
        &self,
        left: &Decimal,
        right: &Decimal,
        scale: usize,
    ) -> io::Result<Option<Decimal>> {
        if right.is_zero() {
            return Ok(None);
        }
        let wanted = scale.saturating_add(right.scale);
        let dividend = self.scaled(left, wanted)?;
        let (quotient, _) = dividend.divided_by(&right.digits.magnitude, self.process);
        let is_negative = left.is_negative != right.is_negative;
        self.make(is_negative, quotient, scale).map(Some)
    }

    /// What is left of a division that gives so many digits, and the quotient; `None` if the divisor is zero.
    pub(crate) fn divide_with_rest(
        &self,
        left: &Decimal,
        right: &Decimal,
        scale: usize,
    ) -> io::Result<Option<(Decimal, Decimal)>> {
        let Some(quotient) = self.divide(left, right, scale)? else {
            return Ok(None);
        };
        let product = self.multiply_exactly(&quotient, right)?;
        let rest = self.subtract(left, &product)?;
        let rest = self.with_scale(&rest, left.scale.max(scale.saturating_add(right.scale)))?;
        Ok(Some((quotient, rest)))
    }

    /// A whole power. `None` if zero is raised to a negative one.
    pub(crate) fn power(
        &self,
        base: &Decimal,
        exponent: i64,
        scale: usize,
    ) -> io::Result<Option<Decimal>> {
        if exponent == 0 {
            return self.whole(1).map(Some);
        }
        let count = exponent.unsigned_abs();
        let result_scale = if exponent < 0 {
            scale
        } else {
            let all = base
                .scale
                .saturating_mul(usize::try_from(count).unwrap_or(usize::MAX));
            all.min(scale.max(base.scale))
        };
        // By squaring, from the highest bit of the exponent down.
        let mut power = base.clone();
        for bit in (0..count.ilog2()).rev() {
            power = self.multiply_exactly(&power, &power)?;
            if count >> bit & 1 == 1 {
                power = self.multiply_exactly(&power, base)?;
            }
        }
        if exponent < 0 {
            let one = self.whole(1)?;
            return self.divide(&one, &power, result_scale);
        }
        self.with_scale(&power, result_scale.min(power.scale))
            .map(Some)
    }

    /// The power modulo a number, all of them whole: what `|` of `dc` gives.
    pub(crate) fn power_modulo(
        &self,
        base: &Decimal,
        exponent: &Decimal,
        modulus: &Decimal,
    ) -> io::Result<Option<Decimal>> {
        let reduce = |number: &Decimal| -> io::Result<Option<Decimal>> {
            let rest = self.divide_with_rest(number, modulus, 0)?;
            Ok(rest.map(|(_, rest)| rest))
        };
        let Some(mut square) = reduce(&self.with_scale(base, 0)?)? else {
            return Ok(None);
        };
        let mut result = self.whole(1)?;
        let two = Magnitude::from_u64(2);
        let mut left = self.scaled(exponent, 0)?;
        while !left.is_zero() {
            let (half, bit) = left.divided_by(&two, self.process);
            left = half;
            if !bit.is_zero() {
                let product = self.multiply_exactly(&result, &square)?;
                result = reduce(&product)?.unwrap_or(product);
            }
            let product = self.multiply_exactly(&square, &square)?;
            square = reduce(&product)?.unwrap_or(product);
        }
        reduce(&result)
    }

    /// The square root, with at least so many digits; `None` of a negative number.
    pub(crate) fn square_root(
        &self,
        number: &Decimal,
        scale: usize,
    ) -> io::Result<Option<Decimal>> {
        if number.is_negative {
            return Ok(None);
        }
        let scale = scale.max(number.scale);
        let squared = self.scaled(number, scale.saturating_mul(2))?;
        let root = squared.square_root(self.process);
        self.make(false, root, scale).map(Some)
    }
}

impl Decimal {
    pub(crate) fn is_zero(&self) -> bool {
        self.digits.magnitude.is_zero()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// How many digits stand behind the point.
    pub(crate) fn scale(&self) -> usize {
        self.scale
    }

    /// How many digits there are in all, a zero before the point aside.
    pub(crate) fn length(&self) -> usize {
        self.digits.magnitude.digits().max(self.scale).max(1)
    }

    /// How many digits there are without zeros at the front.
    pub(crate) fn significant(&self) -> usize {
        self.digits.magnitude.digits().max(1)
    }

    /// The whole part, if it is not too large.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        let whole = self.digits.magnitude.shifted_down(self.scale).to_u64()?;
        let whole = i64::try_from(whole).ok()?;
        Some(if self.is_negative { -whole } else { whole })
    }

    /// The last byte of the whole part.
    pub(crate) fn low_byte(&self) -> u8 {
        let whole = self.digits.magnitude.shifted_down(self.scale);
        whole.low_byte()
    }
}
