//! An open file with a position.

use std::{
    io::{self, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
    task::{Poll, Waker},
};

use hotcell_vfs::{Errno, Metadata, VfsFile};

use crate::{
    error::{errno, file_error},
    stream::Stream,
};

/// An open file with a position, shared by all descriptors that were duplicated from one.
pub struct OpenFile {
    file: Arc<dyn VfsFile>,
    is_append: bool,
    // Held for one operation of the file system, which does not call back.
    position: Mutex<u64>,
}

impl OpenFile {
    /// The file from its beginning. With `is_append` everything is written to its end.
    pub fn new(file: Arc<dyn VfsFile>, is_append: bool) -> Self {
        Self {
            file,
            is_append,
            position: Mutex::new(0),
        }
    }
}

impl Stream for OpenFile {
    fn poll_read(&self, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let read = self.file.read_at(*position, buf).map_err(file_error);
        if let Ok(count) = read {
            *position = position.saturating_add(count as u64);
        }
        Poll::Ready(read)
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let read = self.file.read_at(*position, buf).map_err(file_error);
        let read = read.map(|count| {
            let bytes = buf.get(..count).unwrap_or_default();
            memchr::memchr(end, bytes).map_or(count, |index| index + 1)
        });
        if let Ok(count) = read {
            *position = position.saturating_add(count as u64);
        }
        Poll::Ready(read)
    }

    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let written = if self.is_append {
            self.file.append(data).map(|start| {
                *position = start.saturating_add(data.len() as u64);
                data.len()
            })
        } else {
            self.file.write_at(*position, data).inspect(|count| {
                *position = position.saturating_add(*count as u64);
            })
        };
        Poll::Ready(written.map_err(file_error))
    }

    fn seek(&self, to: SeekFrom) -> io::Result<u64> {
        if !self.file.is_seekable() {
            return Err(errno(Errno::ESPIPE));
        }
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(offset) => position.checked_add_signed(offset),
            SeekFrom::End(offset) => {
                let size = self.file.stat().map_err(file_error)?.size;
                size.checked_add_signed(offset)
            }
        };
        *position = target.ok_or_else(|| errno(Errno::EINVAL))?;
        Ok(*position)
    }

    fn file(&self) -> Option<&Arc<dyn VfsFile>> {
        Some(&self.file)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.file.stat().map_err(file_error)
    }
}
