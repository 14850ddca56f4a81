//! The file tools as tools of an executor: those for models' eyes, and those for code.

mod code;

use hotcell_cell::{CancelToken, Charge, OverLimit, Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;
use hotcell_tools::{FileToolError, FileTools, ToolInfo};
use serde_json::Value as Json;

use crate::{
    files::{Files, Turns},
    plain::{from_plain, to_plain},
    tool::AgentTool,
};

/// What a value takes more as JSON than here: an object of one property has room for four, and a table.
const JSON_VALUE: usize = 500;

/// The file tools, by all their names, for [`Executor::send_tools`](crate::Executor::send_tools).
///
/// For models' eyes there are `read`, `write`, `edit`, `grep`, `find` and `ls`, and their aliases `readTool`, `writeTool`, …; for
/// code `readText`, `readBytes`, `readJson`, `readLines`, `writeText`, `list` and `exists`, whose names code may also take for
/// itself. Those that change something are left out if the files cannot be changed.
///
/// Each call runs on a thread for blocking work, so that a search through many files neither blocks the caller nor outlives
/// its run.
pub fn file_tools(files: &Files) -> Vec<(String, AgentTool)> {
    let mut named = Vec::new();
    for info in FileTools::list() {
        if info.changes && files.is_read_only() {
            continue;
        }
        let tool = file_tool(files, &info);
        for alias in info.aliases {
            named.push(((*alias).to_owned(), tool.clone().hidden()));
        }
        named.push((info.name.to_owned(), tool));
    }
    named.extend(code::tools(files));
    named
}

/// What a model is told of the [`file_tools`] on these files.
pub fn file_tool_specs(files: &Files) -> Vec<ToolSpec> {
    let tools = file_tools(files).into_iter();
    let shown = tools.filter(|(_, tool)| !tool.is_hidden);
    shown
        .map(|(name, tool)| ToolSpec { name, ..tool.spec })
        .collect()
}

/// Calls a file tool by its name with values of a cell, on this thread.
pub fn call_file_tool(
    tools: &FileTools,
    name: &str,
    arguments: &[Value],
) -> Result<Value, ToolError> {
    if let Some(function) = code::find(name) {
        let call = ToolCall::new(name, arguments.to_vec());
        return function(tools, &call);
    }
    answer(tools, name, &plain(name, arguments)?)
}

fn plain(name: &str, arguments: &[Value]) -> Result<Vec<Json>, ToolError> {
    let arguments: Result<_, _> = arguments.iter().map(to_plain).collect();
    arguments.map_err(|problem| ToolError::new("TypeError", format!("{name}: {problem}")))
}

/// Answers a call when it is its turn, on a thread for blocking work. Whatever memory that takes is charged before, and the
/// answer until it is taken: a cell takes none while it waits for its turn, and many may be there then.
fn on_turn<W>(
    tools: &FileTools,
    turns: &Turns,
    call: ToolCall,
    work: W,
) -> impl Future<Output = Result<Value, ToolError>> + Send + use<W>
where
    W: FnOnce(&FileTools, &ToolCall) -> Result<Value, ToolError> + Send + 'static,
{
    let cancel = call.cancel.clone();
    // Whoever drops the future waits for nothing, while a thread has begun.
    let dropped = Dropped(CancelToken::default());
    let is_dropped = dropped.0.clone();
    let tools = tools.with_cancel(move || cancel.is_cancelled() || is_dropped.is_cancelled());
    let turns = turns.clone();
    async move {
        let _dropped = dropped;
        let work = move || {
            let tools = match call.charge(0) {
                Ok(Some(charge)) => tools.with_charge(charge),
                _ => tools,
            };
            // What the work took is given back when the answer has been paid for, and not between the two.
            let answer = work(&tools, &call);
            paid(&call, answer)
        };
        turns.take(work).await.0
    }
}

/// Says that nobody waits any more.
struct Dropped(CancelToken);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn paid(
    call: &ToolCall,
    answer: Result<Value, ToolError>,
) -> (Result<Value, ToolError>, Option<Charge>) {
    let bytes = match &answer {
        Ok(value) => value.heap_size(),
        Err(error) => error.heap_size(),
    };
    match call.charge(bytes) {
        Ok(charge) => (answer, charge),
        Err(problem) => (Err(over(call, &problem)), None),
    }
}

/// There is no room for what a call needs.
fn over(call: &ToolCall, problem: &OverLimit) -> ToolError {
    let tool = &call.tool;
    ToolError::new("RangeError", format!("{tool}: {problem}"))
}

/// What pays for the arguments as JSON, and as the tool has them.
fn room_for_copies(call: &ToolCall) -> Result<Option<Charge>, ToolError> {
    let values = call.arguments.iter().map(count).sum::<usize>();
    let bytes = call.arguments.iter().map(Value::heap_size).sum::<usize>();
    let copies = bytes
        .saturating_add(values.saturating_mul(JSON_VALUE))
        .saturating_mul(2);
    call.charge(copies).map_err(|problem| over(call, &problem))
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) | Value::Set(values) => values.iter().map(count).sum(),
        Value::Object(properties) => properties.iter().map(|(_, value)| count(value)).sum(),
        Value::Map(entries) => entries.iter().map(|(_, value)| count(value)).sum(),
        _ => 0,
    }
}

fn answer(tools: &FileTools, name: &str, arguments: &[Json]) -> Result<Value, ToolError> {
    match tools.call(name, arguments) {
        Ok(result) => Ok(from_plain(result)),
        Err(error) => Err(told(&error)),
    }
}

fn told(error: &FileToolError) -> ToolError {
    let name = match error {
        FileToolError::NoRoom(_) => "RangeError",
        _ => "Error",
    };
    ToolError::new(name, error.to_string())
}

fn file_tool(files: &Files, info: &ToolInfo) -> AgentTool {
    let name = info.name;
    let tool = AgentTool::on_files(files, move |files| {
        let (tools, turns) = (files.tools().clone(), files.turns().clone());
        Tool::asynchronous(move |call: ToolCall| {
            on_turn(&tools, &turns, call, move |tools, call| {
                let _copy = room_for_copies(call)?;
                answer(tools, name, &plain(name, &call.arguments)?)
            })
        })
    });
    let spec = ToolSpec::new(name)
        .description(info.description)
        .parameters(info.arguments.clone())
        .returns(info.result.clone());
    // They take their arguments in more forms than one schema can say, and know better words.
    AgentTool::with_spec(tool, spec)
        .self_checking()
        .ends_with_run()
        .named_file_tool(name)
}
