//! Pipes: bounded bytes from whoever writes to whoever reads.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use hotcell_meter::{Account, Charge, OverLimit};
use hotcell_vfs::{Errno, FileType, Metadata};

use crate::{
    error::{errno, limit_error},
    null::no_file,
    stream::Stream,
};

/// Writes of no more than this are not torn apart.
const ATOMIC: usize = 4096;

struct Pipe {
    capacity: usize,
    // Held for a copy of at most `capacity` bytes; wakers are called after it is released.
    state: Mutex<State>,
}

struct State {
    bytes: VecDeque<u8>,
    charge: Charge,
    readers: usize,
    writers: usize,
    /// Processes that wait for the pipe to change.
    waiting: Vec<Waker>,
}

/// The end of a pipe that is read.
pub struct PipeReader(Arc<Pipe>);

/// The end of a pipe that is written.
pub struct PipeWriter(Arc<Pipe>);

/// A pipe that holds `capacity` bytes, which are charged to `account` as they are used.
pub fn pipe(account: &Account, capacity: usize) -> Result<(PipeReader, PipeWriter), OverLimit> {
    let pipe = Arc::new(Pipe {
        capacity: capacity.max(ATOMIC),
        state: Mutex::new(State {
            bytes: VecDeque::new(),
            charge: account.charge(0)?,
            readers: 1,
            writers: 1,
            waiting: Vec::new(),
        }),
    });
    Ok((PipeReader(Arc::clone(&pipe)), PipeWriter(pipe)))
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn metadata(&self) -> Metadata {
        no_file(FileType::Fifo, self.lock().bytes.len() as u64)
    }

    /// Changes the pipe, and then tells those who wait for a change.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        result
    }
}

impl PipeReader {
    /// A second reader of the same pipe.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        self.0.lock().readers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl PipeWriter {
    /// A second writer of the same pipe.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        self.0.lock().writers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl Stream for PipeReader {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if buf.is_empty() || (state.bytes.is_empty() && state.writers == 0) {
            return Poll::Ready(Ok(0));
        }
        if state.bytes.is_empty() {
            state.waiting.push(waker.clone());
            return Poll::Pending;
        }
        drop(state);
        Poll::Ready(self.0.change(|state| state.bytes.read(buf)))
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let length = {
            let state = self.0.lock();
            let (front, back) = state.bytes.as_slices();
            let found = memchr::memchr(end, front)
                .or_else(|| memchr::memchr(end, back).map(|index| front.len() + index));
            found.map_or(buf.len(), |index| (index + 1).min(buf.len()))
        };
        self.poll_read(buf.get_mut(..length).unwrap_or_default(), waker)
    }

    fn is_ready(&self) -> bool {
        let state = self.0.lock();
        !state.bytes.is_empty() || state.writers == 0
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(self.0.metadata())
    }
}

impl Stream for PipeWriter {
    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if state.readers == 0 {
            return Poll::Ready(Err(errno(Errno::EPIPE)));
        }
        let room = self.0.capacity.saturating_sub(state.bytes.len());
        let wanted = if data.len() <= ATOMIC { data.len() } else { 1 };
        if room < wanted {
            state.waiting.push(waker.clone());
            return Poll::Pending;
        }
        let piece = data.get(..room).unwrap_or(data);
        let used = state.bytes.len().saturating_add(piece.len());
        if used > state.charge.bytes() {
            let more = used - state.charge.bytes();
            if let Err(full) = state.charge.grow(more) {
                return Poll::Ready(Err(limit_error(full)));
            }
        }
        drop(state);
        Poll::Ready(self.0.change(|state| state.bytes.write(piece)))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(self.0.metadata())
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.0.change(|state| state.readers -= 1);
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.0.change(|state| state.writers -= 1);
    }
}
