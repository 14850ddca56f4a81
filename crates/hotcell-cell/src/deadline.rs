//! The end of a run's time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_watchdog::Timer;

use crate::interrupt::Interrupt;

/// What stands for a time that no clock can tell.
const FOR_EVER: Duration = Duration::from_hours(24 * 365 * 100);

/// The end of a run's time. Dropping it takes it back.
pub(crate) struct Deadline {
    interrupt: Arc<Interrupt>,
    at: Instant,
    /// While time counts.
    timer: Option<Timer>,
    /// Since when time has not counted.
    paused: Option<Instant>,
    /// Whether waiting for the host stops the clock.
    pauses: bool,
}

impl Deadline {
    /// Raises `interrupt` after `timeout`, unless it is dropped before.
    pub(crate) fn new(timeout: Duration, interrupt: &Arc<Interrupt>, pauses: bool) -> Self {
        let now = Instant::now();
        let mut deadline = Self {
            interrupt: Arc::clone(interrupt),
            at: now.checked_add(timeout).unwrap_or(now + FOR_EVER),
            timer: None,
            paused: None,
            pauses,
        };
        deadline.set();
        deadline
    }

    /// The run waits for the host.
    pub(crate) fn pause(&mut self) {
        if self.pauses && self.paused.is_none() {
            self.paused = Some(Instant::now());
            self.unset();
        }
    }

    /// The run goes on.
    pub(crate) fn resume(&mut self) {
        if let Some(since) = self.paused.take() {
            self.at += since.elapsed();
            self.set();
        }
    }

    /// Makes sure that somebody watches, also if the process was forked since this was set.
    pub(crate) fn ensure_watched(&mut self) {
        if self.timer.as_ref().is_some_and(|timer| !timer.is_watched()) {
            self.set();
        }
    }

    fn set(&mut self) {
        self.interrupt.set_deadline(Some(self.at));
        self.timer = Some(self.interrupt.timer(self.at));
    }

    fn unset(&mut self) {
        self.interrupt.set_deadline(None);
        self.timer = None;
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.unset();
    }
}
