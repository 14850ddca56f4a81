//! The conversions of C's `printf`: what `awk`, `seq` and `numfmt` print numbers with.
//!
//! Widths and precisions come from guests. Who calls this has made sure that there is memory for them: see
//! [`Spec::room`].

mod float;

pub(crate) use float::{Float, float, general, number};

/// What stands between `%` and the letter of a conversion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag")]
pub(crate) struct Spec {
    /// `-`: fill up on the right.
    pub(crate) left: bool,
    /// `+`: a sign, always.
    pub(crate) plus: bool,
    /// A space where the sign would be.
    pub(crate) space: bool,
    /// `#`: `0x` and the like; zeros of `%g` stay.
    pub(crate) alternate: bool,
    /// `0`: fill up with zeros.
    pub(crate) zero: bool,
    /// `'`: thousands are grouped, where the locale does; ours does not.
    pub(crate) group: bool,
    /// At least so many characters.
    pub(crate) width: usize,
    /// What stands behind the dot.
    pub(crate) precision: Option<usize>,
}

impl Spec {
    /// Takes a flag; false if it is none.
    pub(crate) fn take_flag(&mut self, flag: u8) -> bool {
        match flag {
            b'-' => self.left = true,
            b'+' => self.plus = true,
            b' ' => self.space = true,
            b'#' => self.alternate = true,
            b'0' => self.zero = true,
            b'\'' => self.group = true,
            _ => return false,
        }
        true
    }

    /// An upper bound of the bytes that a number takes with this.
    pub(crate) fn room(&self) -> usize {
        self.width
            .saturating_add(self.precision.unwrap_or(0))
            .saturating_add(512)
    }

    fn sign(&self, is_negative: bool) -> &'static [u8] {
        match (is_negative, self.plus, self.space) {
            (true, _, _) => b"-",
            (false, true, _) => b"+",
            (false, false, true) => b" ",
            (false, false, false) => b"",
        }
    }
}

/// An integer of these digits, which are in the base of the conversion already. `prefix` is `0x` or the like.
pub(crate) fn integer(
    out: &mut Vec<u8>,
    spec: &Spec,
    is_negative: bool,
    prefix: &[u8],
    digits: &[u8],
) {
    let sign = spec.sign(is_negative);
    // A zero with precision zero is no digits at all.
    let digits = match spec.precision {
        Some(0) if digits == b"0" => b"",
        _ => digits,
    };
    let zeros = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    let length = sign.len() + prefix.len() + zeros + digits.len();
    let fill = spec.width.saturating_sub(length);
    if spec.left {
        put_integer(out, sign, prefix, zeros, digits);
        put_fill(out, b' ', fill);
    } else if spec.zero && spec.precision.is_none() {
        put_integer(out, sign, prefix, fill, digits);
    } else {
        put_fill(out, b' ', fill);
        put_integer(out, sign, prefix, zeros, digits);
    }
}

fn put_integer(out: &mut Vec<u8>, sign: &[u8], prefix: &[u8], zeros: usize, digits: &[u8]) {
    out.extend_from_slice(sign);
    out.extend_from_slice(prefix);
    put_fill(out, b'0', zeros);
    out.extend_from_slice(digits);
}

/// A text that is `length` characters long.
pub(crate) fn text(out: &mut Vec<u8>, spec: &Spec, text: &[u8], length: usize) {
    let fill = spec.width.saturating_sub(length);
    if !spec.left {
        put_fill(out, b' ', fill);
    }
    out.extend_from_slice(text);
    if spec.left {
        put_fill(out, b' ', fill);
    }
}

/// A whole number as it is: what is printed most, and so without `format!`.
pub(crate) fn decimal(out: &mut Vec<u8>, number: i64) {
    let mut place = [0u8; 20];
    let mut at = place.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        if let Some(digit) = place.get_mut(at) {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(place.get(at..).unwrap_or_default());
}

pub(crate) fn put_fill(out: &mut Vec<u8>, byte: u8, count: usize) {
    out.resize(out.len() + count, byte);
}
