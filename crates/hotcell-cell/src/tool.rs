//! Tools: the host's functions, as the code inside sees them.

use std::{fmt, future::Future, panic::AssertUnwindSafe, pin::Pin, sync::Arc};

use futures_util::FutureExt;
use hotcell_meter::{Account, Charge, OverLimit, Watch};

use crate::{
    cancel::CancelToken,
    held::Arguments,
    origin::Origin,
    value::{ErrorValue, Text, Value},
};

/// A call of a tool.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolCall {
    /// The name that the tool was defined with.
    pub tool: Arc<str>,
    /// What it was called with: copies.
    pub arguments: Arguments,
    /// Fires when the run ends before the answer is there.
    pub cancel: CancelToken,
    /// Names it to [`crate::Cell::answer`], if code gets a promise for it.
    pub id: Option<u32>,
    /// Where it comes from, if whoever runs the cell says so.
    pub origin: Option<Origin>,
    /// What the tool holds for the code is charged here.
    pub(crate) account: Option<Account>,
}

impl ToolCall {
    /// A call that no cell makes, for [`Tool::call`].
    pub fn new(tool: impl Into<Arc<str>>, arguments: impl Into<Arguments>) -> Self {
        Self {
            tool: tool.into(),
            arguments: arguments.into(),
            cancel: CancelToken::default(),
            id: None,
            origin: None,
            account: None,
        }
    }

    /// Charges what the tool holds to this account: for calls that are carried from a cell elsewhere.
    #[must_use]
    pub fn charged_to(mut self, account: &Account) -> Self {
        self.account = Some(account.clone());
        self
    }

    /// Takes room for what the tool holds in memory on behalf of the code, until the charge is dropped. The answer itself is
    /// charged by the cell. `None` for a call that no cell makes.
    pub fn charge(&self, bytes: usize) -> Result<Option<Charge>, OverLimit> {
        let account = self.account.as_ref();
        account.map(|account| account.charge(bytes)).transpose()
    }

    /// Says when the run that made the call has to end. What a tool does on the thread that runs the cell it does in the time
    /// of the run, unless the clock pauses for tools.
    pub fn watch(&self) -> &dyn Watch {
        &self.cancel
    }

    /// Argument `index`, or `undefined`.
    pub fn argument(&self, index: usize) -> &Value {
        self.arguments.get(index).unwrap_or(&Value::Undefined)
    }
}

/// Why a tool failed. Inside it is an ordinary `Error` with this name and message.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    pub(crate) error: Box<ErrorValue>,
    is_suspension: bool,
}

impl ToolError {
    /// An error with a name, such as `TypeError`, and a message. The names of JavaScript's own errors give their kind.
    pub fn new(name: impl Into<Text>, message: impl Into<Text>) -> Self {
        ErrorValue::new(name, message).into()
    }

    /// No failure: there is no answer yet, and [`crate::Cell::answer`] will give it. Code does not notice, its promise stays
    /// pending. From a tool whose calls return no promise it is an error that says so.
    pub fn suspended() -> Self {
        let words = "a tool that answers at once cannot suspend the run: make it asynchronous";
        Self {
            is_suspension: true,
            ..Self::from(words)
        }
    }

    /// Whether this is [`ToolError::suspended`].
    pub fn is_suspension(&self) -> bool {
        self.is_suspension
    }

    /// Adds a property, such as `code`.
    #[must_use]
    pub fn with(mut self, key: impl Into<Text>, value: impl Into<Value>) -> Self {
        self.error.properties.push((key.into(), value.into()));
        self
    }

    /// The error as the code inside will see it.
    pub fn as_value(&self) -> &ErrorValue {
        &self.error
    }

    /// Bytes of memory that it takes, as [`Value::heap_size`] says.
    pub fn heap_size(&self) -> usize {
        self.error.size()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ToolError {}

impl From<ErrorValue> for ToolError {
    fn from(error: ErrorValue) -> Self {
        Self::from(Box::new(error))
    }
}

impl From<Box<ErrorValue>> for ToolError {
    fn from(error: Box<ErrorValue>) -> Self {
        Self {
            error,
            is_suspension: false,
        }
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
/// An answer to come.
pub type AnswerFuture = Boxed<Value>;

/// A reply to come.
pub type ReplyFuture = Boxed<Reply>;

/// What a [`Tool::maybe_async`] gives back.
#[non_exhaustive]
pub enum Reply {
    /// The call returns this.
    Value(Value),
    /// The call returns a promise, which settles with this answer.
    Later(AnswerFuture),
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => f.debug_tuple("Value").field(value).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}

/// What comes of calling a tool: by its kind, an answer or a future.
#[non_exhaustive]
#[expect(missing_debug_implementations, reason = "futures have nothing to show")]
pub enum Called {
    /// Of [`Tool::sync`].
    Sync(Result<Value, ToolError>),
    /// Of [`Tool::blocking`].
    Blocking(AnswerFuture),
    /// Of [`Tool::asynchronous`], [`Tool::json`], and a page of [`Tool::paged`].
    Async(AnswerFuture),
    /// Of [`Tool::maybe_async`].
    MaybeAsync(ReplyFuture),
    /// There is no function behind it: [`Tool::deferred`], [`Tool::final_answer`].
    Nothing,
}

/// What kind a tool is: who waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named after the constructors of Tool")]
pub enum ToolKind {
    Sync,
    Blocking,
    Async,
    MaybeAsync,
    Paged,
    Json,
    Deferred,
    FinalAnswer,
}

/// A function of the host that code in a cell can call.
///
/// Cheap to clone; one tool may be defined in many cells.
#[derive(Clone)]
pub struct Tool {
    pub(crate) kind: Kind,
    pub(crate) is_shadowable: bool,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Sync(Arc<dyn Fn(ToolCall) -> Answer + Send + Sync>),
    Wait(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    Async(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    MaybeAsync(Arc<dyn Fn(ToolCall) -> ReplyFuture + Send + Sync>),
    Paged(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    Json(Arc<dyn Fn(ToolCall) -> AnswerFuture + Send + Sync>),
    Deferred,
    FinalAnswer,
}

impl From<Kind> for Tool {
    fn from(kind: Kind) -> Self {
        Self {
            kind,
            is_shadowable: false,
        }
    }
}

impl Tool {
    /// A function that has its answer when it returns. Inside it returns a plain value.
    ///
    /// It runs on the thread that runs the cell, and no deadline reaches into it: keep it short, or ask [`ToolCall::watch`].
    pub fn sync(
        function: impl Fn(ToolCall) -> Result<Value, ToolError> + Send + Sync + 'static,
    ) -> Self {
        let function = move |call: ToolCall| {
            let name = Arc::clone(&call.tool);
            std::panic::catch_unwind(AssertUnwindSafe(|| function(call)))
                .unwrap_or_else(|_| Err(panicked(&name)))
        };
        Kind::Sync(Arc::new(function)).into()
    }

    /// A function that takes its time. Inside it returns a promise.
    pub fn asynchronous<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Kind::Async(boxed(function)).into()
    }

    /// A function that takes its time, but inside it returns a plain value: the code waits. The thread does not.
    pub fn blocking<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Kind::Wait(boxed(function)).into()
    }

    /// A function that only knows when it is called whether it has an answer or needs time, as a function of another
    /// language may. Inside the call returns a plain value or a promise, accordingly; the code waits until that is known.
    pub fn maybe_async<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Reply, ToolError>> + Send + 'static,
    {
        Kind::MaybeAsync(boxed(function)).into()
    }

    /// A function that answers a page at a time. Inside a call returns an async iterator over the items of all pages:
    /// `for await (const item of tool(…))`.
    ///
    /// A page is an object `{ items: […], next }`; `next` is what the function is called with for the page after it, and
    /// `undefined` on the last one.
    pub fn paged<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Kind::Paged(boxed(function)).into()
    }

    /// A function that answers with a JSON text. Inside a call returns a promise for what the text means: the code's own copy,
    /// in its own memory, which it may change.
    pub fn json<F>(function: impl Fn(ToolCall) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        Kind::Json(boxed(function)).into()
    }

    /// Lets code declare a variable of the tool's name, as it may do with other globals, and leaves a variable alone that is
    /// there already. Without this such code is refused.
    #[must_use]
    pub fn shadowable(mut self) -> Self {
        self.is_shadowable = true;
        self
    }

    /// Whether code may declare a variable of its name.
    pub fn is_shadowable(&self) -> bool {
        self.is_shadowable
    }

    /// Inside it returns a promise that settles when the host calls [`crate::Cell::answer`], in this process or, after a
    /// snapshot, in another.
    pub fn deferred() -> Self {
        Kind::Deferred.into()
    }

    /// Ends the run: its argument is the outcome, and nothing that the code does can keep it from ending.
    pub fn final_answer() -> Self {
        Kind::FinalAnswer.into()
    }

    /// What kind it is.
    pub fn kind(&self) -> ToolKind {
        match self.kind {
            Kind::Sync(_) => ToolKind::Sync,
            Kind::Wait(_) => ToolKind::Blocking,
            Kind::Async(_) => ToolKind::Async,
            Kind::MaybeAsync(_) => ToolKind::MaybeAsync,
            Kind::Paged(_) => ToolKind::Paged,
            Kind::Json(_) => ToolKind::Json,
            Kind::Deferred => ToolKind::Deferred,
            Kind::FinalAnswer => ToolKind::FinalAnswer,
        }
    }

    /// Calls it, as a cell would: for tools made of other tools.
    pub fn call(&self, call: ToolCall) -> Called {
        match &self.kind {
            Kind::Sync(function) => Called::Sync(function(call)),
            Kind::Wait(function) => Called::Blocking(function(call)),
            Kind::Async(function) | Kind::Paged(function) | Kind::Json(function) => {
                Called::Async(function(call))
            }
            Kind::MaybeAsync(function) => Called::MaybeAsync(function(call)),
            Kind::Deferred | Kind::FinalAnswer => Called::Nothing,
        }
    }

    /// The guest's number for this kind, see `guest/c/tools.c`.
    pub(crate) fn kind_number(&self) -> u8 {
        match self.kind {
            Kind::Sync(_) => 0,
            Kind::Wait(_) => 1,
            Kind::Async(_) | Kind::Deferred => 2,
            Kind::FinalAnswer => 3,
            Kind::MaybeAsync(_) => 4,
            Kind::Paged(_) => 5,
            Kind::Json(_) => 6,
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Sync(_) => "Tool::sync",
            Kind::Wait(_) => "Tool::blocking",
            Kind::Async(_) => "Tool::asynchronous",
            Kind::MaybeAsync(_) => "Tool::maybe_async",
            Kind::Paged(_) => "Tool::paged",
            Kind::Json(_) => "Tool::json",
            Kind::Deferred => "Tool::deferred",
            Kind::FinalAnswer => "Tool::final_answer",
        })
    }
}

/// Whether it is what [`Tool::kind_number`] can give.
pub(crate) fn is_kind_number(kind: u8) -> bool {
    kind <= 6
}

/// A tool that panics is a tool that failed; the cell is not to blame.
pub(crate) fn panicked(tool: &str) -> ToolError {
    ToolError::from(format!("the tool {tool} panicked"))
}

pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send>>;

fn boxed<T, F>(
    function: impl Fn(ToolCall) -> F + Send + Sync + 'static,
) -> Arc<dyn Fn(ToolCall) -> Boxed<T> + Send + Sync>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ToolError>> + Send + 'static,
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
