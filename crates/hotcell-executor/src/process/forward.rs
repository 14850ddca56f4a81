//! Tools, as the worker has them: each call goes to the parent, and its answer comes from there.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use hotcell_cell::{Reply, Tool, ToolCall, ToolError, Value};
use hotcell_meter::Unwatched;
use hotcell_worker::{Called, Message, Parent, PendingCall, Refusal};
use serde_json::json;

use super::{
    happening::put_origin,
    pack::{Packer, Unpacker},
    told::take_answer,
    wire::WireKind,
};
use crate::approval::{Approval, ApprovalRequest};

/// The way to the parent. Cheap to clone.
#[derive(Clone)]
pub(super) struct Line(Arc<Inner>);

struct Inner {
    parent: Parent,
    /// How many calls were made.
    calls: AtomicU64,
}

/// An answer of the parent that comes now or later. Dropped before that, the parent hears that nobody waits.
struct Asked {
    line: Line,
    call: u64,
    state: State,
}

enum State {
    Now(Option<Result<Message, Refusal>>),
    Later(PendingCall),
    Done,
}

impl Line {
    pub(super) fn new(parent: &Parent) -> Self {
        Self(Arc::new(Inner {
            parent: parent.clone(),
            calls: AtomicU64::new(0),
        }))
    }

    /// The function of a tool of that kind.
    pub(super) fn function(&self, kind: WireKind) -> Tool {
        let line = self.clone();
        let answer = move |call: ToolCall| {
            // At once: a tool starts when it is called, not when somebody waits for it.
            let asked = line.call(&call);
            async move { read(asked?.await) }
        };
        match kind {
            WireKind::Sync => {
                let line = self.clone();
                Tool::sync(move |call| line.call_now(&call))
            }
            WireKind::Blocking => Tool::blocking(answer),
            WireKind::Async => Tool::asynchronous(answer),
            WireKind::Paged => Tool::paged(answer),
            WireKind::Json => Tool::json(answer),
            WireKind::MaybeAsync => {
                let line = self.clone();
                Tool::maybe_async(move |call| {
                    let (line, asked) = (line.clone(), line.call(&call));
                    async move { line.reply(asked?).await }
                })
            }
            WireKind::Deferred => Tool::deferred(),
        }
    }

    fn ask(&self, op: &str, call: u64, binary: Vec<u8>) -> Asked {
        let called = self.0.parent.call(op, &json!({ "call": call }), binary);
        Asked {
            line: self.clone(),
            call,
            state: match called {
                Called::Now(answer) => State::Now(Some(answer)),
                Called::Later(pending) => State::Later(pending),
            },
        }
    }

    fn call(&self, call: &ToolCall) -> Result<Asked, ToolError> {
        let number = self.0.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let mut out = Packer::default();
        out.text(&call.tool);
        out.number(call.id.map_or(0, |id| u64::from(id) + 1));
        put_origin(&mut out, call.origin.as_ref());
        out.values(&call.arguments)
            .map_err(|error| ToolError::from(error.to_string()))?;
        Ok(self.ask("call", number, out.finish()))
    }

    fn call_now(&self, call: &ToolCall) -> Result<Value, ToolError> {
        let mut asked = self.call(call)?;
        match std::mem::replace(&mut asked.state, State::Done) {
            State::Now(Some(answer)) => read(answer),
            _ => Err(ToolError::from("the answer is not there at once")),
        }
    }

    async fn reply(self, mut asked: Asked) -> Result<Reply, ToolError> {
        let message = (&mut asked).await.map_err(refused)?;
        // A promise: its answer is asked for in its own right.
        if message.binary.first() == Some(&LATER) {
            let asked = self.ask("then", asked.call, Vec::new());
            return Ok(Reply::Later(Box::pin(async move { read(asked.await) })));
        }
        read(Ok(message)).map(Reply::Value)
    }

    /// Asks the host whether a call may take place.
    pub(super) async fn approve(self, request: ApprovalRequest) -> Approval {
        let mut out = Packer::default();
        out.text(&request.tool);
        out.number(0);
        put_origin(&mut out, request.origin.as_ref());
        if let Err(error) = out.values(&request.arguments) {
            return Approval::Deny(error.to_string());
        }
        let answer = self.ask("approve", 0, out.finish()).await;
        match answer {
            Ok(Message { binary, .. }) => match binary.split_first() {
                Some((0, _)) => Approval::Allow,
                Some((2, _)) => Approval::Later,
                Some((_, reason)) => Approval::Deny(String::from_utf8_lossy(reason).into_owned()),
                None => Approval::Deny("the host gave no answer".to_owned()),
            },
            Err(refusal) => Approval::Deny(refusal.message),
        }
    }
}

/// What the answer begins with that says that the call has given a promise.
pub(super) const LATER: u8 = 3;

fn refused(refusal: Refusal) -> ToolError {
    if refusal.code == RANGE {
        return ToolError::new("RangeError", refusal.message);
    }
    ToolError::from(refusal.message)
}

/// The code of a refusal that is about a limit.
pub(super) const RANGE: &str = "ERANGE";

fn read(answer: Result<Message, Refusal>) -> Result<Value, ToolError> {
    let message = answer.map_err(refused)?;
    // It is the host's. The cell charges it.
    let mut from = Unpacker::new(&message.binary, usize::MAX, &Unwatched);
    let read = take_answer(&mut from);
    read.unwrap_or_else(|malformed| Err(ToolError::from(malformed.to_string())))
}

impl Future for Asked {
    type Output = Result<Message, Refusal>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.state {
            State::Now(answer) => answer.take(),
            State::Later(pending) => match Pin::new(pending).poll(context) {
                Poll::Ready(answer) => Some(answer),
                Poll::Pending => return Poll::Pending,
            },
            State::Done => None,
        };
        self.state = State::Done;
        Poll::Ready(answer.unwrap_or_else(|| Err(Refusal::new("EIO", "it was answered already"))))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if matches!(self.state, State::Later(_)) && self.call != 0 {
            let forget = json!({ "op": "forget", "call": self.call });
            // There is nothing that could be refused.
            let _ = self.line.0.parent.ask(&Message::new(&forget, Vec::new()));
        }
    }
}
