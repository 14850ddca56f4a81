//! ZAX1: the frames of the hub.
//!
//! Commands go to the host, events come from it, both on one handle and as a stream of bytes: where a read or write ends
//! says nothing about where a frame does. [`FrameBuffer`] puts them together again.

mod buffer;

pub use buffer::{Fixed, FrameBuffer, Step, Storage};

use core::fmt;

use crate::{
    field::{Malformed, Reader},
    sink::{Encode, Full, Raw, Sink},
};

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = *b"ZAX1";
/// The version of this layout.
pub const VERSION: u16 = 1;
/// How long the header is.
pub const HEADER: usize = 48;
/// The kind of a frame from a guest.
pub const COMMAND: u16 = 1;
/// The kind of a frame from a host.
pub const EVENT: u16 = 2;

/// What a guest can tell the hub.
pub mod command {
    /// Begins something; the payload is a [`Source`](crate::source::Source).
    pub const REGISTER_FUTURE: u16 = 1;
    /// Gives a future up.
    pub const CANCEL_FUTURE: u16 = 2;
    /// Says who owns a task from now on; the payload is its name, as `HBYTES`.
    pub const DETACH_TASK: u16 = 3;
    /// Waits until nothing of a scope is pending, for so many steps: the payload is an `H8`.
    pub const JOIN_BOUNDED: u16 = 4;
}

/// A header without its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// [`COMMAND`] or [`EVENT`].
    pub kind: u16,
    /// See [`command`] and [`crate::event`].
    pub op: u16,
    /// Of commands: their timeout in ms, or 0.
    pub flags: u16,
    /// Ties a command to its answer; 0: none is wanted.
    pub req_id: u64,
    /// The scope of structured concurrency, or 0.
    pub scope_id: u64,
    /// The task, or 0.
    pub task_id: u64,
    /// The future that it is about, or 0.
    pub future_id: u64,
    /// How long the payload is.
    pub payload_len: u32,
}

/// Not a frame of this kind. What is behind it cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadHeader {
    /// What stands where the number of the command would be.
    pub req_id: u64,
}

impl Header {
    /// Reads a header of this kind.
    pub fn decode(bytes: &[u8; HEADER], kind: u16) -> Result<Self, BadHeader> {
        // There are as many bytes as fields; the error is for readers of shorter ones.
        Self::read(bytes, kind).unwrap_or(Err(BadHeader { req_id: 0 }))
    }

    fn read(bytes: &[u8], expected: u16) -> Result<Result<Self, BadHeader>, Malformed> {
        let mut reader = Reader::new(bytes);
        let (magic, version, kind) = (reader.array()?, reader.h2()?, reader.h2()?);
        let header = Self {
            kind,
            op: reader.h2()?,
            flags: reader.h2()?,
            req_id: reader.h8()?,
            scope_id: reader.h8()?,
            task_id: reader.h8()?,
            future_id: reader.h8()?,
            payload_len: reader.h4()?,
        };
        let is_frame = magic == MAGIC && version == VERSION && kind == expected;
        Ok(if is_frame {
            Ok(header)
        } else {
            Err(BadHeader {
                req_id: header.req_id,
            })
        })
    }

    /// How long the payload is, in the machine's own measure.
    pub fn payload(&self) -> usize {
        usize::try_from(self.payload_len).unwrap_or(usize::MAX)
    }
}

/// A whole frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Frame<P> {
    /// [`COMMAND`] or [`EVENT`].
    pub kind: u16,
    /// See [`command`] and [`crate::event`].
    pub op: u16,
    /// Of commands: their timeout in ms, or 0.
    pub flags: u16,
    /// Ties a command to its answer; 0: none is wanted.
    pub req_id: u64,
    /// The scope of structured concurrency, or 0.
    pub scope_id: u64,
    /// The task, or 0.
    pub task_id: u64,
    /// The future that it is about, or 0.
    pub future_id: u64,
    /// What it carries.
    pub payload: P,
}

impl<P> fmt::Debug for Frame<P> {
    /// Without the payload: it may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("kind", &self.kind)
            .field("op", &self.op)
            .field("req_id", &self.req_id)
            .field("future_id", &self.future_id)
            .finish_non_exhaustive()
    }
}

impl<P> Frame<P> {
    /// A command without timeout, scope and task.
    pub fn command(op: u16, req_id: u64, future_id: u64, payload: P) -> Self {
        Self {
            kind: COMMAND,
            op,
            flags: 0,
            req_id,
            scope_id: 0,
            task_id: 0,
            future_id,
            payload,
        }
    }

    /// An event.
    pub fn event(op: u16, req_id: u64, future_id: u64, payload: P) -> Self {
        Self {
            kind: EVENT,
            ..Self::command(op, req_id, future_id, payload)
        }
    }
}

impl<'a> Frame<Raw<'a>> {
    /// Reads bytes that are one frame of this kind, and nothing else.
    pub fn decode(bytes: &'a [u8], kind: u16) -> Result<Self, Malformed> {
        let (header, payload) = bytes.split_first_chunk().ok_or(Malformed::Short)?;
        let header = Header::decode(header, kind).map_err(|_| Malformed::Value)?;
        match payload.len().cmp(&header.payload()) {
            core::cmp::Ordering::Less => Err(Malformed::Short),
            core::cmp::Ordering::Greater => Err(Malformed::Trailing),
            core::cmp::Ordering::Equal => Ok(Self::of(header, payload)),
        }
    }

    fn of(header: Header, payload: &'a [u8]) -> Self {
        Self {
            kind: header.kind,
            op: header.op,
            flags: header.flags,
            req_id: header.req_id,
            scope_id: header.scope_id,
            task_id: header.task_id,
            future_id: header.future_id,
            payload: Raw(payload),
        }
    }
}

impl<P: Encode> Encode for Frame<P> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.put(&MAGIC)?;
        sink.h2(VERSION)?;
        sink.h2(self.kind)?;
        sink.h2(self.op)?;
        sink.h2(self.flags)?;
        sink.h8(self.req_id)?;
        sink.h8(self.scope_id)?;
        sink.h8(self.task_id)?;
        sink.h8(self.future_id)?;
        self.payload.encode_with_length(sink)
    }
}

/// What `JOIN_BOUNDED` carries: how many steps to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fuel(pub u64);

impl Fuel {
    /// Reads a payload.
    pub fn decode(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let fuel = Self(reader.h8()?);
        reader.end()?;
        Ok(fuel)
    }
}

impl Encode for Fuel {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h8(self.0)
    }
}

/// What `DETACH_TASK` carries: who owns the task from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner<'a>(pub &'a str);

impl<'a> Owner<'a> {
    /// Reads a payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let owner = Self(reader.text()?);
        reader.end()?;
        Ok(owner)
    }
}

impl Encode for Owner<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.0.as_bytes())
    }
}
