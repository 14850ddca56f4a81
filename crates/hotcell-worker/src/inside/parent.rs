//! The parent, as a service of a worker knows it.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
};

use serde::{Deserialize, Serialize};

use super::{
    calls::{Called, Calls, PendingCall},
    control::Current,
};
use crate::{
    files::ProxyVfs,
    message::{Message, Refusal},
    region::{Client, Reply},
    ring::{Ring, Writer},
};

/// The parent of this worker: what it has for a service.
#[derive(Clone)]
pub struct Parent(Arc<Inner>);

struct Inner {
    /// The lane for commands, and for what a command needs.
    commands: Mutex<Client>,
    files: ProxyVfs,
    output: Arc<Ring>,
    written: Mutex<Writer>,
    calls: Arc<Calls>,
    current: Current,
}

/// A request whose answer may come later.
#[derive(Serialize)]
struct CallRequest<'a, T> {
    op: &'a str,
    id: u64,
    #[serde(flatten)]
    about: &'a T,
}

/// What is said of a call whose answer is not there yet.
#[derive(Deserialize)]
struct PendingAnswer {
    #[serde(default)]
    pending: bool,
}

impl Parent {
    pub(super) fn new(commands: Client, files: ProxyVfs, output: Ring, current: Current) -> Self {
        let output = Arc::new(output);
        Self(Arc::new(Inner {
            commands: Mutex::new(commands),
            files,
            written: Mutex::new(Writer::new(Arc::clone(&output))),
            output,
            calls: Arc::default(),
            current,
        }))
    }

    /// The files.
    pub fn files(&self) -> &ProxyVfs {
        &self.0.files
    }

    /// Asks for something, and waits for the answer.
    pub fn ask(&self, request: &Message) -> Result<Message, Refusal> {
        let mut commands = lock(&self.0.commands);
        let mut reply = commands.request(&request.metadata, &request.binary);
        take(&mut reply)
    }

    /// Calls something of the host's. The answer may be there at once, or come later.
    pub fn call(&self, op: &str, about: &impl Serialize, binary: Vec<u8>) -> Called {
        let id = self.0.calls.begin();
        let request = CallRequest { op, id, about };
        let answer = self.ask(&Message::new(&request, binary));
        let is_pending = answer.as_ref().is_ok_and(|answer| {
            answer.metadata.len() <= PENDING_BYTES
                && answer.read().is_ok_and(|PendingAnswer { pending }| pending)
        });
        if is_pending {
            return Called::Later(PendingCall::new(Arc::clone(&self.0.calls), id));
        }
        self.0.calls.forget(id);
        Called::Now(answer)
    }

    /// Prints: the host sees it soon, and in any case before the next thing that this worker asks for, or its end.
    pub fn print(&self, stream: u8, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            let written = lock(&self.0.written).append(stream, rest);
            rest = &rest[written..];
            if rest.is_empty() {
                return;
            }
            self.flush();
        }
    }

    /// Returns when the host has seen what was printed.
    pub fn flush(&self) {
        let request = Message::new(&serde_json::json!({ "op": "output" }), Vec::new());
        // There is nothing that could be refused.
        let _ = self.ask(&request);
    }

    /// Runs a future to its end. Between its steps this thread sleeps, until somebody here wakes it or an answer comes.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        struct Bell(Arc<Ring>);
        impl Wake for Bell {
            fn wake(self: Arc<Self>) {
                self.0.ring_bell();
            }
        }
        let output = &self.0.output;
        let waker = Waker::from(Arc::new(Bell(Arc::clone(output))));
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            let heard = output.bell();
            self.take_answers();
            if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
                return done;
            }
            output.wait_bell(heard, None);
        }
    }

    /// Fetches the answers that came meanwhile.
    fn take_answers(&self) {
        let offered = self.0.output.offered();
        while self.0.calls.taken() < offered {
            let request = Message::new(&serde_json::json!({ "op": "take" }), Vec::new());
            let answer = self.ask(&request);
            if !self.0.calls.settle(answer) {
                return;
            }
        }
    }

    /// The next command begins.
    pub(super) fn begin(&self) {
        self.0.current.next();
    }

    /// The command is done; waits for the next one.
    pub(super) fn finish(&self, result: &Message) -> Message {
        ask_for_command(&mut lock(&self.0.commands), result)
    }
}

/// The JSON that says that an answer is to come is not longer.
const PENDING_BYTES: usize = 64;

/// Tells what is to be told, and waits for a command. The parent answers nothing else to it.
pub(super) fn ask_for_command(commands: &mut Client, said: &Message) -> Message {
    let mut reply = commands.request(&said.metadata, &said.binary);
    let metadata = reply.metadata().to_vec();
    let binary = reply.take_binary();
    Message { metadata, binary }
}

fn take(reply: &mut Reply<'_>) -> Result<Message, Refusal> {
    let metadata = reply.metadata().to_vec();
    if reply.is_error() {
        let unreadable = |_| Refusal::new("EIO", "the answer of the parent cannot be read");
        return Err(serde_json::from_slice(&metadata).unwrap_or_else(unreadable));
    }
    let binary = reply.take_binary();
    Ok(Message { metadata, binary })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
