//! The host's side of a program that stays outside: its process, and the streams that its twin in the worker carries.

use std::{
    collections::VecDeque,
    io::{self, Read},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use hotcell_process::{Run, Stream, errno, pipe_metadata};
use hotcell_vfs::{Errno, Metadata};

use super::wire::Step;

/// How much output waits to be carried.
const ROOM: usize = 64 << 10;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that runs.
pub(super) struct Share {
    run: Run,
    stdin: Arc<Asking>,
    stdout: Arc<Collected>,
    stderr: Arc<Collected>,
    code: Option<i32>,
    /// The request that is answered when there is something to carry.
    asked: Option<u64>,
}

/// The streams of a program that is to begin.
#[derive(Default)]
pub(super) struct Ends {
    pub(super) stdin: Arc<Asking>,
    pub(super) stdout: Arc<Collected>,
    pub(super) stderr: Arc<Collected>,
}

impl Ends {
    pub(super) fn of(self, run: Run) -> Share {
        Share {
            run,
            stdin: self.stdin,
            stdout: self.stdout,
            stderr: self.stderr,
            code: None,
            asked: None,
        }
    }
}

impl Share {
    /// The worker wants to hear how it goes on, and has input for it. False if it has asked that already.
    pub(super) fn ask(&mut self, id: u64, input: &[u8], eof: bool) -> bool {
        self.stdin.feed(input, eof);
        self.asked.replace(id).is_none()
    }

    /// Lets it go on, if the worker wants to hear of that: the answer to its request.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Option<(u64, Step, Vec<u8>)> {
        let id = self.asked?;
        if self.code.is_none()
            && let Poll::Ready(ended) = Pin::new(&mut self.run).poll(context)
        {
            if ended.stopped.is_some() {
                // The whole command is over, and nobody is to believe that this program has ended by itself.
                self.asked = None;
                return None;
            }
            self.code = Some(ended.status.code());
        }
        let mut printed = self.stdout.take();
        let stdout = printed.len();
        printed.extend(self.stderr.take());
        let step = Step {
            stdout,
            wants: self.code.is_none() && self.stdin.wants(),
            code: self.code,
        };
        if printed.is_empty() && !step.wants && step.code.is_none() {
            return None;
        }
        self.asked = None;
        Some((id, step, printed))
    }
}

/// Input that is asked for when somebody reads.
#[derive(Default)]
pub(super) struct Asking(Mutex<AskingState>);

#[derive(Default)]
struct AskingState {
    bytes: VecDeque<u8>,
    eof: bool,
    wants: bool,
    waiting: Vec<Waker>,
}

impl Asking {
    fn feed(&self, input: &[u8], eof: bool) {
        let mut state = lock(&self.0);
        if input.is_empty() && !eof {
            return;
        }
        state.bytes.extend(input);
        state.eof |= eof;
        state.wants = false;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    fn wants(&self) -> bool {
        lock(&self.0).wants
    }

    fn read(&self, until: Option<u8>, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.0);
        if state.bytes.is_empty() && !state.eof {
            state.wants = true;
            state.waiting.push(waker.clone());
            return Poll::Pending;
        }
        let end = until.and_then(|end| state.bytes.iter().position(|byte| *byte == end));
        let most = end.map_or(buf.len(), |end| (end + 1).min(buf.len()));
        Poll::Ready(state.bytes.read(buf.get_mut(..most).unwrap_or_default()))
    }
}

impl Stream for Asking {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.read(None, buf, waker)
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.read(Some(end), buf, waker)
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        let mut state = lock(&self.0);
        if state.bytes.is_empty() && !state.eof {
            state.wants = true;
            state.waiting.push(waker.clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(lock(&self.0).bytes.len()))
    }
}

/// Output that waits to be carried.
#[derive(Default)]
pub(super) struct Collected(Mutex<CollectedState>);

#[derive(Default)]
struct CollectedState {
    bytes: Vec<u8>,
    waiting: Vec<Waker>,
}

impl Collected {
    fn take(&self) -> Vec<u8> {
        let mut state = lock(&self.0);
        let bytes = std::mem::take(&mut state.bytes);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        bytes
    }
}

impl Stream for Collected {
    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.0);
        let room = ROOM.saturating_sub(state.bytes.len());
        if room == 0 {
            state.waiting.push(waker.clone());
            return Poll::Pending;
        }
        let piece = data.get(..room).unwrap_or(data);
        state.bytes.extend_from_slice(piece);
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_writable(&self, waker: &Waker) -> Poll<()> {
        let mut state = lock(&self.0);
        if state.bytes.len() < ROOM {
            return Poll::Ready(());
        }
        state.waiting.push(waker.clone());
        Poll::Pending
    }

    fn poll_read(&self, _buf: &mut [u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(errno(Errno::EBADF)))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(0))
    }
}
