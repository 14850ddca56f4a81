//! An open file of the host.

use std::sync::{Mutex, PoisonError};

use cap_std::fs::{File, FileExt, Permissions, PermissionsExt};

use super::{fault, refuse_set_id, status};
use crate::clock::Times;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::Metadata;
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};

pub(super) struct HostFile {
    file: File,
    options: OpenOptions,
    path: VfsPathBuf,
    /// Held from asking where the end is until something is written there.
    appending: Mutex<()>,
}

impl HostFile {
    pub(super) fn new(file: File, options: OpenOptions, path: &VfsPath) -> Self {
        Self {
            file,
            options,
            path: path.to_owned(),
            appending: Mutex::new(()),
        }
    }

    fn at<T>(&self, op: &'static str, result: Result<T, impl Into<Fault>>) -> Result<T> {
        result.map_err(|fault| fault.into().at(op, &self.path))
    }

    /// Refuses to change the metadata of a file that was opened to be read: the mount may be read-only.
    fn writable(&self) -> Result<(), Fault> {
        if self.options.writes() {
            Ok(())
        } else {
            Err(Fault::new(
                Errno::EBADF,
                "host files have to be open for writing to be changed",
            ))
        }
    }
}

impl VfsFile for HostFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        if !self.options.read {
            return self.at("read", Err(Fault::from(Errno::EBADF)));
        }
        // Past what an offset can express on the host there is certainly nothing.
        if i64::try_from(offset).is_err() {
            return Ok(0);
        }
        let mut done = 0;
        while let Some(room) = buf.get_mut(done..).filter(|room| !room.is_empty()) {
            match self.file.read_at(room, offset.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return self.at("read", Err(error)),
            }
        }
        Ok(done)
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize> {
        if !self.options.writes() {
            return self.at("write", Err(Fault::from(Errno::EBADF)));
        }
        let end = offset.checked_add(data.len() as u64);
        if end.is_none_or(|end| i64::try_from(end).is_err()) {
            return self.at("write", Err(Fault::from(Errno::EFBIG)));
        }
        self.at("write", self.file.write_at(data, offset))
    }

    fn append(&self, data: &[u8]) -> Result<u64> {
        if !self.options.writes() {
            return self.at("write", Err(Fault::from(Errno::EBADF)));
        }
        let _one_at_a_time = self
            .appending
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let end = self.at("write", status::of(&self.file))?.size;
        self.write_all_at(end, data)?;
        Ok(end)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        if !self.options.writes() {
            return self.at("truncate", Err(Fault::from(Errno::EINVAL)));
        }
        if i64::try_from(size).is_err() {
            return self.at("truncate", Err(Fault::from(Errno::EFBIG)));
        }
        self.at("truncate", self.file.set_len(size))
    }

    fn stat(&self) -> Result<Metadata> {
        self.at("stat", status::of(&self.file))
    }

    fn set_times(&self, times: Times) -> Result<()> {
        self.at("utimes", self.writable())?;
        let done = rustix::fs::futimens(&self.file, &status::timestamps(times));
        self.at("utimes", done.map_err(fault))
    }

    fn chmod(&self, mode: u32) -> Result<()> {
        self.at("chmod", self.writable())?;
        self.at("chmod", refuse_set_id(mode))?;
        let mode = Permissions::from_mode(mode & 0o7777);
        self.at("chmod", self.file.set_permissions(mode))
    }

    fn sync(&self) -> Result<()> {
        self.at("sync", self.file.sync_all())
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}
