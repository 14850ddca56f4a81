//! ZCL1: the frames of `_ctl`.
//!
//! A [`Request`] has a header of 24 bytes, a [`Reply`] one of 20 bytes and four more that say whether it is a success.

mod ops;

pub use ops::{
    Capability, DescribeRequest, Description, HubMeta, HubParams, OpenRequest, Opened, cap_flags,
    encode_capabilities, hflags, read_capabilities,
};

use crate::{
    failure::Failure,
    field::{Malformed, Reader},
    sink::{Encode, Full, Raw, Sink},
};

/// The first bytes of requests and replies.
pub const MAGIC: [u8; 4] = *b"ZCL1";
/// The version of this layout.
pub const VERSION: u16 = 1;
/// How long the header of a request is.
pub const REQUEST_HEADER: usize = 24;
/// How much of a request tells its operation and its number.
const READABLE: usize = 12;

/// Lists the capabilities.
pub const CAPS_LIST: u16 = 1;
/// Tells about one capability.
pub const CAPS_DESCRIBE: u16 = 2;
/// Opens one.
pub const CAPS_OPEN: u16 = 3;

/// What a guest asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<P> {
    /// The operation.
    pub op: u16,
    /// A number of the guest's, which comes back.
    pub rid: u32,
    /// How long it may take; 0: not at all.
    pub timeout_ms: u32,
    /// What the operation needs.
    pub payload: P,
}

/// What tells the reply to a request from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// The operation.
    pub op: u16,
    /// The guest's number.
    pub rid: u32,
}

/// What is wrong with a request, in the order in which it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadRequest {
    /// Too short to tell what it would be answered with.
    Unreadable,
    /// Too short, not ZCL1, with flags, or of another length than it says.
    Frame(Tag),
    /// Another version.
    Version(Tag),
    /// Longer than the host takes.
    TooLarge(Tag),
}

impl<P> Request<P> {
    /// What tells its reply from others.
    pub fn tag(&self) -> Tag {
        Tag {
            op: self.op,
            rid: self.rid,
        }
    }
}

impl<'a> Request<Raw<'a>> {
    /// Reads a request whose payload has at most `max_payload` bytes.
    pub fn decode(bytes: &'a [u8], max_payload: usize) -> Result<Self, BadRequest> {
        let tag = tag_of(bytes).map_err(|_| BadRequest::Unreadable)?;
        let short = |_| BadRequest::Frame(tag);
        let mut reader = Reader::new(bytes);
        let magic = reader.array().map_err(short)?;
        let version = reader.h2().map_err(short)?;
        let _ = reader.take(READABLE - 6).map_err(short)?;
        let timeout_ms = reader.h4().map_err(short)?;
        let flags = reader.h4().map_err(short)?;
        let length = reader.h4().map_err(short)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if magic != MAGIC {
            return Err(BadRequest::Frame(tag));
        }
        if version != VERSION {
            return Err(BadRequest::Version(tag));
        }
        if flags != 0 {
            return Err(BadRequest::Frame(tag));
        }
        if length > max_payload {
            return Err(BadRequest::TooLarge(tag));
        }
        let payload = reader.rest();
        if length != payload.len() {
            return Err(BadRequest::Frame(tag));
        }
        Ok(Self {
            op: tag.op,
            rid: tag.rid,
            timeout_ms,
            payload: Raw(payload),
        })
    }
}

fn tag_of(bytes: &[u8]) -> Result<Tag, Malformed> {
    let mut reader = Reader::new(bytes);
    reader.take(6)?;
    Ok(Tag {
        op: reader.h2()?,
        rid: reader.h4()?,
    })
}

impl<P: Encode> Encode for Request<P> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.put(&MAGIC)?;
        sink.h2(VERSION)?;
        sink.h2(self.op)?;
        sink.h4(self.rid)?;
        sink.h4(self.timeout_ms)?;
        sink.h4(0)?;
        self.payload.encode_with_length(sink)
    }
}

/// What the host answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply<'a, B = Raw<'a>> {
    /// Which request it answers.
    pub tag: Tag,
    /// What came of it.
    pub outcome: Result<B, Failure<'a>>,
}

impl<'a> Reply<'a> {
    /// Reads a reply. Reserved fields may be anything: a later host may use them.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let tag = tag_of(bytes)?;
        let mut reader = Reader::new(bytes);
        if (reader.array()?, reader.h2()?) != (MAGIC, VERSION) {
            return Err(Malformed::Value);
        }
        reader.take(READABLE - 6)?;
        let _flags = reader.h4()?;
        let payload = reader.bytes()?;
        reader.end()?;
        let mut reader = Reader::new(payload);
        let ok = reader.h1()?;
        reader.take(3)?;
        let outcome = match ok {
            1 => Ok(Raw(reader.rest())),
            0 => Err(Failure::decode(reader.rest())?),
            _ => return Err(Malformed::Value),
        };
        Ok(Self { tag, outcome })
    }
}

impl<B: Encode> Encode for Reply<'_, B> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        let Tag { op, rid } = self.tag;
        sink.put(&MAGIC)?;
        sink.h2(VERSION)?;
        sink.h2(op)?;
        sink.h4(rid)?;
        sink.h4(0)?;
        Outcome(&self.outcome).encode_with_length(sink)
    }
}

/// The payload of a reply.
struct Outcome<'r, 'a, B>(&'r Result<B, Failure<'a>>);

impl<B: Encode> Encode for Outcome<'_, '_, B> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(u32::from(self.0.is_ok()))?;
        match self.0 {
            Ok(body) => body.encode(sink),
            Err(failure) => failure.encode(sink),
        }
    }
}
