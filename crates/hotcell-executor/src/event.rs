//! What happens in an executor, as it happens: one stream, in order.
//!
//! Whoever wants to know reads [`Events`], as many as like to, or is told by
//! [`ExecutorOptions::on_event`](crate::ExecutorOptions::on_event). While nobody does, nothing is made. Each reader has a
//! list of its own of what it has not read. That list is bounded, and when it is full the oldest go, and the reader is told how
//! many: a run waits for nobody who watches it.

mod hub;
mod json;
pub(crate) mod scene;
mod text;
mod trace;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use hotcell_cell::TraceParent;

use crate::{
    content::ContentBody,
    error::ErrorCode,
    ledger::{CallOutcome, SuspendReason},
    log::LogEntry,
    output::RunStats,
};
pub use hub::Events;
pub(crate) use hub::{Hub, OnEvent};
pub(crate) use scene::Scene;
pub(crate) use text::{MAX_EVENT_BYTES, arguments_in_words};

/// Something that happened in an executor.
///
/// Serialised it is an object with `number`, `at`, `run`, `call`, `parent`, a `type`, and what belongs to that; see
/// `docs/stdio-protocol.md`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// Which event of its executor it is: they are counted while somebody watches.
    pub number: u64,
    /// When, by the host's clock.
    pub at: SystemTime,
    /// The run that it belongs to.
    pub run: Arc<str>,
    /// The call of that run that it is about, named as in [`SuspendedCall::id`](crate::SuspendedCall::id). Its parent is the run.
    pub call: Option<String>,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// A run began.
    RunStarted {
        /// What stacks call its code.
        name: String,
        /// Where the run stands in the trace that its host gave it.
        trace: Option<TraceParent>,
    },
    /// Code printed something.
    Log(LogEntry),
    /// Code showed something.
    Content {
        /// Which item of the run's content it is; the first is 0.
        index: usize,
        /// What it is, such as `image/png`.
        mime: &'static str,
        /// How many bytes it holds.
        bytes: usize,
        /// What it holds, if that is at most 64 KiB. All of them are in the content of the run.
        body: Option<ContentBody>,
    },
    /// Code told of its progress.
    Notify(String),
    /// Code called a tool.
    CallStarted {
        /// The tool.
        tool: Arc<str>,
        /// What it was called with, in words, and of much only the beginning.
        arguments: String,
        /// Where the call stands in the trace.
        trace: Option<TraceParent>,
    },
    /// A call was answered, or did not take place.
    CallEnded {
        /// The tool.
        tool: Arc<str>,
        /// How long the answer took.
        duration: Duration,
        /// What came of it.
        outcome: CallOutcome,
    },
    /// A call waits for whoever resumes the run.
    CallSuspended {
        /// The tool.
        tool: Arc<str>,
        /// Why it waits.
        reason: SuspendReason,
    },
    /// The run waits for answers to these calls.
    Suspended {
        /// Which, as [`Executor::resume`](crate::Executor::resume) takes them.
        calls: Vec<String>,
    },
    /// The run was given answers, and goes on.
    Resumed {
        /// The calls that were answered.
        calls: Vec<String>,
    },
    /// The run is over.
    Ended {
        /// Why there is no output, if there is none.
        error: Option<(ErrorCode, String)>,
        /// Whether `final_answer` was called.
        is_final_answer: bool,
        /// What it cost.
        stats: RunStats,
    },
    /// So many events came before this one that were not read in time, and are gone.
    Missed {
        /// How many.
        events: u64,
    },
}

impl EventKind {
    /// The name that every front door gives it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "runStarted",
            Self::Log(_) => "log",
            Self::Content { .. } => "content",
            Self::Notify(_) => "notify",
            Self::CallStarted { .. } => "callStarted",
            Self::CallEnded { .. } => "callEnded",
            Self::CallSuspended { .. } => "callSuspended",
            Self::Suspended { .. } => "suspended",
            Self::Resumed { .. } => "resumed",
            Self::Ended { .. } => "ended",
            Self::Missed { .. } => "missed",
        }
    }

    /// About how much memory it takes beside itself.
    fn size(&self) -> usize {
        match self {
            Self::RunStarted { name, .. } => name.len(),
            Self::Log(entry) => entry.message.len(),
            Self::Content { bytes, body, .. } => body.as_ref().map_or(0, |_| *bytes),
            Self::Notify(text) => text.len(),
            Self::CallStarted { arguments, .. } => arguments.len(),
            Self::CallEnded { outcome, .. } => match outcome {
                CallOutcome::Failed(words) | CallOutcome::Refused(words) => words.len(),
                _ => 0,
            },
            Self::Suspended { calls } | Self::Resumed { calls } => calls
                .iter()
                .map(|call| call.len() + size_of::<String>())
                .sum(),
            Self::Ended { error, .. } => error.as_ref().map_or(0, |(_, message)| message.len()),
            Self::CallSuspended { .. } | Self::Missed { .. } => 0,
        }
    }
}
