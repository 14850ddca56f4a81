//! Files without the machine.
//!
//! Code that a model wrote wants files. It gets a [`Vfs`]: a tree of files that looks like Linux's and is not the host's.

#![forbid(unsafe_code)]

mod clock;
mod error;
mod mem;
mod metadata;
mod path;
mod resolve;
mod vfs;
mod walk;

pub use clock::{Clock, SetTime, Times, Timestamp};
pub use error::{Errno, Fault, Result, VfsError};
pub use mem::{Limits, MemVfs, Snapshot};
pub use metadata::{DirEntry, FileType, Metadata, Usage};
pub use path::{PATH_MAX, VfsPath, VfsPathBuf};
pub use resolve::NAME_MAX;
pub use vfs::{DIR_MODE, FILE_MODE, OpenOptions, Vfs, VfsFile, WHOLE_FILE_MAX};
pub use walk::{Walk, WalkEntry};
