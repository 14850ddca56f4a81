//! The numbers and layouts of WASI preview 1, and of the draft before it (`wasi_unstable`), which old programs still speak.

mod errno;
mod flags;
mod layout;
mod rights;

pub(crate) use errno::{Errno, errno_of};
pub(crate) use flags::{
    CLOCK_ABSOLUTE, Clock, EventType, FdFlags, FileType, OpenFlags, SetTimes, follows_symlinks,
    signal_of,
};
pub(crate) use layout::{
    EVENT_SIZE, Event, FdStat, dirent_header, event, fdstat, filestat, prestat,
};
pub(crate) use rights::Rights;

/// Which version of the interface a program speaks. They differ in a few layouts and numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// `wasi_unstable`.
    Zero,
    /// `wasi_snapshot_preview1`.
    One,
}

impl Version {
    /// The name of the module that a program imports.
    pub(crate) const fn module(self) -> &'static str {
        match self {
            Self::Zero => "wasi_unstable",
            Self::One => "wasi_snapshot_preview1",
        }
    }
}
