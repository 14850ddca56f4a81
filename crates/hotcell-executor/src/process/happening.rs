//! What happens in a worker while it runs code, beside what that prints: frames on a stream of their own.

use hotcell_cell::{Origin, TraceParent};
use serde::{Deserialize, Serialize};

use super::pack::{Malformed, Packer, Unpacker};
use crate::{
    event::{Event, EventKind, MAX_EVENT_BYTES},
    ledger::{CallOutcome, SuspendReason},
};

/// The largest frame: names and words, and what JSON makes of them.
pub(super) const MAX_FRAME_BYTES: usize = 16 * MAX_EVENT_BYTES;

/// What happens, with calls as their places in the list of the run's calls.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Happening {
    /// Code called a tool.
    Called(CalledTool),
    /// A call has its answer.
    Ended(usize, Came),
    /// A call waits for who resumes the run.
    Waits(usize, SuspendReason),
    /// The answers that the suspended run was given were taken.
    Resumed,
}

/// A call that begins.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CalledTool {
    pub(crate) index: usize,
    pub(crate) tool: String,
    /// What it was called with, in words.
    pub(crate) arguments: String,
    trace: Option<String>,
}

impl CalledTool {
    /// Where it stands in the trace.
    pub(crate) fn trace(&self) -> Option<TraceParent> {
        self.trace.as_ref().and_then(|trace| trace.parse().ok())
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Came {
    Returned,
    Failed(String),
    Refused(String),
}

impl From<Came> for CallOutcome {
    fn from(came: Came) -> Self {
        match came {
            Came::Returned => Self::Returned,
            Came::Failed(words) => Self::Failed(words),
            Came::Refused(words) => Self::Refused(words),
        }
    }
}

impl Happening {
    /// What the parent has to hear of an event. It knows of the others itself.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let index = || index_of(event.call.as_deref()?);
        Some(match &event.kind {
            EventKind::CallStarted {
                tool,
                arguments,
                trace,
            } => Self::Called(CalledTool {
                index: index()?,
                tool: tool.to_string(),
                arguments: arguments.clone(),
                trace: trace.map(|trace| trace.to_string()),
            }),
            EventKind::CallEnded { outcome, .. } => {
                let came = match outcome {
                    CallOutcome::Returned => Came::Returned,
                    CallOutcome::Failed(words) => Came::Failed(words.clone()),
                    CallOutcome::Refused(words) => Came::Refused(words.clone()),
                    CallOutcome::Unanswered => return None,
                };
                Self::Ended(index()?, came)
            }
            EventKind::CallSuspended { reason, .. } => Self::Waits(index()?, *reason),
            EventKind::Resumed { .. } => Self::Resumed,
            _ => return None,
        })
    }

    /// As a frame, behind its length.
    pub(super) fn frame(&self) -> Vec<u8> {
        let mut frame = Packer::default();
        frame.json(self);
        frame.finish()
    }

    /// Reads what is in a frame.
    pub(super) fn read(frame: &[u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(frame).map_err(|_| Malformed)
    }
}

/// `3.1` is the first call of run 3.
fn index_of(call: &str) -> Option<usize> {
    let (_, number) = call.split_once('.')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// Says where a call comes from.
pub(super) fn put_origin(out: &mut Packer, origin: Option<&Origin>) {
    let index = origin.and_then(|origin| index_of(&origin.call()));
    let trace = origin.and_then(Origin::trace);
    // 0 is none.
    out.count(index.map_or(0, |index| index.saturating_add(1)));
    out.text(&trace.map(|trace| trace.to_string()).unwrap_or_default());
}

/// Reads it: the number of the call in the run, the first being 1, and its place in a trace.
pub(super) fn take_origin(
    from: &mut Unpacker<'_>,
) -> Result<(usize, Option<TraceParent>), Malformed> {
    let number = from.number()?;
    let number = usize::try_from(number).map_err(|_| Malformed)?;
    Ok((number, from.text()?.parse().ok()))
}
