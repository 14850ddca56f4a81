//! Values on their way out of a cell. Every byte here was written by the guest and may be anything.

use std::fmt;

use super::{MAX_DEPTH, tag};
use crate::held::allocation;
use crate::value::{BigInt, ErrorValue, Text, Value, View, ViewKind};

/// Why a message is not a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// It ends too early, goes on too long, or says what cannot be.
    #[error("malformed value")]
    Malformed,
    /// Nesting beyond [`MAX_DEPTH`].
    #[error("value nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// It would take more memory than allowed.
    #[error("value too large")]
    TooLarge,
    /// A reference to an object that is not there.
    #[error("reference to an object that does not come before it")]
    Reference,
}

/// How much memory a decoded message may take. A message of one byte per element would otherwise become a value of
/// thirty-two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn bytes(bytes: usize) -> Self {
        Self(bytes)
    }

    /// This, or less if there is less room.
    pub(crate) fn at_most(self, room: usize) -> Self {
        Self(self.0.min(room))
    }

    /// What has been spent if `left` is left.
    pub(crate) fn less(self, left: usize) -> usize {
        self.0.saturating_sub(left)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), WireError> {
        self.0 = self.0.checked_sub(bytes).ok_or(WireError::TooLarge)?;
        Ok(())
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self(64 << 20)
    }
}

/// Reads a message from front to back.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    budget: Budget,
    objects: u32,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(message: &'a [u8], budget: Budget) -> Self {
        Self {
            rest: message,
            budget,
            objects: 0,
            depth: 0,
        }
    }

    /// Everything must have been read.
    pub(crate) fn finish(&self) -> Result<(), WireError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(WireError::Malformed)
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        let (&byte, rest) = self.rest.split_first().ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(byte)
    }

    /// Skips the next byte if it is `expected`.
    fn skip(&mut self, expected: u8) -> bool {
        let is = self.rest.first() == Some(&expected);
        if is {
            self.rest = &self.rest[1..];
        }
        is
    }

    /// Whether the value that should come is left out.
    pub(crate) fn absent(&mut self) -> bool {
        self.skip(tag::END)
    }

    pub(crate) fn number(&mut self) -> Result<u64, WireError> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(WireError::Malformed)
    }

    fn size(&mut self) -> Result<usize, WireError> {
        usize::try_from(self.number()?).map_err(|_| WireError::Malformed)
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn double(&mut self) -> Result<f64, WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(f64::from_le_bytes(*bytes))
    }

    /// A count of things of which each takes at least one byte, so that it can be believed.
    fn count(&mut self) -> Result<usize, WireError> {
        let count = self.size()?;
        if count > self.rest.len() {
            Err(WireError::Malformed)
        } else {
            Ok(count)
        }
    }

    /// A string value.
    pub(crate) fn text(&mut self) -> Result<Text, WireError> {
        let tag = self.byte()?;
        self.text_tagged(tag)
    }

    /// A string for people to read. What the budget has no room for is cut off.
    pub(crate) fn printed(&mut self) -> Result<String, WireError> {
        let tag = self.byte()?;
        let mut text = self.unpaid_text(tag)?.to_string();
        if self.budget.spend(allocation(text.len())).is_err() {
            text.truncate(text.floor_char_boundary(self.budget.0));
            text.push('…');
            text.shrink_to_fit();
            self.budget.0 = 0;
        }
        Ok(text)
    }

    fn text_tagged(&mut self, tag: u8) -> Result<Text, WireError> {
        let text = self.unpaid_text(tag)?;
        self.budget.spend(text.heap_size())?;
        Ok(text)
    }

    fn unpaid_text(&mut self, tag: u8) -> Result<Text, WireError> {
        let length = self.size()?;
        Ok(match tag {
            tag::LATIN1 => {
                let bytes = self.bytes(length)?;
                match std::str::from_utf8(bytes) {
                    Ok(text) if text.is_ascii() => Text::from(text),
                    _ => Text::from(
                        bytes
                            .iter()
                            .map(|&byte| char::from(byte))
                            .collect::<String>(),
                    ),
                }
            }
            tag::UTF8 => {
                let bytes = self.bytes(length)?;
                Text::from_wtf8(bytes).ok_or(WireError::Malformed)?
            }
            tag::UTF16 => {
                let bytes = self.bytes(length.checked_mul(2).ok_or(WireError::Malformed)?)?;
                let units: Vec<u16> = bytes
                    .chunks_exact(2)
                    .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                    .collect();
                Text::from_utf16(&units)
            }
            _ => return Err(WireError::Malformed),
        })
    }

    /// How much of the budget is left.
    pub(crate) fn left(&self) -> usize {
        self.budget.0
    }

    /// Values, each of which counts its objects from 0, and before them how many there are.
    pub(crate) fn values(&mut self) -> Result<Vec<Value>, WireError> {
        let count = self.count()?;
        let mut values = self.slots(count)?;
        for _ in 0..count {
            self.objects = 0;
            values.push(self.value()?);
        }
        Ok(values)
    }

    /// Room for `count` things, paid for before it is taken: what a message says of itself may be anything.
    fn slots<T>(&mut self, count: usize) -> Result<Vec<T>, WireError> {
        let bytes = count.checked_mul(size_of::<T>());
        self.budget
            .spend(allocation(bytes.ok_or(WireError::TooLarge)?))?;
        Ok(Vec::with_capacity(count))
    }

    /// A value, or `None` if the budget has no room for it. What comes after it can be read in both cases.
    pub(crate) fn value_if_it_fits(&mut self) -> Result<Option<Value>, WireError> {
        let (rest, budget, depth) = (self.rest, self.budget, self.depth);
        match self.value() {
            Err(WireError::TooLarge) => {
                (self.rest, self.budget, self.depth) = (rest, budget, depth);
                self.pass_value()?;
                Ok(None)
            }
            value => value.map(Some),
        }
    }

    /// Any value. The place it is put in is paid for by whoever has that.
    pub(crate) fn value(&mut self) -> Result<Value, WireError> {
        let tag = self.byte()?;
        if (tag::OBJECT..=tag::BOXED).contains(&tag) {
            return self.object(tag);
        }
        Ok(match tag {
            tag::UNDEFINED => Value::Undefined,
            tag::NULL => Value::Null,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::INTEGER => {
                let n = u32::try_from(self.number()?).map_err(|_| WireError::Malformed)?;
                Value::Number(f64::from((n >> 1).cast_signed() ^ -(n & 1).cast_signed()))
            }
            tag::DOUBLE => Value::Number(self.double()?),
            tag::BIGINT => {
                let length = self.count()?;
                self.budget.spend(allocation(length))?;
                Value::BigInt(BigInt::from_signed_bytes_le(self.bytes(length)?))
            }
            tag::LATIN1 | tag::UTF16 | tag::UTF8 => Value::String(self.text_tagged(tag)?),
            tag::REFERENCE => {
                let index = u32::try_from(self.number()?).map_err(|_| WireError::Malformed)?;
                if index >= self.objects {
                    return Err(WireError::Reference);
                }
                Value::Reference(index)
            }
            _ => return Err(WireError::Malformed),
        })
    }

    /// Reads over a value and keeps nothing of it.
    fn pass_value(&mut self) -> Result<(), WireError> {
        let tag = self.byte()?;
        if (tag::OBJECT..=tag::BOXED).contains(&tag) {
            if self.depth >= MAX_DEPTH {
                return Err(WireError::TooDeep);
            }
            self.depth += 1;
            self.pass_object(tag)?;
            self.depth -= 1;
            return Ok(());
        }
        match tag {
            tag::UNDEFINED | tag::NULL | tag::FALSE | tag::TRUE => {}
            tag::INTEGER | tag::REFERENCE => drop(self.number()?),
            tag::DOUBLE => drop(self.double()?),
            tag::BIGINT => self.pass_bytes()?,
            tag::LATIN1 | tag::UTF16 | tag::UTF8 => self.pass_text(tag)?,
            _ => return Err(WireError::Malformed),
        }
        Ok(())
    }

    fn pass_object(&mut self, tag: u8) -> Result<(), WireError> {
        match tag {
            tag::OBJECT => self.pass_properties()?,
            tag::ARRAY => {
                let mut left = self.size()?;
                while left > 0 {
                    let passed = if self.skip(tag::HOLES) {
                        self.size()?.max(1)
                    } else {
                        self.pass_value()?;
                        1
                    };
                    left = left.checked_sub(passed).ok_or(WireError::Malformed)?;
                }
            }
            tag::DATE => drop(self.double()?),
            tag::REGEXP => self.pass_texts(2)?,
            tag::MAP => {
                for _ in 0..self.count()? {
                    self.pass_value()?;
                    self.pass_value()?;
                }
            }
            tag::SET => {
                for _ in 0..self.count()? {
                    self.pass_value()?;
                }
            }
            tag::BUFFER => self.pass_bytes()?,
            tag::VIEW => {
                self.byte()?;
                self.number()?;
                self.number()?;
                self.pass_value()?;
            }
            tag::ERROR => {
                self.pass_texts(3)?;
                if !self.absent() {
                    self.pass_value()?;
                }
                self.pass_properties()?;
            }
            tag::BOXED => self.pass_value()?,
            _ => return Err(WireError::Malformed),
        }
        Ok(())
    }

    fn pass_properties(&mut self) -> Result<(), WireError> {
        while !self.skip(tag::END) {
            self.pass_texts(1)?;
            self.pass_value()?;
        }
        Ok(())
    }

    fn pass_texts(&mut self, count: usize) -> Result<(), WireError> {
        for _ in 0..count {
            let tag = self.byte()?;
            self.pass_text(tag)?;
        }
        Ok(())
    }

    fn pass_text(&mut self, tag: u8) -> Result<(), WireError> {
        let units = self.size()?;
        let bytes = match tag {
            tag::UTF16 => units.checked_mul(2).ok_or(WireError::Malformed)?,
            tag::LATIN1 | tag::UTF8 => units,
            _ => return Err(WireError::Malformed),
        };
        self.bytes(bytes).map(drop)
    }

    fn pass_bytes(&mut self) -> Result<(), WireError> {
        let length = self.count()?;
        self.bytes(length).map(drop)
    }

    fn object(&mut self, tag: u8) -> Result<Value, WireError> {
        if self.depth >= MAX_DEPTH {
            return Err(WireError::TooDeep);
        }
        self.depth += 1;
        self.objects += 1; // Each takes a byte of a message that is shorter than 4 GiB.
        let value = self.object_tagged(tag)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object_tagged(&mut self, tag: u8) -> Result<Value, WireError> {
        Ok(match tag {
            tag::OBJECT => Value::Object(self.properties()?),
            tag::ARRAY => Value::Array(self.elements()?),
            tag::DATE => Value::Date(self.double()?),
            tag::REGEXP => Value::RegExp {
                source: self.text()?,
                flags: self.text()?,
            },
            tag::MAP => {
                let count = self.count()?;
                let mut entries = self.slots(count)?;
                for _ in 0..count {
                    entries.push((self.value()?, self.value()?));
                }
                Value::Map(entries)
            }
            tag::SET => {
                let count = self.count()?;
                let mut values = self.slots(count)?;
                for _ in 0..count {
                    values.push(self.value()?);
                }
                Value::Set(values)
            }
            tag::BUFFER => {
                let length = self.count()?;
                self.budget.spend(allocation(length))?;
                Value::Buffer(self.bytes(length)?.to_vec())
            }
            tag::VIEW => self.view()?,
            tag::ERROR => self.error()?,
            tag::BOXED => {
                self.budget.spend(allocation(size_of::<Value>()))?;
                let primitive = self.value()?;
                if primitive.is_object()
                    || matches!(
                        primitive,
                        Value::Undefined | Value::Null | Value::Reference(_)
                    )
                {
                    return Err(WireError::Malformed);
                }
                Value::Boxed(Box::new(primitive))
            }
            // HOLES stands in an array only.
            _ => return Err(WireError::Malformed),
        })
    }

    fn elements(&mut self) -> Result<Vec<Value>, WireError> {
        let length = self.size()?;
        let mut elements = self.slots(length)?;
        while elements.len() < length {
            if self.skip(tag::HOLES) {
                let holes = self.size()?;
                if holes == 0 || holes > length - elements.len() {
                    return Err(WireError::Malformed);
                }
                elements.resize(elements.len() + holes, Value::Hole);
            } else {
                elements.push(self.value()?);
            }
        }
        Ok(elements)
    }

    fn properties(&mut self) -> Result<Vec<(Text, Value)>, WireError> {
        let mut properties = Vec::new();
        while !self.skip(tag::END) {
            // How many there will be nobody says, so there is always room for as many more.
            if properties.len() == properties.capacity() {
                let more = properties.len().max(4);
                self.budget
                    .spend(allocation(more * size_of::<(Text, Value)>()))?;
                properties.reserve_exact(more);
            }
            properties.push((self.text()?, self.value()?));
        }
        Ok(properties)
    }

    fn view(&mut self) -> Result<Value, WireError> {
        let kind = ViewKind::from_byte(self.byte()?).ok_or(WireError::Malformed)?;
        let offset = u32::try_from(self.number()?).map_err(|_| WireError::Malformed)?;
        let length = u32::try_from(self.number()?).map_err(|_| WireError::Malformed)?;
        let buffer = self.value()?;
        // A reference may name any object, so its length is checked by whoever uses the view.
        let fits = match &buffer {
            Value::Buffer(bytes) => {
                u64::from(offset) + u64::from(length) * u64::from(kind.element_size())
                    <= bytes.len() as u64
            }
            Value::Reference(_) => true,
            _ => false,
        };
        if !fits || offset % kind.element_size() != 0 {
            return Err(WireError::Malformed);
        }
        self.budget.spend(allocation(size_of::<View>()))?;
        Ok(Value::View(Box::new(View {
            kind,
            offset,
            length,
            buffer,
        })))
    }

    fn error(&mut self) -> Result<Value, WireError> {
        self.budget.spend(allocation(size_of::<ErrorValue>()))?;
        let name = self.text()?;
        let message = self.text()?;
        let stack = self.text()?;
        let cause = if self.absent() {
            None
        } else {
            Some(self.value()?)
        };
        let properties = self.properties()?;
        Ok(Value::Error(Box::new(ErrorValue {
            name,
            message,
            stack,
            cause,
            properties,
        })))
    }
}
