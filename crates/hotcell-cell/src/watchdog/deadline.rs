//! The end of a run's time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Inner, Timer, TimerKey};
use crate::{interrupt::Interrupt, process::generation};

/// What stands for a time that no clock can tell.
const FOR_EVER: Duration = Duration::from_hours(24 * 365 * 100);

/// The end of a run's time. Dropping it takes it back.
pub(crate) struct Deadline {
    watchdog: Arc<Inner>,
    interrupt: Arc<Interrupt>,
    at: Instant,
    /// Which of the timers it is, and of which process, while time counts.
    timer: Option<(u64, TimerKey)>,
    /// Since when time has not counted.
    paused: Option<Instant>,
    /// Whether waiting for the host stops the clock.
    pauses: bool,
}

impl Deadline {
    pub(super) fn new(
        watchdog: &Arc<Inner>,
        timeout: Duration,
        interrupt: &Arc<Interrupt>,
        pauses: bool,
    ) -> Self {
        let now = Instant::now();
        let mut deadline = Self {
            watchdog: Arc::clone(watchdog),
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
        if self
            .timer
            .is_some_and(|(process, _)| process != generation())
        {
            self.set();
        }
    }

    fn set(&mut self) {
        self.interrupt.set_deadline(Some(self.at));
        let timer = Timer::Interrupt(Arc::downgrade(&self.interrupt), self.interrupt.run());
        self.timer = Some(self.watchdog.set(self.at, timer));
    }

    fn unset(&mut self) {
        self.interrupt.set_deadline(None);
        if let Some(timer) = self.timer.take() {
            self.watchdog.unset(timer);
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.unset();
    }
}
