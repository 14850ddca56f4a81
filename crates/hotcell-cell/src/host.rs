//! The host's side of one cell: what its imports work on.

mod outcome;
mod task;

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, Stream};
use hotcell_meter::{Account, Charge, OverLimit};
use wasmtime::Memory;

pub(crate) use outcome::Emitted;
use task::{CallFuture, Guarded, TaskWaker};

use crate::{
    cancel::CancelToken,
    engine::Seat,
    guest::{INBOX_SIZE, answer, place},
    held::{Arguments, Held, over_limit, room},
    interrupt::Interrupt,
    limits::MemoryLimit,
    options::{CellOptions, Console, Gate, Modules},
    room::StackLease,
    tool::{Answer, AnswerFuture, Boxed, Kind, Tool, ToolCall, ToolError},
    value::{ErrorValue, Value},
    watchdog::Deadline,
    wire::{Budget, Reader, WireError, put_number, put_value},
};

/// A tool and the name that code knows it by.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) name: Arc<str>,
    /// `None` after a restore, until the host defines it again.
    pub(crate) tool: Option<Tool>,
    /// The guest's number for its kind.
    pub(crate) kind: u8,
}

/// A call that has no answer yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PendingCall {
    pub(crate) tool: Arc<str>,
    pub(crate) arguments: Arguments,
    /// Whether a future of ours will answer it. If not, the host must.
    pub(crate) has_future: bool,
}

/// What the guest was entered for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    /// A run, which ends when it is interrupted.
    Run,
    /// Something between runs, which may compute for so long.
    Chore(Duration),
}

pub(crate) struct Host {
    /// Given back when the cell is gone.
    pub(crate) seat: Option<Seat>,
    /// Set right after instantiation.
    pub(crate) memory: Option<Memory>,
    pub(crate) limit: MemoryLimit,
    pub(crate) entry: Entry,
    pub(crate) interrupt: Arc<Interrupt>,
    /// When the run under way must be over.
    pub(crate) deadline: Option<Deadline>,
    /// When the guest was first seen to compute on after an interrupt, or at all between runs, by [`crate::watchdog::thread_time`].
    pub(crate) overtime_since: Option<Duration>,
    /// Where the machine's stack was when the guest was entered.
    pub(crate) stack_mark: usize,
    /// The most that was used of it since the cell was last at rest, as far as the guest has asked.
    pub(crate) stack_peak: usize,
    /// That stack, once there is one.
    pub(crate) stack: Option<StackLease>,

    console: Option<Console>,
    pub(crate) gate: Option<Gate>,
    pub(crate) modules: Option<Modules>,
    pub(crate) budget: Budget,
    /// What is kept here for the guest is charged to it.
    pub(crate) account: Account,
    max_calls_in_flight: usize,

    pub(crate) tools: Vec<Slot>,
    pub(crate) calls: HashMap<u32, PendingCall>,
    pub(crate) futures: FuturesUnordered<CallFuture>,
    pub(crate) answers: VecDeque<(u32, Held<Answer>)>,
    pub(crate) cancel: CancelToken,
    /// The task that polls the cell, so that a new call can be polled at once.
    pub(crate) task: TaskWaker,
    pub(crate) tool_calls: u64,

    /// A reply too long for the inbox, until the guest takes it.
    pub(crate) waiting: Option<Waiting>,
    /// Where replies are put together.
    scratch: Vec<u8>,
    said: outcome::Said,
}

/// A message and what it is charged.
pub(crate) struct Waiting {
    pub(crate) message: Vec<u8>,
    _charge: Charge,
}

impl Host {
    pub(crate) fn new(options: &CellOptions) -> Self {
        let interrupt = Arc::default();
        Self {
            seat: None,
            memory: None,
            limit: MemoryLimit::new(options.memory_limit),
            entry: Entry::Run,
            deadline: None,
            overtime_since: None,
            stack_mark: 0,
            stack_peak: 0,
            stack: None,
            console: options.console.clone(),
            gate: options.gate.clone(),
            modules: options.modules.clone(),
            budget: Budget::bytes(options.max_value_bytes),
            account: options.account_of_cell(),
            max_calls_in_flight: options.max_calls_in_flight,
            tools: Vec::new(),
            calls: HashMap::new(),
            futures: FuturesUnordered::new(),
            answers: VecDeque::new(),
            cancel: CancelToken::of(&interrupt),
            interrupt,
            task: TaskWaker::default(),
            tool_calls: 0,
            waiting: None,
            scratch: Vec::new(),
            said: outcome::Said::default(),
        }
    }

    /// Reads a message of the guest's. The inner error is for the guest: there is no room for what it says.
    pub(crate) fn read<T>(
        &self,
        message: &[u8],
        read: impl FnOnce(&mut Reader<'_>) -> Result<T, WireError>,
    ) -> Result<Result<(T, Charge), Refusal>, WireError> {
        let room = room(&self.account);
        let budget = self.budget.at_most(room);
        let mut reader = Reader::new(message, budget);
        match read(&mut reader) {
            Ok(value) => {
                let charge = self.account.charge(budget.less(reader.left()));
                Ok(charge
                    .map(|charge| (value, charge))
                    .map_err(Refusal::Account))
            }
            Err(WireError::TooLarge) => {
                let over = if room < self.budget.less(0) {
                    over_limit(&self.account, room)
                } else {
                    None
                };
                Ok(Err(
                    over.map_or(Refusal::Value(self.budget), Refusal::Account)
                ))
            }
            Err(error) => Err(error),
        }
    }

    /// Writes an answer where the guest looks for it and returns its length. One for which there is no room becomes an
    /// error that says so.
    pub(crate) fn reply_answer(
        &mut self,
        memory: &mut [u8],
        write: impl Fn(&mut Vec<u8>, &Answer) -> Result<(), WireError>,
        answer: &Answer,
    ) -> wasmtime::Result<i32> {
        match self.try_reply(memory, |out| write(out, answer))? {
            Ok(length) => Ok(length),
            Err(over) => self.reply(memory, |out| write(out, &Err(no_room(&over)))),
        }
    }

    /// Writes a reply where the guest looks for it and returns its length.
    pub(crate) fn reply(
        &mut self,
        memory: &mut [u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>,
    ) -> wasmtime::Result<i32> {
        self.try_reply(memory, write)?
            .map_err(|over| wasmtime::format_err!("{over}"))
    }

    /// As [`Host::reply`]. The inner error says that there is no room for the message to wait in.
    fn try_reply(
        &mut self,
        memory: &mut [u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>,
    ) -> wasmtime::Result<Result<i32, OverLimit>> {
        // A message that the guest did not take is of no use any more.
        self.waiting = None;
        let mut message = std::mem::take(&mut self.scratch);
        message.clear();
        write(&mut message)?;
        let length = i32::try_from(message.len())?;
        if message.len() <= INBOX_SIZE {
            let inbox = memory
                .get_mut(place::INBOX..)
                .and_then(|memory| memory.get_mut(..message.len()));
            inbox
                .ok_or_else(|| wasmtime::format_err!("the inbox is not in memory"))?
                .copy_from_slice(&message);
            self.scratch = message;
        } else {
            match self.account.charge(message.capacity()) {
                Ok(charge) => {
                    self.waiting = Some(Waiting {
                        message,
                        _charge: charge,
                    })
                }
                Err(over) => return Ok(Err(over)),
            }
        }
        Ok(Ok(length))
    }

    /// The call that the guest describes. The inner error is for the guest: its arguments are too large.
    pub(crate) fn read_call(
        &mut self,
        number: i32,
        arguments: &[u8],
    ) -> wasmtime::Result<Result<(ToolCall, Option<Tool>), ToolError>> {
        let slot = usize::try_from(number)
            .ok()
            .and_then(|number| self.tools.get(number));
        let slot = slot
            .ok_or_else(|| wasmtime::format_err!("a call of tool {number}, which there is not"))?;
        self.check_in_run()?;
        self.tool_calls += 1;
        let (arguments, charge) = match self.read(arguments, read_values)? {
            Ok(read) => read,
            Err(refusal) => {
                let message = format!("the arguments for {} are too large: {refusal}", slot.name);
                return Ok(Err(ToolError::new("RangeError", message)));
            }
        };
        let call = ToolCall {
            tool: Arc::clone(&slot.name),
            arguments: Arguments::charged(arguments, charge),
            cancel: self.cancel.clone(),
        };
        Ok(Ok((call, slot.tool.clone())))
    }

    /// The number of a call that begins.
    pub(crate) fn new_call_id(&self, id: i32) -> wasmtime::Result<u32> {
        let id = u32::try_from(id)?;
        if self.calls.contains_key(&id) {
            wasmtime::bail!("call {id} is outstanding already");
        }
        Ok(id)
    }

    /// Starts an asynchronous call, or says why not.
    pub(crate) fn start_call(
        &mut self,
        id: u32,
        call: ToolCall,
        tool: Option<Tool>,
    ) -> Result<(), ToolError> {
        let (name, arguments) = (Arc::clone(&call.tool), call.arguments.clone());
        match tool.map(|tool| tool.0) {
            Some(Kind::Async(function)) => {
                self.check_calls_in_flight()?;
                let future = function(call);
                self.start_future(id, name, arguments, future)
            }
            Some(_) => {
                self.check_calls_in_flight()?;
                let pending = PendingCall {
                    tool: name,
                    arguments,
                    has_future: false,
                };
                self.calls.insert(id, pending);
                Ok(())
            }
            None => Err(not_connected(&name)),
        }
    }

    /// Makes `future` answer the call `id`.
    pub(crate) fn start_future(
        &mut self,
        id: u32,
        tool: Arc<str>,
        arguments: Arguments,
        future: AnswerFuture,
    ) -> Result<(), ToolError> {
        let mut future = CallFuture {
            id,
            answer: Guarded::new(Arc::clone(&tool), future),
        };
        self.check_calls_in_flight()?;
        // Many tools have their answer at once; then the guest need not even stop for it.
        let polled = self
            .task
            .with(|waker| Pin::new(&mut future).poll(&mut Context::from_waker(waker)));
        match polled {
            Some(Poll::Ready((id, answer))) => self.keep_answer(id, answer),
            _ => self.futures.push(future),
        }
        let pending = PendingCall {
            tool,
            arguments,
            has_future: true,
        };
        self.calls.insert(id, pending);
        Ok(())
    }

    /// Keeps an answer until the guest asks for it. One for which there is no room becomes an error that says so.
    pub(crate) fn keep_answer(&mut self, id: u32, answer: Answer) {
        let bytes = match &answer {
            Ok(value) => value.heap_size(),
            Err(error) => error.0.size(),
        };
        let held = match self.account.charge(bytes) {
            Ok(charge) => Held::charged(answer, charge),
            // There are no more of these than calls in flight.
            Err(over) => Held::free(Err(no_room(&over))),
        };
        self.answers.push_back((id, held));
    }

    fn check_calls_in_flight(&self) -> Result<(), ToolError> {
        let outstanding = self.calls.len();
        if outstanding < self.max_calls_in_flight {
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

    /// Whether the run is to end. The guest asks once in a while; that its time is over is seen here at once, while the
    /// watchdog would have to be woken first.
    pub(crate) fn is_interrupted(&self) -> bool {
        // Between runs the guest only tidies up, and must get to the end of it.
        matches!(self.entry, Entry::Run) && self.interrupt.look().is_some()
    }

    /// The host's own functions are there for runs only.
    pub(crate) fn check_in_run(&self) -> wasmtime::Result<()> {
        match self.entry {
            Entry::Run => Ok(()),
            Entry::Chore(_) => wasmtime::bail!("it called a function of the host between runs"),
        }
    }

    /// The run waits for the host from here on.
    pub(crate) fn pause_clock(&mut self) {
        if let Some(deadline) = &mut self.deadline {
            deadline.pause();
        }
    }

    /// The run goes on.
    pub(crate) fn resume_clock(&mut self) {
        if let Some(deadline) = &mut self.deadline {
            deadline.resume();
        }
    }

    /// The run is about to go on, or to wait: somebody must watch its time, also if the process was forked meanwhile.
    pub(crate) fn ensure_watched(&mut self) {
        if let Some(deadline) = &mut self.deadline {
            deadline.ensure_watched();
        }
    }

    /// A stack was made for the cell, or not.
    pub(crate) fn keep_stack(&mut self, made: Option<StackLease>) {
        if made.is_some() {
            self.stack = made;
        }
    }

    /// Moves answers that have come to where the guest will ask for them. Ready when there is at least one.
    pub(crate) fn poll_answers(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Some(answer)) = Pin::new(&mut self.futures).poll_next(context) {
            let (id, answer) = answer;
            self.keep_answer(id, answer);
        }
        if self.answers.is_empty() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    /// Nobody waits for the outstanding calls any more.
    pub(crate) fn cancel_calls(&mut self) {
        self.futures = FuturesUnordered::new();
        self.answers.clear();
        self.calls.clear();
        let next = CancelToken::of(&self.interrupt);
        std::mem::replace(&mut self.cancel, next).cancel();
    }
}

/// The error for a tool that a restored cell knows but the host has not given it.
pub(crate) fn not_connected(tool: &str) -> ToolError {
    ToolError::from(format!(
        "the tool {tool} is not connected: the cell was restored without it"
    ))
}

/// Why there is no room for what the guest says.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(crate) enum Refusal {
    /// A single value may not take so much.
    #[error("more than {0}")]
    Value(Budget),
    /// There is no room beside what is kept already.
    #[error(transparent)]
    Account(OverLimit),
}

/// The error for an answer that there is no room for.
fn no_room(over: &OverLimit) -> ToolError {
    let message = format!("the answer of the tool cannot be kept: {over}");
    ToolError::new("RangeError", message)
}

/// Values and nothing else, with their count before them.
pub(crate) fn read_values(reader: &mut Reader<'_>) -> Result<Vec<Value>, WireError> {
    let values = reader.values()?;
    reader.finish()?;
    Ok(values)
}

/// An answer as the guest reads it. A value that cannot enter the cell is a failure of the tool.
pub(crate) fn put_answer(out: &mut Vec<u8>, answer: &Answer) -> Result<(), WireError> {
    let start = out.len();
    let written = match answer {
        Ok(value) => {
            out.push(answer::VALUE);
            put_value(out, value)
        }
        Err(error) => {
            out.push(answer::ERROR);
            put_value(out, &Value::Error(error.0.clone()))
        }
    };
    if let Err(error) = written {
        out.truncate(start);
        out.push(answer::ERROR);
        let message = format!("the tool's answer cannot enter the cell: {error}");
        put_value(out, &ErrorValue::new("TypeError", message).into())?;
    }
    Ok(())
}

/// Which call, then its answer.
pub(crate) fn put_numbered_answer(
    out: &mut Vec<u8>,
    id: u32,
    answer: &Answer,
) -> Result<(), WireError> {
    put_number(out, u64::from(id));
    put_answer(out, answer)
}
