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

pub(crate) struct Pipe {
    capacity: usize,
    // Held for a copy of at most `capacity` bytes; wakers are called after it is released.
    state: Mutex<State>,
}

struct State {
    bytes: VecDeque<u8>,
    charge: Charge,
    readers: usize,
    writers: usize,
    /// How often an end for reading and one for writing was opened.
    opened: [u64; 2],
    /// Processes that wait for the pipe to change.
    waiting: Vec<Waker>,
}

/// The end of a pipe that is read.
pub struct PipeReader(Arc<Pipe>);

/// The end of a pipe that is written.
pub struct PipeWriter(Arc<Pipe>);

/// A pipe that holds `capacity` bytes, which are charged to `account` as they are used.
pub fn pipe(account: &Account, capacity: usize) -> Result<(PipeReader, PipeWriter), OverLimit> {
    let pipe = Arc::new(Pipe::new(account, capacity)?);
    Ok((pipe.reader(), pipe.writer()))
}

impl Pipe {
    /// A pipe that nobody has an end of yet.
    pub(crate) fn new(account: &Account, capacity: usize) -> Result<Self, OverLimit> {
        Ok(Self {
            capacity: capacity.max(ATOMIC),
            state: Mutex::new(State {
                bytes: VecDeque::new(),
                charge: account.charge(0)?,
                readers: 0,
                writers: 0,
                opened: [0; 2],
                waiting: Vec::new(),
            }),
        })
    }

    /// Another end for reading.
    pub(crate) fn reader(self: &Arc<Self>) -> PipeReader {
        self.change(|state| {
            state.readers += 1;
            state.opened[0] += 1;
        });
        PipeReader(Arc::clone(self))
    }

    /// Another end for writing.
    pub(crate) fn writer(self: &Arc<Self>) -> PipeWriter {
        self.change(|state| {
            state.writers += 1;
            state.opened[1] += 1;
        });
        PipeWriter(Arc::clone(self))
    }

    /// How often ends for reading and for writing were opened.
    pub(crate) fn opened(&self) -> [u64; 2] {
        self.lock().opened
    }

    /// Whether somebody has an end for writing, or has had one since `opened` was asked for.
    pub(crate) fn poll_writer(&self, opened: [u64; 2], waker: &Waker) -> Poll<()> {
        self.poll(waker, |state| {
            state.writers > 0 || state.opened[1] != opened[1]
        })
    }

    /// Whether somebody has an end for reading, or has had one since.
    pub(crate) fn poll_reader(&self, opened: [u64; 2], waker: &Waker) -> Poll<()> {
        self.poll(waker, |state| {
            state.readers > 0 || state.opened[0] != opened[0]
        })
    }

    fn poll(&self, waker: &Waker, is_ready: impl FnOnce(&State) -> bool) -> Poll<()> {
        let mut state = self.lock();
        if is_ready(&state) {
            return Poll::Ready(());
        }
        state.wait(waker);
        Poll::Pending
    }

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

impl State {
    /// Wakes `waker` at the next change; once, also if it waits for several things and asks again and again.
    fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }

    /// Whether there is something to read, or never will be.
    fn is_readable(&self) -> bool {
        !self.bytes.is_empty() || self.writers == 0
    }
}

impl PipeReader {
    /// A second reader of the same pipe.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        self.0.reader()
    }
}

impl PipeWriter {
    /// A second writer of the same pipe.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        self.0.writer()
    }
}

impl Stream for PipeReader {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if buf.is_empty() || (state.bytes.is_empty() && state.writers == 0) {
            return Poll::Ready(Ok(0));
        }
        if state.bytes.is_empty() {
            state.wait(waker);
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
        self.0.lock().is_readable()
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        self.0.poll(waker, State::is_readable)
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
            state.wait(waker);
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

    fn poll_writable(&self, waker: &Waker) -> Poll<()> {
        let capacity = self.0.capacity;
        self.0.poll(waker, |state| {
            // As much as a write that is not torn apart may need; an error is told at once, too.
            state.readers == 0 || capacity.saturating_sub(state.bytes.len()) >= ATOMIC
        })
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
