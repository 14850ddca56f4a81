//! What `stat` and `readdir` tell.

use crate::clock::Timestamp;
use crate::path::VfsPath;

/// What kind of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileType {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A character device, such as `/dev/null`.
    CharDevice,
    /// A block device; only host directories have them, and they cannot be opened.
    BlockDevice,
    /// A named pipe. Those in memory are for processes of the sandbox to meet at; those of the host cannot be opened.
    Fifo,
    /// A socket; only host directories have them, and they cannot be opened.
    Socket,
}

impl FileType {
    /// Whether it is a regular file.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File)
    }

    /// Whether it is a directory.
    pub const fn is_dir(self) -> bool {
        matches!(self, Self::Dir)
    }

    /// Whether it is a symbolic link.
    pub const fn is_symlink(self) -> bool {
        matches!(self, Self::Symlink)
    }
}

/// What is known about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileType,
    /// Which file system it is on. With `ino` it tells whether two names are the same file.
    pub dev: u64,
    /// Its number on that file system; never used again for another file.
    pub ino: u64,
    /// How many names it has. A directory counts itself and its subdirectories, as on Linux.
    pub nlink: u64,
    /// Permission bits (`0o7777`). Stored and reported; nothing is refused because of them.
    pub mode: u32,
    /// Length of the content in bytes; of a symbolic link, of its target.
    pub size: u64,
    /// Bytes that are stored for it: less than `size` if the file has holes.
    pub allocated: u64,
    /// Last read, as far as somebody recorded it: reading does not change it.
    pub accessed: Timestamp,
    /// Last change of the content.
    pub modified: Timestamp,
    /// Last change of content or metadata.
    pub changed: Timestamp,
}

impl Metadata {
    /// Whether it is a regular file.
    pub const fn is_file(&self) -> bool {
        self.kind.is_file()
    }

    /// Whether it is a directory.
    pub const fn is_dir(&self) -> bool {
        self.kind.is_dir()
    }

    /// Whether it is a symbolic link.
    pub const fn is_symlink(&self) -> bool {
        self.kind.is_symlink()
    }
}

/// What a directory says of its size and of what it takes on disk, as most of Linux's file systems do: scripts take one
/// without any size for broken.
pub(crate) const DIR_SIZE: u64 = 4096;

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name: any bytes but `/` and NUL.
    pub name: Vec<u8>,
    /// What it stands for; a symbolic link is not followed.
    pub kind: FileType,
    /// The number of the file it stands for.
    pub ino: u64,
}

impl DirEntry {
    /// The name as a relative path.
    pub fn path(&self) -> &VfsPath {
        VfsPath::new(&self.name)
    }
}

/// How much a file system holds, and how much it may. `None` means no limit, or none that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of content that are stored: each file once however many names it has, holes not at all.
    pub bytes: u64,
    /// Files, directories and symbolic links, without the root; files that are gone but open count until closed.
    pub files: u64,
    /// Hard links: names beyond a file's first.
    pub links: u64,
    /// The most bytes.
    pub max_bytes: Option<u64>,
    /// The most files.
    pub max_files: Option<u64>,
    /// How often something was refused because of a limit.
    pub refusals: u64,
}
