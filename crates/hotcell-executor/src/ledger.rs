//! Which tools a run called, with what, and what came of it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_cell::{Arguments, Text, ToolError, Value};
use hotcell_meter::{Account, OverLimit};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{json::to_json, output::millis, share::Share, shorten::shorten};

/// Arguments of one run are kept up to this size; those of later calls are left out. A ledger is for reading, and must
/// not become a way to fill the host's memory.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;
/// Of the words of an error so many bytes are kept.
const MAX_MESSAGE_BYTES: usize = 1000;
/// What a call takes beside its arguments and its error, twice while the list grows.
const ENTRY_BYTES: usize = 2 * size_of::<Entry>();

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
    /// It failed, with this error; of a long one the beginning.
    Failed(String),
    /// It did not take place: refused by a permission, a limit, or the schema of its arguments. Of a long reason the beginning.
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
            let arguments: Vec<_> = arguments.iter().map(to_json).collect();
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
#[derive(Debug)]
pub(crate) struct Ledger {
    /// For everything but the arguments, which are charged already.
    share: Share,
    /// Which run this is, so that an answer to a call of an earlier one is told apart.
    run: u64,
    calls: Vec<Entry>,
    argument_bytes: usize,
}

#[derive(Debug)]
struct Entry {
    tool: Arc<str>,
    /// The same copy that the tool has.
    arguments: Option<Arguments>,
    began: Instant,
    ended: Option<(Duration, CallOutcome)>,
}

/// Names a call to the ledger.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallKey {
    run: u64,
    index: usize,
}

impl Ledger {
    pub(crate) fn new(account: &Account) -> Self {
        Self {
            share: Share::new(account, 2, "half of maxHostMemoryBytes"),
            run: 0,
            calls: Vec::new(),
            argument_bytes: 0,
        }
    }

    /// A new run begins.
    pub(crate) fn reset(&mut self) {
        self.run += 1;
        self.calls.clear();
        self.argument_bytes = 0;
        self.share.clear();
    }

    /// How many calls the run has made.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn begin(
        &mut self,
        tool: &Arc<str>,
        arguments: &Arguments,
    ) -> Result<CallKey, OverLimit> {
        self.share.take(ENTRY_BYTES)?;
        // Once there is no room, nobody needs to know how much is missing.
        if self.argument_bytes <= MAX_ARGUMENT_BYTES {
            let bytes = arguments.iter().map(size).fold(0, usize::saturating_add);
            self.argument_bytes = self.argument_bytes.saturating_add(bytes);
        }
        let is_kept = self.argument_bytes <= MAX_ARGUMENT_BYTES;
        let index = self.calls.len();
        self.calls.push(Entry {
            tool: Arc::clone(tool),
            arguments: is_kept.then(|| arguments.clone()),
            began: Instant::now(),
            ended: None,
        });
        Ok(CallKey {
            run: self.run,
            index,
        })
    }

    /// The tool of the last call that came out like this.
    pub(crate) fn last_where(&self, is_it: impl Fn(&CallOutcome) -> bool) -> Option<&str> {
        let is_it = |call: &&Entry| call.ended.as_ref().is_some_and(|(_, how)| is_it(how));
        let found = self.calls.iter().rev().find(is_it);
        found.map(|call| &*call.tool)
    }

    pub(crate) fn end(&mut self, key: CallKey, outcome: CallOutcome) {
        if key.run != self.run {
            return;
        }
        let bytes = match &outcome {
            CallOutcome::Failed(message) | CallOutcome::Refused(message) => message.len(),
            _ => 0,
        };
        // The outcome matters more than its words.
        let outcome = match (self.share.take(bytes), outcome) {
            (Err(over), CallOutcome::Failed(_)) => CallOutcome::Failed(over.to_string()),
            (Err(over), CallOutcome::Refused(_)) => CallOutcome::Refused(over.to_string()),
            (_, outcome) => outcome,
        };
        if let Some(entry) = self.calls.get_mut(key.index) {
            entry.ended = Some((entry.began.elapsed(), outcome));
        }
    }

    /// The records of the run that ends. What they hold is the caller's from here on, and charged no more.
    pub(crate) fn take(&mut self) -> Vec<CallRecord> {
        let calls = std::mem::take(&mut self.calls);
        self.reset();
        let finished = calls.into_iter().map(|entry| {
            let (duration, outcome) = entry
                .ended
                .unwrap_or_else(|| (entry.began.elapsed(), CallOutcome::Unanswered));
            CallRecord {
                tool: entry.tool,
                arguments: entry.arguments.map(Arguments::into_vec),
                duration,
                outcome,
            }
        });
        finished.collect()
    }
}

/// The words of an error, as the ledger keeps them.
pub(crate) fn words(error: &str) -> String {
    shorten(error, MAX_MESSAGE_BYTES).into_owned()
}

/// The outcome that an answer stands for.
pub(crate) fn outcome_of<T>(answer: &Result<T, ToolError>) -> CallOutcome {
    match answer {
        Ok(_) => CallOutcome::Returned,
        Err(error) => CallOutcome::Failed(words(&error.to_string())),
    }
}

/// Bytes that a value takes, about.
fn size(value: &Value) -> usize {
    let inside: usize = match value {
        Value::String(text) => length(text),
        Value::BigInt(number) => usize::try_from(number.bits() / 8).unwrap_or(usize::MAX),
        Value::Array(values) | Value::Set(values) => values.iter().map(size).sum(),
        Value::Object(properties) => properties_size(properties),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, value)| size(key) + size(value))
            .sum(),
        Value::Buffer(bytes) => bytes.len(),
        Value::View(view) => size(&view.buffer),
        Value::RegExp { source, .. } => length(source),
        Value::Error(error) => {
            let texts = [&error.name, &error.message, &error.stack];
            texts.into_iter().map(length).sum::<usize>()
                + error.cause.as_ref().map_or(0, size)
                + properties_size(&error.properties)
        }
        _ => 0,
    };
    inside + size_of::<Value>()
}

fn properties_size(properties: &[(Text, Value)]) -> usize {
    properties
        .iter()
        .map(|(key, value)| length(key) + size(value))
        .sum()
}

fn length(text: &Text) -> usize {
    match text.as_str() {
        Some(text) => text.len(),
        None => text.to_utf16().len() * 2,
    }
}
