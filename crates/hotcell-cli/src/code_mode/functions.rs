//! What `guest.js` needs of the host: the functions in `$host`.
//!
//! Code can reach them as well, past `guest.js`. They check what they are given.

#![expect(clippy::similar_names, reason = "a call is one of a cell")]

use std::sync::{Arc, Weak};

use hotcell::AgentTool;
use hotcell::cell::{Tool, ToolCall, ToolError, Value};
use serde_json::value::RawValue;

use super::cell::Cell;
use super::message::{DelegateAnswer, DelegateRequest, Invocation};
use crate::serve::nesting;

/// Code that makes the names that are promised of these.
pub(super) const GUEST: &str = include_str!("guest.js");

/// Brackets in brackets. Clients are known that end at 128, with what is around it.
const MAX_NESTING: usize = 100;

/// The functions for one cell.
pub(super) fn functions(cell: &Arc<Cell>) -> Vec<(String, AgentTool)> {
    let named = [
        ("call", asking(cell)),
        ("show", at_once(cell, show)),
        ("store", at_once(cell, store)),
        ("load", at_once(cell, load)),
        ("notify", at_once(cell, notify)),
        ("yieldControl", at_once(cell, yield_control)),
    ];
    let named = named.into_iter();
    named
        .map(|(name, tool)| (format!("$host.{name}"), AgentTool::from(tool).hidden()))
        .collect()
}

/// A cell holds what holds its tools, so these do not hold the cell.
fn of(cell: &Weak<Cell>) -> Result<Arc<Cell>, ToolError> {
    cell.upgrade()
        .ok_or_else(|| ToolError::from("the cell is gone"))
}

type Work = fn(&Arc<Cell>, &ToolCall) -> Result<Value, ToolError>;

fn at_once(cell: &Arc<Cell>, work: Work) -> Tool {
    let cell = Arc::downgrade(cell);
    Tool::sync(move |call| work(&of(&cell)?, &call))
}

/// Calls a tool of the client's, by its number, with JSON.
fn asking(cell: &Arc<Cell>) -> Tool {
    let cell = Arc::downgrade(cell);
    Tool::json(move |call| {
        let cell = of(&cell);
        async move { ask(&cell?, &call).await }
    })
}

async fn ask(cell: &Arc<Cell>, call: &ToolCall) -> Result<Value, ToolError> {
    let json = match call.argument(1) {
        Value::Undefined => None,
        _ => Some(text(call, 1)?),
    };
    if json
        .as_deref()
        .is_some_and(|json| nesting(json.as_bytes()) > MAX_NESTING)
    {
        return Err(wrong(&format!(
            "the input of a tool may be nested {MAX_NESTING} levels deep"
        )));
    }
    let input = json.as_deref().map(serde_json::from_str::<&RawValue>);
    let input = input
        .transpose()
        .map_err(|_| wrong("the input of a tool must be JSON"))?;
    let index = call.argument(0).as_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is out of range is no tool"
    )]
    let tool = index.and_then(|index| cell.tools.get(index as usize));
    let tool = tool.ok_or_else(|| wrong("there is no such tool"))?;
    let paid = call.charge(json.as_deref().map_or(0, str::len));
    let paid = paid.map_err(|over| ToolError::new("RangeError", over.to_string()))?;
    let number = cell.next_call();
    let request = DelegateRequest::Invoke {
        invocation: Invocation {
            cell_id: &cell.id,
            runtime_tool_call_id: &format!("tool-{number}"),
            tool_name: &tool.name,
            tool_kind: tool.kind,
            input,
        },
    };
    let question = cell.client.ask(&cell.session.id, request, paid)?;
    match question.answer().await? {
        DelegateAnswer::Tool { result } => Ok(Value::from(result.to_string())),
        DelegateAnswer::Delivered => Err("the client gave no result".into()),
    }
}

fn show(cell: &Arc<Cell>, call: &ToolCall) -> Result<Value, ToolError> {
    let json = text(call, 0)?;
    let item = serde_json::from_str(&json).map_err(|_| wrong("this cannot be shown"))?;
    let paid = call.charge(json.len());
    let paid = paid.map_err(|over| ToolError::new("RangeError", over.to_string()))?;
    cell.show(item, json.len(), paid)?;
    Ok(Value::Undefined)
}

fn store(cell: &Arc<Cell>, call: &ToolCall) -> Result<Value, ToolError> {
    let (key, json) = (text(call, 0)?, text(call, 1)?);
    serde_json::from_str::<&RawValue>(&json).map_err(|_| wrong("what is stored must be JSON"))?;
    cell.store(key, json)?;
    Ok(Value::Undefined)
}

fn load(cell: &Arc<Cell>, call: &ToolCall) -> Result<Value, ToolError> {
    let json = cell.load(&text(call, 0)?);
    Ok(json.map_or(Value::Undefined, |json| Value::from(&*json)))
}

fn notify(cell: &Arc<Cell>, call: &ToolCall) -> Result<Value, ToolError> {
    let words = text(call, 0)?;
    if words.trim().is_empty() {
        return Err(wrong("notify takes a text that says something"));
    }
    let paid = call.charge(words.len());
    let paid = paid.map_err(|over| ToolError::new("RangeError", over.to_string()))?;
    let request = DelegateRequest::Notify {
        call_id: &cell.tool_call_id,
        cell_id: &cell.id,
        text: &words,
    };
    cell.notified(cell.client.ask(&cell.session.id, request, paid)?);
    Ok(Value::Undefined)
}

#[expect(clippy::unnecessary_wraps, reason = "one form for all")]
fn yield_control(cell: &Arc<Cell>, _: &ToolCall) -> Result<Value, ToolError> {
    cell.yield_now(None);
    Ok(Value::Undefined)
}

fn text(call: &ToolCall, index: usize) -> Result<String, ToolError> {
    match call.argument(index) {
        Value::String(text) => Ok(text.to_str_lossy().into_owned()),
        _ => Err(wrong("this takes a text")),
    }
}

fn wrong(message: &str) -> ToolError {
    ToolError::new("TypeError", message)
}
