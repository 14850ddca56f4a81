//! Input that the host gives.

use std::{
    io::{self, Read},
    sync::{Mutex, PoisonError},
    task::{Poll, Waker},
};

use hotcell_vfs::{FileType, Metadata};

use crate::{null::no_file, stream::Stream};

/// A stream of bytes that are there from the beginning: the standard input of a run, or a here-document.
pub struct Given(Mutex<io::Cursor<Vec<u8>>>);

impl Given {
    /// A stream of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Mutex::new(io::Cursor::new(bytes.into())))
    }
}

impl Stream for Given {
    fn poll_read(&self, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Poll::Ready(bytes.read(buf))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(no_file(FileType::Fifo, 0))
    }
}
