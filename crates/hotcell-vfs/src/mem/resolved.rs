//! The files of a [`MemVfs`](super::MemVfs) for whoever walked the path already: a namespace, a subtree, an overlay.
//!
//! A link that appears on the way between their walk and the operation is an error here, so that swapping
//! directories for links wins no race.

use std::sync::Arc;

use super::Shared;
use crate::backend::Backend;
use crate::clock::Times;
use crate::error::Fault;
use crate::file::VfsFile;
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::resolve::{Follow, Route};
use crate::vfs::Vfs;

pub(super) struct Resolved(pub(super) Arc<Shared>);

const fn exactly(path: &VfsPath) -> Route<'_> {
    Route {
        path,
        resolved: true,
    }
}

impl Backend for Resolved {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        self.0
            .look(|tree| tree.metadata(tree.find(exactly(path), Follow::Never)?))
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        self.0.look(|tree| tree.readlink(exactly(path)))
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        self.0.look(|tree| tree.readdir(exactly(path)))
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        self.0.open(exactly(path), options)
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.mkdir(exactly(path), mode, cx))
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        self.0.change(|tree, cx| tree.rmdir(exactly(path), cx))
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        self.0.change(|tree, cx| tree.unlink(exactly(path), cx))
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.rename(exactly(from), exactly(to), cx))
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.symlink(target, exactly(link), cx))
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.mkfifo(exactly(path), mode, cx))
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.link(exactly(existing), exactly(new), cx))
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.chmod(tree.find(exactly(path), Follow::Never)?, mode, cx))
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        self.0
            .change(|tree, cx| tree.set_times(tree.find(exactly(path), Follow::Never)?, times, cx))
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        Some(
            self.0
                .change(|tree, cx| tree.write_file(exactly(path), data, cx)),
        )
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Option<Result<u64, Fault>> {
        Some(
            self.0
                .change(|tree, cx| tree.copy(exactly(from), exactly(to), cx)),
        )
    }

    fn is_exact(&self, _path: &VfsPath) -> bool {
        true
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }

    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(Arc::new(self.0.fork()))
    }
}
