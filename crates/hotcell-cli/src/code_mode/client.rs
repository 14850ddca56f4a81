//! The client: what it is told, and what it is asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;
use hotcell::cell::Charge;

use super::frames::frame;
use super::message::{DelegateAnswer, DelegateRequest, Outcome, Report, Response, ToClient};

/// So much may be asked of it at once, of all cells together.
const MAX_ASKED: usize = 1024;

type Answer = Result<DelegateAnswer, String>;

/// A message on its way out.
pub(super) struct Frame {
    pub(super) bytes: Vec<u8>,
    /// What the code of a cell pays for it until it is written.
    _paid: Option<Charge>,
}

/// What is to be written.
pub(super) struct Outbox(Receiver<Option<Frame>>);

impl Outbox {
    /// The next frame, once there is one. `None` at the end.
    pub(super) fn next(&mut self) -> Option<Frame> {
        self.0.recv().ok().flatten()
    }
}

pub(super) struct Client {
    out: Sender<Option<Frame>>,
    asked: AtomicI64,
    waiting: Mutex<HashMap<i64, oneshot::Sender<Answer>>>,
}

/// A question that the client has not answered yet. If nobody waits for the answer any more, the client is told.
pub(super) struct Question {
    client: Arc<Client>,
    id: i64,
    answer: oneshot::Receiver<Answer>,
}

impl Client {
    pub(super) fn new() -> (Arc<Self>, Outbox) {
        let (out, outbox) = channel();
        let client = Self {
            out,
            asked: AtomicI64::new(0),
            waiting: Mutex::default(),
        };
        (Arc::new(client), Outbox(outbox))
    }

    /// Tells it something. Never waits. An error says that there is too much of it.
    pub(super) fn send(&self, message: &ToClient<'_>) -> Result<(), String> {
        self.send_paid(message, None)
    }

    fn send_paid(&self, message: &ToClient<'_>, paid: Option<Charge>) -> Result<(), String> {
        let bytes = frame(message)?;
        // To a client that is gone nothing is told.
        let _ = self.out.send(Some(Frame { bytes, _paid: paid }));
        Ok(())
    }

    /// Nothing comes after this.
    pub(super) fn close(&self) {
        let _ = self.out.send(None);
    }

    pub(super) fn respond(&self, id: i64, result: Result<Response, String>) {
        let result = Outcome::from(result);
        if let Err(problem) = self.send(&ToClient::Response { id, result }) {
            let result = Outcome::Error { message: problem };
            let _ = self.send(&ToClient::Response { id, result });
        }
    }

    pub(super) fn report(&self, id: i64, report: Report) {
        let result = Outcome::Ok { value: report };
        if let Err(problem) = self.send(&ToClient::Initial { id, result }) {
            let result = Outcome::Error { message: problem };
            let _ = self.send(&ToClient::Initial { id, result });
        }
    }

    /// Asks it something for a cell.
    pub(super) fn ask(
        self: &Arc<Self>,
        session: &str,
        request: DelegateRequest<'_>,
        paid: Option<Charge>,
    ) -> Result<Question, String> {
        let id = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, answer) = oneshot::channel();
        {
            let mut waiting = self.waiting();
            if waiting.len() >= MAX_ASKED {
                return Err(format!(
                    "the client has {MAX_ASKED} tool calls and notifications to answer: await some before you make more"
                ));
            }
            waiting.insert(id, sender);
        }
        let question = Question {
            client: Arc::clone(self),
            id,
            answer,
        };
        let message = ToClient::Delegate {
            id,
            session_id: session,
            request,
        };
        if let Err(problem) = self.send_paid(&message, paid) {
            // It was never asked, so there is nothing to take back.
            self.waiting().remove(&id);
            return Err(problem);
        }
        Ok(question)
    }

    /// An answer to a question that nobody waits for is not worth a word.
    pub(super) fn answered(&self, id: i64, result: Outcome<DelegateAnswer>) {
        let waiting = self.waiting().remove(&id);
        if let Some(sender) = waiting {
            let _ = sender.send(match result {
                Outcome::Ok { value } => Ok(value),
                Outcome::Error { message } => Err(message),
            });
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<i64, oneshot::Sender<Answer>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    pub(super) async fn answer(mut self) -> Answer {
        let answer = (&mut self.answer).await;
        answer.unwrap_or_else(|_| Err("the client is gone".into()))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let waiting = self.client.waiting().remove(&self.id);
        if waiting.is_some() {
            let _ = self.client.send(&ToClient::CancelDelegate { id: self.id });
        }
    }
}
