//! Numbers in arguments.

use bstr::ByteSlice;

/// A number with a multiplier as GNU tools take it: `10`, `2K`, `3MB`, `1GiB`. Too large is the largest there is.
pub(crate) fn with_suffix(text: &[u8]) -> Option<u64> {
    let split = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(split);
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().fold(0u64, |sum, digit| {
        sum.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    Some(number.saturating_mul(multiplier(suffix)?))
}

fn multiplier(suffix: &[u8]) -> Option<u64> {
    if suffix.is_empty() {
        return Some(1);
    }
    if suffix == b"b" {
        return Some(512);
    }
    let (letter, kind) = suffix.split_first()?;
    let power = match letter {
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        _ => b"GTPEZYRQ".find_byte(*letter)? + 3,
    };
    let base: u64 = match kind {
        b"" | b"iB" => 1024,
        b"B" => 1000,
        _ => return None,
    };
    Some(base.saturating_pow(u32::try_from(power).ok()?))
}
