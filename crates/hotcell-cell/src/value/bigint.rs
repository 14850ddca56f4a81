//! Printing integers that may be very long.

use hotcell_meter::{Pace, Stopped};
use num_integer::Integer;

use super::BigInt;

/// A step divides by a power of ten about as large as this, in bits. What is left over then prints in one go.
const MOST_AT_ONCE: u64 = 16 << 10;

/// The most that a step may do, in products of 64-bit numbers: some milliseconds.
const STEP: u64 = 4 << 20;

/// The number in decimal.
///
/// That takes time in proportion to the square of its length, some 100 ms for the longest that code can make, and nothing
/// else in this crate takes so long. So it goes in steps of a few milliseconds, and asks `pace` between them.
///
/// ```
/// use hotcell_cell::{BigInt, Pace, decimal};
///
/// let number = BigInt::from(10).pow(5000) - 1;
/// assert_eq!(decimal(&number, &mut Pace::unwatched()), Ok("9".repeat(5000)));
/// ```
pub fn decimal(number: &BigInt, pace: &mut Pace<'_>) -> Result<String, Stopped> {
    if number.bits() <= MOST_AT_ONCE {
        pace.spend(units(number.bits(), number.bits()))?;
        return Ok(number.to_string());
    }
    let (digits, divisor) = power_of_ten(number.bits());
    let mut groups = Vec::new();
    let mut rest = number.magnitude().clone();
    while rest >= divisor {
        pace.spend(units(rest.bits(), divisor.bits()))?;
        let (quotient, remainder) = rest.div_rem(&divisor);
        groups.push(remainder.to_string());
        rest = quotient;
    }
    let mut text = String::new();
    if number.sign() == num_bigint::Sign::Minus {
        text.push('-');
    }
    text.push_str(&rest.to_string());
    for group in groups.iter().rev() {
        text.extend(std::iter::repeat_n('0', digits - group.len()));
        text.push_str(group);
    }
    Ok(text)
}

/// What it takes to divide numbers of so many bits, or to print one.
fn units(dividend: u64, divisor: u64) -> usize {
    let products = (dividend / 64 + 1).saturating_mul(divisor / 64 + 1);
    usize::try_from(products).unwrap_or(usize::MAX)
}

/// The power of ten that a number of so many bits is divided by, and its exponent.
fn power_of_ten(bits: u64) -> (usize, num_bigint::BigUint) {
    let limbs = (STEP / (bits / 64 + 1)).clamp(1, MOST_AT_ONCE / 64);
    // 19 digits fit into 64 bits.
    let digits = u32::try_from(limbs * 19).unwrap_or(u32::MAX);
    (digits as usize, num_bigint::BigUint::from(10u8).pow(digits))
}

#[cfg(test)]
mod tests {
    use hotcell_meter::StopToken;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn it_is_what_the_number_prints_as(
            bytes in proptest::collection::vec(any::<u8>(), 0..9000),
            zeros in 0usize..3000,
        ) {
            let mut bytes = bytes;
            bytes.splice(0..0, std::iter::repeat_n(0, zeros));
            let number = BigInt::from_signed_bytes_le(&bytes);
            prop_assert_eq!(decimal(&number, &mut Pace::unwatched()).unwrap(), number.to_string());
        }
    }

    #[test]
    fn powers_of_ten_keep_their_zeros() {
        for exponent in [1, 4863, 4864, 4865, 9728, 20_000] {
            let power = BigInt::from(10).pow(exponent);
            let text = decimal(&-power, &mut Pace::unwatched()).unwrap();
            assert_eq!(text, format!("-1{}", "0".repeat(exponent as usize)));
        }
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let token = StopToken::new();
        token.cancel();
        let number = BigInt::from(1) << (1 << 20);
        assert_eq!(
            decimal(&number, &mut Pace::new(&token)),
            Err(Stopped::Cancelled)
        );
    }
}
