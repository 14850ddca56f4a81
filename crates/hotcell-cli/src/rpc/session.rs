//! One client: its executors and sandboxes, and what it has asked for.

use std::any::Any;
use std::collections::HashMap;
use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use hotcell::cell::{Arguments, Charge, Engine, Pool};
use hotcell::sandbox::{Sandbox, SandboxOptions};
use serde_json::Value as Json;

use super::batch::{Batch, InFlight, Responder, To};
use super::call::Calls;
use super::entry::Entry;
use super::error::RpcError;
use super::line::{Line, Work};
use super::message::{Message as Received, NoMessage, Reply, Request};
use super::methods::{METHODS, Method, Scope};
use super::params::id_of;
use super::sandbox::SandboxEntry;
use crate::args::IsolationArgs;

/// Sends messages to the client. Must not block: it is called on the threads that run code.
pub(crate) trait Transport: Send + Sync {
    /// Sends one message.
    fn send(&self, message: Message);

    /// Ready when there is room for an answer: when the client has read enough of what was sent. If not, the task is woken then.
    fn poll_room(&self, context: &mut Context<'_>) -> Poll<()>;
}

/// A message on its way out.
pub(crate) struct Message {
    /// JSON, without line breaks.
    pub(crate) text: String,
    /// Kept until it is written.
    _held: Option<Box<dyn Any + Send>>,
}

impl Message {
    /// A message that the code of a cell caused, and pays for while it waits, with the arguments it was made of.
    pub(super) fn of_cell(text: String, arguments: Arguments, charge: Option<Charge>) -> Self {
        Self {
            text,
            _held: Some(Box::new((arguments, charge))),
        }
    }

    /// A message that holds on to something until it is written.
    pub(super) fn with(text: String, held: Box<dyn Any + Send>) -> Self {
        Self {
            text,
            _held: Some(held),
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text, _held: None }
    }
}

/// Adds to the options of a sandbox what this machine has for it.
pub(crate) type Furnish = Box<dyn Fn(SandboxOptions) -> SandboxOptions + Send + Sync>;

/// One client.
pub(crate) struct Session {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) calls: Arc<Calls>,
    pub(super) pool: Arc<Pool>,
    /// For looking at code and answers that nobody runs yet: that takes long and does not give way.
    pub(super) lane: Pool,
    pub(super) engine: Engine,
    /// Where its executors and sandboxes run, unless they say otherwise.
    isolation: IsolationArgs,
    executors: Mutex<HashMap<String, Arc<Entry>>>,
    sandboxes: Mutex<HashMap<String, Arc<SandboxEntry>>>,
    /// Gives sandboxes what they have beside what the client says: programs that are installed on this machine.
    pub(super) furnish: Furnish,
    made: AtomicU64,
    in_flight: InFlight,
    limits: Limits,
}

/// More messages than this are no batch: the answer to each may be many times its size.
const MAX_BATCH: usize = 10_000;

/// How much of a client's may be under way at once. What comes beyond that is refused.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) requests: usize,
    pub(crate) bytes: usize,
    /// How large the answers to one batch may be together.
    pub(crate) unread: usize,
}

impl Session {
    pub(crate) fn new(
        transport: Arc<dyn Transport>,
        engine: Engine,
        pool: Pool,
        limits: Limits,
        isolation: IsolationArgs,
        furnish: Furnish,
    ) -> Arc<Self> {
        Arc::new(Self {
            calls: Arc::new(Calls::new(Arc::clone(&transport))),
            transport,
            pool: Arc::new(pool),
            lane: Pool::with_threads(NonZeroUsize::MIN),
            engine,
            isolation,
            executors: Mutex::default(),
            sandboxes: Mutex::default(),
            furnish,
            made: AtomicU64::new(0),
            in_flight: InFlight::default(),
            limits,
        })
    }

    /// Where an executor or a sandbox runs of which a client says this. A client does not take away what the server insists on.
    pub(super) fn isolation(&self, options: &Json) -> Result<Option<IsolationArgs>, RpcError> {
        match options.get("isolation").and_then(Json::as_str) {
            Some("thread") if self.isolation.is_process() => Err(RpcError::params(
                "this server runs everything in worker processes (--isolation process): leave the option isolation out",
            )),
            _ => Ok(Some(self.isolation).filter(|isolation| isolation.is_process())),
        }
    }

    /// Takes a message of so many bytes in. Never waits; answers come when they come.
    pub(crate) fn take(self: &Arc<Self>, json: Json, bytes: usize) {
        let Json::Array(messages) = json else {
            self.take_one(json, bytes, To::Client(Arc::clone(&self.transport)));
            return;
        };
        if messages.is_empty() {
            let error = RpcError::request("a batch holds at least one message");
            self.refuse(error);
            return;
        }
        if messages.len() > MAX_BATCH {
            let error = RpcError::request(format!(
                "a batch holds at most {MAX_BATCH} messages, this one {}",
                messages.len()
            ));
            self.refuse(error);
            return;
        }
        let bytes = bytes.div_ceil(messages.len());
        let batch = Batch::new(
            Arc::clone(&self.transport),
            messages.len(),
            self.limits.unread,
        );
        for message in messages {
            self.take_one(message, bytes, To::Batch(Arc::clone(&batch)));
        }
    }

    /// Says that something came which is no message.
    pub(crate) fn refuse(&self, error: RpcError) {
        self.transport
            .send(Message::from(super::message::failure(error)));
    }

    /// How many requests have no answer yet.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.unsent()
    }

    fn take_one(self: &Arc<Self>, json: Json, bytes: usize, to: To) {
        match Received::of(json) {
            Ok(Received::Request(Request { id, method, params })) => {
                let room = self.room();
                let responder = Responder::new(id, to, &self.in_flight, bytes);
                match room {
                    Ok(()) => self.dispatch(&method, params, responder),
                    Err(error) => responder.send(Err(error)),
                }
            }
            Ok(Received::Answer { id, result }) => {
                self.calls.answer(&id, result, bytes);
                Responder::new(None, to, &self.in_flight, bytes).skip();
            }
            Err(NoMessage { id, error }) => {
                Responder::new(Some(id), to, &self.in_flight, bytes).send(Err(error));
            }
        }
    }

    /// Waits until the client has read enough of what was sent: answers that are not made take no memory.
    pub(super) fn room_for_answer(&self) -> impl Future<Output = ()> + Send + use<> {
        let transport = Arc::clone(&self.transport);
        poll_fn(move |context| transport.poll_room(context))
    }

    fn room(&self) -> Result<(), RpcError> {
        let Limits {
            requests, bytes, ..
        } = self.limits;
        if self.in_flight.open() >= requests {
            return Err(RpcError::busy(format_args!(
                "{requests} requests (--max-requests)"
            )));
        }
        if self.in_flight.bytes() >= bytes {
            return Err(RpcError::busy(format_args!(
                "{bytes} bytes of requests (--max-pending)"
            )));
        }
        Ok(())
    }

    fn dispatch(self: &Arc<Self>, name: &str, params: Json, responder: Responder) {
        let Some((_, scope)) = METHODS.iter().find(|(known, _)| *known == name) else {
            let known = METHODS.iter().map(|(name, _)| *name);
            responder.send(Err(RpcError::method(name, known)));
            return;
        };
        match *scope {
            Scope::Session(method) => {
                let session = Arc::clone(self);
                let task = async move {
                    session.room_for_answer().await;
                    responder.send(caught(method(session, params)).await);
                };
                self.pool.spawn(task).detach();
            }
            Scope::Executor(method) => match self.entry(&params) {
                Ok(entry) => {
                    let line = Arc::clone(&entry.line);
                    self.begin(&line, method, entry, params, responder);
                }
                Err(error) => responder.send(Err(error)),
            },
            Scope::Sandbox(method) => match self.sandbox(&params) {
                Ok(entry) => {
                    let line = Arc::clone(&entry.line);
                    self.begin(&line, method, entry, params, responder);
                }
                Err(error) => responder.send(Err(error)),
            },
        }
    }

    /// Puts a request into the line of what it is for.
    fn begin<E: Send + Sync + 'static>(
        self: &Arc<Self>,
        line: &Arc<Line>,
        method: Method<E>,
        entry: Arc<E>,
        params: Json,
        responder: Responder,
    ) {
        let session = Arc::clone(self);
        // Made when its turn comes: making it may do a part of the work.
        let (work, is_long): (Work, bool) = match method {
            Method::Quick(method) => {
                let work = async move {
                    session.room_for_answer().await;
                    let work = async move { method(session, entry, params).await };
                    responder.send(caught(work).await);
                };
                (Box::pin(work), false)
            }
            Method::Long(method) => {
                let work = async move {
                    let work = async move { method(session, entry, params, responder).await };
                    // What panics drops the responder, and that answers.
                    let _ = AssertUnwindSafe(work).catch_unwind().await;
                };
                (Box::pin(work), true)
            }
        };
        line.enqueue(work, is_long, &self.pool);
    }

    /// Gives an executor an id.
    pub(super) fn adopt(&self, make: impl FnOnce(String) -> Arc<Entry>) -> Arc<Entry> {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let entry = make(format!("e{number}"));
        self.executors()
            .insert(entry.id.clone(), Arc::clone(&entry));
        entry
    }

    pub(super) fn forget(&self, id: &str) {
        let entry = self.executors().remove(id);
        drop(entry);
    }

    fn entry(&self, params: &Json) -> Result<Arc<Entry>, RpcError> {
        let id = id_of(params, "executor")?;
        let entry = self.executors().get(id).cloned();
        entry.ok_or_else(|| unknown("executor", id, "disposed of"))
    }

    /// Gives a sandbox an id.
    pub(super) fn adopt_sandbox(&self, sandbox: Sandbox) -> Arc<SandboxEntry> {
        let entry = SandboxEntry::new(sandbox);
        self.sandboxes()
            .insert(entry.id.clone(), Arc::clone(&entry));
        entry
    }

    pub(super) fn forget_sandbox(&self, id: &str) {
        let entry = self.sandboxes().remove(id);
        drop(entry);
    }

    /// The sandbox that params name.
    pub(super) fn sandbox(&self, params: &Json) -> Result<Arc<SandboxEntry>, RpcError> {
        let id = id_of(params, "sandbox")?;
        let entry = self.sandboxes().get(id).cloned();
        entry.ok_or_else(|| unknown("sandbox", id, "destroyed"))
    }

    fn sandboxes(&self) -> MutexGuard<'_, HashMap<String, Arc<SandboxEntry>>> {
        self.sandboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn executors(&self) -> MutexGuard<'_, HashMap<String, Arc<Entry>>> {
        self.executors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(what: &str, id: &str, ended: &str) -> RpcError {
    let id: String = id.chars().take(80).collect();
    RpcError::params(format!(
        "there is no {what} {id:?}: it was never made, or {ended}"
    ))
}

/// A panic is a mistake of ours, and must not take a thread of the pool with it.
async fn caught(work: impl Future<Output = Reply>) -> Reply {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| {
            Err(RpcError::internal(
                "the server panicked: this is a bug of hotcell",
            ))
        })
}
