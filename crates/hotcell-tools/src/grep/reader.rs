//! An open file as a stream that can be stopped.

use std::error::Error;
use std::io::{self, Read};

use hotcell_vfs::{VfsError, VfsFile};

use crate::error::FileToolError;

/// Why a search ended before its file did.
pub(super) enum Stopped {
    Cancelled,
    /// By what has to be told, for all files.
    Told(FileToolError),
    Failed(String),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        let inner = error.get_ref();
        if inner.is_some_and(<dyn Error + Send + Sync>::is::<CancelledRead>) {
            return Self::Cancelled;
        }
        let reason = match inner.and_then(<dyn Error + Send + Sync>::downcast_ref::<VfsError>) {
            Some(error) => error.errno().message().to_owned(),
            // All that the searcher itself can run into: a line that its memory does not hold.
            None if error.kind() == io::ErrorKind::Other => "a line is too long".to_owned(),
            None => error.to_string(),
        };
        Self::Failed(reason)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cancelled")]
struct CancelledRead;

pub(super) struct FileReader<'a, C> {
    file: &'a dyn VfsFile,
    at: u64,
    cancelled: C,
}

impl<'a, C: Fn() -> bool> FileReader<'a, C> {
    pub(super) fn new(file: &'a dyn VfsFile, cancelled: C) -> Self {
        Self {
            file,
            at: 0,
            cancelled,
        }
    }
}

impl<C: Fn() -> bool> Read for FileReader<'_, C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if (self.cancelled)() {
            return Err(io::Error::other(CancelledRead));
        }
        let count = self.file.read_at(self.at, buf)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}
