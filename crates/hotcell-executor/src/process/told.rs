//! What came of a run, and what else an executor has to tell, as bytes.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use hotcell_cell::{Level, ToolError, Value, WireError};
use hotcell_meter::Stopped;
use hotcell_prepare::{Diagnostic, Location};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::pack::{Malformed, Packer, Unpacker};
use crate::{
    error::{ErrorCode, ExecutorError},
    executor::{Started, SuspendedCall, Suspension},
    ledger::{CallOutcome, CallRecord, SuspendReason},
    log::{self, LogEntry},
    output::{Execution, RunStats},
};

/// An error without the logs.
#[derive(Serialize, Deserialize)]
struct ErrorToTell {
    code: String,
    message: String,
    retryable: bool,
    details: Map<String, Json>,
    #[serde(default)]
    location: Option<Location>,
    has_logs: bool,
}

pub(super) fn put_error(out: &mut Packer, error: &ExecutorError) {
    out.json(&ErrorToTell {
        code: error.code.as_str().to_owned(),
        message: error.message.clone(),
        retryable: error.retryable,
        details: error.details.clone(),
        location: error.location,
        has_logs: error.logs.is_some(),
    });
}

/// `logs` are those of the run that failed.
pub(super) fn take_error(
    from: &mut Unpacker<'_>,
    logs: &[LogEntry],
) -> Result<ExecutorError, Malformed> {
    let told: ErrorToTell = from.json()?;
    let mut codes = ErrorCode::ALL.into_iter();
    let code = codes.find(|code| code.as_str() == told.code);
    let mut error = ExecutorError::new(code.ok_or(Malformed)?, told.message);
    error.retryable = told.retryable;
    error.details = told.details;
    error.location = told.location;
    if told.has_logs {
        error.logs = Some(log::join(logs));
        error.entries = logs.to_vec();
    }
    Ok(error)
}

pub(super) fn put_entry(out: &mut Packer, entry: &LogEntry) {
    let level = Level::ALL.iter().position(|level| *level == entry.level);
    out.byte(level.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
    let since = entry.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    out.number(nanos(since));
    out.text(&entry.message);
}

pub(super) fn take_entry(from: &mut Unpacker<'_>) -> Result<LogEntry, Malformed> {
    let level = Level::ALL.get(usize::from(from.byte()?));
    let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(from.number()?));
    Ok(LogEntry {
        level: *level.ok_or(Malformed)?,
        at: at.ok_or(Malformed)?,
        message: from.text()?.to_owned(),
    })
}

fn put_entries(out: &mut Packer, entries: &[LogEntry]) {
    out.count(entries.len());
    for entry in entries {
        put_entry(out, entry);
    }
}

fn put_stats(out: &mut Packer, stats: &RunStats) {
    for number in [
        stats.operations,
        nanos(stats.wall),
        nanos(stats.cpu),
        stats.tool_calls,
        stats.peak_memory_bytes,
    ] {
        out.number(number);
    }
}

fn take_stats(from: &mut Unpacker<'_>) -> Result<RunStats, Malformed> {
    Ok(RunStats {
        operations: from.number()?,
        wall: Duration::from_nanos(from.number()?),
        cpu: Duration::from_nanos(from.number()?),
        tool_calls: from.number()?,
        peak_memory_bytes: from.number()?,
    })
}

fn put_calls(out: &mut Packer, calls: &[CallRecord]) -> Result<(), WireError> {
    out.count(calls.len());
    for call in calls {
        out.text(&call.tool);
        out.flag(call.arguments.is_some());
        if let Some(arguments) = &call.arguments {
            out.values(arguments)?;
        }
        out.number(nanos(call.duration));
        let (outcome, words) = match &call.outcome {
            CallOutcome::Returned => (0, ""),
            CallOutcome::Failed(words) => (1, words.as_str()),
            CallOutcome::Refused(words) => (2, words.as_str()),
            CallOutcome::Unanswered => (3, ""),
        };
        out.byte(outcome);
        out.text(words);
    }
    Ok(())
}

fn take_call(from: &mut Unpacker<'_>) -> Result<CallRecord, Malformed> {
    let tool = Arc::from(from.text()?);
    let arguments = if from.flag()? {
        Some(from.values()?)
    } else {
        None
    };
    let duration = Duration::from_nanos(from.number()?);
    let outcome = from.byte()?;
    let words = from.text()?.to_owned();
    Ok(CallRecord {
        tool,
        arguments,
        duration,
        outcome: match outcome {
            0 => CallOutcome::Returned,
            1 => CallOutcome::Failed(words),
            2 => CallOutcome::Refused(words),
            3 => CallOutcome::Unanswered,
            _ => return Err(Malformed),
        },
    })
}

pub(super) fn put_execution(out: &mut Packer, execution: &Execution) -> Result<(), WireError> {
    put_entries(out, &execution.entries);
    out.flag(execution.error.is_some());
    if let Some(error) = &execution.error {
        put_error(out, error);
    }
    out.value(&execution.output)?;
    out.flag(execution.is_final_answer);
    out.json(&execution.diagnostics);
    put_stats(out, &execution.stats);
    put_calls(out, &execution.calls)
}

pub(super) fn take_execution(from: &mut Unpacker<'_>) -> Result<Execution, Malformed> {
    let entries = from.several(take_entry)?;
    let error = if from.flag()? {
        Some(take_error(from, &entries)?)
    } else {
        None
    };
    Ok(Execution {
        output: from.value()?,
        is_final_answer: from.flag()?,
        diagnostics: from.json::<Vec<Diagnostic>>()?,
        stats: take_stats(from)?,
        calls: from.several(take_call)?,
        logs: log::join(&entries),
        entries,
        // What was shown is with the parent.
        content: Vec::new(),
        error,
    })
}

pub(super) fn put_started(out: &mut Packer, started: &Started) -> Result<(), WireError> {
    match started {
        Started::Complete(execution) => {
            out.byte(0);
            put_execution(out, execution)
        }
        Started::Suspended(suspension) => {
            out.byte(1);
            put_suspension(out, suspension)
        }
        // None of its parent's runs is to come back before its end: it is the parent that has a background.
        Started::Running(_) => {
            out.byte(0);
            put_execution(
                out,
                &Execution::refused(ExecutorError::stopped(Stopped::Cancelled, None)),
            )
        }
    }
}

pub(super) fn take_started(from: &mut Unpacker<'_>) -> Result<Started, Malformed> {
    match from.byte()? {
        0 => Ok(Started::Complete(take_execution(from)?)),
        1 => Ok(Started::Suspended(take_suspension(from)?)),
        _ => Err(Malformed),
    }
}

pub(super) fn put_suspension(out: &mut Packer, suspension: &Suspension) -> Result<(), WireError> {
    out.count(suspension.calls.len());
    for call in &suspension.calls {
        out.text(&call.id);
        out.text(&call.tool);
        out.json(&call.reason);
        out.values(&call.arguments)?;
    }
    put_calls(out, &suspension.made)?;
    put_entries(out, &suspension.entries);
    put_stats(out, &suspension.stats);
    Ok(())
}

pub(super) fn take_suspension(from: &mut Unpacker<'_>) -> Result<Suspension, Malformed> {
    let calls = from.several(|from| {
        Ok(SuspendedCall {
            id: from.text()?.to_owned(),
            tool: from.text()?.to_owned(),
            reason: from.json::<SuspendReason>()?,
            arguments: from.values()?.into(),
        })
    })?;
    let made = from.several(take_call)?;
    let entries = from.several(take_entry)?;
    Ok(Suspension {
        calls,
        made,
        logs: log::join(&entries),
        entries,
        content: Vec::new(),
        stats: take_stats(from)?,
    })
}

/// An answer of a tool.
pub(super) fn put_answer(out: &mut Packer, answer: &Result<Value, ToolError>) {
    let begun = out.length();
    let put = match answer {
        Ok(value) => {
            out.byte(0);
            out.value(value)
        }
        Err(error) if error.is_suspension() => {
            out.byte(2);
            Ok(())
        }
        Err(error) => {
            out.byte(1);
            out.value(&Value::Error(Box::new(error.as_value().clone())))
        }
    };
    if let Err(error) = put {
        out.truncate(begun);
        out.byte(1);
        let error = ToolError::from(format!("the answer cannot enter the sandbox: {error}"));
        // A name and a message: nothing that could be nested too deeply.
        let _ = out.value(&Value::Error(Box::new(error.as_value().clone())));
    }
}

pub(super) fn take_answer(from: &mut Unpacker<'_>) -> Result<Result<Value, ToolError>, Malformed> {
    Ok(match from.byte()? {
        0 => Ok(from.value()?),
        1 => match from.value()? {
            Value::Error(error) => Err(ToolError::from(error)),
            _ => return Err(Malformed),
        },
        2 => Err(ToolError::suspended()),
        _ => return Err(Malformed),
    })
}

pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
