//! The same for `tracing`: spans of runs and calls, with the ids that events have. Without a subscriber that is a look at one
//! number for each.

use hotcell_cell::{Level, TraceParent};
use tracing::{Level as Severity, Span, field};

use crate::{ledger::CallOutcome, log::LogEntry};

/// What all of it is found by.
const TARGET: &str = "hotcell";

/// Of a run, from its begin to its end or until it is suspended.
pub(crate) fn run_span(run: &str, name: &str, trace: Option<TraceParent>) -> Span {
    let span = tracing::span!(
        target: TARGET,
        Severity::INFO,
        "run",
        run,
        name,
        traceparent = field::Empty,
        outcome = field::Empty,
    );
    if let Some(trace) = trace
        && !span.is_disabled()
    {
        span.record("traceparent", field::display(trace));
    }
    span
}

/// Of a call, in that of its run.
pub(crate) fn call_span(run: &Span, call: impl FnOnce() -> String, tool: &str) -> Span {
    if run.is_disabled() {
        return Span::none();
    }
    tracing::span!(
        target: TARGET,
        parent: run,
        Severity::INFO,
        "call",
        call = call(),
        tool,
        outcome = field::Empty,
    )
}

/// A call was answered.
pub(crate) fn call_ended(span: &Span, outcome: &CallOutcome) {
    if !span.is_disabled() {
        span.record("outcome", outcome.told().0);
    }
}

/// A line was printed.
pub(crate) fn log(run: &Span, entry: &LogEntry) {
    if run.is_disabled() {
        return;
    }
    let message = &*entry.message;
    match entry.level {
        Level::Log | Level::Info => {
            tracing::event!(target: TARGET, parent: run, Severity::INFO, message);
        }
        Level::Warn => tracing::event!(target: TARGET, parent: run, Severity::WARN, message),
        Level::Error => tracing::event!(target: TARGET, parent: run, Severity::ERROR, message),
    }
}
