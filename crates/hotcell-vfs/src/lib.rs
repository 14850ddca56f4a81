//! Files without the machine.
//!
//! Code that a model wrote wants files. It gets a [`Vfs`]: a tree of files that looks like Linux's and is not the host's.

#![forbid(unsafe_code)]

mod backend;
mod clock;
mod dev;
mod error;
mod fixed;
#[cfg(unix)]
mod host;
mod links;
mod mem;
mod metadata;
mod mount;
mod overlay;
mod path;
mod proc;
mod resolve;
mod rules;
mod tar;
mod vfs;
mod view;
mod walk;

pub use backend::Backend;
pub use clock::{Clock, SetTime, Times, Timestamp};
pub use dev::{DevOptions, RandomSource, dev};
pub use error::{Errno, Fault, Result, VfsError};
pub use fixed::{Device, FixedVfs};
#[cfg(unix)]
pub use host::{Access, HostVfs};
pub use links::LinkPolicy;
pub use mem::{Limits, MemVfs, Snapshot};
pub use metadata::{DirEntry, FileType, Metadata, Usage};
pub use mount::MountVfs;
pub use overlay::{Change, ChangeKind, OverlayVfs, Overwrite};
pub use path::{PATH_MAX, VfsPath, VfsPathBuf};
pub use proc::{ProcState, proc};
pub use resolve::NAME_MAX;
pub use tar::{TarCount, TarLimits, export_tar, import_tar};
pub use vfs::{DIR_MODE, FILE_MODE, OpenOptions, Vfs, VfsFile, WHOLE_FILE_MAX};
pub use view::View;
pub use walk::{Walk, WalkEntry};
