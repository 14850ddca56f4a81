//! Numbers as text.

use std::{cmp::Ordering, fmt::Write as _};

/// Reads a number of JSON (or `nan`'s absence: `None`). With it come the digits to print, if the double does not give them.
pub(crate) fn read(text: &str) -> Option<(f64, Option<String>)> {
    let bytes = text.as_bytes();
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    // What most numbers are: few digits, which doubles keep.
    if digits.len() <= 15 && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let magnitude = digits
            .iter()
            .fold(0u64, |number, digit| number * 10 + u64::from(digit - b'0'));
        #[allow(clippy::cast_precision_loss, reason = "fifteen digits fit")]
        let value = magnitude as f64;
        return Some((
            if bytes.len() > digits.len() {
                -value
            } else {
                value
            },
            None,
        ));
    }
    let (mantissa, exponent) = match digits.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
        None => (digits, &b"0"[..]),
    };
    let unsigned = exponent
        .strip_prefix(b"+")
        .or_else(|| exponent.strip_prefix(b"-"))
        .unwrap_or(exponent);
    let mut dots = 0;
    for byte in mantissa {
        match byte {
            b'.' => dots += 1,
            b'0'..=b'9' => {}
            _ => return None,
        }
    }
    let has_digits = mantissa.iter().any(u8::is_ascii_digit);
    if dots > 1 || !has_digits || unsigned.is_empty() || !unsigned.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    if !value.is_finite() {
        return Some((value, None));
    }
    if mantissa.len() <= 16
        && exponent == b"0"
        && dots == 1
        && !mantissa.ends_with(b"0")
        && !mantissa.ends_with(b".")
        && !mantissa.starts_with(b"0.000")
        && !mantissa.starts_with(b".")
        && !(mantissa.starts_with(b"0") && !mantissa.starts_with(b"0."))
    {
        return Some((value, None));
    }
    let exact = canonical(bytes.len() > digits.len(), mantissa, exponent)?;
    let plain = show(value);
    Some((value, (exact != plain).then_some(exact)))
}

/// A decimal number as the decimal arithmetic of jq prints it: all its digits, an exponent only where it must be.
fn canonical(is_negative: bool, mantissa: &[u8], exponent: &[u8]) -> Option<String> {
    let exponent: i64 = std::str::from_utf8(exponent).ok()?.parse().ok()?;
    let fraction = mantissa
        .iter()
        .position(|byte| *byte == b'.')
        .map_or(0, |at| mantissa.len() - at - 1);
    let exponent = exponent.checked_sub(i64::try_from(fraction).ok()?)?;
    let digits: String = mantissa
        .iter()
        .filter(|byte| **byte != b'.')
        .map(|byte| char::from(*byte))
        .collect();
    let trimmed = digits.trim_start_matches('0');
    let digits = if trimmed.is_empty() { "0" } else { trimmed };
    let length = i64::try_from(digits.len()).ok()?;
    let adjusted = exponent + length - 1;
    let mut text = String::new();
    if is_negative {
        text.push('-');
    }
    if exponent <= 0 && adjusted >= -6 {
        let point = length + exponent;
        if exponent == 0 {
            text.push_str(digits);
        } else if point > 0 {
            let (whole, part) = digits.split_at_checked(usize::try_from(point).ok()?)?;
            let _ = write!(text, "{whole}.{part}");
        } else {
            text.push_str("0.");
            (point..0).for_each(|_| text.push('0'));
            text.push_str(digits);
        }
    } else {
        let (first, rest) = digits.split_at_checked(1)?;
        text.push_str(first);
        if !rest.is_empty() {
            let _ = write!(text, ".{rest}");
        }
        let _ = write!(text, "E{adjusted:+}");
    }
    Some(text)
}

/// Which of two numbers with the same double is larger, by their digits.
pub(crate) fn compare_digits(a: &str, b: &str) -> Ordering {
    let whole = |text: &str| {
        text.trim_start_matches('-')
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    if !whole(a) || !whole(b) {
        return Ordering::Equal;
    }
    let order = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    if a.starts_with('-') {
        order.reverse()
    } else {
        order
    }
}

/// A double with as few digits as give it back. Infinity is the largest double, and what is no number is null.
pub(crate) fn show(number: f64) -> String {
    let mut text = String::new();
    put(&mut text, number);
    text
}

/// As [`show`], at the end of a text.
pub(crate) fn put(out: &mut String, number: f64) {
    if number.is_nan() {
        out.push_str("null");
        return;
    }
    if number == number.trunc()
        && number.abs() < 1e15
        && !(number == 0.0 && number.is_sign_negative())
    {
        #[allow(clippy::cast_possible_truncation, reason = "below 2^53")]
        let _ = write!(out, "{}", number as i64);
        return;
    }
    let number = number.clamp(f64::MIN, f64::MAX);
    let shortest = format!("{number:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = exponent + 1;
    out.push_str(sign);
    if point <= -4 || point > length + 15 {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        out.push_str(first);
        if !rest.is_empty() {
            let _ = write!(out, ".{rest}");
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    } else if point <= 0 {
        out.push_str("0.");
        (point..0).for_each(|_| out.push('0'));
        out.push_str(&digits);
    } else if point >= length {
        out.push_str(&digits);
        (length..point).for_each(|_| out.push('0'));
    } else {
        let (whole, part) = digits
            .split_at_checked(usize::try_from(point).unwrap_or(0))
            .unwrap_or((&digits, ""));
        let _ = write!(out, "{whole}.{part}");
    }
}
