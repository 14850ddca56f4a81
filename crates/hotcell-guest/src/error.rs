//! What can go wrong for a guest.

use core::fmt;

use hotcell_hopper::{
    Full, Malformed,
    failure::{Failure, Refusal},
};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The host refused, or failed.
    Failed(Failed),
    /// The future was given up: its time was over, or the hub ended.
    Cancelled,
    /// The host's answer is not what it should be.
    Malformed,
    /// A request does not fit the buffer, or an answer does not.
    TooLarge,
    /// A stream cannot be read or written: it is of the other direction, it has ended, or guest and program would wait for
    /// each other.
    Stream,
    /// The host takes no more requests now: read what it has to say, and try again.
    Full,
}

/// Why the host refused, or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// The stable part.
    pub trace: Trace,
}

/// A code such as `t_exec_not_allowed`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    bytes: [u8; Self::MAX],
    length: usize,
}

impl Trace {
    /// The longest code that is kept.
    const MAX: usize = 48;

    fn new(code: &str) -> Self {
        let mut bytes = [0; Self::MAX];
        let length = code.len().min(Self::MAX);
        let (to, from) = (bytes.get_mut(..length), code.as_bytes().get(..length));
        if let (Some(to), Some(from)) = (to, from) {
            to.copy_from_slice(from);
        }
        Self { bytes, length }
    }

    /// The code as a text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        // Codes are letters, digits and underscores; they were read as such.
        core::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failed) => write!(f, "the host failed: {:?}", failed.trace),
            Self::Cancelled => f.write_str("the request was given up"),
            Self::Malformed => f.write_str("the host's answer has not the right form"),
            Self::TooLarge => f.write_str("a request or an answer does not fit the buffer"),
            Self::Stream => f.write_str("the stream cannot be read or written"),
            Self::Full => f.write_str("the host takes no more requests now"),
        }
    }
}

impl core::error::Error for Error {}

impl From<Malformed> for Error {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<Full> for Error {
    fn from(_: Full) -> Self {
        Self::TooLarge
    }
}

impl From<Failure<'_>> for Error {
    fn from(failure: Failure<'_>) -> Self {
        Self::Failed(Failed {
            trace: Trace::new(failure.trace),
        })
    }
}

impl From<Refusal<'_>> for Error {
    fn from(refusal: Refusal<'_>) -> Self {
        Self::Failed(Failed {
            trace: Trace::new(refusal.code),
        })
    }
}
