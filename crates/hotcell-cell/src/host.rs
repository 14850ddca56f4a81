//! The host's side of one cell: what its imports work on.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::stream::{FuturesUnordered, Stream};
use wasmtime::Memory;

use crate::{
    cancel::CancelToken,
    engine::Seat,
    error::Exception,
    guest::{INBOX_SIZE, answer, emit, place},
    interrupt::{Interrupt, Reason},
    limits::MemoryLimit,
    options::{CellOptions, Console, Gate, Level, Modules},
    tool::{Answer, AnswerFuture, Kind, Tool, ToolCall, ToolError},
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
    pub(crate) arguments: Vec<Value>,
    /// Whether a future of ours will answer it. If not, the host must.
    pub(crate) has_future: bool,
}

/// How a run ended, as far as the guest has said.
#[derive(Debug)]
pub(crate) enum Emitted {
    Result(Value),
    Final(Value),
    Exception(Box<Exception>),
    Uncloneable {
        reason: String,
        printed: String,
        is_final_answer: bool,
    },
    TooLarge {
        is_final_answer: bool,
    },
}

pub(crate) struct Host {
    /// Given back when the cell is gone.
    pub(crate) seat: Option<Seat>,
    /// Set right after instantiation.
    pub(crate) memory: Option<Memory>,
    pub(crate) limit: MemoryLimit,
    pub(crate) interrupt: Arc<Interrupt>,
    /// When the run under way must be over.
    pub(crate) deadline: Option<Deadline>,
    /// When the guest was first seen to compute on after an interrupt, by [`crate::watchdog::thread_time`].
    pub(crate) overtime_since: Option<Duration>,
    /// Where the machine's stack was when the guest was entered.
    pub(crate) stack_mark: usize,

    console: Option<Console>,
    pub(crate) gate: Option<Gate>,
    pub(crate) modules: Option<Modules>,
    pub(crate) budget: Budget,
    max_calls_in_flight: usize,

    pub(crate) tools: Vec<Slot>,
    pub(crate) calls: HashMap<u32, PendingCall>,
    pub(crate) futures: FuturesUnordered<CallFuture>,
    pub(crate) answers: VecDeque<(u32, Answer)>,
    pub(crate) cancel: CancelToken,
    /// The task that polls the cell, so that a new call can be polled at once.
    pub(crate) task: TaskWaker,
    pub(crate) tool_calls: u64,

    /// A reply too long for the inbox, until the guest takes it.
    pub(crate) waiting: Vec<u8>,
    /// Where replies are put together.
    scratch: Vec<u8>,
    pub(crate) emitted: Option<Emitted>,
    pub(crate) rejections: Vec<String>,
}

impl Host {
    pub(crate) fn new(options: &CellOptions) -> Self {
        Self {
            seat: None,
            memory: None,
            limit: MemoryLimit::new(options.memory_limit),
            interrupt: Arc::default(),
            deadline: None,
            overtime_since: None,
            stack_mark: 0,
            console: options.console.clone(),
            gate: options.gate.clone(),
            modules: options.modules.clone(),
            budget: Budget::bytes(options.max_value_bytes),
            max_calls_in_flight: options.max_calls_in_flight,
            tools: Vec::new(),
            calls: HashMap::new(),
            futures: FuturesUnordered::new(),
            answers: VecDeque::new(),
            cancel: CancelToken::default(),
            task: TaskWaker::default(),
            tool_calls: 0,
            waiting: Vec::new(),
            scratch: Vec::new(),
            emitted: None,
            rejections: Vec::new(),
        }
    }

    /// Writes a reply where the guest looks for it and returns its length.
    pub(crate) fn reply(
        &mut self,
        memory: &mut [u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>,
    ) -> wasmtime::Result<i32> {
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
            self.waiting = message;
        }
        Ok(length)
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
        self.tool_calls += 1;
        let arguments = match read_arguments(arguments, self.budget) {
            Err(WireError::TooLarge) => {
                let message = format!(
                    "the arguments for {} are too large: more than {}",
                    slot.name, self.budget
                );
                return Ok(Err(ToolError::new("RangeError", message)));
            }
            arguments => arguments?,
        };
        let call = ToolCall {
            tool: Arc::clone(&slot.name),
            arguments,
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
        arguments: Vec<Value>,
        mut future: AnswerFuture,
    ) -> Result<(), ToolError> {
        self.check_calls_in_flight()?;
        // Many tools have their answer at once; then the guest need not even stop for it.
        let polled = self
            .task
            .with(|waker| future.as_mut().poll(&mut Context::from_waker(waker)));
        match polled {
            Some(Poll::Ready(answer)) => self.answers.push_back((id, answer)),
            _ => self.futures.push(CallFuture { id, future }),
        }
        let pending = PendingCall {
            tool,
            arguments,
            has_future: true,
        };
        self.calls.insert(id, pending);
        Ok(())
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
        future: Pin<Box<dyn Future<Output = T> + Send>>,
    ) -> Option<T> {
        self.pause_clock();
        let mut future = future;
        let interrupt = Arc::clone(&self.interrupt);
        let answer = poll_fn(|context| {
            if let Poll::Ready(answer) = future.as_mut().poll(context) {
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
        if self.interrupt.reason().is_some() {
            return true;
        }
        let is_over = self.deadline.as_ref().is_some_and(Deadline::has_passed);
        if is_over {
            self.interrupt.note(Reason::Deadline);
        }
        is_over
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

    /// Moves answers that have come to where the guest will ask for them. Ready when there is at least one.
    pub(crate) fn poll_answers(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Some(answer)) = Pin::new(&mut self.futures).poll_next(context) {
            self.answers.push_back(answer);
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
        std::mem::take(&mut self.cancel).cancel();
    }

    /// Takes in what the guest says of its run.
    pub(crate) fn receive(&mut self, kind: i32, message: &[u8]) -> wasmtime::Result<()> {
        let mut reader = Reader::new(message, self.budget);
        match kind {
            emit::RESULT => self.emitted = Some(Self::outcome(reader.value(), false)?),
            // The first final answer wins, over anything else that is said.
            emit::FINAL if !self.is_final() => {
                self.emitted = Some(Self::outcome(reader.value(), true)?);
            }
            emit::EXCEPTION => {
                let exception = read_exception(&mut reader, self.limit.refused)?;
                self.emitted = Some(Emitted::Exception(Box::new(exception)));
            }
            emit::UNCLONEABLE => {
                let is_final_answer = reader.byte()? != 0;
                let reason = reader.printed()?;
                let printed = reader.printed()?;
                self.emitted = Some(Emitted::Uncloneable {
                    reason,
                    printed,
                    is_final_answer,
                });
            }
            emit::LOG => {
                let level = match reader.byte()? {
                    0 => Level::Log,
                    1 => Level::Info,
                    2 => Level::Warn,
                    _ => Level::Error,
                };
                let text = reader.printed()?;
                if let Some(console) = &self.console {
                    console(level, &text);
                }
            }
            emit::REJECTION => self.rejections.push(reader.printed()?),
            _ => {}
        }
        Ok(())
    }

    /// A value too large to keep outside is like one that cannot leave; anything else unreadable is the guest's fault.
    fn outcome(
        value: Result<Value, WireError>,
        is_final_answer: bool,
    ) -> Result<Emitted, WireError> {
        match value {
            Ok(value) if is_final_answer => Ok(Emitted::Final(value)),
            Ok(value) => Ok(Emitted::Result(value)),
            Err(WireError::TooLarge) => Ok(Emitted::TooLarge { is_final_answer }),
            Err(error) => Err(error),
        }
    }

    fn is_final(&self) -> bool {
        matches!(
            self.emitted,
            Some(
                Emitted::Final(_)
                    | Emitted::Uncloneable {
                        is_final_answer: true,
                        ..
                    }
                    | Emitted::TooLarge {
                        is_final_answer: true
                    }
            )
        )
    }
}

/// The error for a tool that a restored cell knows but the host has not given it.
pub(crate) fn not_connected(tool: &str) -> ToolError {
    ToolError::from(format!(
        "the tool {tool} is not connected: the cell was restored without it"
    ))
}

/// Count and values.
pub(crate) fn read_arguments(message: &[u8], budget: Budget) -> Result<Vec<Value>, WireError> {
    let mut reader = Reader::new(message, budget);
    let count = reader.number()?;
    if count > message.len() as u64 {
        return Err(WireError::Malformed);
    }
    let arguments = (0..count)
        .map(|_| reader.next_value())
        .collect::<Result<_, _>>()?;
    reader.finish()?;
    Ok(arguments)
}

fn read_exception(reader: &mut Reader<'_>, out_of_memory: bool) -> Result<Exception, WireError> {
    let flags = reader.byte()?;
    let mut value = if reader.absent() {
        None
    } else {
        reader.value_if_it_fits()?
    };
    let mut printed = reader.printed()?;
    // The engine throws `null` when there is no memory even for an error.
    if out_of_memory && value == Some(Value::Null) {
        let error = ErrorValue::new("InternalError", "out of memory");
        printed = error.to_string();
        value = Some(error.into());
    }
    Ok(Exception {
        printed,
        value,
        from_tool: flags & crate::guest::exception::FROM_TOOL != 0,
        at_compile: flags & crate::guest::exception::AT_COMPILE != 0,
        out_of_memory,
    })
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

/// A call under way.
pub(crate) struct CallFuture {
    id: u32,
    future: AnswerFuture,
}

impl Future for CallFuture {
    type Output = (u32, Answer);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let id = self.id;
        self.future
            .as_mut()
            .poll(context)
            .map(|answer| (id, answer))
    }
}

/// The waker of the task that is polling the cell right now. Imports are called from inside that poll but do not see its
/// context.
#[derive(Clone, Default)]
pub(crate) struct TaskWaker(Arc<Mutex<Option<Waker>>>);

impl TaskWaker {
    pub(crate) fn set(&self, waker: &Waker) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !slot.as_ref().is_some_and(|old| old.will_wake(waker)) {
            *slot = Some(waker.clone());
        }
    }

    fn with<T>(&self, use_it: impl FnOnce(&Waker) -> T) -> Option<T> {
        // Cloned, so that a tool may cause a poll of another cell without a deadlock.
        let waker = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        waker.as_ref().map(use_it)
    }
}
