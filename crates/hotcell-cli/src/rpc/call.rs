//! Requests of ours to the client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use serde_json::Value as Json;

use super::message;
use super::session::Transport;

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

    /// Asks the client. `None` if it is gone.
    pub(super) async fn call(&self, method: &str, params: Json) -> Option<Answer> {
        let id = format!("t{}", self.made.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, receiver) = oneshot::channel();
        self.waiting().insert(id.clone(), sender);
        let forget = Forget {
            calls: self,
            id: &id,
        };
        self.transport.send(message::request(&id, method, params));
        let answer = receiver.await.ok();
        drop(forget);
        answer
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
