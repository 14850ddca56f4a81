//! Medians, ratios, and what the machine says of itself.

use std::{
    fmt,
    io::Read,
    process::{Command, Stdio},
    time::Instant,
};

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    pub(crate) rows: Vec<Row>,
}

#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: String,
    /// What it must not exceed.
    pub(crate) bar: Option<f64>,
    pub(crate) hotcell: f64,
    pub(crate) native: Option<f64>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.2} {}", self.name, self.hotcell, self.unit)?;
        if let Some(native) = self.native {
            write!(f, ", native {native:.2} ({:.2}×)", self.hotcell / native)?;
        }
        if let Some(bar) = self.bar {
            write!(
                f,
                ", bar {bar}{}",
                if self.hotcell > bar { " MISSED" } else { "" }
            )?;
        }
        Ok(())
    }
}

pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds that `work` takes.
pub(crate) fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed().as_secs_f64()
}

/// Medians in µs of two operations, measured in turns so that both see the same machine.
pub(crate) fn side_by_side(
    ours: &mut dyn FnMut(),
    native: &mut dyn FnMut(),
    times: usize,
) -> (f64, f64) {
    for _ in 0..times / 10 {
        ours();
        native();
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..times {
        a.push(seconds(&mut *ours) * 1e6);
        b.push(seconds(&mut *native) * 1e6);
    }
    (median(a), median(b))
}

/// As [`side_by_side`] for operations that say themselves how many µs one of their parts took.
pub(crate) fn calls(ours: &mut dyn FnMut() -> f64, native: &mut dyn FnMut() -> f64) -> (f64, f64) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        a.push(ours());
        b.push(native());
    }
    (median(a), median(b))
}

/// Milliseconds from the start of a process to the first byte it prints.
pub(crate) fn processes(ours: &str, native: &str, times: usize) -> (f64, f64) {
    let start = |argument: &str| {
        let began = Instant::now();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(argument)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut byte = [0];
        child.stdout.take().unwrap().read_exact(&mut byte).unwrap();
        let took = began.elapsed().as_secs_f64() * 1e3;
        child.wait().unwrap();
        took
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..times {
        a.push(start(ours));
        b.push(start(native));
    }
    (median(a), median(b))
}

/// Proportional set size of this process in KiB.
pub(crate) fn pss() -> f64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = rollup
        .lines()
        .find(|line| line.starts_with("Pss:"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .unwrap_or(f64::NAN)
}

pub(crate) fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split(':').nth(1))
        .unwrap_or("unknown CPU");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{}, {cores} cores, Linux {}", name.trim(), kernel.trim())
}
