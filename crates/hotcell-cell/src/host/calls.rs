//! Calls of tools, from the guest's word to the answer.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::stream::{FuturesUnordered, Stream};

use super::{
    Host,
    message::{Refusal, no_room, read_values},
    task::{CallFuture, Guarded, TaskWaker},
};
use crate::{
    cancel::CancelToken,
    held::{Arguments, Held},
    tool::{Answer, AnswerFuture, Boxed, Kind, Tool, ToolCall, ToolError},
};

/// A tool and the name that code knows it by.
#[derive(Clone)]
pub(crate) struct ToolSlot {
    pub(crate) name: Arc<str>,
    /// `None` after a restore, until the host defines it again.
    pub(crate) tool: Option<Tool>,
    /// The guest's number for its kind.
    pub(crate) kind: u8,
}

impl ToolSlot {
    pub(crate) fn new(name: &str, tool: Tool) -> Self {
        Self {
            name: Arc::from(name),
            kind: tool.kind_number(),
            tool: Some(tool),
        }
    }
}

/// A call that has no answer yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingCall {
    pub(crate) tool: Arc<str>,
    pub(crate) arguments: Arguments,
    /// Whether a future of ours will answer it. If not, the host must.
    pub(crate) has_future: bool,
    /// Whether the answer is there, and the guest has not taken it.
    pub(crate) is_answered: bool,
}

/// The tools of a cell, and the calls of them that are under way.
pub(crate) struct Calls {
    /// By the guest's number.
    pub(crate) tools: Vec<ToolSlot>,
    /// By id. Also those whose answer the guest has not taken yet.
    pub(crate) pending: HashMap<u32, PendingCall>,
    pub(crate) futures: FuturesUnordered<CallFuture>,
    pub(crate) answers: VecDeque<(u32, Held<Answer>)>,
    /// Tells tools that nobody waits for them any more.
    cancel: CancelToken,
    /// The task that polls the cell, so that a new call can be polled at once.
    pub(crate) task: TaskWaker,
    /// How many were made since the cell was made.
    pub(crate) made: u64,
    max_in_flight: usize,
}

impl Calls {
    pub(super) fn new(max_in_flight: usize, cancel: CancelToken) -> Self {
        Self {
            tools: Vec::new(),
            pending: HashMap::new(),
            futures: FuturesUnordered::new(),
            answers: VecDeque::new(),
            cancel,
            task: TaskWaker::default(),
            made: 0,
            max_in_flight,
        }
    }
}

/// What a call comes to that is not made, or is over.
pub(crate) enum Reaction {
    Answer(Answer),
    /// The run is over.
    Stop,
}

impl Host {
    /// The call that the guest describes. The inner error is for the guest: its arguments are too large, or there is no time
    /// left to read them.
    pub(crate) fn read_call(
        &mut self,
        number: i32,
        arguments: &[u8],
    ) -> wasmtime::Result<Result<(ToolCall, Option<Tool>), Reaction>> {
        let slot = usize::try_from(number)
            .ok()
            .and_then(|number| self.calls.tools.get(number));
        let slot = slot
            .ok_or_else(|| wasmtime::format_err!("a call of tool {number}, which there is not"))?;
        self.check_in_run()?;
        self.calls.made += 1;
        let (arguments, charge) = match self.read(arguments, read_values)? {
            Ok(read) => read,
            Err(Refusal::Stopped) => return Ok(Err(Reaction::Stop)),
            Err(refusal) => {
                let message = format!("the arguments for {} are too large: {refusal}", slot.name);
                let error = ToolError::new("RangeError", message);
                return Ok(Err(Reaction::Answer(Err(error))));
            }
        };
        let call = ToolCall {
            tool: Arc::clone(&slot.name),
            arguments: Arguments::charged(arguments, charge),
            cancel: self.calls.cancel.clone(),
            id: None,
            origin: None,
            account: Some(self.account.clone()),
        };
        Ok(Ok((call, slot.tool.clone())))
    }

    /// The number of a call that begins.
    pub(crate) fn new_call_id(&self, id: i32) -> wasmtime::Result<u32> {
        let id = u32::try_from(id)?;
        if self.calls.pending.contains_key(&id) {
            wasmtime::bail!("call {id} is outstanding already");
        }
        Ok(id)
    }

    /// Starts an asynchronous call, or says why not.
    pub(crate) fn start_call(
        &mut self,
        id: u32,
        mut call: ToolCall,
        tool: Option<Tool>,
    ) -> Result<(), ToolError> {
        call.id = Some(id);
        let (name, arguments) = (Arc::clone(&call.tool), call.arguments.clone());
        match tool.map(|tool| tool.kind) {
            Some(Kind::Async(function) | Kind::Paged(function) | Kind::Json(function)) => {
                self.check_calls_in_flight()?;
                let future = function(call);
                self.start_future(id, name, arguments, future)
            }
            Some(_) => self.wait_for_host(id, name, arguments),
            None => Err(not_connected(&name)),
        }
    }

    /// Leaves the call `id` for the host to answer.
    pub(crate) fn wait_for_host(
        &mut self,
        id: u32,
        tool: Arc<str>,
        arguments: Arguments,
    ) -> Result<(), ToolError> {
        self.check_calls_in_flight()?;
        let pending = PendingCall {
            tool,
            arguments,
            has_future: false,
            is_answered: false,
        };
        self.calls.pending.insert(id, pending);
        Ok(())
    }

    /// Makes `future` answer the call `id`.
    pub(crate) fn start_future(
        &mut self,
        id: u32,
        tool: Arc<str>,
        arguments: Arguments,
        future: AnswerFuture,
    ) -> Result<(), ToolError> {
        let future = CallFuture {
            id,
            answer: Guarded::new(Arc::clone(&tool), future),
        };
        self.wait_for_host(id, tool, arguments)?;
        self.await_future(future);
        Ok(())
    }

    /// Makes `future` answer a call that waits for the host.
    pub(crate) fn answer_with(&mut self, id: u32, future: AnswerFuture) {
        let Some(call) = self.calls.pending.get(&id) else {
            return;
        };
        let answer = Guarded::new(Arc::clone(&call.tool), future);
        self.await_future(CallFuture { id, answer });
    }

    fn await_future(&mut self, mut future: CallFuture) {
        if let Some(call) = self.calls.pending.get_mut(&future.id) {
            call.has_future = true;
        }
        // Many tools have their answer at once; then the guest need not even stop for it.
        let polled = self
            .calls
            .task
            .with(|waker| Pin::new(&mut future).poll(&mut Context::from_waker(waker)));
        match polled {
            Some(Poll::Ready((id, answer))) => self.keep_answer(id, answer),
            _ => self.calls.futures.push(future),
        }
    }

    /// Keeps an answer until the guest asks for it. One for which there is no room becomes an error that says so.
    pub(crate) fn keep_answer(&mut self, id: u32, answer: Answer) {
        if answer.as_ref().is_err_and(ToolError::is_suspension) {
            if let Some(call) = self.calls.pending.get_mut(&id) {
                call.has_future = false;
            }
            return;
        }
        let bytes = match &answer {
            Ok(value) => value.heap_size(),
            Err(error) => error.error.size(),
        };
        let held = match self.account.charge(bytes) {
            Ok(charge) => Held::charged(answer, charge),
            // There are no more of these than calls in flight.
            Err(over) => Held::free(Err(no_room(&over))),
        };
        if let Some(call) = self.calls.pending.get_mut(&id) {
            call.is_answered = true;
        }
        self.calls.answers.push_back((id, held));
    }

    fn check_calls_in_flight(&mut self) -> Result<(), ToolError> {
        // Those that are answered only wait for the guest to look.
        let mut outstanding = self.unanswered();
        if outstanding >= self.calls.max_in_flight {
            self.poll_answers_now();
            outstanding = self.unanswered();
        }
        if outstanding < self.calls.max_in_flight {
            return Ok(());
        }
        let message =
            format!("too many tool calls at once: {outstanding} are outstanding, await some first");
        Err(ToolError::new("RangeError", message))
    }

    /// What the future gives, or `None` if the run ends before. The cell is suspended meanwhile.
    pub(crate) async fn wait_for<T>(
        &mut self,
        tool: Arc<str>,
        future: Boxed<T>,
    ) -> Option<Result<T, ToolError>> {
        self.pause_clock();
        self.ensure_watched();
        let mut future = Guarded::new(tool, future);
        let interrupt = Arc::clone(&self.interrupt);
        let answer = poll_fn(|context| {
            if let Poll::Ready(answer) = Pin::new(&mut future).poll(context) {
                return Poll::Ready(Some(answer));
            }
            interrupt.register(context.waker());
            if interrupt.reason().is_some() {
                Poll::Ready(None)
            } else {
                Poll::Pending
            }
        })
        .await;
        self.resume_clock();
        answer
    }

    /// Whether anything in this process will take the run further.
    pub(crate) fn can_progress(&self) -> bool {
        !self.calls.answers.is_empty() || self.calls.pending.values().any(|call| call.has_future)
    }

    /// Whether only [`crate::Cell::answer`] will answer one of the calls.
    pub(crate) fn is_waiting_for_host(&self) -> bool {
        self.calls
            .pending
            .values()
            .any(|call| !call.has_future && !call.is_answered)
    }

    /// Whether a call has no answer yet.
    pub(crate) fn is_waiting_for_tools(&self) -> bool {
        self.unanswered() > 0
    }

    /// Moves answers that have come to where the guest will ask for them. Ready when there is at least one.
    pub(crate) fn poll_answers(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Some(answer)) = Pin::new(&mut self.calls.futures).poll_next(context) {
            let (id, answer) = answer;
            self.keep_answer(id, answer);
        }
        if self.calls.answers.is_empty() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    /// As [`Host::poll_answers`], from within the guest, for whoever polls the run.
    pub(crate) fn poll_answers_now(&mut self) {
        let task = self.calls.task.clone();
        task.with(|waker| {
            let _ = self.poll_answers(&mut Context::from_waker(waker));
        });
    }

    /// How many calls have no answer yet.
    fn unanswered(&self) -> usize {
        self.calls
            .pending
            .len()
            .saturating_sub(self.calls.answers.len())
    }

    /// Nobody waits for the outstanding calls any more.
    pub(crate) fn cancel_calls(&mut self) {
        self.calls.futures = FuturesUnordered::new();
        self.calls.answers.clear();
        self.calls.pending.clear();
        let next = CancelToken::of(&self.interrupt);
        std::mem::replace(&mut self.calls.cancel, next).cancel();
    }
}

/// The error for a tool that a restored cell knows but the host has not given it.
pub(crate) fn not_connected(tool: &str) -> ToolError {
    ToolError::from(format!(
        "the tool {tool} is not connected: the cell was restored without it"
    ))
}
