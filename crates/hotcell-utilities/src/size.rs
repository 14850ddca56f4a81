//! Sizes as people read them.

use crate::number;

/// `1.5K`, `234M`: at most one digit behind the point, rounded up, as GNU does.
pub(crate) fn human(bytes: u64, base: u64) -> String {
    if bytes < base {
        return bytes.to_string();
    }
    let units = if base == 1000 {
        ["k", "M", "G", "T", "P", "E"]
    } else {
        ["K", "M", "G", "T", "P", "E"]
    };
    let mut divisor = u128::from(base);
    let bytes = u128::from(bytes);
    for unit in units {
        let next = divisor * u128::from(base);
        let tenths = (bytes * 10).div_ceil(divisor);
        if tenths < 100 {
            return format!("{}.{}{unit}", tenths / 10, tenths % 10);
        }
        let whole = bytes.div_ceil(divisor);
        if whole < u128::from(base) {
            return format!("{whole}{unit}");
        }
        divisor = next;
    }
    format!("{}E", bytes.div_ceil(divisor / u128::from(base)))
}

/// `K`, `1K`, `MB`, `512`: how large a block is.
pub(crate) fn block_size(text: &[u8]) -> Option<u64> {
    let with_number = if text.first().is_some_and(u8::is_ascii_digit) {
        text.to_vec()
    } else {
        [b"1", text].concat()
    };
    number::with_suffix(&with_number).filter(|size| *size > 0)
}
