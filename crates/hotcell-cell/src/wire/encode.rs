//! Values on their way into a cell.

use super::{MAX_DEPTH, WireError, tag};
use crate::value::{ErrorValue, Text, Value, View};

/// LEB128.
pub(crate) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 0x80")]
    out.push(n as u8);
}

/// A length and bytes, without a tag.
pub(crate) fn put_text_bytes(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Appends `value`. Fails if it is nested too deeply or holds a reference or hole where none can be.
pub(crate) fn put_value(out: &mut Vec<u8>, value: &Value) -> Result<(), WireError> {
    Encoder {
        out,
        objects: 0,
        depth: 0,
    }
    .value(value)
}

struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    objects: u32,
    depth: u32,
}

impl Encoder<'_> {
    fn value(&mut self, value: &Value) -> Result<(), WireError> {
        if !value.is_object() {
            return self.primitive(value);
        }
        if self.depth >= MAX_DEPTH {
            return Err(WireError::TooDeep);
        }
        self.objects = self.objects.checked_add(1).ok_or(WireError::TooLarge)?;
        self.depth += 1;
        self.object(value)?;
        self.depth -= 1;
        Ok(())
    }

    fn primitive(&mut self, value: &Value) -> Result<(), WireError> {
        match value {
            Value::Undefined => self.out.push(tag::UNDEFINED),
            Value::Null => self.out.push(tag::NULL),
            Value::Bool(false) => self.out.push(tag::FALSE),
            Value::Bool(true) => self.out.push(tag::TRUE),
            Value::Number(number) => self.number(*number),
            Value::BigInt(number) => {
                let bytes = number.to_signed_bytes_le();
                self.out.push(tag::BIGINT);
                put_number(self.out, bytes.len() as u64);
                self.out.extend_from_slice(&bytes);
            }
            Value::String(text) => self.text(text),
            Value::Reference(index) if *index < self.objects => {
                self.out.push(tag::REFERENCE);
                put_number(self.out, u64::from(*index));
            }
            Value::Reference(_) => return Err(WireError::Reference),
            // Holes are written by the array they are in.
            _ => return Err(WireError::Malformed),
        }
        Ok(())
    }

    fn number(&mut self, number: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "compared with the original below"
        )]
        let integer = number as i32;
        if f64::from(integer).to_bits() == number.to_bits() {
            self.out.push(tag::INTEGER);
            put_number(
                self.out,
                u64::from((integer.cast_unsigned() << 1) ^ (integer >> 31).cast_unsigned()),
            );
        } else {
            self.out.push(tag::DOUBLE);
            self.out.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn text(&mut self, text: &Text) {
        if let Some(units) = text.as_ill_formed() {
            self.out.push(tag::UTF16);
            put_number(self.out, units.len() as u64);
            self.out
                .extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        } else {
            let text = text.to_str_lossy();
            // For ASCII both forms have the same bytes, and the guest copies this one without looking.
            self.out.push(if text.is_ascii() {
                tag::LATIN1
            } else {
                tag::UTF8
            });
            put_text_bytes(self.out, &text);
        }
    }

    fn object(&mut self, value: &Value) -> Result<(), WireError> {
        match value {
            Value::Array(elements) => self.array(elements),
            Value::Object(properties) => {
                self.out.push(tag::OBJECT);
                self.properties(properties)
            }
            Value::Date(time) => {
                self.out.push(tag::DATE);
                self.out.extend_from_slice(&time.to_le_bytes());
                Ok(())
            }
            Value::RegExp { source, flags } => {
                self.out.push(tag::REGEXP);
                self.text(source);
                self.text(flags);
                Ok(())
            }
            Value::Map(entries) => {
                self.out.push(tag::MAP);
                put_number(self.out, entries.len() as u64);
                entries.iter().try_for_each(|(key, value)| {
                    self.value(key)?;
                    self.value(value)
                })
            }
            Value::Set(values) => {
                self.out.push(tag::SET);
                put_number(self.out, values.len() as u64);
                values.iter().try_for_each(|value| self.value(value))
            }
            Value::Buffer(bytes) => {
                self.out.push(tag::BUFFER);
                put_number(self.out, bytes.len() as u64);
                self.out.extend_from_slice(bytes);
                Ok(())
            }
            Value::View(view) => self.view(view),
            Value::Error(error) => self.error(error),
            Value::Boxed(primitive) if !primitive.is_object() => {
                self.out.push(tag::BOXED);
                self.primitive(primitive)
            }
            _ => Err(WireError::Malformed),
        }
    }

    fn array(&mut self, elements: &[Value]) -> Result<(), WireError> {
        self.out.push(tag::ARRAY);
        put_number(self.out, elements.len() as u64);
        let mut at = 0;
        while at < elements.len() {
            let holes = elements[at..]
                .iter()
                .take_while(|element| **element == Value::Hole)
                .count();
            if holes > 0 {
                self.out.push(tag::HOLES);
                put_number(self.out, holes as u64);
                at += holes;
            } else {
                self.value(&elements[at])?;
                at += 1;
            }
        }
        Ok(())
    }

    fn properties(&mut self, properties: &[(Text, Value)]) -> Result<(), WireError> {
        for (key, value) in properties {
            self.text(key);
            self.value(value)?;
        }
        self.out.push(tag::END);
        Ok(())
    }

    fn view(&mut self, view: &View) -> Result<(), WireError> {
        self.out.push(tag::VIEW);
        self.out.push(view.kind as u8);
        put_number(self.out, u64::from(view.offset));
        put_number(self.out, u64::from(view.length));
        if !matches!(view.buffer, Value::Buffer(_) | Value::Reference(_)) {
            return Err(WireError::Malformed);
        }
        self.value(&view.buffer)
    }

    fn error(&mut self, error: &ErrorValue) -> Result<(), WireError> {
        self.out.push(tag::ERROR);
        self.text(&error.name);
        self.text(&error.message);
        self.text(&error.stack);
        match &error.cause {
            Some(cause) => self.value(cause)?,
            None => self.out.push(tag::END),
        }
        self.properties(&error.properties)
    }
}
