//! Values for Node.

use std::collections::HashMap;

use hotcell::cell::{BigInt, Text, Value};

use super::op;

/// What takes more numbers than this is made in steps: see [`Packed::large`].
const STEP: usize = 4 << 10;

/// What takes more bytes than this is made in steps, and goes to Node as a parcel.
const SMALL: usize = 64 << 10;

/// More bits than this are not written down in digits.
const BITS_IN_DIGITS: u64 = 4 << 10;

/// Shorter strings are left to V8 whatever they are made of.
const SHORT: usize = 1 << 10;

/// Values in pieces.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Packed {
    /// How many values they are.
    pub(crate) count: u32,
    pub(crate) row: Vec<f64>,
    pub(crate) strings: Vec<Piece>,
    pub(crate) bytes: Vec<u8>,
    /// Where in the row something begins that takes more than [`STEP`] numbers.
    pub(crate) large: Vec<u32>,
    /// How many bytes the strings take, about.
    string_bytes: usize,
}

impl Packed {
    /// Whether Node should not have to take it in at once.
    pub(crate) fn is_large(&self) -> bool {
        self.size() > SMALL
    }

    /// How many bytes it takes, about.
    pub(crate) fn size(&self) -> usize {
        let strings = size_of_val(&*self.strings) + self.string_bytes;
        size_of_val(&*self.row) + strings + self.bytes.len()
    }
}

/// What stands in the table of strings: each in the form that V8 makes a string of without looking at every character.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece {
    /// Short, or ASCII.
    Text(Text),
    Latin1(Vec<u8>),
    Utf16(Vec<u16>),
    /// No string at all: digits would have to be read again.
    BigInt(BigInt),
}

impl Piece {
    fn new(text: Text) -> Self {
        match text.as_str() {
            Some(text) if text.len() > SHORT && !text.is_ascii() => {
                match text.chars().map(|one| u8::try_from(one).ok()).collect() {
                    Some(bytes) => Self::Latin1(bytes),
                    None => Self::Utf16(text.encode_utf16().collect()),
                }
            }
            Some(_) => Self::Text(text),
            None => Self::Utf16(text.to_utf16()),
        }
    }

    /// How many bytes it takes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.as_str().map_or(0, str::len),
            Self::Latin1(bytes) => bytes.len(),
            Self::Utf16(units) => size_of_val(&**units),
            Self::BigInt(number) => usize::try_from(number.bits() / 8).unwrap_or(usize::MAX),
        }
    }
}

/// Packs values one behind the other. Each counts its objects from 0.
pub(crate) fn pack(values: impl IntoIterator<Item = Value>) -> Packed {
    let mut writer = Writer::default();
    for value in values {
        writer.packed.count = writer.packed.count.saturating_add(1);
        writer.value(value);
    }
    writer.packed
}

#[derive(Default)]
struct Writer {
    packed: Packed,
    /// Where the keys stand that were used already.
    keys: HashMap<Text, u32>,
}

impl Writer {
    /// A value that a cell gave is no deeper than [`hotcell::cell::MAX_DEPTH`], and one of the host's own making no deeper
    /// than the host made it.
    fn value(&mut self, value: Value) {
        let start = self.packed.row.len();
        match value {
            Value::Null => self.put(op::NULL),
            Value::Bool(false) => self.put(op::FALSE),
            Value::Bool(true) => self.put(op::TRUE),
            Value::Number(number) => {
                self.put(op::NUMBER);
                self.packed.row.push(number);
            }
            Value::BigInt(number) => {
                self.put(op::BIGINT);
                if number.bits() > BITS_IN_DIGITS {
                    self.piece(Piece::BigInt(number));
                } else {
                    self.text(format!("{number:x}").into());
                }
            }
            Value::String(text) => {
                self.put(op::STRING);
                self.text(text);
            }
            Value::Array(elements) => self.elements(elements),
            Value::Hole => {
                self.put(op::HOLES);
                self.put(1);
            }
            Value::Object(properties) => {
                self.put(op::OBJECT);
                self.properties(properties);
            }
            Value::Date(milliseconds) => {
                self.put(op::DATE);
                self.packed.row.push(milliseconds);
            }
            Value::RegExp { source, flags } => {
                self.put(op::REGEXP);
                self.text(source);
                self.text(flags);
            }
            Value::Map(entries) => {
                self.put(op::MAP);
                self.count(entries.len());
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
            }
            Value::Set(values) => {
                self.put(op::SET);
                self.count(values.len());
                for value in values {
                    self.value(value);
                }
            }
            Value::Buffer(bytes) => {
                self.put(op::BUFFER);
                self.count(bytes.len());
                self.packed.bytes.extend_from_slice(&bytes);
            }
            Value::View(view) => {
                self.put(op::VIEW);
                self.put(view.kind as u32);
                self.put(view.offset);
                self.put(view.length);
                self.value(view.buffer);
            }
            Value::Error(error) => {
                self.put(op::ERROR);
                self.text(error.name);
                self.text(error.message);
                self.text(error.stack);
                self.put(u32::from(error.cause.is_some()));
                if let Some(cause) = error.cause {
                    self.value(cause);
                }
                self.properties(error.properties);
            }
            Value::Boxed(primitive) => {
                self.put(op::BOXED);
                self.value(*primitive);
            }
            Value::Reference(index) => {
                self.put(op::REFERENCE);
                self.put(index);
            }
            // `Undefined`, and kinds that this build does not know.
            _ => self.put(op::UNDEFINED),
        }
        if self.packed.row.len() - start > STEP
            && let Ok(start) = u32::try_from(start)
        {
            self.packed.large.push(start);
        }
    }

    fn elements(&mut self, elements: Vec<Value>) {
        self.put(op::ARRAY);
        self.count(elements.len());
        let mut holes = 0;
        for element in elements {
            if element == Value::Hole {
                holes += 1;
                continue;
            }
            self.holes(&mut holes);
            self.value(element);
        }
        self.holes(&mut holes);
    }

    fn holes(&mut self, holes: &mut usize) {
        if *holes > 0 {
            self.put(op::HOLES);
            self.count(std::mem::take(holes));
        }
    }

    fn properties(&mut self, properties: Vec<(Text, Value)>) {
        self.count(properties.len());
        for (key, value) in properties {
            if let Some(&index) = self.keys.get(&key) {
                self.put(index);
            } else {
                let index = u32::try_from(self.packed.strings.len()).unwrap_or(u32::MAX);
                self.text(key.clone());
                self.keys.insert(key, index);
            }
            self.value(value);
        }
    }

    fn put(&mut self, number: u32) {
        self.packed.row.push(f64::from(number));
    }

    fn count(&mut self, count: usize) {
        // Nothing that fits into a cell of 4 GiB has more parts.
        self.put(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn text(&mut self, text: Text) {
        self.piece(Piece::new(text));
    }

    fn piece(&mut self, piece: Piece) {
        self.count(self.packed.strings.len());
        self.packed.string_bytes += piece.size();
        self.packed.strings.push(piece);
    }
}
