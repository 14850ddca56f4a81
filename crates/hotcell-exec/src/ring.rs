//! The streams between a guest and a program: bounded bytes, with the program on one side and the guest on the other.
//!
//! Not a [pipe](hotcell_process::pipe): the guest's side never waits here, output has a limit that ends the program, and
//! whether the program waits for input can be asked.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use hotcell_meter::Charge;
use hotcell_process::{Stream, errno, pipe_metadata};
use hotcell_vfs::{Errno, Metadata};

/// Bytes on their way in one direction.
pub(crate) struct Ring {
    capacity: usize,
    /// How many bytes may go through.
    limit: u64,
    // Held for a copy of at most `capacity` bytes; wakers are called after it is released.
    state: Mutex<State>,
}

struct State {
    bytes: VecDeque<u8>,
    /// How many bytes were put in.
    total: u64,
    /// Nothing more comes.
    is_ended: bool,
    /// Nobody takes any more.
    is_abandoned: bool,
    /// The program wrote beyond the limit.
    is_breached: bool,
    /// Processes of the program that wait for it to change.
    waiting: Vec<Waker>,
    /// What it may hold is charged from the beginning.
    _charge: Charge,
}

/// What a guest got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Bytes(usize),
    Nothing,
    End,
}

impl Ring {
    /// Holds `capacity` bytes at once, which are in `charge`; `limit` may go through.
    pub(crate) fn new(capacity: usize, limit: u64, charge: Charge) -> Arc<Self> {
        Arc::new(Self {
            capacity,
            limit,
            state: Mutex::new(State {
                bytes: VecDeque::new(),
                total: 0,
                is_ended: false,
                is_abandoned: false,
                is_breached: false,
                waiting: Vec::new(),
                _charge: charge,
            }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes it, and then tells the processes that wait for a change.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        result
    }

    /// The guest reads.
    pub(crate) fn take(&self, buf: &mut [u8]) -> Taken {
        let state = self.lock();
        if state.bytes.is_empty() {
            return if state.is_ended {
                Taken::End
            } else {
                Taken::Nothing
            };
        }
        drop(state);
        // Reading from a deque does not fail.
        Taken::Bytes(self.change(|state| state.bytes.read(buf).unwrap_or(0)))
    }

    /// The guest writes: as much as there is room for. `None` if nobody will read it, or it would be beyond the limit.
    pub(crate) fn give(&self, bytes: &[u8]) -> Option<usize> {
        let state = self.lock();
        if state.is_ended || state.is_abandoned {
            return None;
        }
        if bytes.len() as u64 > self.limit - state.total {
            return None;
        }
        let room = self.capacity.saturating_sub(state.bytes.len());
        let piece = bytes.get(..room).unwrap_or(bytes);
        drop(state);
        if piece.is_empty() {
            return Some(0);
        }
        self.change(|state| {
            state.total += piece.len() as u64;
            state.bytes.write(piece).ok()
        })
    }

    /// Nothing more comes. What is there can still be read.
    pub(crate) fn end(&self) {
        self.change(|state| state.is_ended = true);
    }

    /// Nobody reads it any more.
    pub(crate) fn abandon(&self) {
        let bytes = self.change(|state| {
            state.is_abandoned = true;
            std::mem::take(&mut state.bytes)
        });
        drop(bytes);
    }

    /// Whether there is something to read, or the end.
    pub(crate) fn is_readable(&self) -> bool {
        let state = self.lock();
        !state.bytes.is_empty() || state.is_ended
    }

    /// Whether there is room for something, or it is clear that there will not be.
    pub(crate) fn is_writable(&self) -> bool {
        let state = self.lock();
        state.bytes.len() < self.capacity || state.is_ended || state.is_abandoned
    }

    /// Whether a process of the program waits for input that is not there.
    pub(crate) fn is_starved(&self) -> bool {
        let state = self.lock();
        state.bytes.is_empty() && !state.is_ended && !state.waiting.is_empty()
    }

    /// Whether a process of the program waits for the guest to read.
    pub(crate) fn is_stuffed(&self) -> bool {
        let state = self.lock();
        state.bytes.len() >= self.capacity && !state.waiting.is_empty()
    }

    /// Whether nobody will read what is written.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.lock().is_abandoned
    }

    /// Whether the program wrote more than it may.
    pub(crate) fn is_breached(&self) -> bool {
        self.lock().is_breached
    }
}

impl State {
    fn wait(&mut self, waker: &Waker) {
        // Who asks again and again is woken once.
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}

/// The program's end of its input.
pub(crate) struct InputEnd(pub(crate) Arc<Ring>);

impl InputEnd {
    fn read(&self, length: usize, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() && !state.is_ended && !buf.is_empty() {
            state.wait(waker);
            return Poll::Pending;
        }
        let buf = buf.get_mut(..length).unwrap_or_default();
        Poll::Ready(state.bytes.read(buf))
    }
}

impl Stream for InputEnd {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.read(buf.len(), buf, waker)
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let length = {
            let state = self.0.lock();
            let (front, back) = state.bytes.as_slices();
            let found = memchr::memchr(end, front)
                .or_else(|| memchr::memchr(end, back).map(|index| front.len() + index));
            found.map_or(buf.len(), |index| (index + 1).min(buf.len()))
        };
        self.read(length, buf, waker)
    }

    fn is_ready(&self) -> bool {
        self.0.is_readable()
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(self.0.lock().bytes.len()))
    }
}

impl Drop for InputEnd {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// The program's end of one of its outputs.
pub(crate) struct OutputEnd(pub(crate) Arc<Ring>);

impl Stream for OutputEnd {
    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let ring = &*self.0;
        let mut state = ring.lock();
        if state.is_ended {
            return Poll::Ready(Err(errno(Errno::EPIPE)));
        }
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let left = usize::try_from(ring.limit - state.total).unwrap_or(usize::MAX);
        if left == 0 {
            // It is not to go on: whoever polls it looks here afterwards.
            state.is_breached = true;
            return Poll::Pending;
        }
        let room = ring.capacity.saturating_sub(state.bytes.len()).min(left);
        if room == 0 {
            state.wait(waker);
            return Poll::Pending;
        }
        let piece = data.get(..room).unwrap_or(data);
        state.total += piece.len() as u64;
        Poll::Ready(state.bytes.write(piece))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(self.0.lock().bytes.len()))
    }
}

impl Drop for OutputEnd {
    fn drop(&mut self) {
        self.0.end();
    }
}
