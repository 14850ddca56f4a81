//! Calls of the host's whose answers come later.

use std::{
    collections::HashMap,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::message::{Message, Refusal};

/// What became of a call.
#[derive(Debug)]
pub enum Called {
    /// The answer.
    Now(Result<Message, Refusal>),
    /// It comes later.
    Later(PendingCall),
}

/// An answer that comes later, if it comes: one to a call that the parent has given up never does.
#[derive(Debug)]
pub struct PendingCall {
    calls: Arc<Calls>,
    id: u64,
}

/// A late answer, as the parent sends it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Late {
    pub(crate) id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<Refusal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Box<RawValue>>,
}

/// The calls without an answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: Mutex<HashMap<u64, Waiting>>,
    last: AtomicU64,
    taken: AtomicU64,
}

#[derive(Debug)]
enum Waiting {
    For(Option<Waker>),
    Answered(Result<Message, Refusal>),
}

impl Calls {
    /// A number for a call. It is waited for from here on: its answer may overtake the news that it is to come.
    pub(super) fn begin(&self) -> u64 {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.lock().insert(id, Waiting::For(None));
        id
    }

    pub(super) fn forget(&self, id: u64) {
        self.lock().remove(&id);
    }

    /// How many late answers were fetched.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Takes in a late answer. False if there was none.
    pub(super) fn settle(&self, answer: Result<Message, Refusal>) -> bool {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let Ok(Message { metadata, binary }) = answer else {
            return false;
        };
        let Ok(late) = serde_json::from_slice::<Late>(&metadata) else {
            return false;
        };
        let answer = match (late.refused, late.answer) {
            (Some(refused), _) => Err(refused),
            (None, answer) => Ok(Message {
                metadata: answer.map_or_else(Vec::new, |answer| answer.get().as_bytes().to_vec()),
                binary,
            }),
        };
        let mut waiting = self.lock();
        let waker = match waiting.get_mut(&late.id) {
            // Nobody waits for it any more.
            None => None,
            Some(slot) => match std::mem::replace(slot, Waiting::Answered(answer)) {
                Waiting::For(waker) => waker,
                Waiting::Answered(_) => None,
            },
        };
        drop(waiting);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingCall {
    pub(super) fn new(calls: Arc<Calls>, id: u64) -> Self {
        Self { calls, id }
    }
}

impl Future for PendingCall {
    type Output = Result<Message, Refusal>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut waiting = self.calls.lock();
        match waiting.remove(&self.id) {
            Some(Waiting::Answered(answer)) => Poll::Ready(answer),
            Some(Waiting::For(_)) => {
                let waker = context.waker().clone();
                waiting.insert(self.id, Waiting::For(Some(waker)));
                Poll::Pending
            }
            None => Poll::Ready(Err(Refusal::new("EIO", "the call was answered already"))),
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        self.calls.forget(self.id);
    }
}
