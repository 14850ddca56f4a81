//! Numbers: `10`, `017`, `0x1f`, `2#101`.

/// A number as text, without an allocation.
pub(crate) struct Decimal {
    /// The longest is `-9223372036854775808`.
    digits: [u8; 20],
    start: usize,
}

impl Decimal {
    pub(crate) fn new(value: i64) -> Self {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut left = value.unsigned_abs();
        loop {
            start -= 1;
            let digit = u8::try_from(left % 10).unwrap_or_default();
            if let Some(place) = digits.get_mut(start) {
                *place = b'0' + digit;
            }
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if value < 0 {
            start -= 1;
            if let Some(place) = digits.get_mut(start) {
                *place = b'-';
            }
        }
        Self { digits, start }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.digits.get(self.start..).unwrap_or_default()
    }
}

/// The value of text that is nothing but a decimal number, which most are.
#[inline]
pub(crate) fn parse_plain(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 18 => {}
        _ => return None,
    }
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if is_negative { -value } else { value })
}

/// The value of a number in any base. What is too large wraps.
pub(super) fn parse(text: &[u8]) -> Result<i64, &'static str> {
    const TOO_GREAT: &str = "value too great for base";
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] if !digits.contains(&b'#') => (8, digits),
        _ => match text.iter().position(|byte| *byte == b'#') {
            None => (10, text),
            Some(hash) => {
                let base = text.get(..hash).unwrap_or_default();
                let digits = text.get(hash + 1..).unwrap_or_default();
                (parse_base(base)?, digits)
            }
        },
    };
    if digits.is_empty() && text.contains(&b'#') {
        return Err("invalid integer constant");
    }
    let mut value = 0i64;
    for byte in digits {
        if *byte == b'#' {
            return Err("invalid number");
        }
        let digit = digit(*byte, base);
        if digit >= base {
            return Err(TOO_GREAT);
        }
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(value)
}

fn parse_base(text: &[u8]) -> Result<i64, &'static str> {
    const INVALID: &str = "invalid arithmetic base";
    let is_octal = text.starts_with(b"0");
    let mut base = 0i64;
    for byte in text {
        if !byte.is_ascii_digit() {
            return Err("value too great for base");
        }
        base = base * 10 + i64::from(byte - b'0');
        if base > 64 {
            return Err(INVALID);
        }
    }
    if base < 2 || is_octal {
        return Err(INVALID);
    }
    Ok(base)
}

/// Up to base 36 the case of letters makes no difference.
fn digit(byte: u8, base: i64) -> i64 {
    i64::from(match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
        b'A'..=b'Z' => byte - b'A' + 36,
        b'@' => 62,
        b'_' => 63,
        _ => u8::MAX,
    })
}
