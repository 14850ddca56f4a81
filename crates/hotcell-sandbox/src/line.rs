//! One command at a time: who has the turn, and who waits for it.

use std::{
    collections::VecDeque,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU8, Ordering},
    },
    task::Waker,
};

use futures_util::task::AtomicWaker;
use hotcell_process::Kernel;
use hotcell_watchdog::Timed;

use crate::audit::KillReason;

/// Ends a run, whether it waits or is under way. Cheap to clone; clones end the same run.
#[derive(Clone)]
pub struct Canceller(pub(crate) Arc<Control>);

impl Canceller {
    /// Ends the run: it comes to exit code 125 and `CANCELLED`. Nothing happens if it has ended.
    pub fn cancel(&self) {
        self.0.stop(KillReason::Cancelled);
    }
}

/// What others know of a run.
#[derive(Default)]
pub(crate) struct Control {
    /// Why it is to end; the first reason stays.
    reason: AtomicU8,
    /// There once it is under way.
    kernel: OnceLock<Kernel>,
    /// The task that waits for its turn.
    waiting: AtomicWaker,
}

/// In the order of their numbers, from 1.
const REASONS: [KillReason; 4] = [
    KillReason::Timeout,
    KillReason::CpuTime,
    KillReason::Cancelled,
    KillReason::Destroyed,
];

impl Control {
    /// Ends it.
    pub(crate) fn stop(&self, reason: KillReason) {
        let number = REASONS.iter().position(|known| *known == reason);
        let number = number.and_then(|number| u8::try_from(number + 1).ok());
        let Some(number) = number else { return };
        let order = Ordering::AcqRel;
        // Whoever was first has said why.
        let _ = self
            .reason
            .compare_exchange(0, number, order, Ordering::Acquire);
        if let Some(kernel) = self.kernel.get() {
            kernel.cancel();
        }
        self.waiting.wake();
    }

    /// Why it is to end.
    pub(crate) fn reason(&self) -> Option<KillReason> {
        let number = usize::from(self.reason.load(Ordering::Acquire));
        number
            .checked_sub(1)
            .and_then(|index| REASONS.get(index).copied())
    }

    /// It is under way.
    pub(crate) fn begin(&self, kernel: &Kernel) {
        let _ = self.kernel.set(kernel.clone());
        // Somebody may have been quicker.
        if self.reason().is_some() {
            kernel.cancel();
        }
    }

    pub(crate) fn register(&self, waker: &Waker) {
        self.waiting.register(waker);
    }

    pub(crate) fn wake(&self) {
        self.waiting.wake();
    }
}

/// The time of one that waits is over.
impl Timed for Control {
    fn note(&self, _: u64) {}

    fn wake(self: Arc<Self>) {
        // The task is the host's, and this is the watchdog.
        let stopped = std::panic::AssertUnwindSafe(|| self.stop(KillReason::Timeout));
        let _ = std::panic::catch_unwind(stopped);
    }
}

/// Whose turn it is, and who waits.
#[derive(Default)]
pub(crate) struct Line {
    current: Option<Arc<Control>>,
    waiting: VecDeque<Arc<Control>>,
}

impl Line {
    /// The run under way.
    pub(crate) fn current(&self) -> Option<&Arc<Control>> {
        self.current.as_ref()
    }

    /// Takes the turn, if nobody has it and nobody was there before.
    pub(crate) fn take(&mut self, control: &Arc<Control>) -> bool {
        if self.current.is_some() {
            return false;
        }
        match self.waiting.front() {
            Some(first) if !Arc::ptr_eq(first, control) => return false,
            Some(_) => drop(self.waiting.pop_front()),
            None => {}
        }
        self.current = Some(Arc::clone(control));
        true
    }

    /// Waits for the turn.
    pub(crate) fn join(&mut self, control: &Arc<Control>) {
        self.waiting.push_back(Arc::clone(control));
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Gives the turn back, or the place in the line. Whoever is next now is to be woken.
    pub(crate) fn leave(&mut self, control: &Arc<Control>) -> Option<Arc<Control>> {
        let is_current = |current: &Arc<Control>| Arc::ptr_eq(current, control);
        if self.current.as_ref().is_some_and(is_current) {
            self.current = None;
        }
        self.waiting.retain(|other| !Arc::ptr_eq(other, control));
        if self.current.is_some() {
            return None;
        }
        self.waiting.front().cloned()
    }

    /// Everybody, of whom nobody waits any longer.
    pub(crate) fn clear(&mut self) -> Vec<Arc<Control>> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting
            .into_iter()
            .chain(self.current.iter().cloned())
            .collect()
    }
}
