//! What came of a run, for `lib/host.cjs`.

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
struct Report<'a> {
    logs: &'a str,
    is_final_answer: bool,
    entries: &'a [LogEntry],
    diagnostics: &'a [Diagnostic],
    stats: RunStats,
    calls: Vec<Call>,
    error: Option<Json>,
}

#[derive(Serialize)]
struct Call {
    #[serde(flatten)]
    record: CallRecord,
    /// How many of the values are its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<usize>,
}

/// What came of a run. Its values are packed: first the output, then the arguments of the calls.
pub(super) fn report(execution: Execution) -> Outcome {
    let mut values = vec![execution.output];
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
        logs: &execution.logs,
        is_final_answer: execution.is_final_answer,
        entries: &execution.entries,
        diagnostics: &execution.diagnostics,
        stats: execution.stats,
        calls,
        error: execution.error.as_ref().map(normalised),
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
