//! What a piece of work costs the process, as Linux tells it. Elsewhere everything costs nothing.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

/// What was spent on a piece of work.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// By the clock.
    pub(crate) wall: Duration,
    /// What the process computed: unlike the clock it does not care who else computes.
    pub(crate) cpu: Duration,
}

/// Does something and measures it.
pub(crate) fn cost<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (began, before) = (Instant::now(), computed());
    let result = work();
    let cost = Cost {
        wall: began.elapsed(),
        cpu: computed().saturating_sub(before),
    };
    (result, cost)
}

/// By all threads together, to a hundredth of a second: work may have been handed to another one.
fn computed() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program stands in parentheses and may hold anything.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// The most memory the process takes from here on, beyond what it takes now.
pub(crate) struct HighWater {
    before: usize,
}

impl HighWater {
    pub(crate) fn begin() -> Self {
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self {
            before: status("VmRSS"),
        }
    }

    pub(crate) fn grown(&self) -> usize {
        status("VmHWM").saturating_sub(self.before)
    }
}

/// A line of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or_default()
        << 10
}
