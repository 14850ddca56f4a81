//! Files without the machine.
//!
//! Code that a model wrote wants files. It gets a [`Vfs`]: a tree of files that behaves as Linux's does, down to the error
//! codes, and is not the host's.
//!
//! ```
//! use std::sync::Arc;
//! use hotcell_vfs::{Clock, DevOptions, Limits, MemVfs, MountVfs, Vfs, VfsPath, dev};
//!
//! let limits = Limits { bytes: 16 << 20, files: 10_000, ..Limits::default() };
//! let tree = MountVfs::new(Arc::new(MemVfs::with(limits, Clock::None)));
//! tree.mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))?;
//!
//! tree.mkdir_all(VfsPath::new("/work/src"), 0o755)?;
//! tree.write_file(VfsPath::new("/work/src/main.js"), b"1 + 1")?;
//! let fork = tree.fork()?;
//! fork.unlink(VfsPath::new("/work/src/main.js"))?;
//! assert!(tree.exists(VfsPath::new("/work/src/main.js")));
//! # Ok::<(), hotcell_vfs::VfsError>(())
//! ```
//!
//! # The parts
//!
//! - [`Vfs`] is what everybody sees, as `Arc<dyn Vfs>`; [`VfsFile`] is an open file, which outlives its name. Paths
//!   ([`VfsPath`]) are bytes. Errors ([`VfsError`]) are POSIX kinds with the operation, the path, and which limit was met.
//! - [`MemVfs`] keeps files in memory, in a persistent tree: a fork costs a few counters, however large the tree is.
//!   [`Limits`] bound it.
//! - [`HostVfs`] is a directory of the host, read-only or read-write. [`OverlayVfs`] lies on top of one (or of anything)
//!   and keeps changes to itself, until somebody lists, applies or exports them.
//! - [`FixedVfs`] holds what the host says and nobody changes; [`dev()`] and [`proc()`] are made of it.
//! - [`MountVfs`] puts several file systems into one tree. [`View`] shows a part of one.
//! - [`Walk`], [`export_tar`] and [`import_tar`] work on all of them. [`MemVfs::save`] and [`OverlayVfs::save`] are for
//!   ourselves, and lose nothing.
//! - [`Backend`] is for whoever adds another kind: it takes resolved paths, and the rest comes for free.
//!
//! # How a path becomes a file
//!
//! One walk, the same for all file systems, goes from the root name by name, and replaces each symbolic link by what it
//! says. It keeps the way it came, so `..` is a step back on it, and there is no step before the root. What comes out
//! is a path without links, and only such paths reach a file system. If a link appears on that path afterwards, the
//! operation fails: nobody wins by being quick.
//!
//! # What is promised, and to whom
//!
//! The guest is hostile. It chooses paths, names, link targets, offsets, lengths and archives, does so on many threads at
//! once, and may have other processes rename things under a mounted host directory meanwhile. Whatever it does:
//!
//! - it reads and writes nothing outside of the directories that were mounted, and changes nothing where
//!   [`Access::ReadOnly`] says so;
//! - it uses no more than the limits allow: they are checked before anything changes, and the count is exact;
//! - it gets an answer or an error, not a panic, and no operation recurses as deep as its input.
//!
//! Not promised: the guest is one user, so modes are stored and reported and nothing is refused because of them. A host
//! directory is mounted with all that is in it, also hard links to files that have other names elsewhere; and if a program
//! of the host moves a part of it elsewhere, an operation that is under way in that part ends where the part went. Files
//! of the host show the host's times; everywhere else the time is the [`Clock`]'s that was passed in. How many files may
//! be open at once is for whoever hands out the handles to say.

#![forbid(unsafe_code)]

mod backend;
mod clock;
mod dev;
mod direct;
mod error;
mod file;
mod fixed;
#[cfg(unix)]
mod host;
mod image;
mod links;
mod mem;
mod metadata;
mod mount;
mod options;
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
pub use direct::Direct;
pub use error::{Errno, Fault, Result, VfsError};
pub use file::{VfsFile, WHOLE_FILE_MAX};
pub use fixed::{Device, FixedVfs};
#[cfg(unix)]
pub use host::{Access, HostVfs};
pub use links::LinkPolicy;
pub use mem::{Limits, MemVfs, Snapshot};
pub use metadata::{DirEntry, FileType, Metadata, Usage};
pub use mount::MountVfs;
pub use options::OpenOptions;
pub use overlay::{Change, ChangeKind, OverlayVfs, Overwrite};
pub use path::{PATH_MAX, VfsPath, VfsPathBuf};
pub use proc::{ProcState, proc};
pub use resolve::{NAME_MAX, is_plain};
pub use tar::{TarCount, TarLimits, export_tar, import_tar};
pub use vfs::{DIR_MODE, FILE_MODE, Vfs};
pub use view::View;
pub use walk::{Walk, WalkEntry};
