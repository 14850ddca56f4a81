//! Input that the host gives.

use std::{
    io::{self, Read},
    sync::{Mutex, PoisonError},
    task::{Poll, Waker},
};

use hotcell_meter::Charge;
use hotcell_vfs::{FileType, Metadata};

use crate::{null::no_file, stream::Stream};

/// A stream of bytes that are there from the beginning: the standard input of a run, or a here-document.
pub struct Given {
    bytes: Mutex<io::Cursor<Vec<u8>>>,
    /// Who pays for them.
    _charge: Option<Charge>,
}

impl Given {
    /// A stream of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: Mutex::new(io::Cursor::new(bytes.into())),
            _charge: None,
        }
    }

    /// The same, of bytes that were charged to somebody, who pays for as long as the stream is open.
    pub fn charged(bytes: impl Into<Vec<u8>>, charge: Charge) -> Self {
        Self {
            _charge: Some(charge),
            ..Self::new(bytes)
        }
    }
}

impl Stream for Given {
    fn poll_read(&self, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        Poll::Ready(bytes.read(buf))
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let position = usize::try_from(bytes.position()).unwrap_or(usize::MAX);
        let rest = bytes.get_ref().get(position..).unwrap_or_default();
        let length =
            memchr::memchr(end, rest).map_or(buf.len(), |index| (index + 1).min(buf.len()));
        Poll::Ready(bytes.read(buf.get_mut(..length).unwrap_or_default()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(no_file(FileType::Fifo, 0))
    }
}
