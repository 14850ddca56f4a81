//! What the hub tells a guest.

use crate::{
    failure::{Failure, Refusal},
    field::{Malformed, Reader},
    frame::Frame,
    sink::{Encode, Full, Raw, Sink},
};

/// A command was taken.
pub const ACK: u16 = 101;
/// A command was not taken.
pub const FAIL: u16 = 102;
/// A future has its value.
pub const FUTURE_OK: u16 = 110;
/// A future failed.
pub const FUTURE_FAIL: u16 = 111;
/// A future was given up.
pub const FUTURE_CANCELLED: u16 = 112;
/// Nothing of the scope is pending.
pub const JOIN_RESULT: u16 = 120;
/// Something still was when the steps or the time were used up.
pub const JOIN_LIMIT: u16 = 121;

/// What a frame from the hub says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The command with this number was taken.
    Ack {
        /// Its number.
        req_id: u64,
    },
    /// The command with this number was not taken.
    Fail {
        /// Its number.
        req_id: u64,
        /// Why.
        refusal: Refusal<'a>,
    },
    /// A future has its value.
    Ok {
        /// Which one.
        future_id: u64,
        /// What its selector gives.
        value: Raw<'a>,
    },
    /// A future failed.
    Failed {
        /// Which one.
        future_id: u64,
        /// Why.
        failure: Failure<'a>,
    },
    /// A future was given up: by a command, by its timeout, or because its handle ended.
    Cancelled {
        /// Which one.
        future_id: u64,
    },
    /// Nothing of the scope is pending.
    JoinResult {
        /// The number of the command.
        req_id: u64,
    },
    /// Something still was when the steps or the time were used up.
    JoinLimit {
        /// The number of the command.
        req_id: u64,
        /// Always `t_async_join_limit`.
        refusal: Refusal<'a>,
    },
    /// An extension of the host's, which a guest passes over.
    Other {
        /// Which one.
        op: u16,
    },
}

impl<'a> Event<'a> {
    /// Reads what a frame says.
    pub fn decode(frame: &Frame<Raw<'a>>) -> Result<Self, Malformed> {
        let Frame {
            req_id,
            future_id,
            payload: Raw(payload),
            ..
        } = *frame;
        let event = match frame.op {
            ACK => Self::Ack { req_id },
            FAIL => Self::Fail {
                req_id,
                refusal: Refusal::decode(payload)?,
            },
            FUTURE_OK => Self::Ok {
                future_id,
                value: Raw(value(payload)?),
            },
            FUTURE_FAIL => Self::Failed {
                future_id,
                failure: Failure::decode_either(payload)?,
            },
            FUTURE_CANCELLED => Self::Cancelled { future_id },
            JOIN_RESULT => Self::JoinResult { req_id },
            JOIN_LIMIT => Self::JoinLimit {
                req_id,
                refusal: Refusal::decode(payload)?,
            },
            op => Self::Other { op },
        };
        let is_bare = matches!(
            event,
            Self::Ack { .. } | Self::Cancelled { .. } | Self::JoinResult { .. }
        );
        if is_bare && !payload.is_empty() {
            return Err(Malformed::Trailing);
        }
        let names_none = matches!(
            event,
            Self::Ok { .. } | Self::Failed { .. } | Self::Cancelled { .. }
        ) && future_id == 0;
        if names_none {
            return Err(Malformed::Value);
        }
        Ok(event)
    }
}

fn value(payload: &[u8]) -> Result<&[u8], Malformed> {
    let mut reader = Reader::new(payload);
    let value = reader.bytes()?;
    reader.end()?;
    Ok(value)
}

/// The payload of [`FUTURE_OK`]: a value and, before it, its length.
#[derive(Debug, Clone, Copy)]
pub struct Value<T>(pub T);

impl<T: Encode> Encode for Value<T> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        self.0.encode_with_length(sink)
    }
}

impl Encode for Event<'_> {
    /// Writes the whole frame.
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        let none = Raw(&[]);
        match *self {
            Self::Ack { req_id } => Frame::event(ACK, req_id, 0, none).encode(sink),
            Self::Fail { req_id, refusal } => Frame::event(FAIL, req_id, 0, refusal).encode(sink),
            Self::Ok { future_id, value } => {
                Frame::event(FUTURE_OK, 0, future_id, Value(value)).encode(sink)
            }
            Self::Failed { future_id, failure } => {
                Frame::event(FUTURE_FAIL, 0, future_id, failure).encode(sink)
            }
            Self::Cancelled { future_id } => {
                Frame::event(FUTURE_CANCELLED, 0, future_id, none).encode(sink)
            }
            Self::JoinResult { req_id } => Frame::event(JOIN_RESULT, req_id, 0, none).encode(sink),
            Self::JoinLimit { req_id, refusal } => {
                Frame::event(JOIN_LIMIT, req_id, 0, refusal).encode(sink)
            }
            Self::Other { op } => Frame::event(op, 0, 0, none).encode(sink),
        }
    }
}
