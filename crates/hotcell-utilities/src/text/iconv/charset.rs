//! Character sets: bytes to characters, one at a time, and back.

use std::collections::HashMap;

use encoding_rs::Encoding;

/// What bytes begin with.
pub(super) enum Decoded {
    /// A character of so many bytes.
    Char(char, usize),
    /// A byte order mark, which is no character.
    Mark(usize),
    /// The beginning of a character, or nothing.
    Incomplete,
    /// What cannot be a character, and how many bytes to leave out.
    Invalid(usize),
}

pub(super) struct Charset {
    kind: Kind,
    /// The order of bytes: big ends first.
    is_big: bool,
    /// A byte order mark was read or is not looked for.
    has_begun: bool,
    /// A byte order mark is yet to be written.
    writes_mark: bool,
}

enum Kind {
    Utf8,
    Utf16,
    /// Two bytes each, without surrogates.
    Ucs2,
    Utf32,
    Bytes(Box<Table>),
    /// One to four bytes each, without state.
    Multibyte(&'static Encoding),
}

/// A set in which each character is a byte.
struct Table {
    chars: Vec<Option<char>>,
    bytes: HashMap<char, u8>,
}

/// How sets of Unicode are called: the kind, its unit, and whether a mark tells the order of bytes.
const UNICODE: &[(&str, u8, Order)] = &[
    ("UTF-8", 1, Order::Little),
    ("UTF8", 1, Order::Little),
    ("UTF-16", 16, Order::Marked),
    ("UTF16", 16, Order::Marked),
    ("UTF-16LE", 16, Order::Little),
    ("UTF16LE", 16, Order::Little),
    ("UTF-16BE", 16, Order::Big),
    ("UTF16BE", 16, Order::Big),
    ("UNICODE", 16, Order::Marked),
    ("UCS-2", 2, Order::Little),
    ("UCS2", 2, Order::Little),
    ("ISO-10646-UCS-2", 2, Order::Little),
    ("UCS-2LE", 2, Order::Little),
    ("UNICODELITTLE", 2, Order::Little),
    ("UCS-2BE", 2, Order::Big),
    ("UNICODEBIG", 2, Order::Big),
    ("UTF-32", 32, Order::Marked),
    ("UTF32", 32, Order::Marked),
    ("UTF-32LE", 32, Order::Little),
    ("UTF32LE", 32, Order::Little),
    ("UTF-32BE", 32, Order::Big),
    ("UTF32BE", 32, Order::Big),
    ("UCS-4", 32, Order::Big),
    ("UCS4", 32, Order::Big),
    ("ISO-10646", 32, Order::Big),
    ("UCS-4LE", 32, Order::Little),
    ("UCS-4BE", 32, Order::Big),
    ("WCHAR_T", 32, Order::Little),
    ("INTERNAL", 32, Order::Little),
];

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Little,
    Big,
    /// A mark says so, and little is meant without one.
    Marked,
}

const ASCII: &[&str] = &[
    "ASCII",
    "US-ASCII",
    "ANSI_X3.4-1968",
    "ANSI_X3.4-1986",
    "ISO646-US",
    "646",
    "US",
    "CP367",
    "IBM367",
];

/// Names that the standard of the web does not have, or uses for something larger; and that standard's name.
const NAMES: &[(&str, &str)] = &[
    ("CP866", "ibm866"),
    ("IBM866", "ibm866"),
    ("866", "ibm866"),
    ("KOI8-R", "koi8-r"),
    ("KOI8-U", "koi8-u"),
    ("MACINTOSH", "macintosh"),
    ("MAC", "macintosh"),
    ("TIS-620", "windows-874"),
    ("SHIFT_JIS", "shift_jis"),
    ("SHIFT-JIS", "shift_jis"),
    ("SJIS", "shift_jis"),
    ("MS_KANJI", "shift_jis"),
    ("CP932", "shift_jis"),
    ("EUC-JP", "euc-jp"),
    ("EUCJP", "euc-jp"),
    ("GBK", "gbk"),
    ("CP936", "gbk"),
    ("GB2312", "gbk"),
    ("EUC-CN", "gbk"),
    ("GB18030", "gb18030"),
    ("BIG5", "big5"),
    ("BIG-5", "big5"),
    ("CP950", "big5"),
    ("EUC-KR", "euc-kr"),
    ("EUCKR", "euc-kr"),
    ("CP949", "euc-kr"),
    ("UHC", "euc-kr"),
];

/// The parts of ISO 8859 that there are, with names that some have besides.
const ISO_8859: &[(u8, &[&str])] = &[
    (1, &["LATIN1", "L1"]),
    (2, &["LATIN2", "L2"]),
    (3, &["LATIN3", "L3"]),
    (4, &["LATIN4", "L4"]),
    (5, &["CYRILLIC"]),
    (6, &["ARABIC"]),
    (7, &["GREEK"]),
    (8, &["HEBREW"]),
    (9, &["LATIN5", "L5"]),
    (10, &["LATIN6", "L6"]),
    (11, &[]),
    (13, &["LATIN7", "L7"]),
    (14, &["LATIN8", "L8"]),
    (15, &["LATIN-9"]),
    (16, &["LATIN10", "L10"]),
];

const WINDOWS: &[u16] = &[874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258];

/// All names, sorted.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    names.extend(UNICODE.iter().map(|(name, ..)| (*name).to_owned()));
    names.extend(ASCII.iter().map(|name| (*name).to_owned()));
    names.extend(NAMES.iter().map(|(name, _)| (*name).to_owned()));
    for (part, others) in ISO_8859 {
        names.push(format!("ISO-8859-{part}"));
        names.push(format!("ISO8859-{part}"));
        names.push(format!("ISO_8859-{part}"));
        names.push(format!("8859_{part}"));
        names.extend(others.iter().map(|name| (*name).to_owned()));
    }
    for page in WINDOWS {
        names.push(format!("CP{page}"));
        names.push(format!("WINDOWS-{page}"));
    }
    names.sort();
    names
}

impl Charset {
    pub(super) fn find(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?.to_ascii_uppercase();
        let unicode = UNICODE.iter().find(|(known, ..)| *known == name);
        if let Some((_, unit, order)) = unicode {
            let kind = match unit {
                1 => Kind::Utf8,
                2 => Kind::Ucs2,
                16 => Kind::Utf16,
                _ => Kind::Utf32,
            };
            let is_marked = *order == Order::Marked;
            return Some(Self {
                kind,
                is_big: *order == Order::Big,
                has_begun: !is_marked,
                writes_mark: is_marked,
            });
        }
        let kind = if ASCII.contains(&name.as_str()) {
            Kind::Bytes(Table::new(|byte| {
                byte.is_ascii().then_some(char::from(byte))
            }))
        } else if let Some(part) = iso_8859(&name) {
            Kind::Bytes(iso_table(part)?)
        } else if let Some(page) = windows(&name) {
            Kind::Bytes(windows_table(&format!("windows-{page}"))?)
        } else {
            let (_, label) = NAMES.iter().find(|(known, _)| *known == name)?;
            let encoding = Encoding::for_label(label.as_bytes())?;
            if encoding.is_single_byte() {
                Kind::Bytes(windows_table(label)?)
            } else {
                Kind::Multibyte(encoding)
            }
        };
        Some(Self {
            kind,
            is_big: false,
            has_begun: true,
            writes_mark: false,
        })
    }

    /// A new file begins.
    pub(super) fn restart(&mut self) {
        if self.writes_mark {
            (self.has_begun, self.is_big) = (false, false);
        }
    }

    pub(super) fn decode(&mut self, bytes: &[u8]) -> Decoded {
        match &self.kind {
            Kind::Utf8 => decode_utf8(bytes),
            Kind::Bytes(table) => match bytes.first() {
                None => Decoded::Incomplete,
                Some(byte) => match table.chars.get(usize::from(*byte)) {
                    Some(Some(char)) => Decoded::Char(*char, 1),
                    _ => Decoded::Invalid(1),
                },
            },
            Kind::Multibyte(encoding) => decode_multibyte(encoding, bytes),
            Kind::Utf16 | Kind::Ucs2 => self.decode_16(bytes),
            Kind::Utf32 => self.decode_32(bytes),
        }
    }

    fn unit_16(&self, bytes: &[u8], at: usize) -> Option<u16> {
        let pair = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(if self.is_big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        })
    }

    fn decode_16(&mut self, bytes: &[u8]) -> Decoded {
        let Some(first) = self.unit_16(bytes, 0) else {
            return Decoded::Incomplete;
        };
        if !std::mem::replace(&mut self.has_begun, true) && matches!(first, 0xfeff | 0xfffe) {
            self.is_big ^= first == 0xfffe;
            return Decoded::Mark(2);
        }
        match (first, &self.kind) {
            (0xdc00..=0xdfff, _) | (0xd800..=0xdbff, Kind::Ucs2) => Decoded::Invalid(2),
            (0xd800..=0xdbff, _) => match self.unit_16(bytes, 2) {
                None => Decoded::Incomplete,
                Some(second @ 0xdc00..=0xdfff) => {
                    let high = u32::from(first) - 0xd800;
                    let low = u32::from(second) - 0xdc00;
                    let char = char::from_u32(0x1_0000 + (high << 10) + low);
                    char.map_or(Decoded::Invalid(2), |char| Decoded::Char(char, 4))
                }
                Some(_) => Decoded::Invalid(2),
            },
            _ => char::from_u32(first.into())
                .map_or(Decoded::Invalid(2), |char| Decoded::Char(char, 2)),
        }
    }

    fn decode_32(&mut self, bytes: &[u8]) -> Decoded {
        let unit: Option<[u8; 4]> = bytes.get(..4).and_then(|unit| unit.try_into().ok());
        let Some(unit) = unit else {
            return Decoded::Incomplete;
        };
        let code = if self.is_big {
            u32::from_be_bytes(unit)
        } else {
            u32::from_le_bytes(unit)
        };
        if !std::mem::replace(&mut self.has_begun, true) && matches!(code, 0xfeff | 0xfffe_0000) {
            self.is_big ^= code == 0xfffe_0000;
            return Decoded::Mark(4);
        }
        char::from_u32(code).map_or(Decoded::Invalid(4), |char| Decoded::Char(char, 4))
    }

    /// Appends a character; false if the set does not have it.
    pub(super) fn encode(&mut self, char: char, out: &mut Vec<u8>) -> bool {
        match &self.kind {
            Kind::Utf8 => {
                let mut buffer = [0; 4];
                out.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
            }
            Kind::Bytes(table) => match table.bytes.get(&char) {
                Some(byte) => out.push(*byte),
                None => return false,
            },
            Kind::Multibyte(encoding) => {
                let mut buffer = [0; 4];
                let text = char.encode_utf8(&mut buffer);
                let (bytes, _, is_lossy) = encoding.encode(text);
                if is_lossy {
                    return false;
                }
                out.extend_from_slice(&bytes);
            }
            Kind::Ucs2 if u32::from(char) > 0xffff => return false,
            Kind::Utf16 | Kind::Ucs2 => {
                let mark = std::mem::take(&mut self.writes_mark).then_some('\u{feff}');
                for char in mark.into_iter().chain([char]) {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        out.extend_from_slice(&if self.is_big {
                            unit.to_be_bytes()
                        } else {
                            unit.to_le_bytes()
                        });
                    }
                }
            }
            Kind::Utf32 => {
                let mark = std::mem::take(&mut self.writes_mark).then_some('\u{feff}');
                for char in mark.into_iter().chain([char]) {
                    out.extend_from_slice(&if self.is_big {
                        u32::from(char).to_be_bytes()
                    } else {
                        u32::from(char).to_le_bytes()
                    });
                }
            }
        }
        true
    }
}

impl Table {
    fn new(char_of: impl Fn(u8) -> Option<char>) -> Box<Self> {
        let chars: Vec<Option<char>> = (0..=u8::MAX).map(char_of).collect();
        let bytes = (0..=u8::MAX)
            .zip(&chars)
            .filter_map(|(byte, char)| char.map(|char| (char, byte)));
        Box::new(Self {
            bytes: bytes.collect(),
            chars,
        })
    }
}

fn decode_byte(encoding: &'static Encoding, byte: u8) -> Option<char> {
    let bytes = [byte];
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
    text.chars().next()
}

/// The number behind `ISO-8859-` and the ways to write that.
fn iso_8859(name: &str) -> Option<u8> {
    let other = ISO_8859
        .iter()
        .find(|(_, others)| others.contains(&name))
        .map(|(part, _)| *part);
    let number = ["ISO-8859-", "ISO8859-", "ISO_8859-", "8859_"]
        .iter()
        .find_map(|start| name.strip_prefix(start));
    let number = other.or_else(|| number?.parse().ok())?;
    ISO_8859
        .iter()
        .any(|(part, _)| *part == number)
        .then_some(number)
}

fn iso_table(part: u8) -> Option<Box<Table>> {
    // The standard of the web takes the sets of Windows for these.
    let label = match part {
        1 => return Some(Table::new(|byte| Some(char::from(byte)))),
        9 => "windows-1254".to_owned(),
        11 => "windows-874".to_owned(),
        part => format!("iso-8859-{part}"),
    };
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(Table::new(|byte| match byte {
        0x80..=0x9f => Some(char::from(byte)),
        byte => decode_byte(encoding, byte),
    }))
}

fn windows(name: &str) -> Option<u16> {
    let number = name
        .strip_prefix("CP")
        .or_else(|| name.strip_prefix("WINDOWS-"))?;
    let number = number.parse().ok()?;
    WINDOWS.contains(&number).then_some(number)
}

/// Where the standard of the web has a control character to be on the safe side, the set has nothing.
fn windows_table(label: &str) -> Option<Box<Table>> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(Table::new(|byte| {
        decode_byte(encoding, byte).filter(|char| !('\u{80}'..='\u{9f}').contains(char))
    }))
}

fn decode_utf8(bytes: &[u8]) -> Decoded {
    if let Some(byte) = bytes.first().filter(|byte| byte.is_ascii()) {
        return Decoded::Char(char::from(*byte), 1);
    }
    let start = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            let valid = start.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(error) => {
            return match error.error_len() {
                None => Decoded::Incomplete,
                Some(length) => Decoded::Invalid(length),
            };
        }
    };
    match valid.chars().next() {
        Some(char) => Decoded::Char(char, char.len_utf8()),
        None => Decoded::Incomplete,
    }
}

/// The shortest beginning that is a character.
fn decode_multibyte(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    for length in 1..=4 {
        let Some(start) = bytes.get(..length) else {
            return Decoded::Incomplete;
        };
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(start) {
            let mut chars = text.chars();
            return match (chars.next(), chars.next()) {
                (Some(char), None) => Decoded::Char(char, length),
                _ => Decoded::Invalid(1),
            };
        }
    }
    Decoded::Invalid(1)
}
