//! Reading Hopper fields.

use core::fmt;

/// Bytes that are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// A field or a length goes beyond the end.
    Short,
    /// Something is behind the last field.
    Trailing,
    /// A text is not UTF-8, or has a byte below 0x20.
    Text,
    /// A field has a value that it must not have.
    Value,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Short => "a field goes beyond the end of its payload",
            Self::Trailing => "there are bytes behind the last field",
            Self::Text => "a text is not UTF-8 without control bytes",
            Self::Value => "a field has a value that it must not have",
        })
    }
}

impl core::error::Error for Malformed {}

/// Takes fields from the front of a payload.
#[derive(Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// An integer of one byte.
    pub fn h1(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_le_bytes)
    }

    /// An integer of two bytes.
    pub fn h2(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// An integer of four bytes.
    pub fn h4(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// An integer of eight bytes.
    pub fn h8(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// `HBYTES`: a length and that many bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let mut ahead = self.clone();
        let length = usize::try_from(ahead.h4()?).map_err(|_| Malformed::Short)?;
        let bytes = ahead.take(length)?;
        *self = ahead;
        Ok(bytes)
    }

    /// `HSTR`: a length and that many bytes of text.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        as_text(self.bytes()?).ok_or(Malformed::Text)
    }

    /// Nothing may be left.
    pub fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Malformed::Trailing)
        }
    }
}

/// Whether bytes are a text: UTF-8 without bytes below 0x20.
pub fn is_text(bytes: &[u8]) -> bool {
    as_text(bytes).is_some()
}

/// Bytes as a text, if they are one.
pub fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.iter().any(|byte| *byte < 0x20) {
        return None;
    }
    core::str::from_utf8(bytes).ok()
}
