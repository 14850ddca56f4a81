//! What a handle refers to.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use hotcell_process::Stream;
use hotcell_vfs::VfsFile;

use crate::{net::Connection, ring::Ring};

/// What a call returns that moved nothing.
pub(crate) const FAILED: i32 = -1;

/// What a handle refers to.
pub(crate) enum Handle {
    /// Standard input.
    Input(Arc<dyn Stream>),
    /// Standard output, or the log.
    Output {
        stream: Arc<dyn Stream>,
        is_ended: bool,
    },
    /// A hub; what there is of it is with the other hubs.
    Hub,
    /// The standard input of a program.
    Stdin {
        ring: Arc<Ring>,
        exec_id: u32,
    },
    /// An output of a program.
    Source {
        ring: Arc<Ring>,
        exec_id: u32,
    },
    File(OpenFile),
    Socket(Socket),
}

/// A file that is read from its beginning.
pub(crate) struct OpenFile {
    pub(crate) file: Arc<dyn VfsFile>,
    pub(crate) offset: u64,
    /// Where it ends for this guest.
    pub(crate) limit: u64,
}

/// A connection.
pub(crate) struct Socket {
    pub(crate) connection: Box<dyn Connection>,
    /// The other side has ended.
    pub(crate) is_over: bool,
    /// This side has.
    pub(crate) is_ended: bool,
}

impl Handle {
    /// Whether it is of no use any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Stdin { ring, .. } if ring.is_abandoned())
    }

    pub(crate) fn is_readable(&self) -> bool {
        match self {
            Self::Input(_) | Self::Hub | Self::Source { .. } | Self::File(_) | Self::Socket(_) => {
                true
            }
            Self::Output { .. } | Self::Stdin { .. } => false,
        }
    }
}

impl OpenFile {
    /// Reads on; `None` if the file cannot be read.
    pub(crate) fn read(&mut self, buf: &mut [u8]) -> Option<usize> {
        let left = self.limit.saturating_sub(self.offset);
        let length = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let buf = buf.get_mut(..length)?;
        if buf.is_empty() {
            return Some(0);
        }
        let count = self.file.read_at(self.offset, buf).ok()?;
        self.offset += count as u64;
        Some(count)
    }
}

impl Socket {
    pub(crate) fn poll_read(&mut self, context: &mut Context<'_>, buf: &mut [u8]) -> Poll<i32> {
        if self.is_over {
            return Poll::Ready(0);
        }
        self.connection
            .poll_read(context, buf)
            .map(|read| match read {
                Ok(count) => {
                    self.is_over = count == 0;
                    length(count)
                }
                Err(_) => FAILED,
            })
    }

    /// Never waits: 0 if nothing can be taken now.
    pub(crate) fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<i32> {
        if self.is_ended {
            return Poll::Ready(FAILED);
        }
        Poll::Ready(match self.connection.poll_write(context, bytes) {
            Poll::Ready(Ok(count)) => length(count),
            Poll::Ready(Err(_)) => FAILED,
            Poll::Pending => 0,
        })
    }

    /// Both sides have ended, or the other has and this one cannot.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_over && (self.is_ended || !self.connection.can_end())
    }

    pub(crate) fn end(&mut self) {
        if self.connection.can_end() && !self.is_ended {
            self.is_ended = self.connection.end();
        }
    }
}

/// A count as a number of the guest's.
pub(crate) fn length(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
