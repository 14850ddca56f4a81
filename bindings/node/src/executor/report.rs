//! What came of a run, for `lib/report.cjs`.

use std::collections::HashMap;

use hotcell::cell::{Value, View, ViewKind};
use hotcell::{
    CallRecord, ContentBody, ContentItem, Execution, ExecutorError, LogEntry, Running, Started,
    SuspendedCall, Suspension,
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    outcome::{Outcome, to_value},
    packed::pack,
};

/// What came of a run, as packed values: the report, the logs, the output, then the arguments of the calls.
///
/// There may be many lines and calls, and few things to say about each. So they are rows of numbers, and texts stand beside them,
/// each once.
pub(super) fn report(execution: Execution) -> Outcome {
    told(execution, None)
}

fn told(execution: Execution, status: Option<&str>) -> Outcome {
    // Logs and content are told once.
    let error = execution.error.map(|mut error| {
        error.logs = None;
        error.entries = Vec::new();
        error.content = Vec::new();
        error
    });
    let mut rows = Rows::default();
    rows.add(&execution.entries, execution.calls);
    let parts = vec![
        ("content", shown(execution.content)),
        ("is_final_answer", Value::from(execution.is_final_answer)),
        ("diagnostics", data(&execution.diagnostics)),
        ("stats", data(&execution.stats)),
        ("error", data(&error)),
    ];
    rows.outcome(parts, status, execution.logs, execution.output)
}

/// How far a run has come, as a report with a status.
pub(super) fn started(started: Started) -> Outcome {
    match started {
        Started::Complete(execution) => told(execution, Some("complete")),
        Started::Suspended(suspension) => suspended(suspension),
        Started::Running(running) => so_far(running),
        _ => Outcome::Threw("a run came to something that this build does not know".into()),
    }
}

/// A run that waits for answers. The arguments of calls that wait come after those of the calls that it has made.
pub(super) fn suspended(suspension: Suspension) -> Outcome {
    let mut rows = Rows::default();
    rows.add(&suspension.entries, suspension.made);
    let mut waiting = Row::default();
    for SuspendedCall {
        id,
        tool,
        arguments,
        reason,
        ..
    } in suspension.calls
    {
        let reason = data(&reason);
        let reason = reason.as_str().unwrap_or_default();
        waiting.extend([
            rows.texts.index(id),
            rows.texts.index(tool),
            number(arguments.len()),
            rows.texts.index(reason),
        ]);
        rows.arguments.extend(arguments.into_vec());
    }
    let parts = vec![
        ("waiting", waiting.into_value()),
        ("content", shown(suspension.content)),
        ("stats", data(&suspension.stats)),
    ];
    rows.outcome(parts, Some("suspended"), suspension.logs, Value::Undefined)
}

/// What a run that goes on has to show so far.
pub(super) fn so_far(running: Running) -> Outcome {
    let mut rows = Rows::default();
    rows.add(&running.entries, running.made);
    let parts = vec![
        ("id", Value::from(running.id)),
        ("content", shown(running.content)),
    ];
    rows.outcome(parts, Some("running"), running.logs, Value::Undefined)
}

/// Lines and calls as rows.
#[derive(Default)]
struct Rows {
    texts: Texts,
    lines: Row,
    calls: Row,
    arguments: Vec<Value>,
}

impl Rows {
    fn add(&mut self, entries: &[LogEntry], calls: Vec<CallRecord>) {
        for entry in entries {
            self.lines.extend(line(entry, &mut self.texts));
        }
        for record in calls {
            self.calls.extend(call(&record, &mut self.texts));
            self.arguments
                .extend(record.arguments.into_iter().flatten());
        }
    }

    fn outcome(
        self,
        mut parts: Vec<(&'static str, Value)>,
        status: Option<&str>,
        logs: String,
        output: Value,
    ) -> Outcome {
        parts.push(("lines", self.lines.into_value()));
        parts.push(("calls", self.calls.into_value()));
        parts.push(("texts", self.texts.into_value()));
        if let Some(status) = status {
            parts.push(("status", Value::from(status)));
        }
        let first = [Value::object(parts), Value::from(logs), output];
        Outcome::Report(pack(first.into_iter().chain(self.arguments)))
    }
}

/// Its level, when it was printed, and how long it is, as JavaScript counts.
fn line(entry: &LogEntry, texts: &mut Texts) -> [f64; 3] {
    let length = if entry.message.is_ascii() {
        entry.message.len()
    } else {
        entry.message.encode_utf16().count()
    };
    [
        texts.index(entry.level.as_str()),
        texts.index(entry.ts()),
        number(length),
    ]
}

/// Its tool, how long it took, how many arguments are kept of it (-1 if none are), what came of it, and the message (-1 if
/// there is none).
fn call(record: &CallRecord, texts: &mut Texts) -> [f64; 5] {
    let (outcome, message) = record.outcome.told();
    let arguments = record.arguments.as_ref();
    [
        texts.index(&*record.tool),
        (record.duration.as_secs_f64() * 1e6).round() / 1e3,
        arguments.map_or(-1.0, |arguments| number(arguments.len())),
        texts.index(outcome),
        message.map_or(-1.0, |message| texts.index(message)),
    ]
}

/// What code showed.
fn shown(content: Vec<ContentItem>) -> Value {
    content.into_iter().map(item).collect::<Vec<_>>().into()
}

/// Something that code showed. Bytes are bytes there.
fn item(item: ContentItem) -> Value {
    let (key, body) = match item.body {
        ContentBody::Text(text) => ("text", Value::from(&*text)),
        ContentBody::Data(data) => ("data", Value::bytes(&*data)),
    };
    Value::object([("mime", Value::from(item.mime)), (key, body)])
}

/// Numbers that are a `Float64Array` there.
#[derive(Default)]
struct Row(Vec<u8>);

impl Row {
    fn extend(&mut self, numbers: impl IntoIterator<Item = f64>) {
        self.0
            .extend(numbers.into_iter().flat_map(f64::to_le_bytes));
    }

    fn into_value(self) -> Value {
        Value::View(Box::new(View {
            kind: ViewKind::Float64,
            offset: 0,
            length: u32::try_from(self.0.len() / size_of::<f64>()).unwrap_or(u32::MAX),
            buffer: Value::Buffer(self.0),
        }))
    }
}

/// Texts that are told once.
#[derive(Default)]
struct Texts {
    known: HashMap<String, f64>,
    all: Vec<Value>,
}

impl Texts {
    fn index(&mut self, text: impl AsRef<str> + Into<String>) -> f64 {
        if let Some(index) = self.known.get(text.as_ref()) {
            return *index;
        }
        let index = number(self.all.len());
        self.all.push(Value::from(text.as_ref()));
        self.known.insert(text.into(), index);
        index
    }

    fn into_value(self) -> Value {
        Value::Array(self.all)
    }
}

#[expect(clippy::cast_precision_loss, reason = "no memory holds as much")]
fn number(number: usize) -> f64 {
    number as f64
}

fn data(data: &impl Serialize) -> Value {
    serde_json::to_value(data).map_or(Value::Undefined, to_value)
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
