//! The worker's side of the streams that are the host's.

use std::{
    io,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use hotcell_process::{Null, Stream, errno, pipe_metadata};
use hotcell_vfs::{Errno, Metadata};
use hotcell_worker::{Called, Message, Parent, PendingCall, Refusal};
use serde_json::json;

use super::wire::Kind;

/// How much goes into one request.
const PIECE: usize = 256 << 10;

type Answer = Result<Message, Refusal>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn poll_call(call: &mut PendingCall, waker: &Waker) -> Poll<Answer> {
    Pin::new(call).poll(&mut Context::from_waker(waker))
}

/// What the host refused, as an error of a stream.
fn refused(refusal: &Refusal) -> io::Error {
    errno(Errno::from_name(&refusal.code).unwrap_or(Errno::EIO))
}

impl Kind {
    fn metadata(self) -> io::Result<Metadata> {
        if self.is_device {
            Null.metadata()
        } else {
            Ok(pipe_metadata(0))
        }
    }
}

/// Output that the host keeps: nobody waits for it.
pub(super) struct Kept {
    parent: Parent,
    stream: u8,
    /// How much more the host keeps; `None` once there was more.
    room: Mutex<Option<usize>>,
}

impl Kept {
    pub(super) fn new(parent: &Parent, stream: u8, limit: usize) -> Self {
        Self {
            parent: parent.clone(),
            stream,
            room: Mutex::new(Some(limit)),
        }
    }

    /// Whether what is printed now is the first that the host has no room for.
    fn is_cut(&self, printed: usize) -> bool {
        let mut room = lock(&self.room);
        let Some(left) = *room else {
            return false;
        };
        *room = left.checked_sub(printed);
        room.is_none()
    }
}

impl Stream for Kept {
    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        self.parent.print(self.stream, data);
        if self.is_cut(data.len()) {
            // The host meets this limit before anything that happens here after it.
            self.parent.flush();
        }
        Poll::Ready(Ok(data.len()))
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(pipe_metadata(0))
    }
}

/// Output to a stream that the host has given. One piece is on its way, and the next waits for it: so a reader that is slow slows
/// the writer down. How the last piece fared the writer does not learn.
pub(super) struct Given {
    parent: Parent,
    stream: u8,
    kind: Kind,
    on_its_way: Mutex<Option<PendingCall>>,
}

impl Given {
    pub(super) fn new(parent: &Parent, stream: u8, kind: Kind) -> Self {
        Self {
            parent: parent.clone(),
            stream,
            kind,
            on_its_way: Mutex::default(),
        }
    }

    /// Whether the piece before has arrived.
    fn poll_arrived(&self, waker: &Waker) -> Poll<io::Result<()>> {
        let mut on_its_way = lock(&self.on_its_way);
        let Some(call) = &mut *on_its_way else {
            return Poll::Ready(Ok(()));
        };
        poll_call(call, waker).map(|answer| {
            *on_its_way = None;
            answer.map(drop).map_err(|refusal| refused(&refusal))
        })
    }
}

impl Stream for Given {
    fn poll_write(&self, data: &[u8], waker: &Waker) -> Poll<io::Result<usize>> {
        match self.poll_arrived(waker) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => return Poll::Pending,
        }
        let piece = &data[..data.len().min(PIECE)];
        let about = json!({ "stream": self.stream });
        match self.parent.call("write", &about, piece.to_vec()) {
            Called::Now(Err(refusal)) => return Poll::Ready(Err(refused(&refusal))),
            Called::Now(Ok(_)) => {}
            Called::Later(call) => *lock(&self.on_its_way) = Some(call),
        }
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_writable(&self, waker: &Waker) -> Poll<()> {
        // An error is for whoever writes.
        self.poll_arrived(waker).map(drop)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.kind.metadata()
    }

    fn is_terminal(&self) -> bool {
        self.kind.is_terminal
    }
}

/// Standard input. What was asked for and is there is not asked for again, whoever reads next.
pub(super) struct Input {
    parent: Parent,
    kind: Kind,
    state: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// What came for a reader that is gone.
    unread: Vec<u8>,
    reading: Option<PendingCall>,
    looking: Option<PendingCall>,
}

impl Input {
    pub(super) fn new(parent: &Parent, kind: Kind) -> Self {
        Self {
            parent: parent.clone(),
            kind,
            state: Mutex::default(),
        }
    }

    fn read(&self, until: Option<u8>, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let mut state = lock(&self.state);
        if !state.unread.is_empty() {
            return Poll::Ready(Ok(state.give(until, buf)));
        }
        let about = json!({ "most": buf.len().min(PIECE), "until": until });
        let called = match state.reading.take() {
            Some(call) => Called::Later(call),
            None => self.parent.call("read", &about, Vec::new()),
        };
        let answer = match called {
            Called::Now(answer) => answer,
            Called::Later(mut call) => match poll_call(&mut call, waker) {
                Poll::Ready(answer) => answer,
                Poll::Pending => {
                    state.reading = Some(call);
                    return Poll::Pending;
                }
            },
        };
        Poll::Ready(match answer {
            Ok(message) => {
                state.unread = message.binary;
                Ok(state.give(until, buf))
            }
            Err(refusal) => Err(refused(&refusal)),
        })
    }
}

impl Waiting {
    fn give(&mut self, until: Option<u8>, buf: &mut [u8]) -> usize {
        let end = until.and_then(|end| self.unread.iter().position(|byte| *byte == end));
        let count = end.map_or(self.unread.len(), |end| end + 1).min(buf.len());
        buf[..count].copy_from_slice(&self.unread[..count]);
        self.unread.drain(..count);
        count
    }
}

impl Stream for Input {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.read(None, buf, waker)
    }

    fn poll_read_until(&self, end: u8, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.read(Some(end), buf, waker)
    }

    fn is_ready(&self) -> bool {
        if !lock(&self.state).unread.is_empty() {
            return true;
        }
        let request = Message::new(&json!({ "op": "isReady" }), Vec::new());
        let answer = self.parent.ask(&request);
        answer.is_ok_and(|answer| answer.read::<bool>().unwrap_or(false))
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        let mut state = lock(&self.state);
        if !state.unread.is_empty() {
            return Poll::Ready(());
        }
        let mut call = match state.looking.take() {
            Some(call) => call,
            None => match self.parent.call("readable", &json!({}), Vec::new()) {
                Called::Now(_) => return Poll::Ready(()),
                Called::Later(call) => call,
            },
        };
        let looked = poll_call(&mut call, waker).map(drop);
        if looked.is_pending() {
            state.looking = Some(call);
        }
        looked
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.kind.metadata()
    }

    fn is_terminal(&self) -> bool {
        self.kind.is_terminal
    }
}
