//! The time that timers count in, as long as it is not virtual.

use std::time::{Duration, Instant};

/// Milliseconds that somebody has held the cell: made, restored, and not suspended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimerTime {
    before: f64,
    /// `None` while it stands still.
    since: Option<Instant>,
}

impl Default for TimerTime {
    fn default() -> Self {
        Self::from(0.0)
    }
}

impl TimerTime {
    /// It goes on from here. The number may come from anywhere.
    pub(crate) fn from(before: f64) -> Self {
        let is_time = before.is_finite() && before >= 0.0;
        Self {
            before: if is_time { before } else { 0.0 },
            since: Some(Instant::now()),
        }
    }

    pub(crate) fn now(&self) -> f64 {
        let since = self
            .since
            .map_or(0.0, |since| since.elapsed().as_secs_f64());
        self.before + since * 1e3
    }

    pub(crate) fn pause(&mut self) {
        self.before = self.now();
        self.since = None;
    }

    pub(crate) fn resume(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// When it will be `due`; `None` if never, or who knows when. The number may come from anywhere.
    pub(crate) fn when(&self, due: f64) -> Option<Instant> {
        let wait = ((due - self.now()) / 1e3).max(0.0);
        let wait = Duration::try_from_secs_f64(wait).ok()?;
        Instant::now().checked_add(wait)
    }
}
