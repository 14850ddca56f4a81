//! How a failure is told.
//!
//! There are two forms. [`Failure`] (`HSTR` trace, `HSTR` message, `HBYTES` cause) ends a future and answers `_ctl`; [`Refusal`]
//! (two lengths, then both texts) answers a command that created no future.

use crate::{
    field::{Malformed, Reader, as_text},
    sink::{Encode, Full, Sink},
    trace::Trace,
};

/// Why a future or an operation of `_ctl` failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure<'a> {
    /// The stable part: `t_exec_not_allowed`.
    pub trace: &'a str,
    /// Words for a reader.
    pub msg: &'a str,
    /// Anything else; mostly nothing.
    pub cause: &'a [u8],
}

impl From<Trace> for Failure<'static> {
    fn from(trace: Trace) -> Self {
        Self {
            trace: trace.code,
            msg: trace.msg,
            cause: &[],
        }
    }
}

impl<'a> Failure<'a> {
    /// Reads an envelope that is the whole payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let failure = Self {
            trace: trace_of(reader.bytes()?)?,
            msg: message_of(reader.bytes()?)?,
            cause: reader.bytes()?,
        };
        reader.end()?;
        Ok(failure)
    }

    /// As [`Failure::decode`], for guests: also takes the older form with two lengths in front. Nothing is both, because the
    /// trace of one would begin with the other's second length.
    pub fn decode_either(payload: &'a [u8]) -> Result<Self, Malformed> {
        Self::decode(payload).or_else(|malformed| {
            let refusal = Refusal::decode(payload).map_err(|_| malformed)?;
            Ok(Self {
                trace: refusal.code,
                msg: refusal.msg,
                cause: &[],
            })
        })
    }
}

impl Encode for Failure<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.bytes(self.trace.as_bytes())?;
        sink.bytes(self.msg.as_bytes())?;
        sink.bytes(self.cause)
    }
}

/// Why a command was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The stable part: `t_async_unknown_op`.
    pub code: &'a str,
    /// Words for a reader.
    pub msg: &'a str,
}

impl From<Trace> for Refusal<'static> {
    fn from(trace: Trace) -> Self {
        Self {
            code: trace.code,
            msg: trace.msg,
        }
    }
}

impl<'a> Refusal<'a> {
    /// Reads one that is the whole payload.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        let (code, msg) = (reader.h4()?, reader.h4()?);
        let mut take = |length: u32| {
            let length = usize::try_from(length).map_err(|_| Malformed::Short)?;
            reader.take(length)
        };
        let refusal = Self {
            code: trace_of(take(code)?)?,
            msg: message_of(take(msg)?)?,
        };
        reader.end()?;
        Ok(refusal)
    }
}

impl Encode for Refusal<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.length(self.code.len())?;
        sink.length(self.msg.len())?;
        sink.put(self.code.as_bytes())?;
        sink.put(self.msg.as_bytes())
    }
}

/// A trace: letters, digits and underscores, at least one.
fn trace_of(bytes: &[u8]) -> Result<&str, Malformed> {
    let is_code = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    if bytes.is_empty() || !bytes.iter().all(is_code) {
        return Err(Malformed::Value);
    }
    as_text(bytes).ok_or(Malformed::Text)
}

fn message_of(bytes: &[u8]) -> Result<&str, Malformed> {
    if bytes.is_empty() {
        return Err(Malformed::Value);
    }
    as_text(bytes).ok_or(Malformed::Text)
}
