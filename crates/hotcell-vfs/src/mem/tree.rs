//! The tree of a file system in memory: a table of files that copies share until one of them changes.
//!
//! A directory maps names to numbers, the table maps numbers to files. Both are persistent maps, so cloning a [`Tree`]
//! costs a few counters, and changing a clone copies only what lies on the way to the change. Nothing here locks:
//! whoever holds a `Tree` holds it alone.

mod check;
mod edit;
mod image;
mod rename;

use std::collections::HashMap;
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::content::Content;
use super::limits::Limits;
use crate::clock::Timestamp;
use crate::error::{Errno, Fault};
use crate::metadata::{DIR_SIZE, DirEntry, FileType, Metadata};
use crate::path::VfsPath;
use crate::resolve::{Follow, Found, Graph, Route, Spot, walk};

pub(super) type Ino = u64;
pub(super) const ROOT: Ino = 1;
/// The device number of a file system on its own; a namespace numbers its mounts.
const DEV: u64 = 1;

#[derive(Clone)]
pub(super) struct Tree {
    files: OrdMap<Ino, Arc<Inode>>,
    /// Files without a name that somebody still has open.
    orphans: OrdSet<Ino>,
    used: Used,
    next: Ino,
    name_max: usize,
}

/// What counts against the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) bytes: u64,
    pub(super) files: u64,
    pub(super) links: u64,
}

#[derive(Clone)]
pub(super) struct Inode {
    pub(super) body: Body,
    pub(super) mode: u32,
    pub(super) nlink: u64,
    pub(super) accessed: Timestamp,
    pub(super) modified: Timestamp,
    pub(super) changed: Timestamp,
}

#[derive(Clone)]
pub(super) enum Body {
    File(Content),
    Dir(OrdMap<Arc<[u8]>, Entry>),
    Symlink(Arc<[u8]>),
    Fifo,
}

#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) ino: Ino,
    pub(super) kind: FileType,
}

/// What an operation needs to know beyond the tree.
pub(super) struct Context<'a> {
    pub(super) limits: &'a Limits,
    pub(super) now: Timestamp,
    /// How often each file is open.
    pub(super) opens: &'a HashMap<Ino, u64>,
}

impl Body {
    pub(super) const fn kind(&self) -> FileType {
        match self {
            Self::File(_) => FileType::File,
            Self::Dir(_) => FileType::Dir,
            Self::Symlink(_) => FileType::Symlink,
            Self::Fifo => FileType::Fifo,
        }
    }

    /// The same as [`Self::stored`], counted again.
    fn recount(&self) -> u64 {
        match self {
            Self::File(content) => content.recount(),
            other => other.stored(),
        }
    }

    /// What it counts against the limit of bytes.
    fn stored(&self) -> u64 {
        match self {
            Self::File(content) => content.stored(),
            Self::Dir(_) | Self::Fifo => 0,
            Self::Symlink(target) => target.len() as u64,
        }
    }
}

impl Inode {
    pub(super) fn content(&self) -> Result<&Content, Fault> {
        match &self.body {
            Body::File(content) => Ok(content),
            Body::Dir(_) => Err(Errno::EISDIR.into()),
            Body::Symlink(_) => Err(Errno::EINVAL.into()),
            Body::Fifo => Err(no_content()),
        }
    }

    fn content_mut(&mut self) -> Result<&mut Content, Fault> {
        match &mut self.body {
            Body::File(content) => Ok(content),
            Body::Dir(_) => Err(Errno::EISDIR.into()),
            Body::Symlink(_) => Err(Errno::EINVAL.into()),
            Body::Fifo => Err(no_content()),
        }
    }

    fn entries(&self) -> Result<&OrdMap<Arc<[u8]>, Entry>, Fault> {
        match &self.body {
            Body::Dir(entries) => Ok(entries),
            _ => Err(Errno::ENOTDIR.into()),
        }
    }

    fn entries_mut(&mut self) -> Result<&mut OrdMap<Arc<[u8]>, Entry>, Fault> {
        match &mut self.body {
            Body::Dir(entries) => Ok(entries),
            _ => Err(Errno::ENOTDIR.into()),
        }
    }
}

impl Tree {
    pub(super) fn new(now: Timestamp, name_max: usize) -> Self {
        let root = Inode {
            body: Body::Dir(OrdMap::new()),
            mode: crate::vfs::DIR_MODE,
            nlink: 2,
            accessed: now,
            modified: now,
            changed: now,
        };
        Self {
            files: OrdMap::unit(ROOT, Arc::new(root)),
            orphans: OrdSet::new(),
            used: Used::default(),
            next: ROOT + 1,
            name_max,
        }
    }

    /// The same tree for a file system in which nothing is open.
    pub(super) fn fork(&self) -> Self {
        let mut fork = self.clone();
        for orphan in &self.orphans {
            fork.forget(*orphan);
        }
        fork.orphans = OrdSet::new();
        fork
    }

    pub(super) const fn used(&self) -> Used {
        self.used
    }

    /// The number the next file will have: it only grows, also when an older state comes back.
    pub(super) const fn next(&self) -> Ino {
        self.next
    }

    pub(super) fn skip_to(&mut self, next: Ino) {
        self.next = self.next.max(next);
    }

    pub(super) fn inode(&self, ino: Ino) -> Result<&Inode, Fault> {
        self.files
            .get(&ino)
            .map(|inode| &**inode)
            .ok_or_else(|| Errno::ESTALE.into())
    }

    fn inode_mut(&mut self, ino: Ino) -> Result<&mut Inode, Fault> {
        self.files
            .get_mut(&ino)
            .map(Arc::make_mut)
            .ok_or_else(|| Errno::ESTALE.into())
    }

    pub(super) fn walk(&self, path: Route<'_>, follow: Follow) -> Result<Spot<Ino>, Fault> {
        walk(self, path, follow)
    }

    /// The file at `path`.
    pub(super) fn find(&self, path: Route<'_>, follow: Follow) -> Result<Ino, Fault> {
        Ok(self.walk(path, follow)?.existing()?.node)
    }

    pub(super) fn metadata(&self, ino: Ino) -> Result<Metadata, Fault> {
        let inode = self.inode(ino)?;
        let stored = inode.body.stored();
        let (size, allocated) = match &inode.body {
            Body::File(content) => (content.size(), stored),
            Body::Dir(_) => (DIR_SIZE, DIR_SIZE),
            Body::Symlink(target) => (target.len() as u64, stored),
            Body::Fifo => (0, stored),
        };
        Ok(Metadata {
            kind: inode.body.kind(),
            dev: DEV,
            ino,
            nlink: inode.nlink,
            mode: inode.mode,
            size,
            allocated,
            accessed: inode.accessed,
            modified: inode.modified,
            changed: inode.changed,
        })
    }

    /// Whether a file is a named pipe.
    pub(super) fn is_fifo(&self, ino: Ino) -> bool {
        self.inode(ino)
            .is_ok_and(|inode| matches!(inode.body, Body::Fifo))
    }

    pub(super) fn readdir(&self, path: Route<'_>) -> Result<Vec<DirEntry>, Fault> {
        let dir = self.inode(self.find(path, Follow::Always)?)?;
        let entry = |(name, entry): (&Arc<[u8]>, &Entry)| DirEntry {
            name: name.to_vec(),
            kind: entry.kind,
            ino: entry.ino,
        };
        Ok(dir.entries()?.iter().map(entry).collect())
    }

    pub(super) fn readlink(&self, path: Route<'_>) -> Result<Vec<u8>, Fault> {
        match &self.inode(self.find(path, Follow::IfSlash)?)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            _ => Err(Fault::new(Errno::EINVAL, "not a symbolic link")),
        }
    }
}

fn no_content() -> Fault {
    let detail = "a named pipe is only a name here: processes meet at it";
    Fault::new(Errno::ENXIO, detail)
}

impl Graph for Tree {
    type Node = Ino;

    fn root(&self) -> Ino {
        ROOT
    }

    fn child(&self, dir: &Ino, name: &[u8], _path: &VfsPath) -> Result<Option<Found<Ino>>, Fault> {
        let entry = self.inode(*dir)?.entries()?.get(name);
        Ok(entry.map(|entry| Found {
            node: entry.ino,
            kind: entry.kind,
        }))
    }

    fn target(&self, link: &Ino, _path: &VfsPath) -> Result<Vec<u8>, Fault> {
        match &self.inode(*link)?.body {
            Body::Symlink(target) => Ok(target.to_vec()),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn name_max(&self) -> usize {
        self.name_max
    }
}
