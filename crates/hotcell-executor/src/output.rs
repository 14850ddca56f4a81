//! What goes into a run and what comes out.

use std::time::Duration;

use hotcell_cell::{TraceParent, Value};
use hotcell_meter::Stopped;
use hotcell_prepare::Diagnostic;
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{content::ContentItem, error::ExecutorError, ledger::CallRecord, log::LogEntry};

/// Code to run, with what is special about this run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Run {
    pub(crate) code: String,
    pub(crate) name: Option<String>,
    /// `None` for the executor's.
    pub(crate) timeout: Option<Duration>,
    pub(crate) has_no_timeout: bool,
    pub(crate) cpu_time: Option<Duration>,
    pub(crate) calls_function: bool,
    pub(crate) yield_after: Option<Duration>,
    pub(crate) trace: Option<TraceParent>,
    /// Which run of its executor it is to be, if that is settled already.
    pub(crate) number: Option<u64>,
}

impl Run {
    /// Code as the model wrote it: JavaScript or TypeScript, with or without a Markdown fence around it.
    pub fn new(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            name: None,
            timeout: None,
            has_no_timeout: false,
            cpu_time: None,
            calls_function: false,
            yield_after: None,
            trace: None,
            number: None,
        }
    }

    /// Under [`Executor::start`](crate::Executor::start): if it takes longer than this, it comes back as
    /// [`Started::Running`](crate::Started::Running) and goes on by itself (it is waited for).
    pub fn yield_after(mut self, patience: Duration) -> Self {
        self.yield_after = Some(patience);
        self
    }

    /// What it is a part of, for events, `tracing` and the tools that it calls (nothing).
    pub fn trace(mut self, parent: TraceParent) -> Self {
        self.trace = Some(parent);
        self
    }

    /// What stacks call it (`run-1.js`, `run-2.js`, …).
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Calls the code if it is nothing but a function, as in `async () => { … }`; what that returns is the output (the function
    /// would be).
    pub fn calls_function(mut self) -> Self {
        self.calls_function = true;
        self
    }

    /// How long it may take (what the executor's options say). `None` for as long as it likes: that counts only where there is
    /// a limit of its computing time.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self.has_no_timeout = self.timeout.is_none();
        self
    }

    /// How long it may compute (what the executor's options say), see [`ExecutorOptions::cpu_time`](crate::ExecutorOptions::cpu_time).
    pub fn cpu_time(mut self, time: Duration) -> Self {
        self.cpu_time = Some(time);
        self
    }
}

impl From<&str> for Run {
    fn from(code: &str) -> Self {
        Self::new(code)
    }
}

impl From<String> for Run {
    fn from(code: String) -> Self {
        Self::new(code)
    }
}

impl From<&String> for Run {
    fn from(code: &String) -> Self {
        Self::new(code)
    }
}

/// What a run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunStats {
    /// Iterations of loops.
    pub operations: u64,
    /// Time from its begin to its end.
    pub wall: Duration,
    /// Time that it computed.
    pub cpu: Duration,
    /// Calls of tools.
    pub tool_calls: u64,
    /// The most memory that the cell has had so far.
    pub peak_memory_bytes: u64,
}

impl Serialize for RunStats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stats = serializer.serialize_struct("RunStats", 5)?;
        stats.serialize_field("operations", &self.operations)?;
        stats.serialize_field("wallMs", &millis(self.wall))?;
        stats.serialize_field("cpuMs", &millis(self.cpu))?;
        stats.serialize_field("toolCalls", &self.tool_calls)?;
        stats.serialize_field("peakMemoryBytes", &self.peak_memory_bytes)?;
        stats.end()
    }
}

/// In milliseconds, to the microsecond.
pub(crate) fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// What a run that ended well has to show.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CodeOutput {
    /// The argument of `final_answer`, else what the code returned, else the value of its last expression.
    pub output: Value,
    /// What it printed, line by line.
    pub logs: String,
    /// Whether `final_answer` was called.
    pub is_final_answer: bool,
    /// What it printed, with levels and times.
    pub entries: Vec<LogEntry>,
    /// What it showed.
    pub content: Vec<ContentItem>,
    /// What there is to say about the code that did not keep it from running.
    pub diagnostics: Vec<Diagnostic>,
    /// What it cost.
    pub stats: RunStats,
    /// The tools it called.
    pub calls: Vec<CallRecord>,
}

/// What a run has to show, however it ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Execution {
    /// As in [`CodeOutput`]; `undefined` if there is an error.
    pub output: Value,
    /// Why there is no output.
    pub error: Option<ExecutorError>,
    /// What it printed, line by line.
    pub logs: String,
    /// Whether `final_answer` was called.
    pub is_final_answer: bool,
    /// What it printed, with levels and times.
    pub entries: Vec<LogEntry>,
    /// What it showed.
    pub content: Vec<ContentItem>,
    /// What there is to say about the code.
    pub diagnostics: Vec<Diagnostic>,
    /// What it cost.
    pub stats: RunStats,
    /// The tools it called.
    pub calls: Vec<CallRecord>,
}

impl Execution {
    /// One that did not begin.
    pub(crate) fn refused(error: ExecutorError) -> Self {
        Self {
            output: Value::Undefined,
            error: Some(error),
            logs: String::new(),
            is_final_answer: false,
            entries: Vec::new(),
            content: Vec::new(),
            diagnostics: Vec::new(),
            stats: RunStats::default(),
            calls: Vec::new(),
        }
    }

    /// The error for a run that ended well, but whose output could not be written down in its time.
    pub fn stopped(&self, stopped: Stopped) -> ExecutorError {
        let mut error = ExecutorError::stopped(stopped, None);
        error.logs = Some(self.logs.clone());
        error.entries.clone_from(&self.entries);
        error.content.clone_from(&self.content);
        error
    }

    /// The output, or the error with the logs in it.
    pub fn into_result(self) -> Result<CodeOutput, ExecutorError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(CodeOutput {
                output: self.output,
                logs: self.logs,
                is_final_answer: self.is_final_answer,
                entries: self.entries,
                content: self.content,
                diagnostics: self.diagnostics,
                stats: self.stats,
                calls: self.calls,
            }),
        }
    }
}
