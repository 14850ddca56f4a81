//! Tools: the host's functions, as the code inside sees them.

use std::{fmt, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use futures_util::FutureExt;

use crate::{
    cancel::CancelToken,
    value::{ErrorValue, Text, Value},
};

/// A call of a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolCall {
    /// The name that the tool was defined with.
    pub tool: Arc<str>,
    /// What it was called with: copies.
    pub arguments: Vec<Value>,
    /// Fires when the run ends before the answer is there.
    pub cancel: CancelToken,
}

impl ToolCall {
    /// Argument `index`, or `undefined`.
    pub fn argument(&self, index: usize) -> &Value {
        self.arguments.get(index).unwrap_or(&Value::Undefined)
    }
}

/// Why a tool failed. Inside it is an ordinary `Error` with this name and message.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError(pub(crate) Box<ErrorValue>);

impl ToolError {
    /// An error with a name, such as `TypeError`, and a message. The names of JavaScript's own errors give their kind.
    pub fn new(name: impl Into<Text>, message: impl Into<Text>) -> Self {
        Self(Box::new(ErrorValue::new(name, message)))
    }

    /// Adds a property, such as `code`.
    #[must_use]
    pub fn with(mut self, key: impl Into<Text>, value: impl Into<Value>) -> Self {
        self.0.properties.push((key.into(), value.into()));
        self
    }

    /// The error as the code inside will see it.
    pub fn as_value(&self) -> &ErrorValue {
        &self.0
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ToolError {}

impl From<ErrorValue> for ToolError {
    fn from(error: ErrorValue) -> Self {
        Self(Box::new(error))
    }
}

impl From<&str> for ToolError {
    fn from(message: &str) -> Self {
        Self::new("Error", message)
    }
}

impl From<String> for ToolError {
    fn from(message: String) -> Self {
        Self::new("Error", message)
    }
}

/// What a tool answers.
pub(crate) type Answer = Result<Value, ToolError>;
pub(crate) type AnswerFuture = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A function of the host that code in a cell can call.
///
/// Cheap to clone; one tool may be defined in many cells.
#[derive(Clone)]
pub struct Tool(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Sync(Arc<dyn Fn(ToolCall) -> Answer + Send + Sync>),
    Wait(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    Async(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    Deferred,
    FinalAnswer,
}

impl Tool {
    /// A function that has its answer when it returns. Inside it returns a plain value.
    ///
    /// It runs on the thread that runs the cell, and no deadline reaches into it: keep it short.
    pub fn sync(
        function: impl Fn(ToolCall) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self(Kind::Sync(Arc::new(move |call| {
            let name = Arc::clone(&call.tool);
            std::panic::catch_unwind(AssertUnwindSafe(|| function(call)))
                .unwrap_or_else(|_| Err(panicked(&name)))
        })))
    }

    /// A function that takes its time. Inside it returns a promise.
    pub fn asynchronous<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Self(Kind::Async(boxed(function)))
    }

    /// A function that takes its time, but inside it returns a plain value: the code waits. The thread does not.
    pub fn blocking<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Self(Kind::Wait(boxed(function)))
    }

    /// Inside it returns a promise that settles when the host calls [`crate::Cell::answer`], in this process or, after a
    /// snapshot, in another.
    pub fn deferred() -> Self {
        Self(Kind::Deferred)
    }

    /// Ends the run: its argument is the outcome, and nothing that the code does can keep it from ending.
    pub fn final_answer() -> Self {
        Self(Kind::FinalAnswer)
    }

    /// The guest's number for this kind, see `guest/c/tools.c`.
    pub(crate) fn kind_number(&self) -> u8 {
        match self.0 {
            Kind::Sync(_) => 0,
            Kind::Wait(_) => 1,
            Kind::Async(_) | Kind::Deferred => 2,
            Kind::FinalAnswer => 3,
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Sync(_) => "Tool::sync",
            Kind::Wait(_) => "Tool::blocking",
            Kind::Async(_) => "Tool::asynchronous",
            Kind::Deferred => "Tool::deferred",
            Kind::FinalAnswer => "Tool::final_answer",
        })
    }
}

/// A tool that panics is a tool that failed; the cell is not to blame.
fn panicked(tool: &str) -> ToolError {
    ToolError::from(format!("the tool {tool} panicked"))
}

fn boxed<F>(
    function: impl Fn(ToolCall) -> F + Send + Sync + 'static,
) -> Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>
where
    F: Future<Output = Answer> + Send + 'static,
{
    Arc::new(move |call| {
        let name = Arc::clone(&call.tool);
        match std::panic::catch_unwind(AssertUnwindSafe(|| function(call))) {
            Ok(future) => Box::pin(
                AssertUnwindSafe(future)
                    .catch_unwind()
                    .map(move |answer| answer.unwrap_or_else(|_| Err(panicked(&name)))),
            ),
            Err(_) => Box::pin(std::future::ready(Err(panicked(&name)))),
        }
    })
}
