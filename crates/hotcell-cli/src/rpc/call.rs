//! Requests of ours to the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use hotcell::cell::Charge;
use serde_json::{Value as Json, json};

use super::session::{Message, Transport};

type Answer = Result<Json, Json>;

/// An answer, and what pays for it until it is taken: code that computes takes none, and many may be there when it does.
pub(super) struct Paid {
    pub(super) answer: Answer,
    pub(super) room: Option<Charge>,
}

/// Who waits for an answer, and has room for it.
struct Waiter {
    sender: oneshot::Sender<Paid>,
    room: Option<Charge>,
}

/// The requests that the client has not answered yet.
pub(super) struct Calls {
    transport: Arc<dyn Transport>,
    made: AtomicU64,
    waiting: Mutex<HashMap<String, Waiter>>,
}

impl Calls {
    pub(super) fn new(transport: Arc<dyn Transport>) -> Self {
        Self {
            transport,
            made: AtomicU64::new(0),
            waiting: Mutex::default(),
        }
    }

    /// A name for a request.
    pub(super) fn next_id(&self) -> String {
        format!("t{}", self.made.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Asks the client, with a request of that name. `None` if it is gone.
    pub(super) async fn call(
        &self,
        id: String,
        request: Message,
        room: Option<Charge>,
    ) -> Option<Paid> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id.clone(), Waiter { sender, room });
        let forget = Forget {
            calls: self,
            id: &id,
        };
        self.transport.send(request);
        let answer = receiver.await.ok();
        drop(forget);
        answer
    }

    /// Tells the client something that it does not answer.
    pub(super) fn tell(&self, notification: String) {
        self.transport.send(Message::from(notification));
    }

    /// An answer to a call that nobody waits for any more is not worth a word: its run may have ended meanwhile.
    ///
    /// One for which there is no room, as it takes about `weight` bytes of memory, becomes an error that says so.
    pub(super) fn answer(&self, id: &str, answer: Answer, weight: usize) {
        let waiting = self.waiting().remove(id);
        let Some(Waiter { sender, mut room }) = waiting else {
            return;
        };
        let grown = room.as_mut().map_or(Ok(()), |room| room.grow(weight));
        let answer = match grown {
            Ok(()) => answer,
            Err(over) => Err(json!({
                "message": format!("the answer of the tool cannot be kept: {over}"),
                "data": { "name": "RangeError" },
            })),
        };
        let _ = sender.send(Paid { answer, room });
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiter>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets a call, also if its future is dropped because the run ended.
struct Forget<'a> {
    calls: &'a Calls,
    id: &'a str,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.calls.waiting().remove(self.id);
    }
}
