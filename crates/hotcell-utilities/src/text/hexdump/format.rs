//! Formats: `[COUNT][/BYTES] "TEXT"`, with conversions much as printf has them.

use std::io::{self, Write};

use bstr::{BString, ByteSlice, ByteVec};

use crate::quote::shortened;

/// How bytes are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No bytes: only text.
    Text,
    Signed,
    Unsigned,
    Octal,
    Hex,
    UpperHex,
    Float(u8),
    /// `%c`.
    Byte,
    /// `%s`.
    Bytes,
    /// `%_c`.
    Escaped,
    /// `%_p`.
    Printable,
    /// `%_u`.
    Named,
    /// `%_ad`, `%_ao`, `%_ax`.
    Address(u8),
    /// The same, at the end.
    End(u8),
}

/// Some text, then a conversion, then, for the last one, more text.
#[derive(Clone)]
struct Piece {
    before: BString,
    kind: Kind,
    minus: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    bytes: usize,
    after: BString,
}

#[derive(Clone)]
struct Unit {
    count: usize,
    has_count: bool,
    pieces: Vec<Piece>,
}

impl Unit {
    fn size(&self) -> usize {
        self.pieces.iter().map(|piece| piece.bytes).sum()
    }
}

pub(super) struct Format {
    units: Vec<Unit>,
}

/// No field is wider.
const WIDEST: usize = 4096;

/// No line is wider, and no block larger: what is beyond is a mistake.
const MOST: usize = 1 << 20;

impl Format {
    pub(super) fn parse(text: &[u8]) -> Result<Self, BString> {
        let bad = || BString::from([b"bad format {", shortened(text).as_slice(), b"}"].concat());
        let mut units = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (count, after) = number(rest);
            rest = after.trim_start();
            let mut bytes = None;
            if let Some(after) = rest.strip_prefix(b"/") {
                let (found, after) = number(after.trim_start());
                bytes = Some(found.ok_or_else(bad)?);
                rest = after.trim_start();
            }
            let inner = rest.strip_prefix(b"\"").ok_or_else(bad)?;
            let end = inner.find_byte(b'"').ok_or_else(bad)?;
            let (inner, after) = inner.split_at(end);
            rest = after.get(1..).unwrap_or_default().trim_start();
            let pieces = pieces(&unescaped(inner), bytes)?;
            let unit = Unit {
                count: count.unwrap_or(1),
                has_count: count.is_some(),
                pieces,
            };
            if unit.count.saturating_mul(unit.size().max(1)) > MOST {
                return Err(bad());
            }
            units.push(unit);
        }
        let format = Self { units };
        if format.size() > MOST {
            Err(bad())
        } else {
            Ok(format)
        }
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.units.iter().map(|unit| unit.count * unit.size()).sum()
    }

    /// Lets the last unit repeat until a block of this size is used up.
    pub(super) fn fill(&mut self, block: usize) {
        let size = self.size();
        if let Some(last) = self.units.last_mut() {
            let own = last.size();
            if !last.has_count && own > 0 && size < block {
                last.count += (block - size) / own;
            }
        }
    }

    /// Whether it is for the end of the input.
    pub(super) fn is_end(&self) -> bool {
        let mut pieces = self.units.iter().flat_map(|unit| &unit.pieces);
        pieces.any(|piece| matches!(piece.kind, Kind::End(_)))
    }

    pub(super) fn print(
        &self,
        out: &mut impl Write,
        data: &[u8],
        block: usize,
        address: u64,
    ) -> io::Result<()> {
        if self.is_end() {
            return Ok(());
        }
        let mut at = 0;
        for unit in &self.units {
            // A unit of no bytes that stands behind the end of a block still shows its text.
            for number in 0..unit.count {
                let is_last = unit.count > 1 && number + 1 == unit.count;
                let last = unit.pieces.len().saturating_sub(1);
                for (index, piece) in unit.pieces.iter().enumerate() {
                    piece.print(out, data, at, block, address, is_last && index == last)?;
                    at += piece.bytes;
                }
            }
        }
        Ok(())
    }

    pub(super) fn print_end(&self, out: &mut impl Write, address: u64) -> io::Result<()> {
        for piece in self.units.iter().flat_map(|unit| &unit.pieces) {
            out.write_all(&piece.before)?;
            if let Kind::End(radix) = piece.kind {
                out.write_all(&piece.address(radix, address))?;
            }
            out.write_all(&piece.after)?;
        }
        Ok(())
    }
}

impl Piece {
    fn print(
        &self,
        out: &mut impl Write,
        data: &[u8],
        at: usize,
        block: usize,
        address: u64,
        trims: bool,
    ) -> io::Result<()> {
        out.write_all(&self.before)?;
        let is_over = at >= data.len() && data.len() < block;
        let shown = match self.kind {
            Kind::Text => Vec::new(),
            _ if is_over => vec![b' '; self.width],
            Kind::Address(radix) | Kind::End(radix) => self.address(radix, address + at as u64),
            _ => {
                // Behind the end are zeros.
                let mut bytes: Vec<u8> = data.iter().skip(at).take(self.bytes).copied().collect();
                bytes.resize(self.bytes, 0);
                self.convert(&bytes)
            }
        };
        out.write_all(&shown)?;
        let after = if trims {
            self.after.trim_end()
        } else {
            &self.after
        };
        out.write_all(after)
    }

    fn address(&self, radix: u8, address: u64) -> Vec<u8> {
        let digits = match radix {
            b'd' => address.to_string(),
            b'o' => format!("{address:o}"),
            _ => format!("{address:x}"),
        };
        self.padded(self.digits(&digits), self.zero && self.precision.is_none())
    }

    fn digits(&self, digits: &str) -> String {
        let least = self.precision.unwrap_or(0);
        let zeros = least.saturating_sub(digits.len());
        ["0".repeat(zeros).as_str(), digits].concat()
    }

    fn padded(&self, text: String, zero: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.chars().count());
        let mut shown = Vec::new();
        if self.minus {
            shown.push_str(&text);
            shown.resize(shown.len() + missing, b' ');
        } else if zero {
            let (sign, digits) = match text.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", text.as_str()),
            };
            shown.push_str(sign);
            shown.resize(shown.len() + missing, b'0');
            shown.push_str(digits);
        } else {
            shown.resize(missing, b' ');
            shown.push_str(&text);
        }
        shown
    }

    fn convert(&self, bytes: &[u8]) -> Vec<u8> {
        let mut wide = [0; 8];
        for (place, byte) in wide.iter_mut().zip(bytes) {
            *place = *byte;
        }
        let value = u64::from_le_bytes(wide);
        let first = bytes.first().copied().unwrap_or(0);
        let zero = self.zero && self.precision.is_none();
        let number = |text: String| self.padded(self.digits(&text), zero);
        match self.kind {
            Kind::Unsigned => number(value.to_string()),
            Kind::Octal if self.alternate => number(format!("0{value:o}")),
            Kind::Octal => number(format!("{value:o}")),
            Kind::Hex if self.alternate && value != 0 => number(format!("{value:#x}")),
            Kind::UpperHex if self.alternate && value != 0 => number(format!("0X{value:X}")),
            Kind::Hex => number(format!("{value:x}")),
            Kind::UpperHex => number(format!("{value:X}")),
            Kind::Signed => {
                let unused = 64 - 8 * u32::try_from(bytes.len().clamp(1, 8)).unwrap_or(8);
                let value = (value << unused).cast_signed() >> unused;
                let sign = match value {
                    ..0 => "-",
                    _ if self.plus => "+",
                    _ if self.space => " ",
                    _ => "",
                };
                let digits = self.digits(&value.unsigned_abs().to_string());
                self.padded(format!("{sign}{digits}"), zero)
            }
            Kind::Float(letter) => {
                let value = match bytes.len() {
                    4 => f64::from(f32::from_bits(value as u32)),
                    _ => f64::from_bits(value),
                };
                let precision = self.precision.unwrap_or(6);
                let text = match letter {
                    b'e' | b'E' => {
                        let text = format!("{value:.precision$e}");
                        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
                        let power: i32 = power.parse().unwrap_or(0);
                        let sign = if power < 0 { '-' } else { '+' };
                        format!("{digits}e{sign}{:02}", power.unsigned_abs())
                    }
                    _ => format!("{value:.precision$}"),
                };
                self.padded(text, zero)
            }
            Kind::Printable => {
                let c = if (b' '..=b'~').contains(&first) {
                    first
                } else {
                    b'.'
                };
                self.padded(char::from(c).to_string(), false)
            }
            Kind::Byte => {
                let mut shown = self.padded(String::new(), false);
                shown.pop();
                shown.push(first);
                shown
            }
            Kind::Bytes => {
                let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                self.padded(text.to_str_lossy().into_owned(), false)
            }
            Kind::Escaped => {
                let text = match first {
                    0 => "\\0".to_owned(),
                    7 => "\\a".to_owned(),
                    8 => "\\b".to_owned(),
                    9 => "\\t".to_owned(),
                    10 => "\\n".to_owned(),
                    11 => "\\v".to_owned(),
                    12 => "\\f".to_owned(),
                    13 => "\\r".to_owned(),
                    b' '..=b'~' => char::from(first).to_string(),
                    _ => format!("{first:03o}"),
                };
                self.padded(text, false)
            }
            Kind::Named => {
                const NAMES: [&str; 32] = [
                    "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt",
                    "ff", "cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
                    "can", "em", "sub", "esc", "fs", "gs", "rs", "us",
                ];
                let text = match (NAMES.get(usize::from(first)), first) {
                    (Some(name), _) => (*name).to_owned(),
                    (None, 0x7f) => "del".to_owned(),
                    (None, b' '..=b'~') => char::from(first).to_string(),
                    (None, _) => format!("{first:x}"),
                };
                self.padded(text, false)
            }
            Kind::Text | Kind::Address(_) | Kind::End(_) => Vec::new(),
        }
    }
}

fn number(text: &[u8]) -> (Option<usize>, &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    (
        digits.to_str().ok().and_then(|digits| digits.parse().ok()),
        rest,
    )
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(escape)) => {
                plain.push(match escape {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    other => *other,
                });
                bytes.next();
            }
            _ => plain.push(*byte),
        }
    }
    plain
}

/// Takes a text with conversions apart.
fn pieces(text: &[u8], bytes: Option<usize>) -> Result<Vec<Piece>, BString> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut before = BString::default();
    let mut rest = text;
    let empty = |before: BString| Piece {
        before,
        kind: Kind::Text,
        minus: false,
        zero: false,
        plus: false,
        space: false,
        alternate: false,
        width: 0,
        precision: None,
        bytes: 0,
        after: BString::default(),
    };
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            before.push(*byte);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            before.push(b'%');
            rest = after;
            continue;
        }
        let mut piece = empty(std::mem::take(&mut before));
        while let Some((flag, after)) = rest.split_first() {
            match flag {
                b'-' => piece.minus = true,
                b'0' => piece.zero = true,
                b'+' => piece.plus = true,
                b' ' => piece.space = true,
                b'#' => piece.alternate = true,
                _ => break,
            }
            rest = after;
        }
        let (width, after) = number(rest);
        (piece.width, rest) = (width.unwrap_or(0), after);
        if let Some(after) = rest.strip_prefix(b".") {
            let (precision, after) = number(after);
            (piece.precision, rest) = (Some(precision.unwrap_or(0)), after);
        }
        let widest = piece.width.max(piece.precision.unwrap_or(0));
        if widest > WIDEST {
            return Err(format!("field width {widest} is too large").into());
        }
        let radix = |letter: &u8| matches!(letter, b'd' | b'o' | b'x');
        let (kind, own, used) = match rest {
            [b'_', b'a', letter, ..] if radix(letter) => (Kind::Address(*letter), 0, 3),
            [b'_', b'A', letter, ..] if radix(letter) => (Kind::End(*letter), 0, 3),
            [b'_', b'c', ..] => (Kind::Escaped, 1, 2),
            [b'_', b'p', ..] => (Kind::Printable, 1, 2),
            [b'_', b'u', ..] => (Kind::Named, 1, 2),
            [b'd' | b'i', ..] => (Kind::Signed, 4, 1),
            [b'u', ..] => (Kind::Unsigned, 4, 1),
            [b'o', ..] => (Kind::Octal, 4, 1),
            [b'x', ..] => (Kind::Hex, 4, 1),
            [b'X', ..] => (Kind::UpperHex, 4, 1),
            [b'c', ..] => (Kind::Byte, 1, 1),
            [letter @ (b'e' | b'E' | b'f'), ..] => (Kind::Float(*letter), 8, 1),
            [b's', ..] => (Kind::Bytes, piece.precision.unwrap_or(0), 1),
            _ => {
                let letter = rest.first().copied().unwrap_or(b' ');
                let mut message = BString::from("bad conversion character %");
                message.push(letter);
                return Err(message);
            }
        };
        piece.kind = kind;
        piece.bytes = own;
        if own > 0
            && let Some(bytes) = bytes
        {
            let is_right = match kind {
                Kind::Signed | Kind::Unsigned | Kind::Octal | Kind::Hex | Kind::UpperHex => {
                    matches!(bytes, 1 | 2 | 4 | 8)
                }
                Kind::Float(_) => matches!(bytes, 4 | 8),
                Kind::Bytes => bytes <= 4096,
                _ => bytes == 1,
            };
            if !is_right {
                return Err("bad byte count for conversion character".into());
            }
            piece.bytes = bytes;
        }
        rest = rest.get(used..).unwrap_or_default();
        pieces.push(piece);
    }
    match pieces.last_mut() {
        Some(last) => last.after = before,
        None => pieces.push(empty(before)),
    }
    Ok(pieces)
}
