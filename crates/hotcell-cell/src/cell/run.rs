//! Running programs in a cell.

use std::{
    fmt,
    future::poll_fn,
    pin::pin,
    sync::{Arc, Weak},
    task::Poll,
    time::{Duration, Instant},
};

use super::{Cell, entry::Chore};
use crate::{
    deadline::{Deadline, Times},
    engine::Shared,
    error::{CellError, Exception},
    guest::{Status, place, policy},
    host::{Emitted, Refusal},
    interrupt::{Interrupt, Meter, Reason},
    stats::Stats,
    value::Value,
    wire::put_text_bytes,
};

const NO_RUN: CellError = CellError::State("there is no run under way in this cell");
const ENDLESS: CellError =
    CellError::State("a run without a timeout needs a limit of its computing time");

/// Code, and how long it may run.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Program<'a> {
    code: &'a str,
    name: &'a str,
    /// `None` for the cell's own.
    timeout: Option<Duration>,
    has_no_timeout: bool,
    cpu_time: Option<Duration>,
    max_operations: Option<u64>,
    pauses: bool,
}

impl<'a> Program<'a> {
    /// A script. It runs in strict mode at the global scope; `await` and `return` may stand at its top level.
    pub fn new(code: &'a str) -> Self {
        Self {
            code,
            name: "code.js",
            timeout: None,
            has_no_timeout: false,
            cpu_time: None,
            max_operations: None,
            pauses: false,
        }
    }

    /// What stacks call it (`code.js`).
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = name;
        self
    }

    /// How long it may take, waiting for tools included (the cell's own timeout).
    /// `None` for as long as it likes: then there must be a [`Program::cpu_time`].
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self.has_no_timeout = self.timeout.is_none();
        self
    }

    /// How long it may compute: the time in which it holds a thread, synchronous tools included, and not what it waits (any
    /// time).
    pub fn cpu_time(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.cpu_time = time.into();
        self
    }

    /// Whether the clock stands still while the program can only wait for tools (it does not).
    pub fn pause_clock_during_tools(mut self, pause: bool) -> Self {
        self.pauses = pause;
        self
    }

    /// How many loop iterations it may make (any number).
    pub fn max_operations(mut self, operations: u64) -> Self {
        self.max_operations = Some(operations);
        self
    }
}

impl<'a> From<&'a str> for Program<'a> {
    fn from(code: &'a str) -> Self {
        Self::new(code)
    }
}

/// How a run ended well.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// What the program returned at its top level, or the value of its last expression; awaited.
    pub value: Value,
    /// Whether it is the argument of [`crate::Tool::final_answer`].
    pub is_final_answer: bool,
    /// Promises that were rejected while nobody listened, printed.
    pub unhandled_rejections: Vec<String>,
    /// What the run cost.
    pub stats: Stats,
}

/// How far a run has come.
#[derive(Debug)]
pub enum Progress {
    /// It is over.
    Done(Outcome),
    /// It waits for tools or timers. Between steps a cell can be snapshotted and forked.
    Waiting,
}

/// Ends the run under way in a cell, from anywhere.
#[derive(Clone)]
pub struct Interrupter {
    interrupt: Weak<Interrupt>,
    engine: Weak<Shared>,
}

impl Interrupter {
    /// Ends the run under way; it fails with [`CellError::Cancelled`]. Without one this does nothing.
    pub fn cancel(&self) {
        if let (Some(interrupt), Some(engine)) = (self.interrupt.upgrade(), self.engine.upgrade()) {
            interrupt.raise(Reason::Cancelled);
            engine.watchdog.tick_now();
        }
    }
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupter").finish_non_exhaustive()
    }
}

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) times: Times,
    pub(crate) max_operations: Option<u64>,
}

/// A run under way.
pub(super) struct Run {
    limits: Limits,
    /// Length of the program in the inbox, until it has begun.
    unstarted: Option<i32>,
    before: Stats,
    tool_calls_before: u64,
}

impl Run {
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn is_unstarted(&self) -> bool {
        self.unstarted.is_some()
    }

    /// How many loop iterations it has made, when the guest has so many left. That is in its memory, so it may be any number.
    fn operations(&self, left: i64) -> u64 {
        let used = operations_budget(self.limits.max_operations).saturating_sub(left.max(0));
        used.max(0).cast_unsigned()
    }
}

impl Cell {
    /// Runs code to its end and returns its outcome. What it declares stays for the next run.
    ///
    /// If this future is dropped while code is computing, the cell is gone.
    pub async fn evaluate(
        &mut self,
        program: impl Into<Program<'_>>,
    ) -> Result<Outcome, CellError> {
        self.start(program)?;
        self.complete().await
    }

    /// Takes the run that [`Cell::start`] began to its end.
    pub async fn complete(&mut self) -> Result<Outcome, CellError> {
        match self.advance().await? {
            Progress::Done(outcome) => Ok(outcome),
            Progress::Waiting => {
                self.abandon()?;
                Err(CellError::Deferred)
            }
        }
    }

    /// Takes the run as far as it goes in this process: to its end, or until it waits for nothing but [`Cell::answer`].
    pub async fn advance(&mut self) -> Result<Progress, CellError> {
        loop {
            match self.step().await? {
                Progress::Waiting if self.can_progress() => self.ready().await,
                progress => return Ok(progress),
            }
        }
    }

    /// Takes the time off the run under way, which waits for [`Cell::answer`]: that may take days.
    pub fn suspend(&mut self) {
        if let Some(live) = &mut self.live {
            let host = live.store.data_mut();
            host.clocks = None;
            host.timer_time.pause();
        }
    }

    /// The run that was suspended, or came with a snapshot or a fork, may take and compute so long from here on. One of both
    /// has to end it.
    pub fn resume(
        &mut self,
        timeout: impl Into<Option<Duration>>,
        cpu_time: Option<Duration>,
    ) -> Result<(), CellError> {
        let Some(run) = &mut self.run else {
            return Err(NO_RUN);
        };
        let wall = timeout.into();
        if wall.or(cpu_time).is_none() {
            return Err(ENDLESS);
        }
        run.limits.times.wall = wall;
        run.limits.times.cpu = cpu_time;
        let limits = run.limits;
        self.arm(limits);
        Ok(())
    }

    /// Begins a run, to be taken further by [`Cell::step`]. The time starts to count.
    pub fn start<'a>(&mut self, program: impl Into<Program<'a>>) -> Result<(), CellError> {
        self.live()?;
        if self.run.is_some() {
            return Err(CellError::State("a run is under way in this cell"));
        }
        let program = program.into();
        let own = (!program.has_no_timeout).then_some(self.options.timeout);
        let wall = program.timeout.or(own);
        if wall.or(program.cpu_time).is_none() {
            return Err(ENDLESS);
        }
        let mut message = Vec::with_capacity(program.code.len() + program.name.len() + 10);
        put_text_bytes(&mut message, program.name);
        put_text_bytes(&mut message, program.code);
        let length = self.send(message)?;
        let limits = Limits {
            times: Times {
                wall,
                cpu: program.cpu_time,
                pauses: program.pauses,
            },
            max_operations: program.max_operations,
        };
        self.adopt_run(limits);
        self.write_operations_left(limits.max_operations);
        if let Some(run) = &mut self.run {
            run.unstarted = Some(length);
        }
        Ok(())
    }

    /// Takes the run as far as it goes without waiting.
    pub async fn step(&mut self) -> Result<Progress, CellError> {
        let Some(run) = &mut self.run else {
            return Err(NO_RUN);
        };
        let unstarted = run.unstarted.take();
        let limits = run.limits;
        if self.live()?.store.data().clocks.is_none() {
            self.arm(limits);
        }
        let host = self.live()?.store.data_mut();
        host.resume_clock();
        if unstarted.is_none()
            && let Some(reason) = host.interrupt.reason()
        {
            self.abandon()?;
            return Err(interrupted(reason));
        }
        let status = self.enter_run(unstarted).await?;
        match Status::from_guest(status) {
            Ok(Status::Waiting) => Ok(Progress::Waiting),
            Ok(Status::Stalled) => {
                self.abandon()?;
                self.live()?.store.data_mut().take_outcome();
                Err(CellError::Stalled)
            }
            Ok(status) => self.finish(status).map(Progress::Done),
            Err(error) => {
                self.discard();
                Err(error)
            }
        }
    }

    /// Completes when [`Cell::step`] has something to do: an answer, a timer that is due, or the end of the run's time.
    pub async fn ready(&mut self) {
        let due = self.next_timer();
        let Some(live) = &mut self.live else { return };
        let host = live.store.data_mut();
        if host.is_waiting_for_tools() {
            host.pause_clock();
        }
        host.ensure_watched();
        // No thread waits for it: the watchdog wakes whoever polls this.
        let _alarm = due.map(|at| host.interrupt.alarm(at));
        let mut gave_way = false;
        poll_fn(|context| {
            let Some(live) = &mut self.live else {
                return Poll::Ready(());
            };
            let host = live.store.data_mut();
            host.interrupt.register(context.waker());
            if host.interrupt.reason().is_some() {
                return Poll::Ready(());
            }
            if due.is_some_and(|at| at <= Instant::now()) {
                // A guest that says so each time gives the thread back each time.
                if std::mem::replace(&mut gave_way, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            gave_way = true;
            if host.poll_answers(context).is_pending() && (host.can_progress() || due.is_some()) {
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    /// When the next timer of the run is due. What the guest says of it may be anything.
    fn next_timer(&self) -> Option<Instant> {
        let live = self.live.as_ref()?;
        let host = live.store.data();
        let due = f64::from_le_bytes(self.read_policy(policy::TIMER_DUE)?);
        host.grants
            .timers
            .then(|| host.timer_time.when(due))
            .flatten()
    }

    /// Waits for something of the host's that belongs to the run that has just ended, such as a look at its outcome. It
    /// ends like a run: at its time, or when an [`Interrupter`] says so.
    pub async fn wait_for<T>(
        &mut self,
        work: impl Future<Output = T>,
        timeout: impl Into<Option<Duration>>,
    ) -> Result<T, CellError> {
        let interrupt = Arc::clone(&self.live()?.store.data().interrupt);
        let deadline = |timeout| Deadline::new(Meter::Wall, timeout, &interrupt, false);
        let _deadline = timeout.into().map(deadline);
        let mut work = pin!(work);
        poll_fn(|context| {
            interrupt.register(context.waker());
            match interrupt.reason() {
                Some(reason) => Poll::Ready(Err(interrupted(reason))),
                None => work.as_mut().poll(context).map(Ok),
            }
        })
        .await
    }

    /// Ends the run under way without running any more of it, and cancels its calls. Without one this does nothing.
    pub fn stop(&mut self) -> Result<(), CellError> {
        match &self.run {
            None => Ok(()),
            Some(run) if run.is_unstarted() => {
                self.end_run();
                Ok(())
            }
            Some(_) => self.abandon(),
        }
    }

    /// Lets the run under way make so many loop iterations from here on, and no more: for one that was restored, which has no
    /// such limit, whatever it had before.
    pub fn limit_operations(&mut self, operations: u64) -> Result<(), CellError> {
        let Some(run) = &mut self.run else {
            return Err(NO_RUN);
        };
        run.limits.max_operations = Some(operations);
        self.write_operations_left(Some(operations));
        Ok(())
    }

    /// What the run under way has cost so far. Nothing, if there is none.
    pub fn run_stats(&self) -> Stats {
        let (Some(run), Some(live)) = (&self.run, &self.live) else {
            return Stats::default();
        };
        let left = self.read_operations_left();
        Stats {
            operations: run.operations(left),
            tool_calls: live.store.data().calls.made - run.tool_calls_before,
            cpu_time: self.totals.cpu_time.saturating_sub(run.before.cpu_time),
            peak_memory_bytes: live.peak_memory(),
            peak_stack_bytes: self.totals.peak_stack_bytes,
        }
    }

    /// Something that can end the run from elsewhere.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter {
            interrupt: self.live.as_ref().map_or_else(Weak::new, |live| {
                Arc::downgrade(&live.store.data().interrupt)
            }),
            engine: Arc::downgrade(&self.engine.0),
        }
    }

    /// Whether anything in this process will take the run further.
    fn can_progress(&self) -> bool {
        let Some(live) = &self.live else { return false };
        let host = live.store.data();
        // Before an answer that may take days nobody waits for timers: what remains of them stays.
        host.can_progress() || (!host.is_waiting_for_host() && self.next_timer().is_some())
    }

    /// Makes a run of what the guest already has under way, or is about to.
    pub(super) fn adopt_run(&mut self, limits: Limits) {
        self.arm(limits);
        let Some(live) = &mut self.live else { return };
        let host = live.store.data_mut();
        host.limit.begin_run();
        host.forget_outcome();
        self.run = Some(Run {
            limits,
            unstarted: None,
            before: self.totals,
            tool_calls_before: host.calls.made,
        });
    }

    /// The time of a run begins to count.
    fn arm(&mut self, limits: Limits) {
        let Some(live) = &mut self.live else { return };
        let host = live.store.data_mut();
        host.interrupt.clear();
        host.overtime_since = None;
        host.arm(limits.times);
        host.timer_time.resume();
    }

    pub(super) fn end_run(&mut self) -> Option<Run> {
        if let Some(live) = &mut self.live {
            live.store.data_mut().clocks = None;
        }
        self.run.take()
    }

    /// Ends the run without running any more of it.
    fn abandon(&mut self) -> Result<(), CellError> {
        self.end_run();
        self.live()?.store.data_mut().cancel_calls();
        self.enter_chore(Chore::Abandon)?;
        Ok(())
    }

    fn finish(&mut self, status: Status) -> Result<Outcome, CellError> {
        let left = self.read_operations_left();
        let run = self.end_run();
        let live = self.live()?;
        let peak_memory_bytes = live.peak_memory();
        let host = live.store.data_mut();
        let reason = host.interrupt.reason();
        let emitted = host.take_outcome();
        let unhandled_rejections = match emitted {
            Some(Emitted::Result(_) | Emitted::Final(_)) => std::mem::take(&mut host.rejections),
            _ => Vec::new(),
        };
        let tool_calls = host.calls.made;
        let out_of_memory = host.limit.refused;
        if matches!(
            status,
            Status::StoppedForOperations
                | Status::StoppedByInterrupt
                | Status::StoppedByFinalAnswer
                | Status::StoppedByUncaught
        ) {
            host.cancel_calls();
        }
        let Some(run) = run else {
            return Err(NO_RUN);
        };
        let allowed = run.limits.max_operations.unwrap_or(u64::MAX);
        let cost = Stats {
            operations: run.operations(left),
            tool_calls: tool_calls - run.tool_calls_before,
            cpu_time: self.totals.cpu_time.saturating_sub(run.before.cpu_time),
            peak_memory_bytes,
            peak_stack_bytes: self.totals.peak_stack_bytes,
        };
        self.totals.operations = self.totals.operations.saturating_add(cost.operations);
        self.totals.tool_calls += cost.tool_calls;
        let outcome = |value, is_final_answer| {
            Ok(Outcome {
                value,
                is_final_answer,
                unhandled_rejections,
                stats: cost,
            })
        };
        match (status, emitted) {
            (Status::Done, Some(Emitted::Result(value))) => outcome(value, false),
            (Status::StoppedByFinalAnswer, Some(Emitted::Final(value))) => outcome(value, true),
            (Status::Done | Status::StoppedByUncaught, Some(Emitted::Exception(exception))) => {
                Err(CellError::Exception(exception))
            }
            (
                Status::Done | Status::StoppedByFinalAnswer,
                Some(Emitted::Uncloneable {
                    reason,
                    printed,
                    is_final_answer,
                }),
            ) => Err(CellError::Uncloneable {
                reason,
                printed,
                is_final_answer,
            }),
            (
                Status::Done | Status::StoppedByFinalAnswer,
                Some(Emitted::Refused {
                    refusal,
                    is_final_answer,
                }),
            ) => Err(match refusal {
                Refusal::Value(_) => CellError::TooLarge {
                    limit: self.options.max_value_bytes,
                    is_final_answer,
                },
                Refusal::Account(over) => CellError::HostMemory {
                    over,
                    is_final_answer,
                },
                Refusal::Stopped => interrupted(reason.unwrap_or(Reason::Deadline)),
            }),
            (Status::StoppedForOperations, _) => Err(CellError::Operations { limit: allowed }),
            (Status::StoppedByInterrupt, _) => match reason {
                Some(reason) => Err(interrupted(reason)),
                // Even saying what went wrong took more memory than there was.
                None => Err(CellError::Exception(Box::new(Exception {
                    printed: "InternalError: out of memory".into(),
                    value: None,
                    from_tool: false,
                    tool: None,
                    at_compile: false,
                    out_of_memory,
                }))),
            },
            (status, _) => {
                self.discard();
                Err(CellError::Broken(format!(
                    "a run ended as {status:?} without an outcome"
                )))
            }
        }
    }

    pub(super) fn write_operations_left(&mut self, max_operations: Option<u64>) {
        let at = place::OPERATIONS_LEFT;
        let Some(live) = &mut self.live else { return };
        let left = operations_budget(max_operations);
        live.guest.memory.data_mut(&mut live.store)[at..at + 8]
            .copy_from_slice(&left.to_le_bytes());
    }

    fn read_operations_left(&self) -> i64 {
        let at = place::OPERATIONS_LEFT;
        let bytes = self.live.as_ref().and_then(|live| {
            live.guest
                .memory
                .data(&live.store)
                .get(at..at + 8)?
                .try_into()
                .ok()
        });
        bytes.map_or(0, i64::from_le_bytes)
    }
}

/// The guest's counter for a limit.
fn operations_budget(max_operations: Option<u64>) -> i64 {
    max_operations
        .and_then(|limit| i64::try_from(limit).ok())
        .unwrap_or(i64::MAX)
}

fn interrupted(reason: Reason) -> CellError {
    match reason {
        Reason::Deadline => CellError::Deadline { killed: false },
        Reason::Cancelled => CellError::Cancelled { killed: false },
        Reason::CpuTime => CellError::CpuTime { killed: false },
    }
}
