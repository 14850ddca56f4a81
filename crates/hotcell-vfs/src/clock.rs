//! Times, and where they come from. This crate never asks the machine what time it is: a clock is passed in.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time: nanoseconds since 1970, negative before. Reaches from 1677 to 2262; what lies beyond saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The start of 1970.
    pub const EPOCH: Self = Self(0);

    /// From nanoseconds since 1970.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// From seconds since 1970 and nanoseconds after that.
    pub const fn from_parts(seconds: i64, nanos: u32) -> Self {
        Self(
            seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(nanos as i64),
        )
    }

    /// Nanoseconds since 1970.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000_000)
    }

    /// Nanoseconds after [`Self::seconds`].
    pub const fn subsec_nanos(self) -> u32 {
        // Below a thousand million, so that nothing is cut off.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the remainder is in 0..10^9"
        )]
        {
            self.0.rem_euclid(1_000_000_000) as u32
        }
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => Self(i64::try_from(after.as_nanos()).unwrap_or(i64::MAX)),
            Err(before) => {
                Self(i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos))
            }
        }
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        let distance = Duration::from_nanos(time.0.unsigned_abs());
        let moved = if time.0 < 0 {
            UNIX_EPOCH.checked_sub(distance)
        } else {
            UNIX_EPOCH.checked_add(distance)
        };
        moved.unwrap_or(UNIX_EPOCH)
    }
}

/// What a file system believes the time to be: the sandbox's clock policy.
#[derive(Clone, Default)]
pub enum Clock {
    /// No clock: every time is 1970. Two runs give the same tree.
    #[default]
    None,
    /// A clock that stands still.
    Fixed(Timestamp),
    /// A clock of the host's; the host decides whether it is the real one.
    Source(Arc<dyn Fn() -> Timestamp + Send + Sync>),
}

impl Clock {
    /// A clock that asks `now`, for example `|| SystemTime::now().into()`.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self::Source(Arc::new(now))
    }

    /// The time it shows.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::None => Timestamp::EPOCH,
            Self::Fixed(time) => *time,
            Self::Source(now) => now(),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Fixed(time) => f.debug_tuple("Fixed").field(time).finish(),
            Self::Source(_) => f.write_str("Source"),
        }
    }
}

/// One of a file's times, as [`set_times`](crate::Vfs::set_times) is to set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetTime {
    /// Leave it.
    #[default]
    Keep,
    /// What the file system's clock shows.
    Now,
    /// This time.
    At(Timestamp),
}

impl SetTime {
    pub(crate) const fn resolve(self, old: Timestamp, now: Timestamp) -> Timestamp {
        match self {
            Self::Keep => old,
            Self::Now => now,
            Self::At(time) => time,
        }
    }
}

/// What [`set_times`](crate::Vfs::set_times) is to do with a file's two settable times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When the file was last read.
    pub accessed: SetTime,
    /// When the content was last changed.
    pub modified: SetTime,
}

impl Times {
    /// Both to the same.
    pub const fn both(time: SetTime) -> Self {
        Self {
            accessed: time,
            modified: time,
        }
    }
}
