//! What the code wants of its process.
//!
//! The code runs inside a poll, where its process cannot wait. So it leaves its requests here, and the process takes them up
//! when the poll is over.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use futures_channel::oneshot;
use hotcell_cell::{Level, Line, Tool, ToolCall, ToolError, Value};
use hotcell_meter::{Account, Charge};

/// The name of the tool that everything goes through. `guest/` hides it from the code.
pub(crate) const TOOL: &str = "__js";
/// The name of the one that answers later.
pub(crate) const LATER: &str = "__js_later";

pub(crate) type Answer = Result<Value, ToolError>;

/// Something that the process is to do.
pub(crate) enum Request {
    /// A line of the console.
    Print {
        level: Level,
        line: String,
        /// Of the account of the process, as the code prints faster than others read.
        _charge: Option<Charge>,
    },
    /// An operation, which the code waits for.
    Call {
        call: ToolCall,
        answer: oneshot::Sender<Answer>,
    },
    /// To be woken.
    Sleep {
        until: Instant,
        answer: oneshot::Sender<Answer>,
    },
}

/// Requests that wait. Clones are one.
#[derive(Clone, Default)]
pub(crate) struct Requests(Arc<Mutex<VecDeque<Request>>>);

impl Requests {
    pub(crate) fn next(&self) -> Option<Request> {
        self.queue().pop_front()
    }

    /// The code prints a line.
    pub(crate) fn print(&self, line: &Line<'_>, account: &Account) {
        self.queue().push_back(Request::Print {
            level: line.level,
            line: format!("{}\n", line.text),
            // Without room for it, it waits all the same: the process is about to write it.
            _charge: account.charge(line.text.len()).ok(),
        });
    }

    /// The tool for what the code waits for.
    pub(crate) fn tool(&self) -> Tool {
        let requests = self.clone();
        Tool::blocking(move |call| {
            let (answer, answered) = oneshot::channel();
            requests.queue().push_back(Request::Call { call, answer });
            answered_by(answered)
        })
    }

    /// The tool for what comes later: `(milliseconds)`.
    pub(crate) fn later(&self) -> Tool {
        let requests = self.clone();
        Tool::asynchronous(move |call| {
            let (answer, answered) = oneshot::channel();
            let milliseconds = call.argument(0).as_f64().unwrap_or(0.0).max(0.0);
            let delay = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(LONGEST);
            let until = Instant::now() + delay.min(LONGEST);
            requests.queue().push_back(Request::Sleep { until, answer });
            answered_by(answered)
        })
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody waits longer than a year.
const LONGEST: Duration = Duration::from_hours(365 * 24);

async fn answered_by(answered: oneshot::Receiver<Answer>) -> Answer {
    let gone = |_| Err(ToolError::from("the process is about to end"));
    answered.await.unwrap_or_else(gone)
}
