//! Chunk schedules: reads that end early on purpose.
//!
//! A guest must not depend on how much a read gives. A schedule decides that, for tests: what a guest makes of its input has
//! to be the same under all of them.

use std::{
    collections::{BTreeMap, VecDeque},
    io::Read as _,
    str::FromStr,
    task::{Context, Poll},
};

use crate::{session::Session, stream::length};

/// How much a read gives at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Everything that is there.
    All,
    /// One byte.
    Byte,
    /// 1, 2, 4, 8 … bytes up to 4096, and again.
    Pow2,
    /// Up to the next carriage return or line feed, so that `\r\n` is torn apart.
    Crlf,
    /// From 1 to 64 bytes by chance, the same for the same seed.
    Random(u64),
}

/// A schedule has no such name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown schedule: use all, byte, pow2, crlf, random or random:SEED")]
pub struct UnknownSchedule;

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, UnknownSchedule> {
        match text {
            "all" => Ok(Self::All),
            "byte" => Ok(Self::Byte),
            "pow2" => Ok(Self::Pow2),
            "crlf" => Ok(Self::Crlf),
            "random" => Ok(Self::Random(1)),
            _ => {
                let seed = text.strip_prefix("random:").ok_or(UnknownSchedule)?;
                seed.parse().map(Self::Random).map_err(|_| UnknownSchedule)
            }
        }
    }
}

/// How much is read ahead of what a schedule gives.
const AHEAD: usize = 4096;

/// Gives reads out by a schedule.
pub(crate) struct Chunks {
    schedule: Schedule,
    /// What was read and not given yet, by handle.
    ahead: BTreeMap<u32, VecDeque<u8>>,
    reads: u32,
    random: u64,
}

impl Chunks {
    pub(crate) fn new(schedule: Schedule) -> Self {
        let random = match schedule {
            Schedule::Random(seed) => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            _ => 1,
        };
        Self {
            schedule,
            ahead: BTreeMap::new(),
            reads: 0,
            random,
        }
    }

    /// A read: what is there is read ahead, and given in its pieces.
    pub(crate) fn poll_read(
        &mut self,
        session: &mut Session,
        context: &mut Context<'_>,
        handle: u32,
        buf: &mut [u8],
    ) -> Poll<i32> {
        if let Some(count) = self.take(handle, buf) {
            return Poll::Ready(length(count));
        }
        let mut ahead = [0; AHEAD];
        session.poll_read(context, handle, &mut ahead).map(|count| {
            let read = usize::try_from(count).unwrap_or(0);
            if read == 0 {
                return count;
            }
            self.put(handle, ahead.get(..read).unwrap_or_default());
            length(self.take(handle, buf).unwrap_or(0))
        })
    }

    /// Keeps what was read for a handle.
    fn put(&mut self, handle: u32, bytes: &[u8]) {
        self.ahead.entry(handle).or_default().extend(bytes);
    }

    /// Gives what the schedule says; `None` if nothing was read ahead.
    fn take(&mut self, handle: u32, buf: &mut [u8]) -> Option<usize> {
        let most = self.ahead.get(&handle).map(|ahead| self.chunk(ahead))?;
        self.reads = self.reads.wrapping_add(1);
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let ahead = self.ahead.get_mut(&handle)?;
        let length = most.min(buf.len());
        // Reading from a deque does not fail.
        let count = ahead.read(buf.get_mut(..length)?).unwrap_or(0);
        if ahead.is_empty() {
            self.ahead.remove(&handle);
        }
        Some(count)
    }

    /// How much of what is there is given; at least a byte.
    fn chunk(&self, ahead: &VecDeque<u8>) -> usize {
        match self.schedule {
            Schedule::All => ahead.len(),
            Schedule::Byte => 1,
            Schedule::Pow2 => 1 << (self.reads % 13),
            Schedule::Crlf => {
                let end = ahead.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                end.map_or(ahead.len(), |index| index + 1)
            }
            Schedule::Random(_) => 1 + usize::try_from(self.random % 64).unwrap_or(0),
        }
    }
}
