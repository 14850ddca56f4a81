//! Stopping a run from outside.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    task::Waker,
    time::Instant,
};

use futures_util::task::AtomicWaker;
use hotcell_meter::{Stopped, Watch};
use hotcell_watchdog::{Timed, Timer};

use crate::foreign;

/// Why a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Deadline,
    Cancelled,
    CpuTime,
}

/// A clock of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meter {
    /// All of its time, or all but what it waits for tools.
    Wall,
    /// The time that it computes.
    Cpu,
}

/// Which of a cell's runs is meant, so that a deadline that comes late does not end the run after its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunId(u64);

/// Shared by a cell, its interrupters, its tools and the watchdog.
pub(crate) struct Interrupt {
    /// In the low bits 0 for none, else a [`Reason`]; above them the number of the run.
    state: AtomicU64,
    /// When the run's time is over by each [`Meter`], see [`nanoseconds`].
    deadlines: [AtomicU64; 2],
    /// The task that runs the cell, which may be waiting for a tool.
    task: AtomicWaker,
}

const REASON_BITS: u32 = 2;
const REASON_MASK: u64 = (1 << REASON_BITS) - 1;
/// The deadline of a run that has none, or whose clock stands still.
const NEVER: u64 = u64::MAX;

impl Default for Interrupt {
    fn default() -> Self {
        Self {
            state: AtomicU64::new(0),
            deadlines: [AtomicU64::new(NEVER), AtomicU64::new(NEVER)],
            task: AtomicWaker::new(),
        }
    }
}

impl Interrupt {
    /// Asks the run under way to end, also if it is waiting. The first reason stays.
    pub(crate) fn raise(&self, reason: Reason) {
        self.note(self.run(), reason);
        self.wake();
    }

    /// Wakes the task that runs the cell.
    pub(crate) fn wake(&self) {
        if let Some(waker) = self.task.take() {
            foreign::wake(waker);
        }
    }

    /// Says why `run` is to end, if it is still the run under way. It may have to be woken to see that.
    pub(crate) fn note(&self, run: RunId, reason: Reason) {
        let code = match reason {
            Reason::Deadline => 1,
            Reason::Cancelled => 2,
            Reason::CpuTime => 3,
        };
        let running = run.0 << REASON_BITS;
        let _ = self.state.compare_exchange(
            running,
            running | code,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
    }

    pub(crate) fn reason(&self) -> Option<Reason> {
        match self.state.load(Ordering::Acquire) & REASON_MASK {
            0 => None,
            1 => Some(Reason::Deadline),
            2 => Some(Reason::Cancelled),
            _ => Some(Reason::CpuTime),
        }
    }

    /// Why the run is to end, also if its time is over and the watchdog has not said so yet. For whoever runs the cell:
    /// what is seen here stays.
    pub(crate) fn look(&self) -> Option<Reason> {
        if self.reason().is_none()
            && let Some(reason) = self.past_deadline()
        {
            self.note(self.run(), reason);
        }
        self.reason()
    }

    /// For the next run.
    pub(crate) fn clear(&self) {
        let next = self.run().0.wrapping_add(1);
        self.state.store(next << REASON_BITS, Ordering::Release);
    }

    /// The run under way.
    pub(crate) fn run(&self) -> RunId {
        RunId(self.state.load(Ordering::Acquire) >> REASON_BITS)
    }

    /// Looks whether the time of the run under way is over then, unless the timer is dropped before.
    pub(crate) fn timer(self: &Arc<Self>, at: Instant) -> Timer {
        Timer::set(at, self, self.run().0)
    }

    /// Wakes the task that runs the cell then, unless the timer is dropped before.
    pub(crate) fn alarm(self: &Arc<Self>, at: Instant) -> Timer {
        Timer::alarm(at, self, self.run().0)
    }

    /// When the run's time is over by this clock; `None` while it stands still.
    pub(crate) fn set_deadline(&self, meter: Meter, at: Option<Instant>) {
        let at = at.map_or(NEVER, nanoseconds);
        self.deadlines[meter as usize].store(at, Ordering::Release);
    }

    /// Whom to wake when the reason changes.
    pub(crate) fn register(&self, waker: &Waker) {
        self.task.register(waker);
    }

    /// Why the run is to end by its clocks.
    fn past_deadline(&self) -> Option<Reason> {
        let [wall, cpu] = [Meter::Wall, Meter::Cpu]
            .map(|meter| self.deadlines[meter as usize].load(Ordering::Acquire));
        if wall.min(cpu) == NEVER {
            return None;
        }
        let now = nanoseconds(Instant::now());
        if now >= wall {
            Some(Reason::Deadline)
        } else {
            (now >= cpu).then_some(Reason::CpuTime)
        }
    }
}

impl Timed for Interrupt {
    /// A timer is a reminder and nothing more: the clock that it was set for may stand still by now.
    fn note(&self, run: u64) {
        if self.run() == RunId(run) {
            self.look();
        }
    }

    fn wake(self: Arc<Self>) {
        Interrupt::wake(&self);
        // What waits goes with the last one to hold it.
        foreign::discard(self);
    }
}

/// Looks at the clock itself, so that it works without the watchdog, too.
impl Watch for Interrupt {
    fn check(&self) -> Result<(), Stopped> {
        match self.reason() {
            Some(Reason::Deadline | Reason::CpuTime) => Err(Stopped::Deadline),
            Some(Reason::Cancelled) => Err(Stopped::Cancelled),
            None if self.past_deadline().is_some() => Err(Stopped::Deadline),
            None => Ok(()),
        }
    }
}

/// A time as a number that fits an atomic: since the first time that anyone asked.
fn nanoseconds(time: Instant) -> u64 {
    static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since = time.saturating_duration_since(*EPOCH).as_nanos();
    u64::try_from(since).unwrap_or(NEVER).min(NEVER - 1)
}
