//! The end of a run's time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_watchdog::Timer;

use crate::interrupt::{Interrupt, Meter};

/// What stands for a time that no clock can tell.
const FOR_EVER: Duration = Duration::from_hours(24 * 365 * 100);

/// How long a run may take, by each of its clocks. There is always one that ends it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) wall: Option<Duration>,
    pub(crate) cpu: Option<Duration>,
    /// Whether waiting for the host stops the clock of `wall`. It never counts for `cpu`.
    pub(crate) pauses: bool,
}

impl Times {
    /// So long in all.
    pub(crate) fn within(timeout: Duration) -> Self {
        Self {
            wall: Some(timeout),
            cpu: None,
            pauses: false,
        }
    }
}

/// The clocks of a run under way.
pub(crate) struct Clocks {
    wall: Option<Deadline>,
    /// Elsewhere while the cell computes: see [`Clocks::take_cpu`].
    cpu: Option<Deadline>,
}

impl Clocks {
    pub(crate) fn start(times: Times, interrupt: &Arc<Interrupt>) -> Self {
        let wall = times
            .wall
            .map(|time| Deadline::new(Meter::Wall, time, interrupt, times.pauses));
        let cpu = times.cpu.map(|time| {
            let mut deadline = Deadline::new(Meter::Cpu, time, interrupt, true);
            deadline.pause();
            deadline
        });
        Self { wall, cpu }
    }

    /// The run waits for the host.
    pub(crate) fn pause(&mut self) {
        self.wall.iter_mut().for_each(Deadline::pause);
    }

    /// The run goes on.
    pub(crate) fn resume(&mut self) {
        self.wall.iter_mut().for_each(Deadline::resume);
    }

    /// Makes sure that somebody watches, also if the process was forked since they were set. What counts computing is set anew
    /// each time that the cell computes.
    pub(crate) fn ensure_watched(&mut self) {
        self.wall.iter_mut().for_each(Deadline::ensure_watched);
    }

    /// The clock of the time that the cell computes, for whoever lets it: nobody reaches into the cell meanwhile.
    pub(crate) fn take_cpu(&mut self) -> Option<Deadline> {
        self.cpu.take()
    }

    pub(crate) fn put_cpu(&mut self, cpu: Option<Deadline>) {
        self.cpu = cpu;
    }
}

/// The end of a run's time by one clock. Dropping it takes it back.
pub(crate) struct Deadline {
    meter: Meter,
    interrupt: Arc<Interrupt>,
    at: Instant,
    /// While time counts.
    timer: Option<Timer>,
    /// Since when time has not counted.
    paused: Option<Instant>,
    /// Whether the clock can be stopped.
    pauses: bool,
}

impl Deadline {
    /// Raises `interrupt` after `timeout`, unless it is dropped before.
    pub(crate) fn new(
        meter: Meter,
        timeout: Duration,
        interrupt: &Arc<Interrupt>,
        pauses: bool,
    ) -> Self {
        let now = Instant::now();
        let mut deadline = Self {
            meter,
            interrupt: Arc::clone(interrupt),
            at: now.checked_add(timeout).unwrap_or(now + FOR_EVER),
            timer: None,
            paused: None,
            pauses,
        };
        deadline.set();
        deadline
    }

    /// Time does not count from here on.
    pub(crate) fn pause(&mut self) {
        if self.pauses && self.paused.is_none() {
            self.paused = Some(Instant::now());
            self.unset();
        }
    }

    /// It counts again.
    pub(crate) fn resume(&mut self) {
        if let Some(since) = self.paused.take() {
            self.at += since.elapsed();
            self.set();
        }
    }

    fn ensure_watched(&mut self) {
        if self.timer.as_ref().is_some_and(|timer| !timer.is_watched()) {
            self.set();
        }
    }

    fn set(&mut self) {
        self.interrupt.set_deadline(self.meter, Some(self.at));
        self.timer = Some(self.interrupt.timer(self.at));
    }

    fn unset(&mut self) {
        self.interrupt.set_deadline(self.meter, None);
        self.timer = None;
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.unset();
    }
}
