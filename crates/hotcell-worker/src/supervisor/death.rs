//! How a worker ended.

use std::fmt;

/// Why the parent killed a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Its time was over, and it did not end by itself.
    Deadline,
    /// It was told to end, and did not.
    Cancelled,
    /// Nobody needs it any more.
    Disposed,
    /// It said what no worker of ours says.
    Violation(String),
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The parent killed it.
    Killed(Why),
    /// A signal ended it.
    Signal(i32),
    /// It ended by itself, with this code.
    Exit(i32),
    /// Somebody else took the news.
    Unknown,
}

/// The end of a worker, with its last words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// How it ended.
    pub end: End,
    /// What it wrote to standard error; of much of it, the beginning. Not to be trusted, but without control characters.
    pub words: String,
}

/// So much of a worker's last words is kept.
const MAX_WORDS: usize = 2000;

impl Death {
    pub(super) fn new(end: End, said: &[u8]) -> Self {
        let said = String::from_utf8_lossy(said);
        let words: String = said
            .trim()
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .take(MAX_WORDS)
            .collect();
        Self { end, words }
    }

    /// Whether it ended for lack of memory: it says so itself, or the system killed it, which nobody else does.
    pub fn is_out_of_memory(&self) -> bool {
        match self.end {
            End::Signal(signal) if signal == libc::SIGKILL => true,
            End::Signal(signal) if signal == libc::SIGABRT => {
                self.words.contains("memory allocation of")
            }
            _ => false,
        }
    }

    /// The signal that ended it, if one did and it was not the parent's.
    pub fn signal(&self) -> Option<i32> {
        match self.end {
            End::Signal(signal) => Some(signal),
            _ => None,
        }
    }

    /// The name of that signal.
    pub fn signal_name(&self) -> Option<&'static str> {
        let name = match self.signal()? {
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGBUS => "SIGBUS",
            libc::SIGILL => "SIGILL",
            libc::SIGFPE => "SIGFPE",
            libc::SIGABRT => "SIGABRT",
            libc::SIGSYS => "SIGSYS",
            libc::SIGKILL => "SIGKILL",
            libc::SIGTERM => "SIGTERM",
            libc::SIGTRAP => "SIGTRAP",
            libc::SIGPIPE => "SIGPIPE",
            libc::SIGXCPU => "SIGXCPU",
            _ => "another signal",
        };
        Some(name)
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.end {
            End::Killed(Why::Deadline) => {
                f.write_str("the worker process was killed at its deadline")?
            }
            End::Killed(Why::Cancelled) => {
                f.write_str("the worker process was killed when it was cancelled")?
            }
            End::Killed(Why::Disposed) => {
                f.write_str("the worker process was killed with its owner")?
            }
            End::Killed(Why::Violation(what)) => {
                write!(
                    f,
                    "the worker process broke the protocol and was killed: {what}"
                )?;
            }
            End::Signal(signal) => {
                let name = self.signal_name().unwrap_or_default();
                write!(
                    f,
                    "the worker process crashed with signal {signal} ({name})"
                )?;
                if *signal == libc::SIGSYS {
                    f.write_str(": it made a system call that its jail forbids")?;
                } else if self.is_out_of_memory() {
                    f.write_str(": it ran out of memory")?;
                }
            }
            End::Exit(code) => write!(f, "the worker process ended with code {code}")?,
            End::Unknown => f.write_str("the worker process ended")?,
        }
        if !self.words.is_empty() {
            write!(f, ": {}", self.words)?;
        }
        Ok(())
    }
}
