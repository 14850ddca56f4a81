//! Large integers as text.

use hotcell_cell::BigInt;

/// Whatever has no more bits than this has at most 4,300 decimal digits. Larger integers are written in hexadecimal, because
/// decimal digits take time that grows with the square of their number. It is also where Python draws the line, for the same
/// reason.
const MAX_DECIMAL_BITS: u64 = 14_284;
/// The largest integer that a cell's engine can hold has 2^20 bits; that many digits are read.
const MAX_DIGITS: [(u32, usize); 2] = [(10, 315_653), (16, 262_144)];

/// An integer in decimal digits, or beyond 4,300 of them as `0x…`, with a minus sign before it if it is negative.
///
/// ```
/// use hotcell_cell::BigInt;
/// use hotcell_executor::json::digits;
///
/// assert_eq!(digits(&BigInt::from(-255)), "-255");
/// assert_eq!(digits(&(BigInt::from(1) << 20_000))[..6], *"0x1000");
/// ```
pub fn digits(number: &BigInt) -> String {
    if number.bits() <= MAX_DECIMAL_BITS {
        number.to_string()
    } else {
        format!("{number:#x}")
    }
}

/// The integer that such text says, or what would be one.
pub(super) fn parse(text: &str) -> Result<BigInt, String> {
    let (is_negative, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, text),
    };
    let [decimal, hexadecimal] = MAX_DIGITS;
    let (digits, (radix, most)) = match magnitude.strip_prefix("0x") {
        Some(digits) => (digits, hexadecimal),
        None => (magnitude, decimal),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(
            "decimal digits, or 0x and hexadecimal ones, with or without a minus sign".into(),
        );
    }
    if digits.len() > most {
        return Err(format!("at most {most} digits"));
    }
    let number = BigInt::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
    Ok(if is_negative { -number } else { number })
}
