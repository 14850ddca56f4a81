//! Any file system, for paths that somebody else has resolved.

use std::sync::Arc;

use crate::clock::Times;
use crate::error::Fault;
use crate::file::VfsFile;
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::vfs::Vfs;

/// Any file system used as a [`Backend`](crate::Backend), for paths that somebody else has resolved.
///
/// Its operations are those of the trait. Links on the way are refused where the file system can tell, see
/// [`Backend::is_exact`](crate::Backend::is_exact).
pub struct Direct(pub Arc<dyn Vfs>);

/// Calls the backend if the file system is one, and else the operation of the same name.
macro_rules! direct {
    ($self:ident, $op:ident ( $($arg:expr),* )) => {
        direct!($self, $op($($arg),*), $op($($arg),*))
    };
    ($self:ident, $op:ident ( $($arg:expr),* ), $other:ident ( $($more:expr),* )) => {
        match $self.0.as_backend() {
            Some(backend) => backend.$op($($arg),*),
            None => $self.0.$other($($more),*).map_err(Fault::from),
        }
    };
}

impl Direct {
    /// As the operation of [`Backend`](crate::Backend).
    pub fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        direct!(self, lstat(path))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        match self.0.as_backend() {
            Some(backend) => backend.readlink(path),
            None => Ok(self.0.readlink(path)?.into_bytes()),
        }
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        direct!(self, readdir(path))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        let options = options.no_follow();
        direct!(self, open(path, &options))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        direct!(self, mkdir(path, mode))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        direct!(self, rmdir(path))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        direct!(self, unlink(path))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        direct!(self, rename(from, to))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        direct!(self, symlink(target, link))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        direct!(self, mkfifo(path, mode))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        direct!(self, link(existing, new))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        direct!(self, chmod(path, mode))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        direct!(self, set_times(path, times), set_times(path, times, false))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        self.0.as_backend()?.write_file(path, data)
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn copy(&self, from: &VfsPath, to: &VfsPath) -> Option<Result<u64, Fault>> {
        match self.0.as_backend() {
            Some(backend) => backend.copy(from, to),
            None => Some(self.0.copy(from, to).map_err(Fault::from)),
        }
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn is_exact(&self, path: &VfsPath) -> bool {
        self.0
            .as_backend()
            .is_some_and(|backend| backend.is_exact(path))
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn usage(&self) -> Usage {
        self.0.usage()
    }

    /// As the operation of [`Backend`](crate::Backend).
    pub fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(self.0.fork_dyn()?)
    }
}
