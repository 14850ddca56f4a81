//! What came of a run, for `lib/host.cjs`.

use hotcell_cell::Value;
use hotcell_executor::{CallRecord, Execution, ExecutorError, LogEntry, RunStats};
use hotcell_prepare::Diagnostic;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    outcome::{Data, Outcome},
    packed::pack,
};

/// All of it but the values.
#[derive(Serialize)]
struct Report {
    is_final_answer: bool,
    entries: Vec<Line>,
    diagnostics: Vec<Diagnostic>,
    stats: RunStats,
    calls: Vec<Call>,
    error: Option<Json>,
}

/// A line of the console. What it says stands in the logs, which are all lines with a line break between each two.
#[derive(Serialize)]
struct Line {
    level: &'static str,
    ts: String,
    /// How long it is, as JavaScript counts.
    length: usize,
}

impl From<LogEntry> for Line {
    fn from(entry: LogEntry) -> Self {
        Self {
            level: entry.level.as_str(),
            ts: entry.ts(),
            length: if entry.message.is_ascii() {
                entry.message.len()
            } else {
                entry.message.encode_utf16().count()
            },
        }
    }
}

#[derive(Serialize)]
struct Call {
    #[serde(flatten)]
    record: CallRecord,
    /// How many of the values are its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<usize>,
}

/// What came of a run. Its values are packed: first the logs, then the output, then the arguments of the calls.
pub(super) fn report(execution: Execution) -> Outcome {
    let mut values = vec![Value::from(execution.logs), execution.output];
    let mut calls = Vec::with_capacity(execution.calls.len());
    for mut record in execution.calls {
        let arguments = record.arguments.take();
        calls.push(Call {
            record,
            arguments: arguments.as_ref().map(Vec::len),
        });
        values.extend(arguments.into_iter().flatten());
    }
    let report = Report {
        is_final_answer: execution.is_final_answer,
        entries: execution.entries.into_iter().map(Line::from).collect(),
        diagnostics: execution.diagnostics,
        stats: execution.stats,
        calls,
        // The logs are told once.
        error: execution.error.map(|mut error| {
            error.logs = None;
            error.entries = Vec::new();
            json!(error)
        }),
    };
    match Data::new(&report) {
        Ok(report) => Outcome::Report(report, pack(values)),
        Err(error) => Outcome::Threw(error.to_string()),
    }
}

/// Whether it takes longer to tell than a visitor of Node's thread may stay. Large values and texts have left it already; this
/// is about many small ones.
pub(super) fn is_long(execution: &Execution) -> bool {
    const MANY: usize = 64;
    const LONG: usize = 8 << 10;
    execution.calls.len() > MANY
        || execution.entries.len() > MANY
        || execution.diagnostics.len() > MANY
        || execution.logs.len() > LONG
}

/// The normalised error, and the lines of its logs beside it.
pub(super) fn normalised(error: &ExecutorError) -> Json {
    let mut normalised = json!(error);
    if let Json::Object(fields) = &mut normalised
        && !error.entries.is_empty()
    {
        fields.insert("entries".into(), json!(error.entries));
    }
    normalised
}
