//! `%e`, `%f`, `%g` and `%a`.

use std::io::Write;

use super::{Spec, put_fill};

/// A floating-point number, of whatever precision.
pub(crate) trait Float {
    /// No number of the kind has more digits than this; what is asked for beyond is zeros.
    const DIGITS: usize;

    /// Whether it has a minus sign.
    fn is_negative(&self) -> bool;

    /// Whether it is one at all.
    fn is_nan(&self) -> bool;

    /// Whether it is neither infinite nor none.
    fn is_finite(&self) -> bool;

    /// Its magnitude with so many digits behind the point.
    fn fixed(&self, precision: usize) -> String;

    /// Its magnitude as `d.ddde-5`, with so many digits behind the point.
    fn scientific(&self, precision: usize) -> String;

    /// What `%a` writes behind `0x`.
    fn hexadecimal(&self, body: &mut Vec<u8>, spec: &Spec);
}

impl Float for f64 {
    const DIGITS: usize = 1100;

    fn is_negative(&self) -> bool {
        self.is_sign_negative()
    }

    fn is_nan(&self) -> bool {
        Self::is_nan(*self)
    }

    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }

    fn fixed(&self, precision: usize) -> String {
        format!("{:.precision$}", self.abs())
    }

    fn scientific(&self, precision: usize) -> String {
        format!("{:.precision$e}", self.abs())
    }

    fn hexadecimal(&self, body: &mut Vec<u8>, spec: &Spec) {
        hexadecimal(body, spec, self.abs());
    }
}

/// A number by the letter of its conversion, one of `aAeEfFgG`.
pub(crate) fn float(out: &mut Vec<u8>, spec: &Spec, letter: u8, value: f64) {
    number(out, spec, letter, &value);
}

/// As [`float`], for a number of any precision.
pub(crate) fn number<F: Float>(out: &mut Vec<u8>, spec: &Spec, letter: u8, value: &F) {
    let sign = spec.sign(value.is_negative());
    let magnitude = value;
    let mut body = Vec::new();
    let mut prefix: &[u8] = b"";
    if magnitude.is_finite() {
        match letter.to_ascii_lowercase() {
            b'e' => scientific(&mut body, spec, magnitude),
            b'f' => fixed(&mut body, spec, magnitude),
            b'a' => {
                prefix = b"0x";
                magnitude.hexadecimal(&mut body, spec);
            }
            _ => general_with(
                &mut body,
                magnitude,
                spec.precision.unwrap_or(6),
                spec.alternate,
            ),
        }
    } else {
        body.extend_from_slice(if magnitude.is_nan() { b"nan" } else { b"inf" });
    }
    if letter.is_ascii_uppercase() {
        body.make_ascii_uppercase();
        if !prefix.is_empty() {
            prefix = b"0X";
        }
    }
    let fill = spec
        .width
        .saturating_sub(sign.len() + prefix.len() + body.len());
    let zeros = spec.zero && !spec.left && magnitude.is_finite();
    if !spec.left && !zeros {
        put_fill(out, b' ', fill);
    }
    out.extend_from_slice(sign);
    out.extend_from_slice(prefix);
    if zeros {
        put_fill(out, b'0', fill);
    }
    out.extend_from_slice(&body);
    if spec.left {
        put_fill(out, b' ', fill);
    }
}

/// `%.*g`, for a number that is not negative and is finite.
pub(crate) fn general(out: &mut Vec<u8>, magnitude: f64, precision: usize) {
    general_with(out, &magnitude, precision, false);
}

fn fixed<F: Float>(body: &mut Vec<u8>, spec: &Spec, magnitude: &F) {
    let precision = spec.precision.unwrap_or(6);
    let exact = precision.min(F::DIGITS);
    body.extend_from_slice(magnitude.fixed(exact).as_bytes());
    put_fill(body, b'0', precision - exact);
    if precision == 0 && spec.alternate {
        body.push(b'.');
    }
}

fn scientific<F: Float>(body: &mut Vec<u8>, spec: &Spec, magnitude: &F) {
    let precision = spec.precision.unwrap_or(6);
    let exact = precision.min(F::DIGITS);
    body.extend_from_slice(magnitude.scientific(exact).as_bytes());
    let exponent = take_exponent(body);
    if precision == 0 && spec.alternate {
        body.push(b'.');
    }
    put_fill(body, b'0', precision - exact);
    put_exponent(body, exponent);
}

fn general_with<F: Float>(out: &mut Vec<u8>, magnitude: &F, precision: usize, keeps_zeros: bool) {
    let precision = precision.max(1);
    let exact = (precision - 1).min(F::DIGITS);
    let mut digits = magnitude.scientific(exact).into_bytes();
    let exponent = take_exponent(&mut digits);
    digits.retain(u8::is_ascii_digit);
    if keeps_zeros {
        digits.resize(precision, b'0');
    } else {
        let used = digits.iter().rposition(|digit| *digit != b'0');
        digits.truncate(used.map_or(1, |last| last + 1));
    }
    let is_small = exponent < -4;
    let point = usize::try_from(exponent.saturating_add(1)).unwrap_or(0);
    if is_small || point > precision {
        put_digits(out, &digits, 1, keeps_zeros);
        put_exponent(out, exponent);
    } else if exponent < 0 {
        out.extend_from_slice(b"0.");
        put_fill(
            out,
            b'0',
            usize::try_from(-1 - exponent).unwrap_or_default(),
        );
        out.extend_from_slice(&digits);
    } else {
        put_digits(out, &digits, point, keeps_zeros);
    }
}

/// Digits with a point after so many of them.
fn put_digits(out: &mut Vec<u8>, digits: &[u8], point: usize, keeps_point: bool) {
    let (whole, part) = digits.split_at(point.min(digits.len()));
    out.extend_from_slice(whole);
    put_fill(out, b'0', point - whole.len());
    if !part.is_empty() || keeps_point {
        out.push(b'.');
        out.extend_from_slice(part);
    }
}

/// Cuts the exponent off a number that Rust has written.
fn take_exponent(number: &mut Vec<u8>) -> i32 {
    let at = number
        .iter()
        .rposition(|byte| *byte == b'e')
        .unwrap_or(number.len());
    let exponent = number.get(at + 1..).unwrap_or_default();
    let exponent = std::str::from_utf8(exponent).ok();
    let exponent = exponent.and_then(|digits| digits.parse().ok()).unwrap_or(0);
    number.truncate(at);
    exponent
}

fn put_exponent(out: &mut Vec<u8>, exponent: i32) {
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
}

fn hexadecimal(body: &mut Vec<u8>, spec: &Spec, magnitude: f64) {
    let bits = magnitude.to_bits();
    let mut fraction = bits & ((1 << 52) - 1);
    let biased = i32::try_from(bits >> 52).unwrap_or(0);
    let (mut whole, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    let digits = match spec.precision {
        Some(precision) if precision < 13 => {
            let dropped = 52 - 4 * precision;
            let all = (whole << 52) | fraction;
            let half = 1u64 << (dropped - 1);
            let kept = all >> dropped;
            let rest = all & ((1 << dropped) - 1);
            let up = rest > half || (rest == half && kept & 1 == 1);
            let rounded = (kept + u64::from(up)) << dropped;
            whole = rounded >> 52;
            fraction = rounded & ((1 << 52) - 1);
            precision
        }
        Some(_) => 13,
        None => 13 - (fraction.trailing_zeros() as usize / 4).min(13),
    };
    let _ = write!(body, "{whole}");
    if digits > 0 || spec.alternate || spec.precision.unwrap_or(0) > 0 {
        body.push(b'.');
    }
    let all = format!("{fraction:013x}");
    body.extend_from_slice(all.as_bytes().get(..digits).unwrap_or_default());
    put_fill(body, b'0', spec.precision.unwrap_or(0).saturating_sub(13));
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(body, "p{sign}{}", exponent.unsigned_abs());
}
