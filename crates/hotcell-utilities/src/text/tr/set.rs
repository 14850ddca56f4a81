//! A string of `tr`, such as `a-z0-9[:space:]`.

use thiserror::Error;

/// What is wrong with a string, or with two of them together.
#[derive(Debug, Error)]
pub(super) enum SetError {
    #[error("range-endpoints of '{0}-{1}' are in reverse collating sequence order")]
    Reversed(String, String),
    #[error("invalid character class '{0}'")]
    UnknownClass(String),
    #[error("missing character class name '[::]'")]
    NoClass,
    #[error("missing equivalence class character '[==]'")]
    NoEquivalent,
    #[error("{0}: equivalence class operand must be a single character")]
    LongEquivalent(String),
    #[error("invalid repeat count '{0}' in [c*n] construct")]
    BadRepeat(String),
    #[error("the [c*] repeat construct may not appear in string1")]
    RepeatInFirst,
    #[error("only one [c*] repeat construct may appear in string2")]
    TwoFills,
    #[error("when not truncating set1, string2 must be non-empty")]
    EmptySecond,
    #[error(
        "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'"
    )]
    ClassInSecond,
    #[error("misaligned [:upper:] and/or [:lower:] construct")]
    MisalignedCase,
    #[error(
        "when translating with complemented character classes,\nstring2 must map all characters in the domain to one"
    )]
    ComplementedClass,
    #[error(
        "when translating with string1 longer than string2,\nthe latter string must not end with a character class"
    )]
    ClassAtEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
}

impl Class {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Alnum,
            b"alpha" => Self::Alpha,
            b"blank" => Self::Blank,
            b"cntrl" => Self::Cntrl,
            b"digit" => Self::Digit,
            b"graph" => Self::Graph,
            b"lower" => Self::Lower,
            b"print" => Self::Print,
            b"punct" => Self::Punct,
            b"space" => Self::Space,
            b"upper" => Self::Upper,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    fn contains(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Alpha => byte.is_ascii_alphabetic(),
            Self::Blank => matches!(byte, b' ' | b'\t'),
            Self::Cntrl => byte.is_ascii_control(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Graph => byte.is_ascii_graphic(),
            Self::Lower => byte.is_ascii_lowercase(),
            Self::Print => byte.is_ascii_graphic() || byte == b' ',
            Self::Punct => byte.is_ascii_punctuation(),
            Self::Space => matches!(byte, b' ' | 0x09..=0x0d),
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Xdigit => byte.is_ascii_hexdigit(),
        }
    }

    fn bytes(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |byte| self.contains(*byte))
    }
}

#[derive(Debug, Clone)]
enum Item {
    Range(u8, u8),
    Class(Class),
    /// `[x*n]`
    Repeat(u8, u64),
    /// `[x*]`: as many as the other string is longer.
    Fill(u8),
}

impl Item {
    fn len(&self) -> u64 {
        match self {
            Self::Range(low, high) => u64::from(high - low) + 1,
            Self::Class(class) => class.bytes().count() as u64,
            Self::Repeat(_, count) => *count,
            Self::Fill(_) => 0,
        }
    }
}

/// A string of `tr`.
#[derive(Debug, Clone, Default)]
pub(super) struct Set(Vec<Item>);

/// No string stands for more bytes than there are positions to map.
const MOST: u64 = 256;

impl Set {
    pub(super) fn parse(text: &[u8], is_second: bool) -> Result<Self, SetError> {
        let units = unescape(text);
        let mut items = Vec::new();
        let mut rest = units.as_slice();
        while !rest.is_empty() {
            if let Some((item, after)) = bracket(rest)? {
                if matches!(item, Item::Fill(_)) && !is_second {
                    return Err(SetError::RepeatInFirst);
                }
                items.push(item);
                rest = after;
                continue;
            }
            let (from, after) = (
                rest.first().map_or(0, |unit| unit.byte),
                rest.get(1..).unwrap_or_default(),
            );
            match after {
                [dash, to, ..] if dash.is(b'-') => {
                    if from > to.byte {
                        let show = |byte: u8| byte.escape_ascii().to_string();
                        return Err(SetError::Reversed(show(from), show(to.byte)));
                    }
                    items.push(Item::Range(from, to.byte));
                    rest = after.get(2..).unwrap_or_default();
                }
                _ => {
                    items.push(Item::Range(from, from));
                    rest = after;
                }
            }
        }
        if items
            .iter()
            .filter(|item| matches!(item, Item::Fill(_)))
            .count()
            > 1
        {
            return Err(SetError::TwoFills);
        }
        Ok(Self(items))
    }

    /// The bytes that are not in it, in order.
    pub(super) fn complement(&self) -> Self {
        let mut inside = [false; 256];
        self.bytes()
            .for_each(|byte| inside[usize::from(byte)] = true);
        let outside = (0..=u8::MAX).filter(|byte| !inside[usize::from(*byte)]);
        Self(outside.map(|byte| Item::Range(byte, byte)).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ends_with_class(&self) -> bool {
        matches!(self.0.last(), Some(Item::Class(_)))
    }

    /// Whether it is the same byte again and again.
    pub(super) fn is_one_byte(&self) -> bool {
        let mut all = self.0.iter().map(|item| match item {
            Item::Range(low, high) if low == high => Some(*low),
            Item::Repeat(byte, _) | Item::Fill(byte) => Some(*byte),
            Item::Range(..) | Item::Class(_) => None,
        });
        let first = all.next().flatten();
        first.is_some() && all.all(|byte| byte == first)
    }

    pub(super) fn len(&self) -> u64 {
        self.0.iter().map(Item::len).fold(0, u64::saturating_add)
    }

    /// The classes in it, each with the position at which it begins.
    pub(super) fn classes(&self) -> impl Iterator<Item = (u64, Class)> {
        let mut at = 0u64;
        self.0.iter().filter_map(move |item| {
            let start = at;
            at = at.saturating_add(item.len());
            match item {
                Item::Class(class) => Some((start, *class)),
                _ => None,
            }
        })
    }

    /// With `[x*]` as long as it takes to have `length` bytes.
    pub(super) fn filled(&self, length: u64) -> Self {
        let missing = length.saturating_sub(self.len());
        let items = self.0.iter().map(|item| match item {
            Item::Fill(byte) => Item::Repeat(*byte, missing),
            other => other.clone(),
        });
        Self(items.collect())
    }

    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.0
            .iter()
            .flat_map(|item| -> Box<dyn Iterator<Item = u8>> {
                match item {
                    Item::Range(low, high) => Box::new(*low..=*high),
                    Item::Class(class) => Box::new(class.bytes()),
                    Item::Repeat(byte, count) => {
                        let count = usize::try_from((*count).min(MOST)).unwrap_or(0);
                        Box::new(std::iter::repeat_n(*byte, count))
                    }
                    Item::Fill(_) => Box::new(std::iter::empty()),
                }
            })
    }
}

/// A byte, and whether it was written with a backslash: then it is no syntax.
#[derive(Clone, Copy)]
struct Unit {
    byte: u8,
    is_escaped: bool,
}

impl Unit {
    fn is(self, byte: u8) -> bool {
        self.byte == byte && !self.is_escaped
    }
}

fn unescape(text: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' || rest.is_empty() {
            units.push(Unit {
                byte: *byte,
                is_escaped: false,
            });
            continue;
        }
        let octal = rest
            .iter()
            .take(3)
            .take_while(|digit| matches!(digit, b'0'..=b'7'))
            .count();
        let value = |digits: &[u8]| {
            digits
                .iter()
                .fold(0u16, |sum, digit| sum * 8 + u16::from(digit - b'0'))
        };
        // `\400` is more than a byte: then only two digits count.
        let octal = if octal == 3 && value(rest.get(..3).unwrap_or_default()) > 255 {
            2
        } else {
            octal
        };
        let (byte, used) = if octal > 0 {
            let digits = rest.get(..octal).unwrap_or_default();
            (u8::try_from(value(digits)).unwrap_or(u8::MAX), octal)
        } else {
            let byte = match rest.first().copied().unwrap_or_default() {
                b'a' => 0x07,
                b'b' => 0x08,
                b'f' => 0x0c,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 0x0b,
                other => other,
            };
            (byte, 1)
        };
        units.push(Unit {
            byte,
            is_escaped: true,
        });
        rest = rest.get(used..).unwrap_or_default();
    }
    units
}

/// `[:class:]`, `[=x=]`, `[x*n]` at the beginning.
fn bracket(units: &[Unit]) -> Result<Option<(Item, &[Unit])>, SetError> {
    let text = |units: &[Unit]| -> Vec<u8> { units.iter().map(|unit| unit.byte).collect() };
    let shown = |units: &[Unit]| String::from_utf8_lossy(&text(units)).into_owned();
    let [open, kind, inner @ ..] = units else {
        return Ok(None);
    };
    if !open.is(b'[') {
        return Ok(None);
    }
    if kind.is(b':') || kind.is(b'=') {
        let close = inner.windows(2).position(|pair| {
            let [first, second] = pair else { return false };
            first.is(kind.byte) && second.is(b']')
        });
        if let Some(close) = close {
            let (name, after) = (
                inner.get(..close).unwrap_or_default(),
                inner.get(close + 2..).unwrap_or_default(),
            );
            if kind.is(b':') {
                if name.is_empty() {
                    return Err(SetError::NoClass);
                }
                let class = Class::from_name(&text(name));
                let class = class.ok_or_else(|| SetError::UnknownClass(shown(name)))?;
                return Ok(Some((Item::Class(class), after)));
            }
            return match name {
                [] => Err(SetError::NoEquivalent),
                [one] => Ok(Some((Item::Range(one.byte, one.byte), after))),
                _ => Err(SetError::LongEquivalent(shown(name))),
            };
        }
    }
    let [star, count @ ..] = inner else {
        return Ok(None);
    };
    if !star.is(b'*') {
        return Ok(None);
    }
    let Some(close) = count.iter().position(|unit| unit.is(b']')) else {
        return Ok(None);
    };
    let (digits, after) = (
        count.get(..close).unwrap_or_default(),
        count.get(close + 1..).unwrap_or_default(),
    );
    if digits.is_empty() {
        return Ok(Some((Item::Fill(kind.byte), after)));
    }
    let written = text(digits);
    let radix = if written.first() == Some(&b'0') {
        8
    } else {
        10
    };
    let number = std::str::from_utf8(&written)
        .ok()
        .and_then(|digits| u64::from_str_radix(digits, radix).ok());
    match number {
        Some(0) => Ok(Some((Item::Fill(kind.byte), after))),
        Some(number) => Ok(Some((Item::Repeat(kind.byte, number), after))),
        None => Err(SetError::BadRepeat(shown(digits))),
    }
}
