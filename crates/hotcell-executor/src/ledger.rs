//! Which tools a run called, with what, and what came of it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_cell::{ToolError, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{json, output::millis};

/// Arguments of one run are kept up to this size; those of later calls are left out. A ledger is for reading, and must
/// not become a way to fill the host's memory.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The tool.
    pub tool: Arc<str>,
    /// What it was called with; `None` once the arguments of a run have come to more than 1 MiB.
    pub arguments: Option<Vec<Value>>,
    /// How long the answer took, approval included. So far, if there is none.
    pub duration: Duration,
    /// What came of it.
    pub outcome: CallOutcome,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallOutcome {
    /// It returned a value.
    Returned,
    /// It failed, with this error.
    Failed(String),
    /// It did not take place: refused by a permission, a limit, or the schema of its arguments.
    Refused(String),
    /// The run ended before the answer was there.
    Unanswered,
}

impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (outcome, message) = match &self.outcome {
            CallOutcome::Returned => ("returned", None),
            CallOutcome::Failed(message) => ("failed", Some(message)),
            CallOutcome::Refused(message) => ("refused", Some(message)),
            CallOutcome::Unanswered => ("unanswered", None),
        };
        let mut record = serializer.serialize_struct("CallRecord", 5)?;
        record.serialize_field("tool", &*self.tool)?;
        if let Some(arguments) = &self.arguments {
            let arguments: Vec<_> = arguments.iter().map(json::to_json).collect();
            record.serialize_field("arguments", &arguments)?;
        }
        record.serialize_field("durationMs", &millis(self.duration))?;
        record.serialize_field("outcome", outcome)?;
        if let Some(message) = message {
            record.serialize_field("message", message)?;
        }
        record.end()
    }
}

/// The calls of the run under way.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Which run this is, so that an answer to a call of an earlier one is told apart.
    run: u64,
    calls: Vec<Entry>,
    argument_bytes: usize,
}

#[derive(Debug)]
struct Entry {
    record: CallRecord,
    began: Instant,
}

/// Names a call to the ledger.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallKey {
    run: u64,
    index: usize,
}

impl Ledger {
    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.run += 1;
        self.calls.clear();
        self.argument_bytes = 0;
    }

    /// How many calls the run has made.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn begin(&mut self, tool: &Arc<str>, arguments: &[Value]) -> CallKey {
        self.argument_bytes = self
            .argument_bytes
            .saturating_add(arguments.iter().map(size).sum());
        let kept = (self.argument_bytes <= MAX_ARGUMENT_BYTES).then(|| arguments.to_vec());
        let index = self.calls.len();
        self.calls.push(Entry {
            record: CallRecord {
                tool: Arc::clone(tool),
                arguments: kept,
                duration: Duration::ZERO,
                outcome: CallOutcome::Unanswered,
            },
            began: Instant::now(),
        });
        CallKey {
            run: self.run,
            index,
        }
    }

    /// The tool of the last call that came out like this.
    pub(crate) fn last_where(&self, is_it: impl Fn(&CallOutcome) -> bool) -> Option<&str> {
        let found = self
            .calls
            .iter()
            .rev()
            .find(|call| is_it(&call.record.outcome));
        found.map(|call| &*call.record.tool)
    }

    pub(crate) fn end(&mut self, key: CallKey, outcome: CallOutcome) {
        if key.run == self.run
            && let Some(entry) = self.calls.get_mut(key.index)
        {
            entry.record.duration = entry.began.elapsed();
            entry.record.outcome = outcome;
        }
    }

    /// The records of the run that ends.
    pub(crate) fn take(&mut self) -> Vec<CallRecord> {
        let calls = std::mem::take(&mut self.calls);
        self.reset();
        let finished = calls.into_iter().map(|entry| {
            let mut record = entry.record;
            if record.outcome == CallOutcome::Unanswered {
                record.duration = entry.began.elapsed();
            }
            record
        });
        finished.collect()
    }
}

/// The outcome that an answer stands for.
pub(crate) fn outcome_of<T>(answer: &Result<T, ToolError>) -> CallOutcome {
    match answer {
        Ok(_) => CallOutcome::Returned,
        Err(error) => CallOutcome::Failed(error.to_string()),
    }
}

/// Bytes that a value takes, about.
fn size(value: &Value) -> usize {
    let inside: usize = match value {
        Value::String(text) => text.to_str_lossy().len(),
        Value::Array(values) | Value::Set(values) => values.iter().map(size).sum(),
        Value::Object(properties) => properties
            .iter()
            .map(|(key, value)| key.to_str_lossy().len() + size(value))
            .sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| size(key) + size(value))
            .sum(),
        Value::Buffer(bytes) => bytes.len(),
        Value::View(view) => size(&view.buffer),
        Value::Error(error) => {
            error.message.to_str_lossy().len() + error.stack.to_str_lossy().len()
        }
        _ => 0,
    };
    inside + size_of::<Value>()
}
