//! What the benchmarks have in common: medians, rows of a report, and what the machine says of itself.
//!
//! A benchmark prints one [`Report`] as JSON; `cargo xtask bench` turns it into a table in `bench/RESULTS.md`.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "for programs of developers"
)]

use std::{
    fmt,
    io::Read,
    process::{Command, Stdio},
    time::Instant,
};

use serde::Serialize;

/// What a benchmark prints.
#[derive(Serialize)]
pub struct Report {
    /// Where it ran.
    pub machine: String,
    /// What hotcell is measured beside.
    pub beside: String,
    /// What else it is measured beside, if there is more.
    pub peers: Vec<String>,
    /// What was measured.
    pub rows: Vec<Row>,
}

/// One operation.
#[derive(Default, Serialize)]
pub struct Row {
    /// What was done.
    pub name: String,
    /// What the figures count.
    pub unit: String,
    /// What hotcell's must not exceed.
    pub bar: Option<f64>,
    /// What hotcell took.
    pub hotcell: f64,
    /// What the other side took.
    pub beside: Option<f64>,
    /// Why there is no other side, if it should be there.
    pub note: Option<String>,
    /// What each of the peers took, or why there is no figure.
    pub peers: Vec<Result<f64, String>>,
}

impl Report {
    /// Nothing measured yet.
    pub fn new(beside: impl Into<String>) -> Self {
        Self {
            machine: machine(),
            beside: beside.into(),
            peers: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, and shows it to whoever waits.
    pub fn add(&mut self, row: Row) {
        eprintln!("{row}");
        self.rows.push(row);
    }

    /// Prints everything.
    pub fn print(&self) {
        println!("{}", serde_json::to_string_pretty(self).unwrap());
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:.2} {}", self.name, self.hotcell, self.unit)?;
        if let Some(beside) = self.beside {
            write!(f, ", beside {beside:.2} ({:.2}×)", self.hotcell / beside)?;
        }
        if let Some(note) = &self.note {
            write!(f, ", {note}")?;
        }
        for peer in &self.peers {
            match peer {
                Ok(took) => write!(f, ", peer {took:.2}")?,
                Err(why) => write!(f, ", peer {why}")?,
            }
        }
        if let Some(bar) = self.bar {
            let missed = if self.hotcell > bar { " MISSED" } else { "" };
            write!(f, ", bar {bar:.2}{missed}")?;
        }
        Ok(())
    }
}

/// The middle one.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds that `work` takes.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed().as_secs_f64()
}

/// The median in µs of an operation. What it returns is dropped outside of the measurement.
pub fn alone<T>(times: usize, mut work: impl FnMut() -> T) -> f64 {
    for _ in 0..times / 10 {
        work();
    }
    let time = |_| {
        let began = Instant::now();
        let result = std::hint::black_box(work());
        let took = began.elapsed().as_secs_f64() * 1e6;
        drop(result);
        took
    };
    median((0..times).map(time).collect())
}

/// Medians in µs of two operations, measured in turns so that both see the same machine.
pub fn side_by_side(ours: &mut dyn FnMut(), beside: &mut dyn FnMut(), times: usize) -> (f64, f64) {
    for _ in 0..times / 10 {
        ours();
        beside();
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..times {
        a.push(seconds(&mut *ours) * 1e6);
        b.push(seconds(&mut *beside) * 1e6);
    }
    (median(a), median(b))
}

/// As [`side_by_side`] for operations that say themselves how many µs one of their parts took.
pub fn calls(ours: &mut dyn FnMut() -> f64, native: &mut dyn FnMut() -> f64) -> (f64, f64) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        a.push(ours());
        b.push(native());
    }
    (median(a), median(b))
}

/// Milliseconds from the start of a process to the first byte it prints.
pub fn processes(ours: &str, native: &str, times: usize) -> (f64, f64) {
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
pub fn pss() -> f64 {
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

/// The processor, its cores, the kernel.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split(':').nth(1))
        .unwrap_or("unknown CPU");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{}, {cores} cores, Linux {}", name.trim(), kernel.trim())
}
