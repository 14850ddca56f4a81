//! The host's side of one cell: what its imports work on.

mod calls;
mod message;
mod outcome;
mod task;
mod timer_time;

use std::{sync::Arc, time::Duration};

use hotcell_meter::{Account, Unwatched, Watch};
use wasmtime::Memory;

pub(crate) use calls::{Calls, PendingCall, Reaction, ToolSlot, not_connected};
pub(crate) use message::{Outbox, Refusal, put_answer, put_numbered_answer, read_values};
pub(crate) use outcome::Emitted;
pub(crate) use timer_time::TimerTime;

use crate::{
    cancel::CancelToken,
    deadline::{Clocks, Times},
    engine::CellPermit,
    interrupt::Interrupt,
    limits::MemoryLimit,
    options::{CellOptions, Clock, Console, Gate, Modules, Random, Timers},
    room::StackLease,
    wire::Budget,
};

/// What the guest was entered for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    /// A run, which ends when it is interrupted.
    Run,
    /// Something between runs, which may compute for so long.
    Chore(Duration),
}

/// What the guest may ask of the host beside calls of tools.
pub(crate) struct Grants {
    /// Whether it may ask for the time, and for random numbers. It knows itself and does not ask if not; but what it knows is in
    /// its memory.
    pub(crate) clock: bool,
    pub(crate) random: bool,
    /// Likewise for the time that timers count in.
    pub(crate) timers: bool,
    pub(crate) console: Option<Console>,
    pub(crate) gate: Option<Gate>,
    pub(crate) modules: Option<Modules>,
}

/// The machine's stack that the guest runs on.
#[derive(Default)]
pub(crate) struct Stack {
    /// Where it was when the guest was entered.
    pub(crate) mark: usize,
    /// The most that was used of it since the cell was last at rest, as far as the guest has asked.
    pub(crate) peak: usize,
    /// The stack itself, once there is one.
    pub(crate) lease: Option<StackLease>,
}

pub(crate) struct Host {
    /// Given back when the cell is gone.
    pub(crate) permit: Option<CellPermit>,
    /// Set right after instantiation.
    pub(crate) memory: Option<Memory>,
    pub(crate) limit: MemoryLimit,
    pub(crate) entry: Entry,
    pub(crate) interrupt: Arc<Interrupt>,
    /// The clocks of the run under way, while they are set.
    pub(crate) clocks: Option<Clocks>,
    /// The time that timers count in.
    pub(crate) timer_time: TimerTime,
    /// When the guest was first seen to compute on after an interrupt, or at all between runs, by [`hotcell_watchdog::thread_time`].
    pub(crate) overtime_since: Option<Duration>,
    pub(crate) stack: Stack,

    pub(crate) grants: Grants,
    pub(crate) budget: Budget,
    /// What is kept here for the guest is charged to it.
    pub(crate) account: Account,

    pub(crate) calls: Calls,
    /// Where the last run was when it was stopped.
    pub(crate) stopped_at: Option<String>,
    /// Promises that the last run left rejected, if it failed.
    pub(crate) rejections: Vec<String>,
    pub(crate) outbox: Outbox,
    said: outcome::Said,
}

impl Host {
    pub(crate) fn new(options: &CellOptions) -> Self {
        let interrupt = Arc::default();
        Self {
            permit: None,
            memory: None,
            limit: MemoryLimit::new(options.memory_limit),
            entry: Entry::Run,
            clocks: None,
            timer_time: TimerTime::default(),
            overtime_since: None,
            stack: Stack::default(),
            grants: Grants {
                clock: options.clock == Clock::Real,
                random: options.random == Random::Real,
                timers: options.timers != Timers::Off,
                console: options.console.clone(),
                gate: options.gate.clone(),
                modules: options.modules.clone(),
            },
            budget: Budget::bytes(options.max_value_bytes),
            account: options.account_of_cell(),
            calls: Calls::new(options.max_calls_in_flight, CancelToken::of(&interrupt)),
            interrupt,
            stopped_at: None,
            rejections: Vec::new(),
            outbox: Outbox::default(),
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

    /// The time of a run begins to count.
    pub(crate) fn arm(&mut self, times: Times) {
        // First the old ones go: they take their time off the interrupt.
        self.clocks = None;
        self.clocks = Some(Clocks::start(times, &self.interrupt));
    }

    /// The run waits for the host from here on.
    pub(crate) fn pause_clock(&mut self) {
        if let Some(clocks) = &mut self.clocks {
            clocks.pause();
        }
    }

    /// The run goes on.
    pub(crate) fn resume_clock(&mut self) {
        if let Some(clocks) = &mut self.clocks {
            clocks.resume();
        }
    }

    /// The run is about to go on, or to wait: somebody must watch its time, also if the process was forked meanwhile.
    pub(crate) fn ensure_watched(&mut self) {
        if let Some(clocks) = &mut self.clocks {
            clocks.ensure_watched();
        }
    }

    /// A stack was made for the cell, or not.
    pub(crate) fn keep_stack(&mut self, made: Option<StackLease>) {
        if made.is_some() {
            self.stack.lease = made;
        }
    }
}
