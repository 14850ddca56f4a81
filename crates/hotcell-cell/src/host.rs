//! The host's side of one cell: what its imports work on.

mod calls;
mod message;
mod outcome;
mod task;

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use futures_util::stream::FuturesUnordered;
use hotcell_meter::{Account, Unwatched, Watch};
use wasmtime::Memory;

pub(crate) use calls::{PendingCall, Reaction, Slot, not_connected};
pub(crate) use message::{Refusal, put_answer, put_numbered_answer, read_values};
pub(crate) use outcome::Emitted;

use crate::{
    cancel::CancelToken,
    deadline::Deadline,
    engine::Seat,
    held::Held,
    interrupt::Interrupt,
    limits::MemoryLimit,
    options::{CellOptions, Clock, Console, Gate, Modules, Random},
    room::StackLease,
    tool::Answer,
    wire::Budget,
};
use message::Waiting;
use task::{CallFuture, TaskWaker};

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
    /// When the guest was first seen to compute on after an interrupt, or at all between runs, by [`hotcell_watchdog::thread_time`].
    pub(crate) overtime_since: Option<Duration>,
    /// Where the machine's stack was when the guest was entered.
    pub(crate) stack_mark: usize,
    /// The most that was used of it since the cell was last at rest, as far as the guest has asked.
    pub(crate) stack_peak: usize,
    /// That stack, once there is one.
    pub(crate) stack: Option<StackLease>,

    /// Whether the guest may ask for the time, and for chance. It knows itself and does not ask if not; but what it knows is in
    /// its memory.
    pub(crate) has_clock: bool,
    pub(crate) has_chance: bool,

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
    /// Where the last run was when it was stopped.
    pub(crate) stopped_at: Option<String>,
    /// The task that polls the cell, so that a new call can be polled at once.
    pub(crate) task: TaskWaker,
    pub(crate) tool_calls: u64,

    /// A reply too long for the inbox, until the guest takes it.
    pub(crate) waiting: Option<Waiting>,
    /// Where replies are put together.
    scratch: Vec<u8>,
    said: outcome::Said,
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
            has_clock: options.clock == Clock::Real,
            has_chance: options.random == Random::Real,
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
            stopped_at: None,
            task: TaskWaker::default(),
            tool_calls: 0,
            waiting: None,
            scratch: Vec::new(),
            said: outcome::Said::default(),
        }
    }

    /// Says when what is done for the guest has to end. Between runs nothing has to, but that is short.
    pub(crate) fn watch(&self) -> &dyn Watch {
        match self.entry {
            Entry::Run => &*self.interrupt,
            Entry::Chore(_) => &Unwatched,
        }
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
}
