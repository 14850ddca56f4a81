//! What goes wrong outside of commands.

use hotcell_vfs::{Errno, VfsError};

/// Why a sandbox did not do what its host asked for. What goes wrong inside of a command is a
/// [`RunResult`](crate::RunResult), never this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// It was destroyed.
    #[error("the sandbox was destroyed: make a new one, or restore a snapshot")]
    Destroyed,
    /// Another command is running, and the sandbox was told to refuse rather than to wait.
    #[error("another command is running in this sandbox (concurrency: refuse)")]
    Busy,
    /// More commands wait than may.
    #[error("{0} commands wait for this sandbox already (limit queuedRuns)")]
    QueueFull(usize),
    /// A file operation failed.
    #[error(transparent)]
    File(#[from] VfsError),
    /// Something that was given cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// Bytes that are no snapshot, or one that cannot be taken.
    #[error("{0}")]
    Snapshot(String),
    /// There is no worker process to run it in.
    #[error("{0}")]
    Worker(String),
    /// What it holds from the beginning is more than its limit.
    #[error("{0}")]
    Limit(String),
}

impl SandboxError {
    /// The code of a failed file operation.
    pub fn errno(&self) -> Option<Errno> {
        match self {
            Self::File(error) => Some(error.errno()),
            _ => None,
        }
    }

    /// A short name for programs: `DESTROYED`, `BUSY`, `ENOENT`…
    pub fn code(&self) -> &'static str {
        match self {
            Self::Destroyed => "DESTROYED",
            Self::Busy | Self::QueueFull(_) => "BUSY",
            Self::File(error) => error.errno().name(),
            Self::Invalid(_) => "INVALID",
            Self::Snapshot(_) => "SNAPSHOT",
            Self::Worker(_) => "WORKER",
            Self::Limit(_) => "LIMIT_EXCEEDED",
        }
    }
}

/// What methods of a sandbox return.
pub type Result<T, E = SandboxError> = std::result::Result<T, E>;
