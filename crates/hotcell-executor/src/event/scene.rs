//! The run under way, as events name it.

use std::sync::Arc;

use hotcell_cell::{Origin, TraceParent};
use tracing::Span;

use super::{EventKind, Hub, MAX_EVENT_BYTES, trace};
use crate::{
    content::ContentItem,
    executor::Suspension,
    ledger::{CallEnd, CallOutcome, SuspendReason},
    log::LogEntry,
    output::Execution,
    shorten::shorten,
};

/// What code shows is in its event if it has at most so many bytes: a picture or two must not push out what else is unread.
const MAX_SHOWN_BYTES: usize = 64 << 10;

/// What the events of one run have in common.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) run: Arc<str>,
    /// Where the run stands in a trace, if it is a part of one.
    pub(crate) trace: Option<TraceParent>,
    span: Span,
}

impl Scene {
    /// A run with this number.
    pub(crate) fn new(number: u64, name: &str, trace: Option<TraceParent>) -> Self {
        let run: Arc<str> = Arc::from(number.to_string());
        let span = trace::run_span(&run, name, trace);
        Self { run, trace, span }
    }

    /// The name of call `index`, the first being 0.
    pub(crate) fn call(&self, index: usize) -> String {
        format!("{}.{}", self.run, index + 1)
    }

    /// Where call `index` comes from.
    pub(crate) fn origin(&self, index: usize, span: impl FnOnce() -> u64) -> Origin {
        let trace = self.trace.map(|trace| trace.child(span()));
        Origin::new(Arc::clone(&self.run), index + 1, trace)
    }

    /// The span of a call.
    pub(crate) fn call_span(&self, index: usize, tool: &str) -> Span {
        trace::call_span(&self.span, || self.call(index), tool)
    }

    fn tell(&self, hub: &Hub, call: Option<usize>, kind: impl FnOnce() -> EventKind) {
        if hub.is_watched() {
            hub.tell(&self.run, call.map(|call| self.call(call)), kind());
        }
    }

    pub(crate) fn run_started(&self, hub: &Hub, name: &str) {
        self.tell(hub, None, || EventKind::RunStarted {
            name: shorten(name, MAX_EVENT_BYTES).into_owned(),
            trace: self.trace,
        });
    }

    pub(crate) fn printed(&self, hub: &Hub, entry: &LogEntry) {
        trace::log(&self.span, entry);
        self.tell(hub, None, || EventKind::Log(entry.clone()));
    }

    pub(crate) fn showed(&self, hub: &Hub, index: usize, item: ContentItem) {
        self.tell(hub, None, || EventKind::Content {
            index,
            mime: item.mime,
            bytes: item.size(),
            body: (item.size() <= MAX_SHOWN_BYTES).then_some(item.body),
        });
    }

    pub(crate) fn notified(&self, hub: &Hub, text: &str) {
        self.tell(hub, None, || EventKind::Notify(text.to_owned()));
    }

    pub(crate) fn call_started(
        &self,
        hub: &Hub,
        index: usize,
        tool: &Arc<str>,
        arguments: impl FnOnce() -> String,
        trace: Option<TraceParent>,
    ) {
        self.tell(hub, Some(index), || EventKind::CallStarted {
            tool: Arc::clone(tool),
            arguments: arguments(),
            trace,
        });
    }

    pub(crate) fn call_ended(&self, hub: &Hub, index: usize, end: CallEnd, span: Option<&Span>) {
        if let Some(span) = span {
            trace::call_ended(span, &end.outcome);
        }
        self.tell(hub, Some(index), || EventKind::CallEnded {
            tool: end.tool,
            duration: end.duration,
            outcome: match end.outcome {
                CallOutcome::Failed(words) => CallOutcome::Failed(cut(&words)),
                CallOutcome::Refused(words) => CallOutcome::Refused(cut(&words)),
                other => other,
            },
        });
    }

    pub(crate) fn call_suspended(
        &self,
        hub: &Hub,
        index: usize,
        tool: Arc<str>,
        reason: SuspendReason,
    ) {
        self.tell(hub, Some(index), || EventKind::CallSuspended {
            tool,
            reason,
        });
    }

    pub(crate) fn suspended(&self, hub: &Hub, suspension: &Suspension) {
        self.span.record("outcome", "suspended");
        self.tell(hub, None, || EventKind::Suspended {
            calls: suspension
                .calls
                .iter()
                .map(|call| call.id.clone())
                .collect(),
        });
    }

    pub(crate) fn resumed(&self, hub: &Hub, calls: Vec<String>) {
        self.tell(hub, None, || EventKind::Resumed { calls });
    }

    pub(crate) fn ended(&self, hub: &Hub, execution: &Execution) {
        let code = execution.error.as_ref().map(|error| error.code);
        self.span
            .record("outcome", code.map_or("complete", |code| code.as_str()));
        self.tell(hub, None, || EventKind::Ended {
            error: execution
                .error
                .as_ref()
                .map(|error| (error.code, cut(&error.message))),
            is_final_answer: execution.is_final_answer,
            stats: execution.stats,
        });
    }
}

fn cut(words: &str) -> String {
    shorten(words, MAX_EVENT_BYTES).into_owned()
}
