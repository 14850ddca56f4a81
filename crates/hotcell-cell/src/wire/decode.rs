//! Values on their way out of a cell.

use super::{COPIED_PER_UNIT, MAX_DEPTH, Reader, WireError, tag};
use crate::{
    held::allocation,
    value::{BigInt, ErrorValue, Text, Value, View, ViewKind},
};

/// Bytes of an integer. The engine makes none of more than a million bits, and a byte for the sign.
const MAX_BIGINT: usize = (1 << 17) + 8;

impl Reader<'_> {
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
        self.pace.spend(1)?;
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
                if length > MAX_BIGINT {
                    return Err(WireError::Malformed);
                }
                self.budget.spend(allocation(length))?;
                self.pace.spend(length)?;
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
                self.pace.spend(length / COPIED_PER_UNIT)?;
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
                self.pace.spend(holes)?;
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
