//! What a descriptor refers to.

use std::{
    io::{self, SeekFrom},
    sync::Arc,
    task::{Poll, Waker},
};

use hotcell_vfs::{Errno, Metadata, VfsFile};

use crate::error::errno;

/// What a descriptor refers to: a pipe, an open file, something of the host's.
///
/// Nothing here blocks. What cannot go on now says `Pending`, and wakes the waker when it can; the
/// [process](crate::Process) waits, and can be killed meanwhile.
pub trait Stream: Send + Sync {
    /// Reads some bytes into `buf`; none at the end.
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let (_, _) = (buf, waker);
        Poll::Ready(Err(errno(Errno::EBADF)))
    }

    /// Reads some bytes, but none behind the first `end`: a line, and the rest stays for the next reader.
    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let _ = end;
        self.poll_read(buf.get_mut(..1).unwrap_or_default(), waker)
    }

    /// Whether reading would not have to wait.
    fn is_ready(&self) -> bool {
        true
    }

    /// Whether reading would not have to wait. If it would, the waker is called when that may have changed.
    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        let _ = waker;
        Poll::Ready(())
    }

    /// Whether writing a little would not have to wait. If it would, the waker is called when that may have changed.
    fn poll_writable(&self, waker: &Waker) -> Poll<()> {
        let _ = waker;
        Poll::Ready(())
    }

    /// Writes some of the bytes.
    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let (_, _) = (data, waker);
        Poll::Ready(Err(errno(Errno::EBADF)))
    }

    /// Moves the position, if it has one.
    fn seek(&self, to: SeekFrom) -> io::Result<u64> {
        let _ = to;
        Err(errno(Errno::ESPIPE))
    }

    /// The file behind it, if it is one.
    fn file(&self) -> Option<&Arc<dyn VfsFile>> {
        None
    }

    /// What `fstat` says.
    fn metadata(&self) -> io::Result<Metadata>;

    /// Whether a person sits at the other end.
    fn is_terminal(&self) -> bool {
        false
    }
}
