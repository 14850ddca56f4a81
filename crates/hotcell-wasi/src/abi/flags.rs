//! Flags and enumerations, from the numbers that a program passes.

use hotcell_process::Signal;
use hotcell_vfs::{SetTime, Times, Timestamp};

use super::Errno;

/// What kind of file something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileType {
    Unknown = 0,
    BlockDevice = 1,
    CharacterDevice = 2,
    Directory = 3,
    RegularFile = 4,
    SymbolicLink = 7,
    SocketStream = 6,
}

impl From<hotcell_vfs::FileType> for FileType {
    fn from(kind: hotcell_vfs::FileType) -> Self {
        use hotcell_vfs::FileType as Vfs;
        match kind {
            Vfs::File => Self::RegularFile,
            Vfs::Dir => Self::Directory,
            Vfs::Symlink => Self::SymbolicLink,
            Vfs::CharDevice => Self::CharacterDevice,
            Vfs::BlockDevice => Self::BlockDevice,
            // There is no number for pipes. To most C libraries a stream socket is one, too: those of 2023 and before have one
            // `S_IFMT` for both, and those after take it for something that has no offset.
            Vfs::Fifo | Vfs::Socket => Self::SocketStream,
            _ => Self::Unknown,
        }
    }
}

/// How a descriptor behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FdFlags(u16);

impl FdFlags {
    const APPEND: u16 = 1;
    const DSYNC: u16 = 1 << 1;
    const NONBLOCK: u16 = 1 << 2;
    const SYNC: u16 = 1 << 4;
    const ALL: u16 = (1 << 5) - 1;

    pub(crate) fn from_bits(bits: u32) -> Result<Self, Errno> {
        let bits = u16::try_from(bits).map_err(|_| Errno::Inval)?;
        if bits & !Self::ALL != 0 {
            return Err(Errno::Inval);
        }
        Ok(Self(bits))
    }

    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// Writes go to the end.
    pub(crate) const fn appends(self) -> bool {
        self.0 & Self::APPEND != 0
    }

    /// What would wait fails instead.
    pub(crate) const fn is_nonblocking(self) -> bool {
        self.0 & Self::NONBLOCK != 0
    }

    /// What was written is safe before the program goes on.
    pub(crate) const fn syncs(self) -> bool {
        self.0 & (Self::DSYNC | Self::SYNC) != 0
    }
}

/// How a path is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OpenFlags(u32);

impl OpenFlags {
    pub(crate) fn from_bits(bits: u32) -> Result<Self, Errno> {
        if bits & !0xf != 0 {
            return Err(Errno::Inval);
        }
        Ok(Self(bits))
    }

    pub(crate) const fn creates(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) const fn wants_directory(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) const fn is_exclusive(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) const fn truncates(self) -> bool {
        self.0 & 8 != 0
    }
}

/// Whether a symbolic link as the last name is followed, from the flags of a lookup.
pub(crate) fn follows_symlinks(lookup: u32) -> Result<bool, Errno> {
    match lookup {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Errno::Inval),
    }
}

/// Which times of a file are to be set, and to what.
pub(crate) struct SetTimes {
    pub(crate) accessed: u64,
    pub(crate) modified: u64,
    pub(crate) flags: u32,
}

impl SetTimes {
    pub(crate) fn times(&self) -> Result<Times, Errno> {
        if self.flags & !0xf != 0 {
            return Err(Errno::Inval);
        }
        let one = |shift: u32, time: u64| match self.flags >> shift & 3 {
            0 => Ok(SetTime::Keep),
            1 => {
                let nanos = i64::try_from(time).unwrap_or(i64::MAX);
                Ok(SetTime::At(Timestamp::from_nanos(nanos)))
            }
            2 => Ok(SetTime::Now),
            _ => Err(Errno::Inval),
        };
        Ok(Times {
            accessed: one(0, self.accessed)?,
            modified: one(2, self.modified)?,
        })
    }
}

/// A clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    Realtime,
    Monotonic,
    /// What the program has computed: it has one thread, so that both clocks for that are the same.
    Computing,
}

impl Clock {
    pub(crate) fn from_number(number: u32) -> Result<Self, Errno> {
        match number {
            0 => Ok(Self::Realtime),
            1 => Ok(Self::Monotonic),
            2 | 3 => Ok(Self::Computing),
            _ => Err(Errno::Inval),
        }
    }
}

/// The time of a subscription is one of the clock, not a distance.
pub(crate) const CLOCK_ABSOLUTE: u16 = 1;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventType {
    Clock = 0,
    Read = 1,
    Write = 2,
}

impl EventType {
    pub(crate) fn from_number(number: u8) -> Result<Self, Errno> {
        match number {
            0 => Ok(Self::Clock),
            1 => Ok(Self::Read),
            2 => Ok(Self::Write),
            _ => Err(Errno::Inval),
        }
    }
}

/// The signal of a number of WASI, which left out what Linux has between `SIGTERM` and `SIGCHLD`, and calls one otherwise.
pub(crate) fn signal_of(number: u32) -> Option<Signal> {
    let number = i32::try_from(number).ok()?;
    match number {
        1..=15 => Signal::from_number(number),
        16..=30 => Signal::from_number(number + 1),
        _ => None,
    }
}
