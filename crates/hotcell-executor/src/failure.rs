//! From the way a cell failed to the error that the caller reads.

use std::fmt::Write as _;

use hotcell_cell::{CellError, ErrorValue, Exception, Text, Timers, Value};
use hotcell_meter::{Charge, OverLimit, Stopped, Watch};
use hotcell_prepare::{Diagnostic, Location, code_at};
use serde_json::{Map, Value as Json, json};

use crate::{
    error::{ErrorCode, ExecutorError, TimeLimit, chain},
    hints::{self, Known},
    hooks::Hooks,
    json::encode::{self, Halt},
    options::ExecutorOptions,
    rejection,
    shorten::shorten,
    sources::first_place,
};

/// How much of its words an error has. They stand in several places, and in JSON may take six times the room.
const MAX_WORDS: usize = 64 << 10;
/// And of what was thrown elsewhere, which is told whole beside it.
const MAX_THROWN: usize = 1000;

/// The run that failed.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a ExecutorOptions,
    pub(crate) hooks: &'a Hooks,
    /// The code as it was given.
    pub(crate) code: &'a str,
    /// What stacks call its program.
    pub(crate) program: &'a str,
    /// Which time was over, if one was.
    pub(crate) limit: TimeLimit,
    /// Whether the cell is as good as before: then a run that came to no end has cost nothing but itself.
    pub(crate) is_whole: bool,
    pub(crate) watch: &'a dyn Watch,
    /// What the code could have meant.
    pub(crate) known: &'a Known,
    /// Where the cell was when it was stopped, in the engine's words.
    pub(crate) stopped_at: Option<&'a str>,
    /// Promises that it left rejected.
    pub(crate) rejections: &'a [Diagnostic],
}

impl Context<'_> {
    /// The error for a run that had to end.
    pub(crate) fn stopped(&self, stopped: Stopped) -> ExecutorError {
        let error = self.placed(ExecutorError::stopped(stopped, Some(self.limit)));
        match stopped {
            Stopped::Deadline => self.timed_out(error),
            Stopped::Cancelled => error,
        }
    }

    /// With what to do about it, and what became of the state.
    fn timed_out(&self, error: ExecutorError) -> ExecutorError {
        let remedy = match self.limit {
            TimeLimit::Timeout(_) => TOO_SLOW,
            TimeLimit::Cpu(_) => TOO_MUCH,
        };
        let state = if self.is_whole { KEPT } else { LOST };
        error
            .with("hint", format!("{remedy}; {state}"))
            .with("recoverable", self.is_whole)
    }

    /// With the place where the code was stopped.
    fn placed(&self, mut error: ExecutorError) -> ExecutorError {
        let sources = self.hooks.sources();
        let place = self.stopped_at.and_then(|place| {
            let place = sources.translate(place, self.watch).ok()?;
            first_place(&place, self.program)
        });
        if let Some(place) = place {
            error.details.insert("location".into(), json!(place));
            error.location = Some(place);
        }
        error
    }

    fn halted(&self, halt: Halt) -> ExecutorError {
        match halt {
            Halt::Stopped(stopped) => self.stopped(stopped),
            Halt::OverLimit(over) => host_memory(&over),
        }
    }

    /// Takes room for a while.
    fn charge(&self, bytes: usize) -> Result<Charge, Halt> {
        let charge = self.hooks.account.charge(bytes);
        charge.map_err(Halt::OverLimit)
    }

    fn json(&self, value: &Value) -> Result<Json, Halt> {
        let mut charge = self.charge(0)?;
        encode::tree(value, self.watch, Some(&mut charge))
    }
}

const TOO_SLOW: &str = "the run took longer than it may (timeoutMs): do less in one run, wait for several tools at once with \
    Promise.all, and keep what is done in variables";
const TOO_MUCH: &str = "the code computed longer than it may (cpuTimeMs; waiting is free): look things up in a Map or Set \
    instead of searching for them, or divide the work among several runs, and keep what is done in variables";
pub(crate) const KEPT: &str =
    "what was declared is kept if the host calls recover(): look before you declare it again";
pub(crate) const LOST: &str = "state was lost, so declare again what the next run needs";
const LESS_MEMORY: &str = "hold less at once: work through data in parts, keep only what the result needs, and let go of large \
    values by setting their variables to undefined";

/// The error for a cell's failure.
pub(crate) fn explain(error: CellError, context: &Context<'_>) -> ExecutorError {
    let options = context.options;
    match error {
        CellError::Exception(mut exception) => {
            cut_words(&mut exception);
            thrown(&exception, context).unwrap_or_else(|halt| context.halted(halt))
        }
        CellError::Operations { limit } => context
            .placed(ExecutorError::new(
                ErrorCode::MaxOpsExceeded,
                format!("Max operations exceeded ({limit})"),
            ))
            .with("maxOperations", limit)
            .with(
                "hint",
                format!(
                    "all loops of a run together may make {limit} iterations: end the loop earlier, \
                     look things up in a Map or Set instead of searching for them, use methods of \
                     arrays and strings, or divide the work among several runs"
                ),
            ),
        CellError::Deadline { .. } | CellError::CpuTime { .. } => {
            context.stopped(Stopped::Deadline)
        }
        CellError::Cancelled { .. } => context.stopped(Stopped::Cancelled),
        CellError::Stalled => stalled(context),
        CellError::TooLarge { limit, .. } => {
            let cause =
                format!("the result is larger than {limit} bytes: return a part or a summary");
            runtime(&cause)
                .with("reason", "result_too_large")
                .with("hint", "return counts, a slice or a summary, and keep the data in a variable for the next run")
                .with("maxResultBytes", options.max_result_bytes)
        }
        CellError::HostMemory { over, .. } => host_memory(&over),
        CellError::Broken(_) => runtime(&chain(&error)).with("reason", "corruption"),
        error => runtime(&chain(&error)),
    }
}

/// The code awaits what nothing can settle.
fn stalled(context: &Context<'_>) -> ExecutorError {
    let (why, timers) = if context.options.timers == Timers::Off {
        ("no tool call is outstanding", "; there are no timers")
    } else {
        ("no tool call is outstanding, and no timer is pending", "")
    };
    let mut cause = format!("the code awaits a promise that can never settle: {why}");
    let mut hint =
        format!("a promise made with `new Promise` must call its resolve function{timers}");
    let mut place = None;
    // Most likely that is what would have settled it.
    let first = context.rejections.first();
    if let Some(first) = first
        && let Some(thrown) = rejection::thrown(&first.message)
    {
        let thrown = shorten(thrown, MAX_THROWN);
        cause = format!("{cause}, and this was thrown where nobody handled it: {thrown}");
        place = first.location;
        if let Some(Location { line, column }) = place {
            let _ = write!(cause, " (line {line}, column {column})");
        }
        "an error inside of a function given to `new Promise`, or of an async function that nobody awaits, settles no other \
            promise: `await` what may fail, or catch the error and call the promise's reject function"
            .clone_into(&mut hint);
    }
    let mut error = runtime(&cause).with("reason", "stalled").with("hint", hint);
    if let Some(place) = place {
        error.details.insert("location".into(), json!(place));
        error.location = Some(place);
    }
    error
}

/// What the code left behind does not fit into what the host may keep of it.
fn host_memory(over: &OverLimit) -> ExecutorError {
    ExecutorError::new(
        ErrorCode::MemoryLimit,
        format!("Memory limit exceeded outside of the sandbox: {over}"),
    )
    .with("maxHostMemoryBytes", over.limit)
    .with("hint", LESS_MEMORY)
}

fn runtime(cause: &str) -> ExecutorError {
    ExecutorError::new(
        ErrorCode::RuntimeException,
        format!("Runtime exception: {cause}"),
    )
}

/// Leaves of an error's words what somebody may read.
fn cut_words(exception: &mut Exception) {
    if exception.printed.len() > MAX_WORDS {
        exception.printed = shorten(&exception.printed, MAX_WORDS).into_owned();
    }
    if let Some(Value::Error(error)) = &mut exception.value {
        let ErrorValue {
            name,
            message,
            stack,
            ..
        } = &mut **error;
        for words in [name, message, stack] {
            let all = words.to_str_lossy();
            if all.len() > MAX_WORDS {
                let cut = Text::from(shorten(&all, MAX_WORDS).into_owned());
                drop(all);
                *words = cut;
            }
        }
    }
}

fn thrown(exception: &Exception, context: &Context<'_>) -> Result<ExecutorError, Halt> {
    let stack = exception.stack();
    // Its words stand in the message, in the cause, and in both once more while they are put together.
    let words = exception.printed.len() + stack.len();
    let _charge = context.charge(words.saturating_mul(4))?;
    let sources = context.hooks.sources();
    let stack = sources
        .translate(&stack, context.watch)
        .map_err(Halt::Stopped)?;
    let place = first_place(&stack, context.program);
    let cause = cause(exception, &stack, place, context)?;

    let mut error = if let Some(module) = refused_import(exception, context.hooks) {
        let message = exception.message();
        let diagnostic = Diagnostic::error(hotcell_prepare::rule::IMPORT_ALLOWED, message);
        ExecutorError::import_not_allowed(&module).with("diagnostics", json!([diagnostic]))
    } else if exception.from_tool {
        let error = match &exception.value {
            Some(Value::Error(error)) => tool_error(error),
            _ => ExecutorError::new(
                ErrorCode::ToolProxyFail,
                format!("Tool execution failed: {}", exception.printed),
            ),
        };
        let error = match hints::for_tool(exception) {
            Some(hint) => error.with("hint", hint),
            None => error,
        };
        match &exception.tool {
            Some(tool) => error.with("tool", &**tool),
            None => error,
        }
    } else if exception.out_of_memory && is_out_of_memory(exception) {
        let limit = context.options.memory_limit;
        ExecutorError::new(
            ErrorCode::MemoryLimit,
            format!("Memory limit exceeded ({limit} bytes)"),
        )
        .with("memoryLimitBytes", limit)
        .with("hint", LESS_MEMORY)
    } else if exception.at_compile {
        let diagnostic =
            Diagnostic::error(hotcell_prepare::rule::SYNTAX_VALID, exception.message());
        let diagnostic = match place {
            Some(place) => diagnostic.with_location(place),
            None => diagnostic,
        };
        ExecutorError::refused_by(&[diagnostic])
    } else {
        let mut text = exception.to_string();
        if let Some(Location { line, column }) = place {
            text = format!("{text} (line {line}, column {column})");
        }
        let here = place.map_or("", |place| code_at(context.code, place));
        let before = place.map_or("", |place| code_before(context.code, place, here));
        match hints::hint(exception, context.known, before, here) {
            Some(hint) => runtime(&format!("{text}; hint: {hint}")).with("hint", hint),
            None => runtime(&text),
        }
    };
    error.details.insert("cause".into(), cause);
    error.location = place;
    Ok(error)
}

/// What stands on its line before a place behind which `rest` stands.
fn code_before<'c>(code: &'c str, place: Location, rest: &str) -> &'c str {
    let line = code.lines().nth((place.line as usize).saturating_sub(1));
    let line = line.unwrap_or_default();
    line.strip_suffix(rest).unwrap_or_default()
}

/// What was thrown, for `details`.
fn cause(
    exception: &Exception,
    stack: &str,
    place: Option<Location>,
    context: &Context<'_>,
) -> Result<Json, Halt> {
    let mut cause = Map::new();
    cause.insert("name".into(), exception.name().into());
    cause.insert("message".into(), exception.message().into());
    if !stack.is_empty() {
        cause.insert("stack".into(), stack.into());
    }
    if let Some(place) = place {
        cause.insert("location".into(), json!(place));
    }
    match &exception.value {
        Some(Value::Error(error)) => {
            for (key, value) in &error.properties {
                let key = key.to_string();
                // Not to be mistaken for what stands above.
                if !cause.contains_key(&key) {
                    cause.insert(key, context.json(value)?);
                }
            }
            if let Some(inner) = &error.cause {
                cause.insert("cause".into(), context.json(inner)?);
            }
        }
        Some(value) => {
            cause.insert("value".into(), context.json(value)?);
        }
        None => {}
    }
    Ok(Json::Object(cause))
}

/// A tool failed, with this error.
pub(crate) fn tool_failed(tool: &str, error: &ErrorValue) -> ExecutorError {
    let cause = json!({ "name": error.name.to_string(), "message": error.message.to_string() });
    tool_error(error).with("tool", tool).with("cause", cause)
}

fn tool_error(error: &ErrorValue) -> ExecutorError {
    let mut result = ExecutorError::new(
        ErrorCode::ToolProxyFail,
        format!("Tool execution failed: {error}"),
    );
    let says = |key: &str| {
        let found = error.properties.iter().find(|(name, _)| name == key);
        found.and_then(|(_, value)| value.as_bool())
    };
    result.retryable = says("retryable").unwrap_or(true);
    result
}

/// The module, if what escaped is the refusal of an import by this run.
fn refused_import(exception: &Exception, hooks: &Hooks) -> Option<String> {
    let Some(Value::Error(error)) = &exception.value else {
        return None;
    };
    let text = |key: &str| {
        let found = error.properties.iter().find(|(name, _)| name == key);
        found.and_then(|(_, value)| value.as_str())
    };
    let module = text("module").filter(|_| text("code") == Some("ERR_IMPORT_NOT_ALLOWED"))?;
    hooks.was_refused(module).then(|| module.to_owned())
}

/// Whether this is the engine's own word for having no memory left.
fn is_out_of_memory(exception: &Exception) -> bool {
    match &exception.value {
        Some(Value::Error(error)) => {
            error.name == "InternalError" && error.message == "out of memory"
        }
        _ => exception.printed.contains("out of memory"),
    }
}
