//! How a run, or a cell, can fail.

use std::{fmt, sync::Arc};

use hotcell_image::ImageError;
use hotcell_meter::OverLimit;

use crate::{snapshot::SnapshotError, value::Value, wire::WireError};

/// Why there is no outcome.
///
/// After most of these the cell is as good as before; [`CellError::is_fatal`] says when it is not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellError {
    /// The code threw.
    #[error("{0}")]
    Exception(Box<Exception>),
    /// The outcome is something that cannot leave the cell, such as a function.
    #[error("{reason} and cannot leave the cell")]
    Uncloneable {
        /// Which part of it, and what that is: `result.items[3].callback is a function`.
        reason: String,
        /// How it prints.
        printed: String,
        /// Whether it was the argument of [`crate::Tool::final_answer`].
        is_final_answer: bool,
    },
    /// The outcome takes more room than values may that leave the cell.
    #[error("the result is larger than {limit} bytes: return less of it")]
    TooLarge {
        /// How much is allowed, see [`crate::CellOptions::max_value_bytes`].
        limit: usize,
        /// Whether it was the argument of [`crate::Tool::final_answer`].
        is_final_answer: bool,
    },
    /// The outcome takes more room than the host has left for this cell.
    #[error("the result cannot leave the cell: {over}")]
    HostMemory {
        /// Which limit, see [`crate::CellOptions::account`].
        over: OverLimit,
        /// Whether it was the argument of [`crate::Tool::final_answer`].
        is_final_answer: bool,
    },
    /// It was not done in time.
    #[error("the run did not end before its deadline")]
    Deadline {
        /// Whether it had to be torn out of native code, which costs the cell its life.
        killed: bool,
    },
    /// It computed longer than it may.
    #[error("the run computed longer than it may")]
    CpuTime {
        /// As for [`CellError::Deadline`].
        killed: bool,
    },
    /// [`crate::Interrupter::cancel`] was called.
    #[error("the run was cancelled")]
    Cancelled {
        /// As for [`CellError::Deadline`].
        killed: bool,
    },
    /// Loops made more iterations than allowed.
    #[error("the run made more than {limit} loop iterations")]
    Operations {
        /// How many were allowed.
        limit: u64,
    },
    /// The code awaits something that nothing can settle.
    #[error("the run waits for a promise that can never settle: no tool call is outstanding")]
    Stalled,
    /// Only deferred calls are outstanding, which [`crate::Cell::evaluate`] cannot wait for.
    #[error("the run waits for answers to deferred calls: use start, step and answer")]
    Deferred,
    /// There is no run under way, or there is one.
    #[error("{0}")]
    State(&'static str),
    /// The cell was torn down, by a kill or because it broke.
    #[error("the cell is gone: its last run was killed or broke it")]
    Gone,
    /// What came out of the cell is not what a cell sends, or the engine inside aborted. The cell is gone.
    #[error("the cell broke: {0}")]
    Broken(String),
    /// A value for the cell that cannot cross.
    #[error("the value cannot enter the cell")]
    Value(#[from] WireError),
    /// A name that cannot be a global one.
    #[error("{0:?} is not a name that code could use")]
    Name(String),
    /// As many cells are alive as the engine has room for.
    #[error("all {limit} cells of this engine are in use")]
    TooManyCells {
        /// How many there are.
        limit: u32,
    },
    /// The memory limit is too small to hold the image itself.
    #[error("a memory limit of {limit} bytes is too small: a cell needs {needed} to begin with")]
    MemoryLimitTooSmall {
        /// The limit that was asked for.
        limit: u64,
        /// The smallest that works.
        needed: u64,
    },
    /// The image did not load.
    #[error("the cell image did not load")]
    Image(#[from] ImageError),
    /// The snapshot did not load.
    #[error("the snapshot did not load")]
    Snapshot(#[from] SnapshotError),
    /// The machine refused something, such as address space.
    #[error("{doing} failed")]
    Machine {
        /// What failed.
        doing: &'static str,
        /// Why.
        #[source]
        source: wasmtime::Error,
    },
}

impl CellError {
    /// The name by which every front door of hotcell tells this kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Exception(exception) if exception.from_tool => "ERR_TOOL_PROXY_FAIL",
            Self::Exception(exception) if exception.out_of_memory => "ERR_MEMORY_LIMIT",
            Self::HostMemory { .. } => "ERR_MEMORY_LIMIT",
            Self::Exception(exception) if exception.at_compile => "ERR_VALIDATION_FAILED",
            Self::Deadline { .. } | Self::CpuTime { .. } => "ERR_EXEC_TIMEOUT",
            Self::Cancelled { .. } => "ERR_CANCELLED",
            Self::Operations { .. } => "ERR_MAX_OPS_EXCEEDED",
            Self::Image(_)
            | Self::Machine { .. }
            | Self::TooManyCells { .. }
            | Self::MemoryLimitTooSmall { .. } => "ERR_SES_INIT_FAILED",
            Self::State(_) | Self::Gone => "ERR_INVALID_STATE",
            _ => "ERR_RUNTIME_EXCEPTION",
        }
    }

    /// Whether the cell can do nothing more.
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Gone
                | Self::Broken(_)
                | Self::Deadline { killed: true }
                | Self::CpuTime { killed: true }
                | Self::Cancelled { killed: true }
        )
    }
}

/// Something that code threw and did not catch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Exception {
    /// How it prints, stack included.
    pub printed: String,
    /// The thrown value, if it can leave the cell.
    pub value: Option<Value>,
    /// Whether it is the very error that a tool answered with.
    pub from_tool: bool,
    /// The tool whose error it is, if it is one's.
    pub tool: Option<Arc<str>>,
    /// Whether the code did not even compile.
    pub at_compile: bool,
    /// Whether memory was refused to the cell in this run.
    pub out_of_memory: bool,
}

impl Exception {
    /// The name of the error, or of the type of what was thrown.
    pub fn name(&self) -> String {
        match &self.value {
            Some(Value::Error(error)) => error.name.to_string(),
            _ => "uncaught".to_owned(),
        }
    }

    /// The message of the error, or the printed form of what was thrown.
    pub fn message(&self) -> String {
        match &self.value {
            Some(Value::Error(error)) => error.message.to_string(),
            _ => self.printed.clone(),
        }
    }

    /// The stack of the error; empty if it has none.
    pub fn stack(&self) -> String {
        match &self.value {
            Some(Value::Error(error)) => error.stack.to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(Value::Error(error)) => error.fmt(f),
            _ => write!(f, "uncaught {}", self.printed),
        }
    }
}
