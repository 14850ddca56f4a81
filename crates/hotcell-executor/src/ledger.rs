//! Which tools a run called, with what, and what came of it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_cell::{Arguments, Text, ToolError, Value};
use hotcell_meter::{Account, OverLimit};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};

use crate::{
    inspect::{Plain, inspect},
    json::{from_json, to_json},
    output::millis,
    share::Share,
    shorten::shorten,
};

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

impl CallOutcome {
    /// Its name at every front door, and the words that come with it.
    pub fn told(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Returned => ("returned", None),
            Self::Failed(message) => ("failed", Some(message)),
            Self::Refused(message) => ("refused", Some(message)),
            Self::Unanswered => ("unanswered", None),
        }
    }
}

impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (outcome, message) = self.outcome.told();
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
    /// The cell's number for it, while code waits for it.
    number: Option<u32>,
    /// Why it waits for who resumes the run, if it does.
    waits: Option<SuspendReason>,
}

/// Why a call has no answer until the run is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum SuspendReason {
    /// Calls of this tool always wait: [`AgentTool::suspending`](crate::AgentTool::suspending).
    Deferred,
    /// The tool said so of this call: [`ToolError::suspended`].
    Tool,
    /// It needs approval ([`Permission::Ask`](crate::Permission::Ask)), and there is nobody in this process to give it.
    Approval,
}

/// A call that waits for who resumes the run.
#[derive(Debug, Clone)]
pub(crate) struct WaitingCall {
    /// Which of the calls of the run it is.
    pub(crate) index: usize,
    /// The cell's number for it.
    pub(crate) number: u32,
    pub(crate) tool: Arc<str>,
    pub(crate) reason: SuspendReason,
}

/// A call in a snapshot. Arguments of calls that wait are with the cell.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedCall {
    pub(crate) tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<serde_json::Value>>,
    #[serde(rename = "durationMs")]
    duration: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<SavedOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits: Option<SuspendReason>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum SavedOutcome {
    Returned,
    Failed(String),
    Refused(String),
}

impl From<SavedOutcome> for CallOutcome {
    fn from(saved: SavedOutcome) -> Self {
        match saved {
            SavedOutcome::Returned => Self::Returned,
            SavedOutcome::Failed(text) => Self::Failed(words(&text)),
            SavedOutcome::Refused(text) => Self::Refused(words(&text)),
        }
    }
}

/// Names a call to the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallKey {
    run: u64,
    pub(crate) index: usize,
}

/// A call that has just been answered.
pub(crate) struct CallEnd {
    pub(crate) tool: Arc<str>,
    pub(crate) duration: Duration,
    pub(crate) outcome: CallOutcome,
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
        number: Option<u32>,
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
            number,
            waits: None,
        });
        Ok(CallKey {
            run: self.run,
            index,
        })
    }

    /// A call that code has made elsewhere. What it was called with is known there.
    #[cfg(target_os = "linux")]
    pub(crate) fn begin_elsewhere(&mut self, tool: &Arc<str>) -> Result<CallKey, OverLimit> {
        let key = self.begin(tool, &Vec::new().into(), None)?;
        if let Some(entry) = self.calls.last_mut() {
            entry.arguments = None;
        }
        Ok(key)
    }

    /// The call has an answer. `None` if it is of an earlier run.
    pub(crate) fn end(&mut self, key: CallKey, outcome: CallOutcome) -> Option<CallEnd> {
        if key.run != self.run {
            return None;
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
        let entry = self.calls.get_mut(key.index)?;
        let duration = entry.began.elapsed();
        entry.ended = Some((duration, outcome.clone()));
        entry.waits = None;
        Some(CallEnd {
            tool: Arc::clone(&entry.tool),
            duration,
            outcome,
        })
    }

    /// The call waits for who resumes the run. Gives its tool; `None` if it is of an earlier run.
    pub(crate) fn suspend(&mut self, key: CallKey, reason: SuspendReason) -> Option<Arc<str>> {
        let entry = self.calls.get_mut(key.index);
        let entry = entry.filter(|_| key.run == self.run)?;
        entry.waits = Some(reason);
        Some(Arc::clone(&entry.tool))
    }

    /// The calls that wait for who resumes the run, in their order.
    pub(crate) fn waiting(&self) -> Vec<WaitingCall> {
        let calls = self.calls.iter().enumerate();
        let waiting = calls.filter_map(|(index, entry)| {
            Some(WaitingCall {
                index,
                number: entry.number?,
                tool: Arc::clone(&entry.tool),
                reason: entry.waits?,
            })
        });
        waiting.collect()
    }

    /// Names a call of this run by its place.
    pub(crate) fn key(&self, index: usize) -> CallKey {
        CallKey {
            run: self.run,
            index,
        }
    }

    /// The calls so far.
    pub(crate) fn records(&self) -> Vec<CallRecord> {
        self.calls.iter().map(Entry::record).collect()
    }

    /// The calls so far, for a snapshot.
    pub(crate) fn save(&self) -> Vec<SavedCall> {
        let saved = self.calls.iter().map(|entry| {
            let record = entry.record();
            let is_kept = entry.waits.is_none();
            SavedCall {
                tool: record.tool.to_string(),
                arguments: record
                    .arguments
                    .filter(|_| is_kept)
                    .map(|arguments| arguments.iter().map(to_json).collect()),
                duration: millis(record.duration),
                outcome: match record.outcome {
                    CallOutcome::Returned => Some(SavedOutcome::Returned),
                    CallOutcome::Failed(words) => Some(SavedOutcome::Failed(words)),
                    CallOutcome::Refused(words) => Some(SavedOutcome::Refused(words)),
                    CallOutcome::Unanswered => None,
                },
                number: entry.number,
                waits: entry.waits,
            }
        });
        saved.collect()
    }

    /// Takes over the calls of a run that went on elsewhere. `arguments` knows those of the calls that wait.
    pub(crate) fn load(
        &mut self,
        calls: Vec<SavedCall>,
        arguments: impl Fn(u32) -> Option<Arguments>,
    ) -> Result<(), OverLimit> {
        self.reset();
        for call in calls {
            let waiting = call.waits.and(call.number).and_then(&arguments);
            let values = || {
                let values = call.arguments.iter().flatten();
                let values: Result<Vec<Value>, _> = values.map(from_json).collect();
                Arguments::from(values.unwrap_or_default())
            };
            let key = self.begin(
                &Arc::from(call.tool.as_str()),
                &waiting.unwrap_or_else(values),
                call.number,
            )?;
            let outcome = call.outcome.map(CallOutcome::from);
            match (call.waits, outcome) {
                (Some(reason), _) => drop(self.suspend(key, reason)),
                (None, Some(outcome)) => drop(self.end(key, outcome)),
                (None, None) => {}
            }
            if let Some((duration, _)) =
                self.calls.last_mut().and_then(|entry| entry.ended.as_mut())
            {
                *duration = Duration::try_from_secs_f64(call.duration / 1e3).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// The records of the run that ends. What they hold is the caller's from here on, and charged no more.
    pub(crate) fn take(&mut self) -> Vec<CallRecord> {
        let calls = std::mem::take(&mut self.calls);
        self.reset();
        calls.into_iter().map(Entry::into_record).collect()
    }
}

impl Entry {
    fn record(&self) -> CallRecord {
        let (duration, outcome) = self.outcome();
        CallRecord {
            tool: Arc::clone(&self.tool),
            arguments: self.arguments.as_ref().map(|arguments| arguments.to_vec()),
            duration,
            outcome,
        }
    }

    fn into_record(self) -> CallRecord {
        let (duration, outcome) = self.outcome();
        CallRecord {
            tool: self.tool,
            arguments: self.arguments.map(Arguments::into_vec),
            duration,
            outcome,
        }
    }

    fn outcome(&self) -> (Duration, CallOutcome) {
        let unanswered = || (self.began.elapsed(), CallOutcome::Unanswered);
        self.ended.clone().unwrap_or_else(unanswered)
    }
}

/// Calls in a snapshot, to be shown.
pub(crate) fn records_of(calls: Vec<SavedCall>) -> Vec<CallRecord> {
    let record = |call: SavedCall| {
        let arguments = call.arguments.map(|arguments| {
            let values = arguments.iter().map(from_json);
            values
                .collect::<Result<Vec<Value>, _>>()
                .unwrap_or_default()
        });
        CallRecord {
            tool: Arc::from(call.tool),
            arguments,
            duration: Duration::try_from_secs_f64(call.duration / 1e3).unwrap_or_default(),
            outcome: call
                .outcome
                .map_or(CallOutcome::Unanswered, CallOutcome::from),
        }
    };
    calls.into_iter().map(record).collect()
}

/// So many calls are told in an error, the last ones.
const MAX_TOLD: usize = 20;
/// Of the arguments of each so much.
const MAX_TOLD_BYTES: usize = 120;

/// Calls in words, for the reader of an error: `price({ item: 'tea' }) returned`.
pub(crate) fn told(calls: &[CallRecord]) -> Vec<String> {
    let skipped = calls.len().saturating_sub(MAX_TOLD);
    let first = (skipped > 0).then(|| format!("{skipped} earlier calls"));
    let last = calls.iter().skip(skipped).map(|call| {
        let arguments = call.arguments.as_deref().map_or_else(
            || "…".to_owned(),
            |arguments| {
                let shown: Vec<String> = arguments.iter().map(brief).collect();
                shorten(&shown.join(", "), MAX_TOLD_BYTES).into_owned()
            },
        );
        let outcome = match &call.outcome {
            CallOutcome::Returned => "returned".to_owned(),
            CallOutcome::Failed(message) => format!("failed: {}", shorten(message, MAX_TOLD_BYTES)),
            CallOutcome::Refused(message) => {
                format!("did not take place: {}", shorten(message, MAX_TOLD_BYTES))
            }
            CallOutcome::Unanswered => "had no answer yet".to_owned(),
        };
        format!("{}({arguments}) {outcome}", call.tool)
    });
    first.into_iter().chain(last).collect()
}

/// A value in a few words: what is large is only named.
fn brief(value: &Value) -> String {
    if size(value) > 16 * MAX_TOLD_BYTES {
        return match value {
            Value::String(text) => format!("a text of {} bytes", length(text)),
            _ => "…".to_owned(),
        };
    }
    inspect(value, &Plain).replace('\n', " ")
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
pub(crate) fn size(value: &Value) -> usize {
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
