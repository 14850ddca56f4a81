//! What came of a command.

use std::{borrow::Cow, fmt, time::Duration};

use hotcell_process::{Denial, LimitKind};

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunResult {
    /// The exit code: the command's own, 124 after the time limit, 125 if it was cancelled, 152 after the limit of CPU time,
    /// 134 if its worker process crashed.
    pub exit_code: i32,
    /// What it printed, also if it was killed: what it had printed until then.
    pub stdout: Vec<u8>,
    /// What it printed on standard error.
    pub stderr: Vec<u8>,
    /// How much of both is missing because of the limit of output.
    pub truncated: Truncated,
    /// What kind of failure it was, if it was more than a command that failed.
    pub error_class: Option<ErrorClass>,
    /// The same in words, for whoever has to do something about it.
    pub error: Option<String>,
    /// Limits that were met on the way, each once.
    pub limits: Vec<LimitKind>,
    /// What was refused on the way, the first hundred.
    pub denials: Vec<Denial>,
    /// How long it took.
    pub duration: Duration,
    /// How long its processes computed.
    pub cpu: Duration,
    /// The most bytes that processes and the shell held at once.
    pub peak_memory: usize,
}

impl RunResult {
    /// Whether the exit code is 0.
    pub fn is_success(&self) -> bool {
        self.exit_code == 0
    }

    /// Standard output as text; what is not UTF-8 is replaced.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }

    /// Standard error as text; what is not UTF-8 is replaced.
    pub fn stderr_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stderr)
    }
}

/// How many bytes of each stream are missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Truncated {
    /// Of standard output.
    pub stdout: u64,
    /// Of standard error.
    pub stderr: u64,
}

/// Kinds of failures that are the sandbox's and not the command's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// The time was over. Exit code 124.
    Timeout,
    /// Somebody cancelled it. Exit code 125.
    Cancelled,
    /// It failed, and a limit was met on the way.
    LimitExceeded,
    /// It failed, and something was refused on the way.
    CapabilityDenied,
    /// The worker process that it ran in crashed. Exit code 134.
    WorkerCrashed,
}

impl ErrorClass {
    /// The name that other languages know it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::CapabilityDenied => "CAPABILITY_DENIED",
            Self::WorkerCrashed => "WORKER_CRASHED",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
