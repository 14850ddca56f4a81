//! The stream that is empty and swallows everything.

use std::{
    io,
    task::{Poll, Waker},
};

use hotcell_vfs::{FileType, Metadata, Timestamp};

use crate::stream::Stream;

/// As `/dev/null`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Null;

impl Stream for Null {
    fn poll_read(&self, _buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(0))
    }

    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(data.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(no_file(FileType::CharDevice, 0))
    }
}

/// What `fstat` says of a pipe that holds so many bytes.
pub fn pipe_metadata(bytes: usize) -> Metadata {
    no_file(FileType::Fifo, bytes as u64)
}

/// What `fstat` says of a stream that is in no file system.
pub(crate) fn no_file(kind: FileType, size: u64) -> Metadata {
    Metadata {
        kind,
        dev: 0,
        ino: 0,
        nlink: 1,
        mode: 0o600,
        size,
        allocated: 0,
        accessed: Timestamp::EPOCH,
        modified: Timestamp::EPOCH,
        changed: Timestamp::EPOCH,
    }
}
