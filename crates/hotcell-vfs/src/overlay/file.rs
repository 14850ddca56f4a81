//! A lower file that is open while somebody may copy it up.
//!
//! Whoever reads it has to see what is written to the copy. So the overlay remembers lower files that are open, and when
//! one is copied up its handles go on with the copy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use crate::clock::Times;
use crate::direct::Direct;
use crate::error::{Errno, Result, VfsError};
use crate::file::VfsFile;
use crate::metadata::Metadata;
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};

/// The lower files that are open, by path.
#[derive(Default)]
pub(super) struct Live(Mutex<HashMap<VfsPathBuf, Vec<Weak<OverlayFile>>>>);

impl Live {
    pub(super) fn add(&self, path: &VfsPath, file: &Arc<OverlayFile>) {
        let mut live = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Files that were closed are noticed here, each time the list has doubled.
        if live.len().is_power_of_two() {
            live.retain(|_, files| files.iter().any(|file| file.strong_count() > 0));
        }
        let files = live.entry(path.to_owned()).or_default();
        files.retain(|file| file.strong_count() > 0);
        files.push(Arc::downgrade(file));
    }

    pub(super) fn move_to_upper(&self, path: &VfsPath, upper: &Direct) {
        let files = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(path);
        for file in files.iter().flatten().filter_map(Weak::upgrade) {
            if let Ok(copy) = upper.open(path, &file.options) {
                *file.current.write().unwrap_or_else(PoisonError::into_inner) = Current {
                    file: copy,
                    dev: None,
                };
            }
        }
    }
}

pub(super) struct OverlayFile {
    current: RwLock<Current>,
    options: OpenOptions,
    path: VfsPathBuf,
}

#[derive(Clone)]
struct Current {
    file: Arc<dyn VfsFile>,
    /// The device number to show, while the file is the lower one.
    dev: Option<u64>,
}

impl OverlayFile {
    pub(super) fn new(
        file: Arc<dyn VfsFile>,
        dev: u64,
        options: OpenOptions,
        path: &VfsPath,
    ) -> Self {
        Self {
            current: RwLock::new(Current {
                file,
                dev: Some(dev),
            }),
            options,
            path: path.to_owned(),
        }
    }

    fn current(&self) -> Current {
        self.current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn refuse<T>(&self, op: &'static str, errno: Errno) -> Result<T> {
        Err(VfsError::new(errno, op, &self.path))
    }
}

impl VfsFile for OverlayFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.current().file.read_at(offset, buf)
    }

    fn write_at(&self, _offset: u64, _data: &[u8]) -> Result<usize> {
        self.refuse("write", Errno::EBADF)
    }

    fn append(&self, _data: &[u8]) -> Result<u64> {
        self.refuse("write", Errno::EBADF)
    }

    fn truncate(&self, _size: u64) -> Result<()> {
        self.refuse("truncate", Errno::EINVAL)
    }

    fn stat(&self) -> Result<Metadata> {
        let Current { file, dev } = self.current();
        let meta = file.stat()?;
        Ok(Metadata {
            dev: dev.unwrap_or(meta.dev),
            ..meta
        })
    }

    fn set_times(&self, times: Times) -> Result<()> {
        match self.current() {
            Current { file, dev: None } => file.set_times(times),
            _ => self.refuse("utimes", Errno::EBADF),
        }
    }

    fn chmod(&self, mode: u32) -> Result<()> {
        match self.current() {
            Current { file, dev: None } => file.chmod(mode),
            _ => self.refuse("chmod", Errno::EBADF),
        }
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}
