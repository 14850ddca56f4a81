//! Tools whose functions are the client's.

use std::sync::Arc;

use hotcell_cell::{ErrorValue, ToolCall, ToolError, Value};
use hotcell_executor::AgentTool;
use hotcell_executor::json::{from_json, to_text};
use hotcell_prompt::ToolMode;
use serde::Deserialize;
use serde_json::Value as Json;

use super::call::Calls;
use super::message;
use super::run_id;
use super::session::Message;

/// A tool as `executor.sendTools` describes it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolParams {
    pub(super) name: String,
    #[serde(default)]
    mode: ToolMode,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Json>,
    #[serde(default)]
    returns: Option<Json>,
    #[serde(default)]
    positional: bool,
}

/// The request for a call, which holds on to the arguments: until it is written, the code has to pay for them.
fn request(id: &str, executor: &str, call: &ToolCall) -> Result<Message, ToolError> {
    let mut arguments = String::new();
    for value in &call.arguments {
        let text = to_text(value, call.watch()).map_err(|stopped| stopped.to_string())?;
        if !arguments.is_empty() {
            arguments.push(',');
        }
        arguments.push_str(&text);
    }
    let (run, tool) = (run_id::current(), Json::from(&*call.tool));
    let params =
        format!(r#"{{"executor":"{executor}","run":"{run}","tool":{tool},"args":[{arguments}]}}"#);
    let text = message::request(id, "tool.call", &params);
    Ok(Message::of_cell(text, call.arguments.clone()))
}

/// A tool that asks the client.
pub(super) fn remote(tool: &ToolParams, executor: &str, calls: &Arc<Calls>) -> AgentTool {
    let (executor, calls) = (executor.to_owned(), Arc::clone(calls));
    let ask = move |call: ToolCall| {
        let calls = Arc::clone(&calls);
        let id = calls.next_id();
        let request = request(&id, &executor, &call);
        async move {
            match calls.call(id, request?).await {
                Some(Ok(result)) => from_json(&result).map_err(|error| {
                    ToolError::new(
                        "TypeError",
                        format!("the tool's answer is no value: {error}"),
                    )
                }),
                Some(Err(error)) => Err(error_of(&error)),
                None => Err(ToolError::from("the client is gone")),
            }
        }
    };
    let mut agent = match tool.mode {
        ToolMode::Sync => AgentTool::blocking(ask),
        ToolMode::Async => AgentTool::asynchronous(ask),
    };
    if let Some(description) = &tool.description {
        agent = agent.description(description);
    }
    if let Some(schema) = &tool.parameters {
        agent = agent.parameters(schema.clone());
    }
    if let Some(schema) = &tool.returns {
        agent = agent.returns(schema.clone());
    }
    if tool.positional {
        agent = agent.positional();
    }
    agent
}

/// The error that the code sees: `message`, and from `data` its name, stack and whatever else is there.
fn error_of(error: &Json) -> ToolError {
    let text = |json: Option<&Json>| json.and_then(Json::as_str).map(str::to_owned);
    let data = error.get("data");
    let of_data = |key| data.and_then(|data| data.get(key));
    let message = text(error.get("message")).unwrap_or_else(|| "the tool failed".into());
    let name = text(of_data("name")).unwrap_or_else(|| "Error".into());
    let mut value = ErrorValue::new(name, message);
    value.stack = text(of_data("stack")).unwrap_or_default().into();
    value.cause = of_data("cause").map(loosely);
    match data {
        Some(Json::Object(data)) => {
            let others = data
                .iter()
                .filter(|(key, _)| !matches!(&***key, "name" | "stack" | "cause" | "message"));
            value.properties = others
                .map(|(key, json)| (key.as_str().into(), loosely(json)))
                .collect();
        }
        None | Some(Json::Null) => {}
        Some(other) => value.properties = vec![("data".into(), loosely(other))],
    }
    value.into()
}

/// What is no value is at least a text: an error must not get lost because its details are odd.
fn loosely(json: &Json) -> Value {
    from_json(json).unwrap_or_else(|_| Value::from(json.to_string()))
}
