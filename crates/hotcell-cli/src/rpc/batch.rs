//! Where the answer to a request goes: out at once, or into the answer to its batch.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value as Json;

use super::error::RpcError;
use super::message::{self, Reply};
use super::session::{Message, Transport};

/// Counts what is under way.
#[derive(Clone, Default)]
pub(super) struct InFlight(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Down before the answer goes out: whoever has it may send the next request.
    open: AtomicUsize,
    /// Down after the answer went out: then nothing is left to wait for.
    unsent: AtomicUsize,
    /// The size of those that are open.
    bytes: AtomicUsize,
}

impl InFlight {
    /// How many requests are being worked on.
    pub(super) fn open(&self) -> usize {
        self.0.open.load(Ordering::Acquire)
    }

    /// How many requests have not been answered.
    pub(super) fn unsent(&self) -> usize {
        self.0.unsent.load(Ordering::Acquire)
    }

    /// How large they are together.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Acquire)
    }

    fn enter(&self, bytes: usize) -> Self {
        self.0.open.fetch_add(1, Ordering::AcqRel);
        self.0.bytes.fetch_add(bytes, Ordering::AcqRel);
        self.0.unsent.fetch_add(1, Ordering::AcqRel);
        self.clone()
    }
}

/// Several requests that are answered together, when all of them are done.
pub(super) struct Batch {
    transport: Arc<dyn Transport>,
    left: AtomicUsize,
    /// How long all answers may be together: those that are there wait for the last one.
    most: usize,
    /// The answers as text, as they will be sent; nothing before the first.
    answers: Mutex<String>,
}

impl Batch {
    pub(super) fn new(transport: Arc<dyn Transport>, requests: usize, most: usize) -> Arc<Self> {
        Arc::new(Self {
            transport,
            left: AtomicUsize::new(requests),
            most,
            answers: Mutex::default(),
        })
    }

    fn done(&self, id: Option<Json>, reply: Reply) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = id {
            let mut answer = message::answer(&id, reply);
            if answers.len() + answer.len() > self.most {
                answer = message::answer(&id, Err(RpcError::too_large(self.most)));
            }
            let bracket = if answers.is_empty() { '[' } else { ',' };
            answers.push(bracket);
            answers.push_str(&answer);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 && !answers.is_empty() {
            let mut text = std::mem::take(&mut *answers);
            text.push(']');
            drop(answers);
            self.transport.send(Message::from(text));
        }
    }
}

/// The one answer that a request gets. Dropped without one, it says that something went wrong here.
pub(super) struct Responder {
    /// `None` once answered, and for notifications.
    id: Option<Json>,
    to: To,
    is_done: bool,
    bytes: usize,
    in_flight: InFlight,
}

pub(super) enum To {
    Client(Arc<dyn Transport>),
    Batch(Arc<Batch>),
}

impl Responder {
    /// `bytes` is how much the request takes until it is answered.
    pub(super) fn new(id: Option<Json>, to: To, in_flight: &InFlight, bytes: usize) -> Self {
        Self {
            id,
            to,
            is_done: false,
            bytes,
            in_flight: in_flight.enter(bytes),
        }
    }

    pub(super) fn send(mut self, reply: Reply) {
        self.answer(reply);
    }

    /// Nothing to say: what came was an answer itself.
    pub(super) fn skip(mut self) {
        self.id = None;
        self.answer(Err(RpcError::internal("nothing is wrong")));
    }

    fn answer(&mut self, reply: Reply) {
        self.is_done = true;
        let counts = &self.in_flight.0;
        counts.open.fetch_sub(1, Ordering::AcqRel);
        counts.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
        match (&self.to, self.id.take()) {
            (To::Client(transport), Some(id)) => {
                transport.send(Message::from(message::answer(&id, reply)));
            }
            (To::Client(_), None) => {}
            (To::Batch(batch), id) => batch.done(id, reply),
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_done {
            self.answer(Err(RpcError::internal("the request was given up")));
        }
        self.in_flight.0.unsent.fetch_sub(1, Ordering::AcqRel);
    }
}
