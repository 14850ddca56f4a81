//! Values from Node.

use hotcell::cell::{BigInt, ErrorValue, MAX_DEPTH, Text, Value, View, ViewKind};

use super::op;

/// The pieces do not fit together. `lib/pack.cjs` does not make such, so this is a bug, not somebody's mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed packed value")]
pub(crate) struct Malformed;

type Result<T> = std::result::Result<T, Malformed>;

/// Reads values from the pieces, front to back.
pub(crate) struct Reader<'a> {
    row: &'a [f64],
    text: &'a [u16],
    bytes: &'a [u8],
    bigints: std::slice::Iter<'a, BigInt>,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        row: &'a [f64],
        text: &'a [u16],
        bytes: &'a [u8],
        bigints: &'a [BigInt],
    ) -> Self {
        Self {
            row,
            text,
            bytes,
            bigints: bigints.iter(),
            depth: 0,
        }
    }

    /// The one value that the pieces hold.
    pub(crate) fn only(mut self) -> Result<Value> {
        let value = self.value()?;
        self.finish()?;
        Ok(value)
    }

    /// Everything must have been read.
    pub(crate) fn finish(&self) -> Result<()> {
        let is_left = self.bigints.len() > 0
            || !(self.row.is_empty() && self.text.is_empty() && self.bytes.is_empty());
        if is_left { Err(Malformed) } else { Ok(()) }
    }

    /// The next value.
    pub(crate) fn value(&mut self) -> Result<Value> {
        let operation = self.count()?;
        if operation > op::REFERENCE as usize {
            return Err(Malformed);
        }
        Ok(match u32::try_from(operation).map_err(|_| Malformed)? {
            op::UNDEFINED => Value::Undefined,
            op::NULL => Value::Null,
            op::FALSE => Value::Bool(false),
            op::TRUE => Value::Bool(true),
            op::NUMBER => Value::Number(self.number()?),
            op::STRING => Value::String(self.text()?),
            op::BIGINT => self.bigint()?,
            op::REFERENCE => Value::Reference(self.index()?),
            object => {
                if self.depth >= MAX_DEPTH {
                    return Err(Malformed);
                }
                self.depth += 1;
                let value = self.object(object)?;
                self.depth -= 1;
                value
            }
        })
    }

    fn object(&mut self, operation: u32) -> Result<Value> {
        Ok(match operation {
            op::ARRAY => Value::Array(self.elements()?),
            op::OBJECT => Value::Object(self.properties()?),
            op::DATE => Value::Date(self.number()?),
            op::REGEXP => Value::RegExp {
                source: self.text()?,
                flags: self.text()?,
            },
            op::MAP => Value::Map(self.repeat(|this| Ok((this.value()?, this.value()?)))?),
            op::SET => Value::Set(self.repeat(Self::value)?),
            op::BUFFER => {
                let length = self.count()?;
                let (bytes, rest) = self.bytes.split_at_checked(length).ok_or(Malformed)?;
                self.bytes = rest;
                Value::Buffer(bytes.to_vec())
            }
            op::VIEW => Value::View(Box::new(View {
                kind: view_kind(self.index()?)?,
                offset: self.index()?,
                length: self.index()?,
                buffer: self.value()?,
            })),
            op::ERROR => Value::Error(Box::new(ErrorValue {
                name: self.text()?,
                message: self.text()?,
                stack: self.text()?,
                cause: match self.count()? {
                    0 => None,
                    _ => Some(self.value()?),
                },
                properties: self.properties()?,
            })),
            op::BOXED => Value::Boxed(Box::new(self.value()?)),
            _ => return Err(Malformed),
        })
    }

    fn number(&mut self) -> Result<f64> {
        let (&number, rest) = self.row.split_first().ok_or(Malformed)?;
        self.row = rest;
        Ok(number)
    }

    fn index(&mut self) -> Result<u32> {
        let number = self.number()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates, and the comparison finds out"
        )]
        let index = number as u32;
        if f64::from(index).to_bits() == number.to_bits() {
            Ok(index)
        } else {
            Err(Malformed)
        }
    }

    fn count(&mut self) -> Result<usize> {
        usize::try_from(self.index()?).map_err(|_| Malformed)
    }

    fn text(&mut self) -> Result<Text> {
        let length = self.count()?;
        let (units, rest) = self.text.split_at_checked(length).ok_or(Malformed)?;
        self.text = rest;
        Ok(text(units))
    }

    fn bigint(&mut self) -> Result<Value> {
        let digits = self.text()?;
        if digits.is_empty() {
            let one = self.bigints.next().ok_or(Malformed)?;
            return Ok(Value::BigInt(one.clone()));
        }
        digits
            .as_str()
            .and_then(|digits| BigInt::parse_bytes(digits.as_bytes(), 16))
            .map(Value::BigInt)
            .ok_or(Malformed)
    }

    fn repeat<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.count()?;
        // Each takes a number of the row at least.
        let mut all = Vec::with_capacity(count.min(self.row.len()));
        for _ in 0..count {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn properties(&mut self) -> Result<Vec<(Text, Value)>> {
        self.repeat(|this| Ok((this.text()?, this.value()?)))
    }

    fn elements(&mut self) -> Result<Vec<Value>> {
        let length = self.count()?;
        let mut elements = Vec::with_capacity(length.min(self.row.len()));
        while elements.len() < length {
            if self.row.first().copied().map(f64::to_bits) == Some(f64::from(op::HOLES).to_bits()) {
                self.index()?;
                let holes = self.count()?;
                if holes == 0 || holes > length - elements.len() {
                    return Err(Malformed);
                }
                elements.resize(elements.len() + holes, Value::Hole);
            } else {
                elements.push(self.value()?);
            }
        }
        Ok(elements)
    }
}

/// Most texts are ASCII, and narrowing them is many times faster than decoding them.
fn text(units: &[u16]) -> Text {
    if units.iter().all(|&unit| unit < 0x80) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "they were all just found to fit"
        )]
        let bytes = units.iter().map(|&unit| unit as u8).collect();
        if let Ok(ascii) = String::from_utf8(bytes) {
            return Text::from(ascii);
        }
    }
    Text::from_utf16(units)
}

/// By the numbers of [`ViewKind`] itself.
fn view_kind(number: u32) -> Result<ViewKind> {
    [
        ViewKind::Uint8Clamped,
        ViewKind::Int8,
        ViewKind::Uint8,
        ViewKind::Int16,
        ViewKind::Uint16,
        ViewKind::Int32,
        ViewKind::Uint32,
        ViewKind::BigInt64,
        ViewKind::BigUint64,
        ViewKind::Float16,
        ViewKind::Float32,
        ViewKind::Float64,
        ViewKind::DataView,
    ]
    .into_iter()
    .find(|kind| *kind as u32 == number)
    .ok_or(Malformed)
}
