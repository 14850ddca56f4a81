//! How to open a file.

use crate::vfs::FILE_MODE;

/// How to open a file.
///
/// ```
/// # use hotcell_vfs::{MemVfs, OpenOptions, Vfs, VfsPath};
/// # let vfs = MemVfs::new();
/// let log = vfs.open(VfsPath::new("/log"), &OpenOptions::append().create())?;
/// log.append(b"one\n")?;
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of open(2)")]
pub struct OpenOptions {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Every write goes to the end.
    pub append: bool,
    /// Create the file if there is none.
    pub create: bool,
    /// Create the file, and fail with `EEXIST` if there is one (or a symbolic link).
    pub create_new: bool,
    /// Throw the content away.
    pub truncate: bool,
    /// Fail with `ELOOP` if the last name is a symbolic link.
    pub no_follow: bool,
    /// Fail with `ENOTDIR` if it is not a directory.
    pub directory: bool,
    /// Permission bits of a file that is created.
    pub mode: u32,
}

impl OpenOptions {
    const CLOSED: Self = Self {
        read: false,
        write: false,
        append: false,
        create: false,
        create_new: false,
        truncate: false,
        no_follow: false,
        directory: false,
        mode: FILE_MODE,
    };

    /// Read an existing file.
    pub const fn read() -> Self {
        Self {
            read: true,
            ..Self::CLOSED
        }
    }

    /// Write an existing file.
    pub const fn write() -> Self {
        Self {
            write: true,
            ..Self::CLOSED
        }
    }

    /// Read and write an existing file.
    pub const fn read_write() -> Self {
        Self {
            read: true,
            write: true,
            ..Self::CLOSED
        }
    }

    /// Add to the end of an existing file.
    pub const fn append() -> Self {
        Self {
            write: true,
            append: true,
            ..Self::CLOSED
        }
    }

    /// Create the file if there is none.
    #[must_use]
    pub const fn create(self) -> Self {
        Self {
            create: true,
            ..self
        }
    }

    /// Create the file, and fail if there is one.
    #[must_use]
    pub const fn create_new(self) -> Self {
        Self {
            create: true,
            create_new: true,
            ..self
        }
    }

    /// Throw the content away.
    #[must_use]
    pub const fn truncate(self) -> Self {
        Self {
            truncate: true,
            ..self
        }
    }

    /// Fail if the last name is a symbolic link.
    #[must_use]
    pub const fn no_follow(self) -> Self {
        Self {
            no_follow: true,
            ..self
        }
    }

    /// Fail if it is not a directory.
    #[must_use]
    pub const fn directory(self) -> Self {
        Self {
            directory: true,
            ..self
        }
    }

    /// Permission bits of a file that is created.
    #[must_use]
    pub const fn mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// Whether the file may be changed through it.
    pub const fn writes(&self) -> bool {
        self.write || self.append
    }

    /// Whether opening alone may change something.
    pub const fn mutates(&self) -> bool {
        self.writes() || self.create || self.create_new || self.truncate
    }
}
