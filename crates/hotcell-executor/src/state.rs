//! Where an executor is in its life.

use std::fmt;

use serde::Serialize;

/// Where an executor is in its life.
///
/// ```text
///                                 ┌─────────────── recover ───────────────────┐
///                                 ▼                                           │
/// NEW ─ init ─► INITIALIZING ─► READY ◄──► RUNNING ─ timeout, corruption ─► DIRTY
///                   ▲  │ fails    │ cleanup                                   │ cleanup
///              init │  └──────► DEAD ◄────────────────────────────────────────┘
///                   └────────────┘
///                            RUNNING ◄─ resume ─► SUSPENDED
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// Made, and nothing else.
    New,
    /// On the way to `READY`.
    Initializing,
    /// Waits for something to run.
    Ready,
    /// Runs.
    Running,
    /// A run that [`start`](crate::Executor::start) began waits for answers to its calls.
    Suspended,
    /// A run did not end in time, or broke its cell. `recover` helps if the cell is whole, else only `cleanup`.
    Dirty,
    /// Cleaned up. `init` begins anew.
    Dead,
}

impl State {
    /// The name that the contract gives it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "NEW",
            Self::Initializing => "INITIALIZING",
            Self::Ready => "READY",
            Self::Running => "RUNNING",
            Self::Suspended => "SUSPENDED",
            Self::Dirty => "DIRTY",
            Self::Dead => "DEAD",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
