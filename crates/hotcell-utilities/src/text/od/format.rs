//! One way to show bytes.

/// What bytes are taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Named,
    Character,
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Float,
}

/// One way to show bytes.
#[derive(Debug, Clone)]
pub(super) struct Format {
    kind: Kind,
    /// Bytes of a unit.
    pub(super) size: usize,
    /// Columns of a unit, without the blank before it.
    pub(super) width: usize,
    pub(super) shows_text: bool,
    big: bool,
}

const NAMES: [&str; 33] = [
    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr",
    "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc",
    "fs", "gs", "rs", "us", "sp",
];

impl Format {
    /// `x2z`, `d4c`: several may follow each other. An error is GNU's message.
    pub(super) fn parse(text: &[u8], big: bool) -> Result<Vec<Self>, String> {
        let shown = String::from_utf8_lossy(text).into_owned();
        let mut formats = Vec::new();
        let mut rest = text;
        if rest.is_empty() {
            return Err(format!("invalid type string '{shown}'"));
        }
        while let Some((letter, after)) = rest.split_first() {
            rest = after;
            let kind = match letter {
                b'a' => Kind::Named,
                b'c' => Kind::Character,
                b'd' => Kind::Signed,
                b'u' => Kind::Unsigned,
                b'o' => Kind::Octal,
                b'x' => Kind::Hexadecimal,
                b'f' => Kind::Float,
                other => {
                    return Err(format!(
                        "invalid character '{}' in type string '{shown}'",
                        char::from(*other)
                    ));
                }
            };
            let mut size = if matches!(kind, Kind::Named | Kind::Character) {
                1
            } else if kind == Kind::Float {
                8
            } else {
                4
            };
            if !matches!(kind, Kind::Named | Kind::Character) {
                let digits = rest
                    .iter()
                    .position(|byte| !byte.is_ascii_digit())
                    .unwrap_or(rest.len());
                if digits > 0 {
                    let (number, after) = rest.split_at(digits);
                    size = std::str::from_utf8(number)
                        .ok()
                        .and_then(|number| number.parse().ok())
                        .unwrap_or(0);
                    rest = after;
                } else if let Some((unit, after)) = rest.split_first() {
                    let named = match (kind, unit) {
                        (Kind::Float, b'F') => Some(4),
                        (Kind::Float, b'D') => Some(8),
                        (Kind::Float, b'L') => Some(16),
                        (Kind::Float, _) => None,
                        (_, b'C') => Some(1),
                        (_, b'S') => Some(2),
                        (_, b'I') => Some(4),
                        (_, b'L') => Some(8),
                        _ => None,
                    };
                    if let Some(named) = named {
                        size = named;
                        rest = after;
                    }
                }
            }
            let width = width(kind, size).ok_or_else(|| {
                let what = if kind == Kind::Float { "floating point" } else { "integral" };
                format!("invalid type string '{shown}';\nthis system doesn't provide a {size}-byte {what} type")
            })?;
            let shows_text = rest.first() == Some(&b'z');
            if shows_text {
                rest = rest.get(1..).unwrap_or_default();
            }
            formats.push(Self {
                kind,
                size,
                width,
                shows_text,
                big,
            });
        }
        Ok(formats)
    }

    /// A unit, of just the right size.
    pub(super) fn show(&self, unit: &[u8]) -> String {
        let byte = unit.first().copied().unwrap_or(0);
        let width = self.width;
        match self.kind {
            Kind::Named => match byte & 0x7f {
                0x7f => "del".into(),
                low => NAMES
                    .get(usize::from(low))
                    .map_or_else(|| char::from(low).to_string(), |name| (*name).to_owned()),
            },
            Kind::Character => match byte {
                0 => "\\0".into(),
                0x07 => "\\a".into(),
                0x08 => "\\b".into(),
                b'\t' => "\\t".into(),
                b'\n' => "\\n".into(),
                0x0b => "\\v".into(),
                0x0c => "\\f".into(),
                b'\r' => "\\r".into(),
                byte if byte.is_ascii_graphic() || byte == b' ' => char::from(byte).to_string(),
                byte => format!("{byte:03o}"),
            },
            Kind::Octal => format!("{:0width$o}", self.number(unit)),
            Kind::Hexadecimal => format!("{:0width$x}", self.number(unit)),
            Kind::Unsigned => self.number(unit).to_string(),
            Kind::Signed => {
                let shift = 64 - 8 * u32::try_from(self.size).unwrap_or(8);
                // The sign moves to the top and back.
                ((self.number(unit) << shift).cast_signed() >> shift).to_string()
            }
            Kind::Float => self.float(unit),
        }
    }

    fn number(&self, unit: &[u8]) -> u64 {
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.big {
            unit.iter().fold(0, join)
        } else {
            unit.iter().rev().fold(0, join)
        }
    }

    fn float(&self, unit: &[u8]) -> String {
        let number = self.number(unit);
        if self.size == 4 {
            let value = f32::from_bits(u32::try_from(number).unwrap_or(0));
            shortest(f64::from(value), &format!("{value:e}"))
        } else {
            let value = f64::from_bits(number);
            shortest(value, &format!("{value:e}"))
        }
    }
}

/// The shortest text that is read back as the same number, as `%g` would lay it out.
fn shortest(value: f64, scientific: &str) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() {
            "-nan".into()
        } else {
            "nan".into()
        };
    }
    if value.is_infinite() {
        return if value < 0.0 {
            "-inf".into()
        } else {
            "inf".into()
        };
    }
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific.to_owned();
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.chars().filter(char::is_ascii_digit).count();
    let precision = i32::try_from(digits).unwrap_or(17).max(6);
    if exponent < -4 || exponent >= precision {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let negative = if mantissa.starts_with('-') { "-" } else { "" };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    if exponent < 0 {
        return format!(
            "{negative}0.{}{all}",
            "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0))
        );
    }
    let whole = usize::try_from(exponent + 1).unwrap_or(1);
    if all.len() <= whole {
        return format!("{negative}{all}{}", "0".repeat(whole - all.len()));
    }
    let (before, after) = all.split_at(whole);
    format!("{negative}{before}.{after}")
}

fn width(kind: Kind, size: usize) -> Option<usize> {
    Some(match (kind, size) {
        (Kind::Named | Kind::Character, _) => 3,
        (Kind::Octal, 1) => 3,
        (Kind::Octal, 2) => 6,
        (Kind::Octal, 4) => 11,
        (Kind::Octal, 8) => 22,
        (Kind::Hexadecimal, 1 | 2 | 4 | 8) => size * 2,
        (Kind::Signed, 1) => 4,
        (Kind::Signed, 2) => 6,
        (Kind::Signed, 4) => 11,
        (Kind::Signed, 8) => 20,
        (Kind::Unsigned, 1) => 3,
        (Kind::Unsigned, 2) => 5,
        (Kind::Unsigned, 4) => 10,
        (Kind::Unsigned, 8) => 20,
        (Kind::Float, 4) => 15,
        (Kind::Float, 8) => 24,
        _ => return None,
    })
}
