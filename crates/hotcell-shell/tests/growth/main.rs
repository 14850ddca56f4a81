//! Everything that a script can feed to the shell and its utilities, with the worst that it can give them: twice as much takes less
//! than two and a half times as long.
//!
//! What is measured is the time that this thread computes, not what a clock says, at its best of several attempts; and so that
//! an odd attempt does not decide, a ratio has to be bad every time. Each test runs in a process whose allocator gives no memory
//! back, because what the kernel does for fresh pages is not the question.
#![expect(clippy::unwrap_used, reason = "tests")]

mod expander;
mod parser;
mod utilities;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Capture, Kernel, KernelOptions};
use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};
use rustix::time::{ClockId, clock_gettime};

/// How much longer twice as much may take. What is quadratic takes four times as long.
const MOST: f64 = 2.5;

/// Long enough for whatever is not far worse than it should be.
const PATIENCE: Duration = Duration::from_secs(20);

/// A script that does something with the file `data`. Sizes are such that the smaller takes some milliseconds.
struct Case {
    name: &'static str,
    size: usize,
    data: fn(usize) -> Vec<u8>,
    /// `None`: the name is the script.
    script: Option<fn(usize) -> String>,
}

/// A case whose script is made for its size.
const fn script(name: &'static str, size: usize, script: fn(usize) -> String) -> Case {
    Case {
        name,
        size,
        data: |_| Vec::new(),
        script: Some(script),
    }
}

/// Nanoseconds that this thread has computed.
fn now() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A script with its data, ready to be run.
struct Ready {
    files: Arc<dyn Vfs>,
    script: String,
}

impl Case {
    fn make(&self, size: usize) -> Ready {
        let files = MemVfs::new();
        for directory in ["/work", "/tmp"] {
            files.mkdir(VfsPath::new(directory), 0o755).unwrap();
        }
        let data = (self.data)(size);
        files.write_file(VfsPath::new("/work/data"), &data).unwrap();
        Ready {
            files: Arc::new(files),
            script: self
                .script
                .map_or_else(|| self.name.into(), |script| script(size)),
        }
    }
}

impl Ready {
    /// How long it takes. Whether it succeeds is not asked: what is refused ends sooner.
    fn run(&self) -> i64 {
        let began = now();
        let (stopped, text) = self.run_for(PATIENCE);
        let took = now() - began;
        let start: String = self.script.chars().take(100).collect();
        assert_eq!(stopped, None, "{start}");
        assert!(!text.contains("not found"), "{start}: {text}");
        took.max(1)
    }

    /// Why it was stopped, and what it printed.
    fn run_for(&self, time: Duration) -> (Option<Stopped>, String) {
        let mut shell = Shell::new(ShellOptions {
            cwd: VfsPath::new("/work").to_owned(),
            ..ShellOptions::default()
        });
        let kernel = Kernel::new(KernelOptions {
            vfs: Arc::clone(&self.files),
            programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
            account: Account::new("memory", 1 << 30),
            stop: StopToken::until(Instant::now() + time),
            ..KernelOptions::default()
        });
        let output = Capture::new(kernel.account(), 1 << 20);
        let streams = Streams {
            stdout: Arc::new(output.clone()),
            stderr: Arc::new(output.clone()),
            ..Streams::default()
        };
        let ended = pollster::block_on(shell.run(&kernel, self.script.as_bytes(), streams));
        let text = String::from_utf8_lossy(&output.take().bytes).into_owned();
        (ended.stopped, text)
    }

    /// Why it was stopped, if it has so long.
    fn stopped_after(&self, time: Duration) -> Option<Stopped> {
        self.run_for(time).0
    }

    fn least(&self) -> i64 {
        (0..3).map(|_| self.run()).min().unwrap()
    }
}

/// How much longer twice as much takes, at the best of a few attempts: of sizes that are two doublings apart, and where only the
/// smaller fits into a cache, at a lower scale.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn ratio(case: &Case) -> f64 {
    let mut best = f64::MAX;
    for size in [case.size, case.size / 4] {
        let (small, large) = (case.make(size), case.make(size * 4));
        // So that both find memory that the allocator has already.
        large.run();
        for _ in 0..8 {
            let doublings = large.least() as f64 / small.least() as f64;
            best = best.min(doublings.sqrt());
            if best < MOST {
                return best;
            }
        }
    }
    best
}

/// Measures all of a table in a process of its own, which is this test again.
fn all_grow_as_they_should(test: &str, cases: &[Case]) {
    const SETTINGS: [&str; 2] = ["MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"];
    if std::env::var_os(SETTINGS[0]).is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .envs(SETTINGS.map(|name| (name, "4000000000")))
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut bad = Vec::new();
    for case in cases.iter().filter(|case| case.name.contains(&only)) {
        let ratio = ratio(case);
        eprintln!("{ratio:.2} {}", case.name);
        if ratio >= MOST {
            bad.push(format!(
                "{}: {ratio:.2} times as long for twice as much",
                case.name
            ));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Lines that differ.
fn lines(count: usize) -> Vec<u8> {
    let line = |i: usize| format!("line {} of {i} words\n", i.wrapping_mul(7919) % 10_007);
    each(count, line).into()
}

/// One long line.
fn line(length: usize) -> Vec<u8> {
    vec![b'a'; length]
}

/// So many pieces of a script.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        text.push_str(&piece(number));
    }
    text
}
