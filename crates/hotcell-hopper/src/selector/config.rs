//! `config.get.v1` and `config.list.v1` of config/default.

use core::fmt;

use super::{Selector, Text};
use crate::{
    field::{Malformed, Reader},
    list::{Item, List},
    sink::{Encode, Full, Sink, encode_list},
};

/// Gives the value of a key.
pub const GET: Selector = Selector {
    kind: "config",
    name: "default",
    selector: "config.get.v1",
};
/// Lists keys.
pub const LIST: Selector = Selector {
    kind: "config",
    name: "default",
    selector: "config.list.v1",
};

/// Bits of a [`Key`].
pub mod key_flags {
    /// Its value is not for everybody.
    pub const SECRET: u32 = 1;
    /// It cannot be changed.
    pub const READONLY: u32 = 2;
}

/// What both take: a key, or how keys begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRequest<'a> {
    /// The key, or its beginning.
    pub key: &'a str,
}

impl<'a> KeyRequest<'a> {
    /// Reads parameters.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let request = Self {
            key: reader.text()?,
        };
        reader.end()?;
        Ok(request)
    }
}

impl Encode for KeyRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.key).encode(sink)
    }
}

/// What `config.get.v1` gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ConfigValue<'a>(pub &'a [u8]);

impl fmt::Debug for ConfigValue<'_> {
    /// The length alone: it may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigValue({} bytes)", self.0.len())
    }
}

impl<'a> ConfigValue<'a> {
    /// Reads a value.
    pub fn decode(value: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(value);
        let value = Self(reader.bytes()?);
        reader.end()?;
        Ok(value)
    }
}

impl Encode for ConfigValue<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.0)
    }
}

/// An entry of `config.list.v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// What it is called.
    pub key: &'a str,
    /// See [`key_flags`].
    pub flags: u32,
}

impl<'a> Item<'a> for Key<'a> {
    const LEAST: usize = 8;

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(Self {
            key: reader.text()?,
            flags: reader.h4()?,
        })
    }
}

impl Encode for Key<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.key).encode(sink)?;
        sink.h4(self.flags)
    }
}

/// What `config.list.v1` gives.
pub fn read_keys(value: &[u8]) -> Result<List<'_, Key<'_>>, Malformed> {
    let mut reader = Reader::new(value);
    let list = List::read(&mut reader)?;
    reader.end()?;
    Ok(list)
}

/// The same, to be written. They are to be sorted.
pub struct Keys<'a>(pub &'a [Key<'a>]);

impl Encode for Keys<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        encode_list(self.0, sink)
    }
}
