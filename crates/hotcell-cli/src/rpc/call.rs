//! Requests of ours to the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use serde_json::Value as Json;

use super::session::{Message, Transport};

type Answer = Result<Json, Json>;

/// The requests that the client has not answered yet.
pub(super) struct Calls {
    transport: Arc<dyn Transport>,
    made: AtomicU64,
    waiting: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
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
    pub(super) async fn call(&self, id: String, request: Message) -> Option<Answer> {
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id.clone(), sender);
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
    pub(super) fn answer(&self, id: &str, answer: Answer) {
        let waiting = self.waiting().remove(id);
        if let Some(sender) = waiting {
            let _ = sender.send(answer);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<Answer>>> {
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
