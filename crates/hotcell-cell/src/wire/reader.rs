//! Reading what a guest wrote: every byte may be anything.

use std::fmt;

use hotcell_meter::{Pace, Stopped, Watch};

use super::{MAX_DEPTH, tag};
use crate::held::allocation;

/// Why a message is not a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// It ends too early, goes on too long, or says what cannot be.
    #[error("malformed value")]
    Malformed,
    /// Nesting beyond [`MAX_DEPTH`].
    #[error("value nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    /// It would take more memory than allowed.
    #[error("value too large")]
    TooLarge,
    /// A reference to an object that is not there.
    #[error("reference to an object that does not come before it")]
    Reference,
    /// The run had to end before it was read.
    #[error("the run has ended")]
    Stopped,
}

impl From<Stopped> for WireError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// How much memory a decoded message may take. A message of one byte per element would otherwise become a value of
/// thirty-two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget(pub(super) usize);

impl Budget {
    pub(crate) fn bytes(bytes: usize) -> Self {
        Self(bytes)
    }

    /// This, or less if there is less room.
    pub(crate) fn at_most(self, room: usize) -> Self {
        Self(self.0.min(room))
    }

    /// What has been spent if `left` is left.
    pub(crate) fn less(self, left: usize) -> usize {
        self.0.saturating_sub(left)
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), WireError> {
        self.0 = self.0.checked_sub(bytes).ok_or(WireError::TooLarge)?;
        Ok(())
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self(64 << 20)
    }
}

/// Reads a message from front to back.
///
/// The time it takes is in proportion to the message, and it asks as it goes whether there is still time.
pub(crate) struct Reader<'a> {
    pub(super) rest: &'a [u8],
    pub(super) budget: Budget,
    pub(super) pace: Pace<'a>,
    /// How many objects have begun.
    pub(super) objects: u32,
    pub(super) depth: u32,
}

impl<'a> Reader<'a> {
    /// For a message of the host's own.
    pub(crate) fn new(message: &'a [u8], budget: Budget) -> Self {
        Self::watched(message, budget, &hotcell_meter::Unwatched)
    }

    /// For a message of a guest's, in the time of its run.
    pub(crate) fn watched(message: &'a [u8], budget: Budget, watch: &'a dyn Watch) -> Self {
        Self {
            rest: message,
            budget,
            pace: Pace::new(watch),
            objects: 0,
            depth: 0,
        }
    }

    /// Everything must have been read.
    pub(crate) fn finish(&self) -> Result<(), WireError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(WireError::Malformed)
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        let (&byte, rest) = self.rest.split_first().ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(byte)
    }

    /// Skips the next byte if it is `expected`.
    pub(super) fn skip(&mut self, expected: u8) -> bool {
        let is = self.rest.first() == Some(&expected);
        if is {
            self.rest = &self.rest[1..];
        }
        is
    }

    /// Whether the value that should come is left out.
    pub(crate) fn absent(&mut self) -> bool {
        self.skip(tag::END)
    }

    pub(crate) fn number(&mut self) -> Result<u64, WireError> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(WireError::Malformed)
    }

    pub(super) fn size(&mut self) -> Result<usize, WireError> {
        usize::try_from(self.number()?).map_err(|_| WireError::Malformed)
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn double(&mut self) -> Result<f64, WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::Malformed)?;
        self.rest = rest;
        Ok(f64::from_le_bytes(*bytes))
    }

    /// A count of things of which each takes at least one byte, so that it can be believed.
    pub(super) fn count(&mut self) -> Result<usize, WireError> {
        let count = self.size()?;
        if count > self.rest.len() {
            Err(WireError::Malformed)
        } else {
            Ok(count)
        }
    }

    /// How much of the budget is left.
    pub(crate) fn left(&self) -> usize {
        self.budget.0
    }

    /// Room for `count` things, paid for before it is taken: what a message says of itself may be anything.
    pub(super) fn slots<T>(&mut self, count: usize) -> Result<Vec<T>, WireError> {
        let bytes = count.checked_mul(size_of::<T>());
        self.budget
            .spend(allocation(bytes.ok_or(WireError::TooLarge)?))?;
        Ok(Vec::with_capacity(count))
    }
}
