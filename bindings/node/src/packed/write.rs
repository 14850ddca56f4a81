//! Values for Node.

use std::collections::HashMap;

use hotcell_cell::{Text, Value};

use super::op;

/// Values in pieces.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Packed {
    /// How many values they are.
    pub(crate) count: u32,
    pub(crate) row: Vec<f64>,
    pub(crate) strings: Vec<Text>,
    pub(crate) bytes: Vec<u8>,
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
    /// A value that a cell gave is no deeper than [`hotcell_cell::MAX_DEPTH`], and one of the host's own making no deeper
    /// than the host made it.
    fn value(&mut self, value: Value) {
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
                self.text(format!("{number:x}").into());
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
        self.count(self.packed.strings.len());
        self.packed.strings.push(text);
    }
}
