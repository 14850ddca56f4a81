//! Messages on their way out.
//!
//! Threads that run code must never wait for a client that is slow to read, so messages queue here for the one that writes.
//! What bounds the queue is the other end: while too much of it is unread, nothing more is read, and requests that were read
//! before make no answer ([`Transport::poll_room`]).

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::rpc::{Message, Transport};

/// How often a reader that waits looks whether its client is still there.
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Outbox {
    /// How much may wait to be read before nothing more is taken in.
    max_unread: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Message>,
    /// Of those lines, and of the one that is being written.
    unread: usize,
    is_closed: bool,
    /// Tasks that wait for room.
    waiting: Vec<Waker>,
}

impl State {
    /// Whoever waits for room is to look again, outside of the lock.
    #[must_use]
    fn woken(&mut self, max_unread: usize) -> Vec<Waker> {
        if self.is_closed || self.unread <= max_unread {
            std::mem::take(&mut self.waiting)
        } else {
            Vec::new()
        }
    }
}

impl Transport for Outbox {
    fn send(&self, mut message: Message) {
        message.text.push('\n');
        let mut state = self.lock();
        state.unread += message.text.len();
        state.lines.push_back(message);
        drop(state);
        self.changed.notify_all();
    }

    fn poll_room(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.is_closed || state.unread <= self.max_unread {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if !state.waiting.iter().any(|known| known.will_wake(waker)) {
            state.waiting.push(waker.clone());
        }
        Poll::Pending
    }
}

impl Outbox {
    pub(super) fn new(max_unread: usize) -> Self {
        Self {
            max_unread,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Gives each line to `write`, until the outbox is closed and empty.
    pub(super) fn drain(&self, mut write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if let Some(message) = state.lines.pop_front() {
                drop(state);
                write(&message.text)?;
                let length = message.text.len();
                drop(message);
                state = self.lock();
                state.unread = state.unread.saturating_sub(length);
                self.changed.notify_all();
                let woken = state.woken(self.max_unread);
                if !woken.is_empty() {
                    drop(state);
                    woken.into_iter().for_each(Waker::wake);
                    state = self.lock();
                }
            } else if state.is_closed {
                return Ok(());
            } else {
                state = self.wait(state);
            }
        }
    }

    /// Waits until there is room for answers, or nobody is left who could ask for more.
    pub(super) fn wait_for_room(&self, is_client_gone: impl Fn() -> bool) {
        let mut state = self.lock();
        while state.unread > self.max_unread && !is_client_gone() {
            state = self.wait_for(state, LOOK);
        }
    }

    /// No more will come. Waits for what is there to be written, but not for ever.
    pub(super) fn close(&self, grace: Duration) {
        let end = Instant::now() + grace;
        let mut state = self.lock();
        state.is_closed = true;
        self.changed.notify_all();
        let woken = state.woken(self.max_unread);
        drop(state);
        woken.into_iter().for_each(Waker::wake);
        let mut state = self.lock();
        while state.unread > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait_for(state, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        self.changed
            .wait_timeout(state, time)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}
