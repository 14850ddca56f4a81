//! The descriptors of a program.
//!
//! A program has a table of its own, and what it closes is closed: the process around it keeps nothing of it open but
//! standard error.

use std::sync::Arc;

use hotcell_meter::Charge;
use hotcell_process::Stream;
use hotcell_vfs::{DirEntry, VfsFile, VfsPathBuf};

use crate::abi::{Errno, FdFlags, FileType, Rights};

/// What a number refers to.
pub(crate) struct Descriptor {
    pub(crate) target: Target,
    pub(crate) rights: Rights,
    /// What those get that are opened below it.
    pub(crate) inheriting: Rights,
    pub(crate) flags: FdFlags,
}

pub(crate) enum Target {
    /// A file, a pipe, the host's own streams.
    Stream(Arc<dyn Stream>),
    Directory(Directory),
}

/// An open directory. The file system goes by names, so it is known by the one that it was opened by.
pub(crate) struct Directory {
    pub(crate) place: Place,
    /// What `fd_readdir` is in the middle of.
    pub(crate) listing: Option<Listing>,
}

/// Where paths begin.
#[derive(Clone)]
pub(crate) enum Place {
    /// The directory `/`, which a program has from the beginning.
    Root,
    /// The working directory, likewise.
    Here,
    /// A directory that was opened, without links in its path. Names are changed: `file` says whether it is still there.
    Opened {
        path: VfsPathBuf,
        file: Arc<dyn VfsFile>,
    },
}

impl Place {
    /// What a program knows it by from the beginning.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Root => Some("/"),
            Self::Here => Some("."),
            Self::Opened { .. } => None,
        }
    }
}

/// The names in a directory as they were when it was read from the start.
pub(crate) struct Listing {
    pub(crate) entries: Vec<DirEntry>,
    pub(crate) _charge: Charge,
}

impl Descriptor {
    /// A stream that was there when the program began, or that another path names.
    pub(crate) fn inherited(stream: Arc<dyn Stream>) -> Self {
        let is_file = stream.file().is_some_and(|file| file.is_seekable());
        let rights = if is_file {
            Rights::FILE
        } else {
            Rights::STREAM
        };
        Self {
            target: Target::Stream(stream),
            rights,
            inheriting: Rights::from_bits(0),
            flags: FdFlags::default(),
        }
    }

    /// A directory that the program has from the beginning.
    pub(crate) fn preopened(place: Place) -> Self {
        Self {
            target: Target::Directory(Directory {
                place,
                listing: None,
            }),
            rights: Rights::DIRECTORY,
            inheriting: Rights::ALL,
            flags: FdFlags::default(),
        }
    }

    pub(crate) fn directory(&self) -> Result<&Directory, Errno> {
        match &self.target {
            Target::Directory(directory) => Ok(directory),
            Target::Stream(_) => Err(Errno::Notdir),
        }
    }

    pub(crate) fn stream(&self) -> Result<&Arc<dyn Stream>, Errno> {
        match &self.target {
            Target::Stream(stream) => Ok(stream),
            Target::Directory(_) => Err(Errno::Isdir),
        }
    }

    /// The file behind it, for what is done at offsets.
    pub(crate) fn file(&self) -> Result<&Arc<dyn VfsFile>, Errno> {
        let file = self.stream()?.file().ok_or(Errno::Spipe)?;
        if !file.is_seekable() {
            return Err(Errno::Spipe);
        }
        Ok(file)
    }

    /// What kind of file it is, as far as programs care: whether a person sits at it, above all.
    pub(crate) fn kind(&self) -> FileType {
        match &self.target {
            Target::Directory(_) => FileType::Directory,
            Target::Stream(stream) if stream.is_terminal() => FileType::CharacterDevice,
            Target::Stream(stream) => stream
                .metadata()
                .map_or(FileType::Unknown, |metadata| metadata.kind.into()),
        }
    }
}

/// The table.
pub(crate) struct Fds {
    descriptors: Vec<Option<Descriptor>>,
    limit: usize,
}

impl Fds {
    /// A table for at most `limit` descriptors.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            descriptors: Vec::new(),
            limit,
        }
    }

    /// Puts one at a number, at the beginning.
    pub(crate) fn put(&mut self, fd: u32, descriptor: Descriptor) {
        let index = fd as usize;
        if self.descriptors.len() <= index {
            self.descriptors.resize_with(index + 1, || None);
        }
        if let Some(place) = self.descriptors.get_mut(index) {
            *place = Some(descriptor);
        }
    }

    pub(crate) fn get(&self, fd: u32) -> Result<&Descriptor, Errno> {
        let found = self.descriptors.get(fd as usize);
        found.and_then(Option::as_ref).ok_or(Errno::Badf)
    }

    pub(crate) fn get_mut(&mut self, fd: u32) -> Result<&mut Descriptor, Errno> {
        let found = self.descriptors.get_mut(fd as usize);
        found.and_then(Option::as_mut).ok_or(Errno::Badf)
    }

    /// One that may be used for this.
    pub(crate) fn with(&self, fd: u32, needed: Rights) -> Result<&Descriptor, Errno> {
        let descriptor = self.get(fd)?;
        descriptor.rights.check(needed)?;
        Ok(descriptor)
    }

    /// Gives it the lowest number that is free.
    pub(crate) fn add(&mut self, descriptor: Descriptor) -> Result<u32, Errno> {
        let free = self.descriptors.iter().position(Option::is_none);
        let index = free.unwrap_or(self.descriptors.len());
        if index >= self.limit {
            return Err(Errno::Mfile);
        }
        let fd = u32::try_from(index).map_err(|_| Errno::Mfile)?;
        self.put(fd, descriptor);
        Ok(fd)
    }

    /// Whether another one could be added.
    pub(crate) fn has_room(&self) -> bool {
        self.descriptors.len() < self.limit || self.descriptors.iter().any(Option::is_none)
    }

    /// Takes one out.
    pub(crate) fn close(&mut self, fd: u32) -> Result<Descriptor, Errno> {
        let place = self.descriptors.get_mut(fd as usize);
        place.and_then(Option::take).ok_or(Errno::Badf)
    }

    /// Lets `to` refer to what `from` did; `from` is closed. Both are open.
    pub(crate) fn renumber(&mut self, from: u32, to: u32) -> Result<(), Errno> {
        self.get(from)?;
        self.get(to)?;
        if from != to {
            let moved = self.close(from)?;
            // What was there is closed here.
            self.put(to, moved);
        }
        Ok(())
    }
}
