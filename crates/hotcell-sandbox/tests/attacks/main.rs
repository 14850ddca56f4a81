//! What somebody would try who wants out, or wants the host to suffer. Each ends in a clear error, the sandbox goes on, and the host
//! is well: its memory is measured.
//!
//! A binary of its own, one test at a time: memory is that of the whole process.
#![expect(clippy::unwrap_used, reason = "tests")]

mod archives;
mod hoarding;
mod paths;

use std::{
    fs,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use hotcell_sandbox::{Command, Limits, RunResult, Sandbox, SandboxOptions};

const MEMORY: usize = 48 << 20;
const FILES: u64 = 16 << 20;

/// How much the process may take beside what the sandbox may hold: stacks of processes, allocators, buffers.
const SLACK: usize = 80 << 20;

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn limits() -> Limits {
    Limits {
        memory: MEMORY,
        file_bytes: FILES,
        files: 20_000,
        ..Limits::default()
    }
}

/// Whether everything is to be tried for as long as it may take.
fn is_long() -> bool {
    std::env::var_os("HOTCELL_LONG").is_some()
}

fn sandbox() -> Sandbox {
    Sandbox::create(SandboxOptions::default().limits(limits())).unwrap()
}

fn run(sandbox: &Sandbox, script: &str) -> RunResult {
    let command = Command::new(script).timeout(Duration::from_secs(100));
    pollster::block_on(sandbox.run(command)).unwrap()
}

/// A field of what the kernel says of this process, in bytes.
fn status(field: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

/// The most memory that the process takes while something is done, beyond what it has.
fn memory_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS:");
    let result = work();
    (result, status("VmHWM:").saturating_sub(before))
}

/// It ends by itself, the host is well, and the sandbox goes on.
#[track_caller]
fn survives(script: &str) -> RunResult {
    survives_within(Limits::default().cpu_time, script)
}

/// The same, if it may compute for so long.
#[track_caller]
fn survives_within(cpu_time: Duration, script: &str) -> RunResult {
    let limits = Limits {
        cpu_time,
        ..limits()
    };
    let sandbox = Sandbox::create(SandboxOptions::default().limits(limits)).unwrap();
    let (result, memory) = memory_of(|| run(&sandbox, script));
    let said = result.stderr_text();
    let said: String = said.chars().take(300).collect();
    assert_ne!(
        result.exit_code, 124,
        "{script}: it had to be killed: {said}"
    );
    assert!(
        memory < MEMORY + FILES as usize + SLACK,
        "{script}: the process took {} MiB: {said}",
        memory >> 20
    );
    assert!(!said.contains("internal error"), "{script}: {said}");
    let next = run(&sandbox, "echo alive $((6 * 7)) | cat");
    assert_eq!(
        next.stdout,
        b"alive 42\n",
        "{script}: {}",
        next.stderr_text()
    );
    result
}

/// The same, and what it says has a word in it.
#[track_caller]
fn says(script: &str, word: &str) {
    let result = survives(script);
    let said = format!("{}{}", result.stdout_text(), result.stderr_text());
    let start: String = said.chars().take(300).collect();
    assert!(said.contains(word), "{script}: it said {start:?}");
}
