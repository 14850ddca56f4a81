//! The one form in which every failure reaches the caller.

use std::{
    fmt::{self, Write as _},
    time::Duration,
};

use hotcell_meter::Stopped;
use hotcell_prepare::{Diagnostic, Location};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::{content::ContentItem, log::LogEntry, output::millis, state::State};

/// What went wrong, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The call does not fit the state that the executor is in.
    #[serde(rename = "ERR_INVALID_STATE")]
    InvalidState,
    /// There is no cell to be had.
    #[serde(rename = "ERR_SES_INIT_FAILED")]
    InitFailed,
    /// The code, a name or a schema breaks a rule; nothing was run.
    #[serde(rename = "ERR_VALIDATION_FAILED")]
    ValidationFailed,
    /// The code imports what it may not.
    #[serde(rename = "ERR_IMPORT_NOT_ALLOWED")]
    ImportNotAllowed,
    /// Loops made more iterations than allowed.
    #[serde(rename = "ERR_MAX_OPS_EXCEEDED")]
    MaxOpsExceeded,
    /// The run took too long.
    #[serde(rename = "ERR_EXEC_TIMEOUT")]
    ExecTimeout,
    /// The code threw.
    #[serde(rename = "ERR_RUNTIME_EXCEPTION")]
    RuntimeException,
    /// A tool failed, and the code let its error pass.
    #[serde(rename = "ERR_TOOL_PROXY_FAIL")]
    ToolProxyFail,
    /// What the executor held could not be released.
    #[serde(rename = "ERR_CLEANUP_FAILED")]
    CleanupFailed,
    /// The code wanted more memory than it may have.
    #[serde(rename = "ERR_MEMORY_LIMIT")]
    MemoryLimit,
    /// The host called the run off.
    #[serde(rename = "ERR_CANCELLED")]
    Cancelled,
    /// The worker process that the code ran in crashed.
    #[serde(rename = "ERR_WORKER_CRASHED")]
    WorkerCrashed,
    /// An answer to a call of a suspended run cannot be taken. Nothing has changed.
    #[serde(rename = "ERR_INVALID_ANSWER")]
    InvalidAnswer,
    /// There is no run of that id in the background.
    #[serde(rename = "ERR_UNKNOWN_RUN")]
    UnknownRun,
    /// A snapshot was made with another build of hotcell.
    #[serde(rename = "ERR_FOREIGN_SNAPSHOT")]
    ForeignSnapshot,
}

impl ErrorCode {
    /// Every code there is.
    pub const ALL: [Self; 15] = [
        Self::InvalidState,
        Self::InitFailed,
        Self::ValidationFailed,
        Self::ImportNotAllowed,
        Self::MaxOpsExceeded,
        Self::ExecTimeout,
        Self::RuntimeException,
        Self::ToolProxyFail,
        Self::CleanupFailed,
        Self::MemoryLimit,
        Self::Cancelled,
        Self::WorkerCrashed,
        Self::InvalidAnswer,
        Self::UnknownRun,
        Self::ForeignSnapshot,
    ];

    /// The name that the contract gives it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidState => "ERR_INVALID_STATE",
            Self::InitFailed => "ERR_SES_INIT_FAILED",
            Self::ValidationFailed => "ERR_VALIDATION_FAILED",
            Self::ImportNotAllowed => "ERR_IMPORT_NOT_ALLOWED",
            Self::MaxOpsExceeded => "ERR_MAX_OPS_EXCEEDED",
            Self::ExecTimeout => "ERR_EXEC_TIMEOUT",
            Self::RuntimeException => "ERR_RUNTIME_EXCEPTION",
            Self::ToolProxyFail => "ERR_TOOL_PROXY_FAIL",
            Self::CleanupFailed => "ERR_CLEANUP_FAILED",
            Self::MemoryLimit => "ERR_MEMORY_LIMIT",
            Self::Cancelled => "ERR_CANCELLED",
            Self::WorkerCrashed => "ERR_WORKER_CRASHED",
            Self::InvalidAnswer => "ERR_INVALID_ANSWER",
            Self::UnknownRun => "ERR_UNKNOWN_RUN",
            Self::ForeignSnapshot => "ERR_FOREIGN_SNAPSHOT",
        }
    }

    /// How much it weighs.
    pub fn severity(self) -> ErrorSeverity {
        match self {
            Self::InitFailed => ErrorSeverity::Fatal,
            Self::CleanupFailed => ErrorSeverity::Warn,
            _ => ErrorSeverity::Error,
        }
    }

    /// Whether the same call may work another time, with other code or on a fresh executor. A tool that failed can
    /// say otherwise, see [`ExecutorError::retryable`].
    pub fn is_retryable(self) -> bool {
        !matches!(
            self,
            Self::InvalidState
                | Self::InitFailed
                | Self::CleanupFailed
                | Self::UnknownRun
                | Self::ForeignSnapshot
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much an error weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ErrorSeverity {
    /// This instance, perhaps this process, is of no use.
    Fatal,
    /// The call failed.
    Error,
    /// Nothing was lost.
    Warn,
}

/// A limit of time that a run has, and how long it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimeLimit {
    /// `timeoutMs`: all of it.
    Timeout(Duration),
    /// `cpuTimeMs`: what it computes.
    Cpu(Duration),
}

/// A failure, in the form that every front door of hotcell gives it.
///
/// Serialised it is the normalised error of the contract: `{code, severity, message, retryable, details?, logs?, content?}`.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ExecutorError {
    /// What it is, for programs.
    pub code: ErrorCode,
    /// How much it weighs.
    pub severity: ErrorSeverity,
    /// What it is, for the model.
    pub message: String,
    /// Whether another attempt makes sense. For a tool that failed: what the property `retryable` of its error says, or
    /// yes.
    pub retryable: bool,
    /// More of it. `cause` holds name, message, stack and place of an error of the code or of a tool, `diagnostics` what
    /// the rules found.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Json>,
    /// What the code printed before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
    /// What it printed, with levels and times.
    #[serde(skip)]
    pub entries: Vec<LogEntry>,
    /// What it showed before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<ContentItem>,
    /// Where, in the code as it was given.
    #[serde(skip)]
    pub location: Option<Location>,
}

impl ExecutorError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            retryable: code.is_retryable(),
            details: Map::new(),
            logs: None,
            entries: Vec::new(),
            content: Vec::new(),
            location: None,
        }
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Json>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// `method` cannot be called in this state.
    pub(crate) fn invalid_state(state: State, method: &str, hint: &str) -> Self {
        Self::new(
            ErrorCode::InvalidState,
            format!("Invalid executor state: {state}"),
        )
        .with("state", state.as_str())
        .with("method", method)
        .with("hint", hint)
    }

    pub(crate) fn init_failed(details: &dyn std::error::Error) -> Self {
        let details = chain(details);
        Self::new(ErrorCode::InitFailed, format!("SES init failed: {details}"))
    }

    /// The run had to end: for this limit, if it is known.
    pub(crate) fn stopped(stopped: Stopped, limit: Option<TimeLimit>) -> Self {
        let timed_out = |after: f64, of: &str, limit: &str| {
            let message = format!("Execution timed out after {after}ms{of}");
            Self::new(ErrorCode::ExecTimeout, message)
                .with(limit, after)
                .with("limit", limit)
        };
        match (stopped, limit) {
            (Stopped::Deadline, Some(TimeLimit::Timeout(time))) => {
                timed_out(millis(time), "", "timeoutMs")
            }
            (Stopped::Deadline, Some(TimeLimit::Cpu(time))) => {
                timed_out(millis(time), " of computing", "cpuTimeMs")
            }
            (Stopped::Deadline, None) => Self::new(
                ErrorCode::ExecTimeout,
                "Execution timed out while its output was written down",
            ),
            (Stopped::Cancelled, _) => Self::new(ErrorCode::Cancelled, "Execution cancelled"),
        }
    }

    /// What the rules found forbids the run.
    pub(crate) fn refused_by(diagnostics: &[Diagnostic]) -> Self {
        let import = diagnostics.iter().find(|one| {
            one.is_error()
                && one.module.is_some()
                && matches!(
                    &*one.rule,
                    hotcell_prepare::rule::IMPORT_ALLOWED | hotcell_prepare::rule::STATIC_IMPORT
                )
        });
        let first = diagnostics.iter().find(|one| one.is_error());
        let error = match import {
            Some(import) => Self::import_not_allowed(import.module.as_deref().unwrap_or_default()),
            None => Self::new(ErrorCode::ValidationFailed, validation_failed(diagnostics)),
        };
        let mut error = error.with("diagnostics", json!(diagnostics));
        if let Some(fix) = import.or(first).and_then(|one| one.fix.as_deref()) {
            error = error.with("hint", fix);
        }
        error.location = import.or(first).and_then(|one| one.location);
        error
    }

    pub(crate) fn import_not_allowed(module: &str) -> Self {
        Self::new(
            ErrorCode::ImportNotAllowed,
            format!("Import not allowed: {module}"),
        )
        .with("module", module)
    }

    /// A finding that is not about code.
    pub(crate) fn refused(diagnostic: Diagnostic) -> Self {
        Self::refused_by(&[diagnostic])
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&str> {
        self.details.get("hint").and_then(Json::as_str)
    }

    /// What the rules found in the code: why it was not run, or what they warned of before it failed.
    pub fn diagnostics(&self) -> &[Json] {
        match self.details.get("diagnostics") {
            Some(Json::Array(diagnostics)) => diagnostics,
            _ => &[],
        }
    }
}

/// The contract's words, then the first finding, its place and its remedy.
fn validation_failed(diagnostics: &[Diagnostic]) -> String {
    let mut message = "Code validation failed".to_owned();
    let mut errors = diagnostics.iter().filter(|one| one.is_error());
    let Some(first) = errors.next() else {
        return message;
    };
    message.push_str(": ");
    message.push_str(&first.message);
    if let Some(Location { line, column }) = first.location {
        let _ = write!(message, " (line {line}, column {column})");
    }
    match errors.count() {
        0 => {}
        more => {
            let _ = write!(message, " (and {more} more)");
        }
    }
    if let Some(fix) = &first.fix {
        message.push_str("; fix: ");
        message.push_str(fix);
    }
    message
}

/// An error and what it comes from, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
