//! Keys: which part of a line is compared, and how.

use std::{borrow::Cow, cmp::Ordering};

use bstr::BStr;

use super::order::{self, Order};
use crate::version;

/// How a key, or a whole line, is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one option")]
pub(super) struct How {
    pub(super) order: Order,
    pub(super) reverse: bool,
    pub(super) skip_blanks: bool,
    pub(super) dictionary: bool,
    pub(super) fold: bool,
    pub(super) printable: bool,
    /// The letters that say which order: more than one cannot be had.
    orders: Orders,
}

/// Some of `ghMnRV`, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Orders(u8);

/// The letters of [`Orders`], in the order in which messages list them.
const ORDER_LETTERS: &[u8] = b"ghMnRV";

impl Orders {
    fn add(&mut self, letter: u8) {
        if let Some(bit) = ORDER_LETTERS.iter().position(|known| *known == letter) {
            self.0 |= 1 << bit;
        }
    }

    fn has(self, letter: u8) -> bool {
        let bit = ORDER_LETTERS.iter().position(|known| *known == letter);
        bit.is_some_and(|bit| self.0 & 1 << bit != 0)
    }
}

impl How {
    pub(super) const PLAIN: Self = Self {
        order: Order::Text,
        reverse: false,
        skip_blanks: false,
        dictionary: false,
        fold: false,
        printable: false,
        orders: Orders(0),
    };

    /// Adds what a letter stands for; false for a letter that stands for nothing.
    pub(super) fn add(&mut self, letter: u8) -> bool {
        match letter {
            b'b' => self.skip_blanks = true,
            b'd' => self.dictionary = true,
            b'f' => self.fold = true,
            b'g' => self.order = Order::General,
            b'h' => self.order = Order::Human,
            b'i' => self.printable = true,
            b'M' => self.order = Order::Month,
            b'n' => self.order = Order::Numeric,
            b'R' => self.order = Order::Random,
            b'r' => self.reverse = true,
            b'V' => self.order = Order::Version,
            _ => return false,
        }
        self.orders.add(letter);
        true
    }

    /// The letters of options that cannot be had together, if there are such.
    pub(super) fn conflict(&self) -> Option<String> {
        let counts = |letter| usize::from(self.orders.has(letter));
        let numbers = counts(b'n') + counts(b'g') + counts(b'h') + counts(b'M');
        let ignores = self.dictionary || self.printable;
        let others = self.orders.has(b'V') || self.orders.has(b'R') || ignores;
        if numbers + usize::from(others) < 2 {
            return None;
        }
        let is_given = |letter: &u8| match letter {
            b'd' => self.dictionary,
            b'f' => self.fold,
            b'i' => self.printable && !self.dictionary,
            letter => self.orders.has(*letter),
        };
        let given = b"dfghiMnRV".iter().copied().filter(is_given);
        Some(given.map(char::from).collect())
    }

    /// The key as it is compared.
    fn canonical<'k>(&self, key: &'k [u8]) -> Cow<'k, [u8]> {
        if !self.dictionary && !self.fold && !self.printable {
            return Cow::Borrowed(key);
        }
        let kept = key.iter().copied().filter(|byte| {
            (!self.dictionary || byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t'))
                && (!self.printable || byte.is_ascii_graphic() || *byte == b' ')
        });
        if self.fold {
            kept.map(|byte| byte.to_ascii_uppercase()).collect()
        } else {
            kept.collect()
        }
    }

    fn compare(&self, one: &[u8], other: &[u8], salt: [u64; 2]) -> Ordering {
        let ordering = match self.order {
            Order::Numeric => order::numeric(one, other),
            Order::General => order::general(one, other),
            Order::Human => order::human(one, other),
            Order::Month => order::month(one).cmp(&order::month(other)),
            Order::Version => version::compare(one, other),
            Order::Random => {
                let (one, other) = (self.canonical(one), self.canonical(other));
                hash(&one, salt)
                    .cmp(&hash(&other, salt))
                    .then_with(|| one.cmp(&other))
            }
            Order::Text => self.canonical(one).cmp(&self.canonical(other)),
        };
        if self.reverse {
            ordering.reverse()
        } else {
            ordering
        }
    }

    /// Whether a rank tells the order.
    fn has_rank(&self) -> bool {
        let is_plain = !self.dictionary && !self.fold && !self.printable;
        matches!(self.order, Order::Numeric) || self.order == Order::Text && is_plain
    }
}

/// Not for keeping secrets: lines that are equal must stay together, and the order differ from salt to salt.
fn hash(text: &[u8], salt: [u64; 2]) -> u64 {
    let mut state = salt[0] ^ 0xcbf2_9ce4_8422_2325;
    for byte in text {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    state ^= state >> 29;
    (state ^ salt[1]).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (state >> 32)
}

/// A place in a line: a field and a character in it, from 1. Character 0 is the end of the field.
#[derive(Debug, Clone, Copy)]
struct Place {
    field: usize,
    character: usize,
    skip_blanks: bool,
}

/// `-k FROM,TO`.
#[derive(Debug, Clone)]
pub(super) struct Key {
    from: Place,
    to: Option<Place>,
    pub(super) how: How,
    /// Nothing was said of how: the options of the whole sort hold.
    pub(super) inherits: bool,
}

impl Key {
    /// Takes `F[.C][OPTS][,F[.C][OPTS]]` apart; an error is GNU's message.
    pub(super) fn parse(text: &BStr) -> Result<Self, String> {
        let mut how = How::PLAIN;
        let mut rest: &[u8] = text;
        let mut letters = 0;
        let mut place = |rest: &mut &[u8], is_end: bool| -> Result<Place, String> {
            let invalid = |what: &str, rest: &[u8]| {
                format!(
                    "{what}: invalid count at start of '{}'",
                    String::from_utf8_lossy(rest)
                )
            };
            let what = if is_end {
                "invalid number after ','"
            } else {
                "invalid number at field start"
            };
            let field = number(rest).ok_or_else(|| invalid(what, rest))?;
            if field == 0 {
                return Err(format!(
                    "field number is zero: invalid field specification '{text}'"
                ));
            }
            let mut character = usize::from(!is_end);
            if let Some((b'.', after)) = rest.split_first() {
                *rest = after;
                character =
                    number(rest).ok_or_else(|| invalid("invalid number after '.'", rest))?;
                if character == 0 && !is_end {
                    return Err(format!(
                        "character offset is zero: invalid field specification '{text}'"
                    ));
                }
            }
            let mut skip_blanks = false;
            while let Some((letter, after)) = rest
                .split_first()
                .filter(|(letter, _)| letter.is_ascii_alphabetic())
            {
                if *letter == b'b' {
                    skip_blanks = true;
                } else if !how.add(*letter) {
                    break;
                }
                letters += 1;
                *rest = after;
            }
            Ok(Place {
                field,
                character,
                skip_blanks,
            })
        };
        let from = place(&mut rest, false)?;
        let to = match rest.split_first() {
            Some((b',', after)) => {
                rest = after;
                Some(place(&mut rest, true)?)
            }
            _ => None,
        };
        if !rest.is_empty() {
            return Err(format!(
                "stray character in field spec: invalid field specification '{text}'"
            ));
        }
        Ok(Self {
            from,
            to,
            how,
            inherits: letters == 0,
        })
    }

    /// Takes over the options of the whole sort.
    pub(super) fn inherit(&mut self, how: How) {
        if !self.inherits {
            return;
        }
        self.how = How {
            skip_blanks: false,
            ..how
        };
        self.from.skip_blanks = how.skip_blanks;
        if let Some(to) = &mut self.to {
            to.skip_blanks = how.skip_blanks;
        }
    }

    /// The part of a line that this is.
    pub(super) fn of<'l>(&self, line: &'l [u8], separator: Option<u8>) -> &'l [u8] {
        let start = begin(line, self.from, separator);
        let end = self.to.map_or(line.len(), |to| finish(line, to, separator));
        line.get(start..end.max(start)).unwrap_or_default()
    }
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    if digits.is_empty() {
        return None;
    }
    *rest = after;
    let number = digits.iter().fold(0usize, |sum, digit| {
        sum.saturating_mul(10)
            .saturating_add(usize::from(digit - b'0'))
    });
    Some(number)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Where the `count`th field ends, its separator not included; without a separator a field begins with its blanks.
fn skip_fields(line: &[u8], count: usize, separator: Option<u8>, to_next: bool) -> usize {
    let mut at = 0;
    for number in 0..count {
        if at >= line.len() {
            return line.len();
        }
        let rest = line.get(at..).unwrap_or_default();
        match separator {
            Some(separator) => {
                let Some(found) = memchr::memchr(separator, rest) else {
                    return line.len();
                };
                at += found;
                if to_next || number + 1 < count {
                    at += 1;
                }
            }
            None => {
                let blanks = rest
                    .iter()
                    .position(|byte| !is_blank(*byte))
                    .unwrap_or(rest.len());
                let word = rest.get(blanks..).unwrap_or_default();
                at += blanks
                    + word
                        .iter()
                        .position(|byte| is_blank(*byte))
                        .unwrap_or(word.len());
            }
        }
    }
    at
}

fn skip_blanks(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| !is_blank(*byte))
        .unwrap_or(rest.len())
}

fn begin(line: &[u8], place: Place, separator: Option<u8>) -> usize {
    let mut at = skip_fields(line, place.field - 1, separator, true);
    if place.skip_blanks {
        at = skip_blanks(line, at);
    }
    at.saturating_add(place.character - 1).min(line.len())
}

fn finish(line: &[u8], place: Place, separator: Option<u8>) -> usize {
    if place.character == 0 {
        return skip_fields(line, place.field, separator, false);
    }
    let mut at = skip_fields(line, place.field - 1, separator, true);
    if place.skip_blanks {
        at = skip_blanks(line, at);
    }
    at.saturating_add(place.character).min(line.len())
}

/// How lines are compared.
pub(super) struct Comparison {
    pub(super) keys: Vec<Key>,
    pub(super) whole: How,
    pub(super) separator: Option<u8>,
    /// Lines with equal keys stay in their order.
    pub(super) is_stable: bool,
    /// Only one of lines with equal keys is wanted.
    pub(super) is_unique: bool,
    pub(super) salt: [u64; 2],
}

impl Comparison {
    /// Compares by the keys alone.
    pub(super) fn keys(&self, one: &[u8], other: &[u8]) -> Ordering {
        if self.keys.is_empty() {
            let part = |line| {
                if self.whole.skip_blanks {
                    after_blanks(line)
                } else {
                    line
                }
            };
            return self.whole.compare(part(one), part(other), self.salt);
        }
        for key in &self.keys {
            let (a, b) = (key.of(one, self.separator), key.of(other, self.separator));
            let ordering = key.how.compare(a, b, self.salt);
            if ordering != Ordering::Equal {
                return ordering;
            }
        }
        Ordering::Equal
    }

    /// Compares two lines; of those with equal keys the bytes decide, unless the order is to be stable.
    pub(super) fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        let ordering = self.keys(one, other);
        if ordering != Ordering::Equal || self.is_stable || self.is_unique {
            return ordering;
        }
        self.last_resort(one, other)
    }

    /// Compares lines whose keys are equal by their bytes.
    pub(super) fn last_resort(&self, one: &[u8], other: &[u8]) -> Ordering {
        let ordering = one.cmp(other);
        if self.whole.reverse {
            ordering.reverse()
        } else {
            ordering
        }
    }

    /// Whether the bytes of whole lines are compared and nothing else, so that lines of equal rank are equal that far. In
    /// which direction is not asked.
    pub(super) fn is_plain(&self) -> bool {
        let forward = How {
            reverse: false,
            ..self.whole
        };
        self.keys.is_empty() && forward == How::PLAIN
    }

    /// What tells the order of most lines without looking at them. Smaller comes first.
    pub(super) fn rank(&self, line: &[u8]) -> u64 {
        let how = self.keys.first().map_or(self.whole, |key| key.how);
        if !how.has_rank() {
            return 0;
        }
        let rank = order::rank(how.order, self.first_key(line));
        // Plain lines are turned round when they are sorted.
        if how.reverse && !self.is_plain() {
            !rank
        } else {
            rank
        }
    }

    /// Whether the first key is the only one.
    pub(super) fn has_one_key(&self) -> bool {
        self.keys.len() <= 1
    }

    /// What is compared first.
    pub(super) fn first_key<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        match self.keys.first() {
            Some(key) => key.of(line, self.separator),
            None if self.whole.skip_blanks => after_blanks(line),
            None => line,
        }
    }
}

fn after_blanks(line: &[u8]) -> &[u8] {
    line.get(skip_blanks(line, 0)..).unwrap_or_default()
}
