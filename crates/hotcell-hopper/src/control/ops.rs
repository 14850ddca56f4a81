//! What the operations of `_ctl` take and give.

use crate::{
    field::{Malformed, Reader},
    list::{Item, List},
    sink::{Encode, Full, Raw, Sink, encode_list},
};

/// Bits that tell what a capability can do.
pub mod cap_flags {
    /// `CAPS_OPEN` works.
    pub const CAN_OPEN: u32 = 1;
    /// It gives the same for the same.
    pub const PURE: u32 = 2;
    /// It may take time.
    pub const MAY_BLOCK: u32 = 4;
    /// It makes handles.
    pub const PRODUCES_HANDLES: u32 = 8;
}

/// Bits that tell what a handle can do.
pub mod hflags {
    /// `req_read` works.
    pub const READABLE: u32 = 1;
    /// `res_write` works.
    pub const WRITABLE: u32 = 2;
    /// `res_end` means something.
    pub const ENDABLE: u32 = 4;
}

/// An entry of `CAPS_LIST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability<'a> {
    /// What it is: `exec`.
    pub kind: &'a str,
    /// Which one: `default`.
    pub name: &'a str,
    /// See [`cap_flags`].
    pub flags: u32,
    /// Anything else.
    pub meta: &'a [u8],
}

impl<'a> Item<'a> for Capability<'a> {
    const LEAST: usize = 16;

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(Self {
            kind: reader.text()?,
            name: reader.text()?,
            flags: reader.h4()?,
            meta: reader.bytes()?,
        })
    }
}

impl Encode for Capability<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.kind.as_bytes())?;
        sink.bytes(self.name.as_bytes())?;
        sink.h4(self.flags)?;
        sink.bytes(self.meta)
    }
}

/// What `CAPS_LIST` gives.
pub fn read_capabilities(body: &[u8]) -> Result<List<'_, Capability<'_>>, Malformed> {
    let mut reader = Reader::new(body);
    let list = List::read(&mut reader)?;
    reader.end()?;
    Ok(list)
}

/// The same, to be written. They are to be sorted by kind and name.
pub fn encode_capabilities<'a>(list: &'a [Capability<'a>]) -> impl Encode + 'a {
    Capabilities(list)
}

struct Capabilities<'a>(&'a [Capability<'a>]);

impl Encode for Capabilities<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        encode_list(self.0, sink)
    }
}

/// What `CAPS_DESCRIBE` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribeRequest<'a> {
    /// What it is.
    pub kind: &'a str,
    /// Which one.
    pub name: &'a str,
}

impl<'a> DescribeRequest<'a> {
    /// Reads a payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let request = Self {
            kind: reader.text()?,
            name: reader.text()?,
        };
        reader.end()?;
        Ok(request)
    }
}

impl Encode for DescribeRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.kind.as_bytes())?;
        sink.bytes(self.name.as_bytes())
    }
}

/// What `CAPS_DESCRIBE` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description<'a> {
    /// See [`cap_flags`].
    pub flags: u32,
    /// What the host tells; here it is JSON.
    pub schema: &'a [u8],
}

impl<'a> Description<'a> {
    /// Reads a body.
    pub fn decode(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        let description = Self {
            flags: reader.h4()?,
            schema: reader.bytes()?,
        };
        reader.end()?;
        Ok(description)
    }
}

impl Encode for Description<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(self.flags)?;
        sink.bytes(self.schema)
    }
}

/// What `CAPS_OPEN` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRequest<'a, P = Raw<'a>> {
    /// What it is.
    pub kind: &'a str,
    /// Which one.
    pub name: &'a str,
    /// How.
    pub mode: u32,
    /// What that capability wants to know.
    pub params: P,
}

impl<'a> OpenRequest<'a> {
    /// Reads a payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let request = Self {
            kind: reader.text()?,
            name: reader.text()?,
            mode: reader.h4()?,
            params: Raw(reader.bytes()?),
        };
        reader.end()?;
        Ok(request)
    }
}

impl<P: Encode> Encode for OpenRequest<'_, P> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.kind.as_bytes())?;
        sink.bytes(self.name.as_bytes())?;
        sink.h4(self.mode)?;
        self.params.encode_with_length(sink)
    }
}

/// A handle: what `CAPS_OPEN`, `files.open.v1` and `net.tcp.connect.v1` give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<M> {
    /// Its number.
    pub handle: u32,
    /// See [`hflags`].
    pub hflags: u32,
    /// Anything else.
    pub meta: M,
}

impl<'a> Opened<Raw<'a>> {
    /// Reads a body.
    pub fn decode(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        let opened = Self {
            handle: reader.h4()?,
            hflags: reader.h4()?,
            meta: Raw(reader.bytes()?),
        };
        reader.end()?;
        // 0 to 2 are there from the beginning, and numbers are not negative.
        if opened.handle < 3 || i32::try_from(opened.handle).is_err() {
            return Err(Malformed::Value);
        }
        Ok(opened)
    }
}

impl<M: Encode> Encode for Opened<M> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(self.handle)?;
        sink.h4(self.hflags)?;
        self.meta.encode_with_length(sink)
    }
}

/// What `CAPS_OPEN` of the hub takes as its parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HubParams<'a> {
    /// Handles with the same id share one space of futures; nothing: one of its own.
    pub session_id: &'a [u8],
    /// Reserved.
    pub flags: u32,
}

impl<'a> HubParams<'a> {
    /// Reads parameters. None at all mean the defaults: published guests open the hub that way.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        if params.is_empty() {
            return Ok(Self::default());
        }
        let mut reader = Reader::new(params);
        let params = Self {
            session_id: reader.bytes()?,
            flags: reader.h4()?,
        };
        reader.end()?;
        Ok(params)
    }
}

impl Encode for HubParams<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.session_id)?;
        sink.h4(self.flags)
    }
}

/// What the hub tells of its limits when it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubMeta {
    /// The longest payload of a command.
    pub max_payload_bytes: u32,
    /// Futures that may be pending at once.
    pub max_futures: u32,
    /// Events that wait to be read, in bytes.
    pub max_queue_bytes: u32,
}

impl HubMeta {
    /// Reads what came with the handle.
    pub fn decode(meta: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(meta);
        let meta = Self {
            max_payload_bytes: reader.h4()?,
            max_futures: reader.h4()?,
            max_queue_bytes: reader.h4()?,
        };
        let _flags = reader.h4()?;
        reader.end()?;
        Ok(meta)
    }
}

impl Encode for HubMeta {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(self.max_payload_bytes)?;
        sink.h4(self.max_futures)?;
        sink.h4(self.max_queue_bytes)?;
        sink.h4(0)
    }
}
