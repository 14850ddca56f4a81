//! The file tools as tools of an executor: those for models' eyes, and those for code.

mod code;

use hotcell_cell::{Charge, Tool, ToolCall, ToolError, Value};
use hotcell_prompt::ToolSpec;
use hotcell_tools::{FileTools, ToolInfo};
use serde_json::Value as Json;

use crate::{
    files::Files,
    plain::{from_plain, to_plain},
    tool::AgentTool,
};

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

/// What a tool is called with as JSON, and what pays for this copy.
fn copy(name: &str, call: &ToolCall) -> Result<(Vec<Json>, Option<Charge>), ToolError> {
    let bytes = call.arguments.iter().map(Value::heap_size).sum();
    let room = call
        .charge(bytes)
        .map_err(|over| ToolError::new("RangeError", format!("{name}: {over}")))?;
    Ok((plain(name, &call.arguments)?, room))
}

/// An answer, and what pays for it until it is taken: a cell takes none while it waits for its turn, and many may be there then.
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
        Err(over) => {
            let message = format!("the answer of {} cannot be kept: {over}", call.tool);
            (Err(ToolError::new("RangeError", message)), None)
        }
    }
}

fn answer(tools: &FileTools, name: &str, arguments: &[Json]) -> Result<Value, ToolError> {
    match tools.call(name, arguments) {
        Ok(result) => Ok(from_plain(&result)),
        Err(error) => Err(ToolError::from(error.to_string())),
    }
}

fn file_tool(files: &Files, info: &ToolInfo) -> AgentTool {
    let name = info.name;
    let tool = AgentTool::on_files(files, move |files| {
        let (tools, turns) = (files.tools().clone(), files.turns().clone());
        Tool::asynchronous(move |call: ToolCall| {
            let turns = turns.clone();
            let cancel = call.cancel.clone();
            let tools = tools.with_cancel(move || cancel.is_cancelled());
            let copied = copy(name, &call);
            async move {
                let (arguments, _room) = copied?;
                let work = move || paid(&call, answer(&tools, name, &arguments));
                turns.take(work).await.0
            }
        })
    });
    let spec = ToolSpec::new(name)
        .description(info.description)
        .parameters(info.arguments.clone())
        .returns(info.result.clone());
    // They take their arguments in more forms than one schema can say, and know better words.
    AgentTool::with_spec(tool, spec).self_checking()
}
