//! What a piece of work costs the process, as Linux tells it. Elsewhere everything costs nothing.

use std::{
    collections::HashMap,
    fs,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

/// What was spent on a piece of work.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// By the clock.
    pub(crate) wall: Duration,
    /// What the thread computed that computed most: unlike the clock it does not care who else computes. Several work for a run
    /// at once, and each has to end with it.
    pub(crate) cpu: Duration,
}

/// Does something and measures it.
pub(crate) fn cost<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (began, before) = (Instant::now(), computed());
    let result = work();
    let cost = Cost {
        wall: began.elapsed(),
        cpu: longest(&before, &computed()),
    };
    (result, cost)
}

/// By each thread, to a hundredth of a second: work may have been handed to another one.
fn computed() -> HashMap<u64, Duration> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let numbers = threads.filter_map(|thread| thread.ok()?.file_name().to_str()?.parse().ok());
    numbers.map(|thread| (thread, of_thread(thread))).collect()
}

fn of_thread(thread: u64) -> Duration {
    let text = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    // The name of the thread stands in parentheses and may hold anything.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

fn longest(before: &HashMap<u64, Duration>, after: &HashMap<u64, Duration>) -> Duration {
    let of = |(thread, time): (&u64, &Duration)| {
        time.saturating_sub(before.get(thread).copied().unwrap_or_default())
    };
    after.iter().map(of).max().unwrap_or_default()
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
