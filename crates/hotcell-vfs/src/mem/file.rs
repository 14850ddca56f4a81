//! An open file in memory.

use std::sync::Arc;

use super::Shared;
use super::tree::Ino;
use crate::clock::Times;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::Metadata;
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};

pub(super) struct MemFile {
    shared: Arc<Shared>,
    ino: Ino,
    /// A named pipe, which has no content here.
    is_pipe: bool,
    options: OpenOptions,
    path: VfsPathBuf,
}

impl MemFile {
    /// The caller has counted the file as open; dropping the handle takes that back.
    pub(super) fn new(
        shared: Arc<Shared>,
        ino: Ino,
        is_pipe: bool,
        options: OpenOptions,
        path: &VfsPath,
    ) -> Self {
        Self {
            shared,
            ino,
            is_pipe,
            options,
            path: path.to_owned(),
        }
    }

    fn at<T>(&self, op: &'static str, result: Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| fault.at(op, &self.path))
    }

    fn write(&self, offset: Option<u64>, data: &[u8]) -> Result<u64> {
        if !self.options.writes() {
            return self.at("write", Err(Errno::EBADF.into()));
        }
        let offset = offset.filter(|_| !self.options.append);
        self.at(
            "write",
            self.shared
                .change(|tree, cx| tree.write(self.ino, offset, data, cx)),
        )
    }
}

impl VfsFile for MemFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if !self.options.read {
            return self.at("read", Err(Errno::EBADF.into()));
        }
        // The content is shared out first, so that a long read holds no lock.
        let content = self
            .shared
            .look(|tree| Ok(tree.inode(self.ino)?.content()?.clone()));
        Ok(self.at("read", content)?.read(offset, buf))
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize> {
        self.write(Some(offset), data)?;
        Ok(data.len())
    }

    fn append(&self, data: &[u8]) -> Result<u64> {
        self.write(None, data)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        if !self.options.writes() {
            return self.at("truncate", Err(Errno::EINVAL.into()));
        }
        self.at(
            "truncate",
            self.shared
                .change(|tree, cx| tree.truncate(self.ino, size, cx)),
        )
    }

    fn stat(&self) -> Result<Metadata> {
        self.at("stat", self.shared.look(|tree| tree.metadata(self.ino)))
    }

    fn set_times(&self, times: Times) -> Result<()> {
        self.at(
            "utimes",
            self.shared
                .change(|tree, cx| tree.set_times(self.ino, times, cx)),
        )
    }

    fn chmod(&self, mode: u32) -> Result<()> {
        self.at(
            "chmod",
            self.shared
                .change(|tree, cx| tree.chmod(self.ino, mode, cx)),
        )
    }

    fn is_seekable(&self) -> bool {
        !self.is_pipe
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}

impl Drop for MemFile {
    fn drop(&mut self) {
        self.shared.close(self.ino);
    }
}
