//! `files.list.v1` and `files.open.v1` of file/view.

use super::{Selector, Text};
use crate::{
    field::{Malformed, Reader},
    list::{Item, List},
    sink::{Encode, Full, Sink, encode_list},
};

/// Lists a directory.
pub const LIST: Selector = Selector {
    kind: "file",
    name: "view",
    selector: "files.list.v1",
};
/// Opens a file. Its value is an [`Opened`](crate::control::Opened).
pub const OPEN: Selector = Selector {
    kind: "file",
    name: "view",
    selector: "files.open.v1",
};

/// The only mode of [`OPEN`].
pub const READ: u32 = 1;

/// Bits of an [`Entry`].
pub mod entry_flags {
    /// It is a directory; its id is a scope.
    pub const DIRECTORY: u32 = 1;
    /// It can be opened.
    pub const READABLE: u32 = 2;
}

/// What `files.list.v1` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListRequest<'a> {
    /// Where; nothing is the root.
    pub scope: &'a str,
}

impl<'a> ListRequest<'a> {
    /// Reads parameters.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let request = Self {
            scope: reader.text()?,
        };
        reader.end()?;
        Ok(request)
    }
}

impl Encode for ListRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.scope).encode(sink)
    }
}

/// A file or a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// What to open it with.
    pub id: &'a [u8],
    /// What to call it.
    pub display: &'a str,
    /// See [`entry_flags`].
    pub flags: u32,
}

impl<'a> Item<'a> for Entry<'a> {
    const LEAST: usize = 12;

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let entry = Self {
            id: reader.bytes()?,
            display: reader.text()?,
            flags: reader.h4()?,
        };
        if entry.display.is_empty() {
            return Err(Malformed::Value);
        }
        Ok(entry)
    }
}

impl Encode for Entry<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.id)?;
        Text(self.display).encode(sink)?;
        sink.h4(self.flags)
    }
}

/// What `files.list.v1` gives.
pub fn read_entries(value: &[u8]) -> Result<List<'_, Entry<'_>>, Malformed> {
    let mut reader = Reader::new(value);
    let list = List::read(&mut reader)?;
    reader.end()?;
    Ok(list)
}

/// The same, to be written. They are to be sorted by display and id.
pub struct Entries<'a>(pub &'a [Entry<'a>]);

impl Encode for Entries<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        encode_list(self.0, sink)
    }
}

/// What `files.open.v1` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenFileRequest<'a> {
    /// Which one.
    pub id: &'a [u8],
    /// How: [`READ`].
    pub mode: u32,
}

impl<'a> OpenFileRequest<'a> {
    /// Reads parameters.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let request = Self {
            id: reader.bytes()?,
            mode: reader.h4()?,
        };
        reader.end()?;
        if request.mode != READ {
            return Err(Malformed::Value);
        }
        Ok(request)
    }
}

impl Encode for OpenFileRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.id)?;
        sink.h4(self.mode)
    }
}
