//! JavaScript strings: mostly Unicode, but not always.

use std::{borrow::Cow, fmt};

use hotcell_meter::{Pace, Stopped};

use crate::held::allocation;

/// How many bytes of a text are decoded between two looks at the time.
const CHUNK: usize = 64 << 10;

/// A JavaScript string.
///
/// Nearly all are valid Unicode and give a `&str`. One that holds half of a surrogate pair does not; it is kept as it is
/// and survives the way back.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(Form);

/// `IllFormed` only if there really is a lone surrogate, so that equal strings have one form.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Unicode(Box<str>),
    IllFormed(Box<[u16]>),
}

impl Text {
    /// From UTF-16 code units, as JavaScript sees its strings.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => Self::from(text),
            Err(_) => Self(Form::IllFormed(units.into())),
        }
    }

    /// The text of UTF-8 in which lone surrogates stand as if they were characters: how the engine writes its strings. `None`
    /// for anything else.
    pub(crate) fn from_wtf8(bytes: &[u8], pace: &mut Pace<'_>) -> Result<Option<Self>, Stopped> {
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let chunk = &rest[..rest.len().min(CHUNK)];
            pace.spend(chunk.len())?;
            let valid = chunk.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            // A character that the end of the chunk cuts in two is whole in the next one.
            if valid.len() + 4 <= chunk.len()
                || (valid.len() < chunk.len() && chunk.len() == rest.len())
            {
                return ill_formed(bytes, pace);
            }
            text.push_str(valid);
            rest = &rest[valid.len()..];
        }
        Ok(Some(Self::from(text)))
    }

    /// The text, unless it holds a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Unicode(text) => Some(text),
            Form::IllFormed(_) => None,
        }
    }

    /// The text, with U+FFFD for each lone surrogate.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Unicode(text) => Cow::Borrowed(text),
            Form::IllFormed(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// The UTF-16 code units.
    pub fn to_utf16(&self) -> Vec<u16> {
        match &self.0 {
            Form::Unicode(text) => text.encode_utf16().collect(),
            Form::IllFormed(units) => units.to_vec(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Form::Unicode(text) if text.is_empty())
    }

    /// The code units of a text with a lone surrogate.
    pub(crate) fn as_ill_formed(&self) -> Option<&[u16]> {
        match &self.0 {
            Form::Unicode(_) => None,
            Form::IllFormed(units) => Some(units),
        }
    }

    /// Bytes of memory that it takes beside itself.
    pub(crate) fn heap_size(&self) -> usize {
        match &self.0 {
            Form::Unicode(text) => allocation(text.len()),
            Form::IllFormed(units) => allocation(units.len() * 2),
        }
    }
}

/// As [`Text::from_wtf8`], of a text that is known to be no UTF-8.
fn ill_formed(bytes: &[u8], pace: &mut Pace<'_>) -> Result<Option<Text>, Stopped> {
    let mut units = Vec::new();
    let mut rest = bytes;
    loop {
        let chunk = rest.utf8_chunks().next();
        let valid = chunk.map_or("", |chunk| chunk.valid());
        pace.spend(valid.len() + 1)?;
        units.extend(valid.encode_utf16());
        match &rest[valid.len()..] {
            [] => return Ok(Some(Text::from_utf16(&units))),
            [0xed, high @ 0xa0..=0xbf, low @ 0x80..=0xbf, after @ ..] => {
                units.push(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f));
                rest = after;
            }
            _ => return Ok(None),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Form::Unicode(Box::default()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Form::Unicode(text.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Form::Unicode(text.into()))
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(text.into_owned())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(other)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str_lossy())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Unicode(text) => fmt::Debug::fmt(text, f),
            Form::IllFormed(units) => write!(f, "Text({units:04x?})"),
        }
    }
}
