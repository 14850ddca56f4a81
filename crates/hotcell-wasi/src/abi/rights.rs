//! What a descriptor may be used for.

use std::ops::{BitAnd, BitOr};

use super::Errno;

/// A set of rights. A descriptor has those that its kind makes sense for, as far as whoever opened it asked for them; it
/// can give rights up, and what is opened below a directory has none that the directory does not hand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rights(u64);

macro_rules! rights {
    ($($name:ident = $bit:literal;)*) => {
        impl Rights {
            $(pub(crate) const $name: Self = Self(1 << $bit);)*
        }
    };
}

rights! {
    FD_DATASYNC = 0; FD_READ = 1; FD_SEEK = 2; FD_FDSTAT_SET_FLAGS = 3; FD_SYNC = 4; FD_TELL = 5; FD_WRITE = 6;
    FD_ADVISE = 7; FD_ALLOCATE = 8; PATH_CREATE_DIRECTORY = 9; PATH_CREATE_FILE = 10; PATH_LINK_SOURCE = 11;
    PATH_LINK_TARGET = 12; PATH_OPEN = 13; FD_READDIR = 14; PATH_READLINK = 15; PATH_RENAME_SOURCE = 16;
    PATH_RENAME_TARGET = 17; PATH_FILESTAT_GET = 18; PATH_FILESTAT_SET_SIZE = 19; PATH_FILESTAT_SET_TIMES = 20;
    FD_FILESTAT_GET = 21; FD_FILESTAT_SET_SIZE = 22; FD_FILESTAT_SET_TIMES = 23; PATH_SYMLINK = 24;
    PATH_REMOVE_DIRECTORY = 25; PATH_UNLINK_FILE = 26; POLL_FD_READWRITE = 27;
}

impl Rights {
    /// All that there are.
    pub(crate) const ALL: Self = Self((1 << 30) - 1);

    /// Those of a pipe or a terminal. C libraries take what cannot be sought in for one.
    pub(crate) const STREAM: Self = Self(
        Self::FD_READ.0
            | Self::FD_WRITE.0
            | Self::FD_FDSTAT_SET_FLAGS.0
            | Self::FD_FILESTAT_GET.0
            | Self::FD_FILESTAT_SET_TIMES.0
            | Self::FD_SYNC.0
            | Self::FD_DATASYNC.0
            | Self::POLL_FD_READWRITE.0,
    );

    /// Those of a file.
    pub(crate) const FILE: Self = Self(
        Self::STREAM.0
            | Self::FD_SEEK.0
            | Self::FD_TELL.0
            | Self::FD_ADVISE.0
            | Self::FD_ALLOCATE.0
            | Self::FD_FILESTAT_SET_SIZE.0,
    );

    /// Those of a directory.
    pub(crate) const DIRECTORY: Self = Self(
        Self::FD_FDSTAT_SET_FLAGS.0
            | Self::FD_SYNC.0
            | Self::FD_ADVISE.0
            | Self::PATH_CREATE_DIRECTORY.0
            | Self::PATH_CREATE_FILE.0
            | Self::PATH_LINK_SOURCE.0
            | Self::PATH_LINK_TARGET.0
            | Self::PATH_OPEN.0
            | Self::FD_READDIR.0
            | Self::PATH_READLINK.0
            | Self::PATH_RENAME_SOURCE.0
            | Self::PATH_RENAME_TARGET.0
            | Self::PATH_FILESTAT_GET.0
            | Self::PATH_FILESTAT_SET_SIZE.0
            | Self::PATH_FILESTAT_SET_TIMES.0
            | Self::FD_FILESTAT_GET.0
            | Self::FD_FILESTAT_SET_TIMES.0
            | Self::PATH_SYMLINK.0
            | Self::PATH_REMOVE_DIRECTORY.0
            | Self::PATH_UNLINK_FILE.0
            | Self::POLL_FD_READWRITE.0,
    );

    /// What a program asks for; bits that mean nothing are dropped.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits & Self::ALL.0)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    pub(crate) const fn has(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    pub(crate) const fn has_any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Refuses what the rights do not cover. Reading what was not opened for reading is what POSIX calls a bad descriptor.
    pub(crate) const fn check(self, needed: Self) -> Result<(), Errno> {
        if self.has(needed) {
            return Ok(());
        }
        if needed.has_any(Self(Self::FD_READ.0 | Self::FD_WRITE.0)) {
            return Err(Errno::Badf);
        }
        Err(Errno::Notcapable)
    }
}

impl BitAnd for Rights {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Rights {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
