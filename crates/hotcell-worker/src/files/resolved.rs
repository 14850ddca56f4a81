//! The worker's side for paths that somebody has resolved already.

use std::sync::Arc;

use hotcell_vfs::{
    Backend, DirEntry, Fault, Metadata, OpenOptions, Times, Usage, VfsFile, VfsPath,
};

use super::{
    client::{Lane, about, between},
    wire::{FileRequest, Name},
};

/// The files of the parent as a [`Backend`]: the parent is told that there is no link on the way, and refuses if there is one.
#[derive(Clone)]
pub(super) struct Resolved(pub(super) Arc<Lane>);

fn resolved(request: FileRequest<'_>) -> FileRequest<'_> {
    FileRequest {
        resolved: true,
        ..request
    }
}

impl Resolved {
    fn tell(&self, request: FileRequest<'_>) -> Result<(), Fault> {
        Ok(self.0.tell(resolved(request), &[])?)
    }
}

impl Backend for Resolved {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        Ok(self.0.metadata(resolved(about("lstat", path)))?)
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        let target = self.0.path(resolved(about("readlink", path)))?;
        Ok(target.into_bytes())
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        Ok(self.0.entries(resolved(about("readdir", path)))?)
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        Ok(self.0.open(path, options, true)?)
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.tell(FileRequest {
            mode: Some(mode),
            ..about("mkdir", path)
        })
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        self.tell(about("rmdir", path))
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        self.tell(about("unlink", path))
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        self.tell(between("rename", from, to))
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        self.tell(FileRequest {
            target: Some(Name::of(target)),
            ..about("symlink", link)
        })
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.tell(FileRequest {
            mode: Some(mode),
            ..about("mkfifo", path)
        })
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        self.tell(between("link", existing, new))
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.tell(FileRequest {
            mode: Some(mode),
            ..about("chmod", path)
        })
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        let request = resolved(about("utimes", path));
        Ok(self.0.set_times(request, times)?)
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Option<Result<u64, Fault>> {
        let size = self.0.size(resolved(between("copy", from, to)), &[]);
        Some(size.map_err(Fault::from))
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        let done = self.0.tell(resolved(about("writeFile", path)), data);
        Some(done.map_err(Fault::from))
    }

    fn is_exact(&self, _path: &VfsPath) -> bool {
        // Where the parent's own file system does not look, its server does.
        true
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }
}
