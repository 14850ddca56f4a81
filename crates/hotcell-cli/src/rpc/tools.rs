//! Tools whose functions are the client's.

use hotcell::cell::{ErrorValue, ToolCall, ToolError, Value};
use hotcell::json::from_json;
use hotcell::prompt::ToolMode;
use hotcell::{AgentTool, Permission};
use serde::Deserialize;
use serde_json::Value as Json;

use super::call::Paid;
use super::remote::{Remote, is_suspension, value_of};

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
    #[serde(default)]
    deferred: bool,
    /// It has no function: whoever resumes the run answers each call.
    #[serde(default)]
    suspends: bool,
    #[serde(default)]
    permission: Allowed,
}

/// Whether code may call a tool.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Allowed {
    #[default]
    Allow,
    Deny,
    Ask,
}

/// A tool that asks the client.
pub(super) fn remote(tool: &ToolParams, client: &Remote) -> AgentTool {
    let client = client.clone();
    let ask = move |call: ToolCall| {
        let client = client.clone();
        let charge = |bytes| call.charge(bytes);
        let request = client.request(
            "tool.call",
            &call.tool,
            call.origin.as_ref(),
            &call.arguments,
            call.watch(),
            charge,
        );
        let room = call.charge(0).ok().flatten();
        async move {
            let (id, request) = request?;
            // What pays for the answer is given back when the answer is a value, which the cell pays for.
            let Some(Paid {
                answer,
                room: _room,
            }) = client.ask(id, request, room).await
            else {
                return Err(ToolError::from("the client is gone"));
            };
            match answer {
                Ok(result) if is_suspension(&result) => Err(ToolError::suspended()),
                Ok(result) => value_of(&result).map_err(|error| {
                    ToolError::new(
                        "TypeError",
                        format!("the tool's answer is no value: {error}"),
                    )
                }),
                Err(error) => Err(error_of(&error)),
            }
        }
    };
    let mut agent = match tool.mode {
        _ if tool.suspends => AgentTool::suspending(),
        ToolMode::Sync => AgentTool::blocking(ask),
        ToolMode::Async => AgentTool::asynchronous(ask),
        ToolMode::Stream => AgentTool::from(hotcell::cell::Tool::paged(ask)),
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
    if tool.deferred {
        agent = agent.deferred();
    }
    agent = agent.permission(match tool.permission {
        Allowed::Allow => Permission::Allow,
        Allowed::Deny => Permission::Deny,
        Allowed::Ask => Permission::Ask,
    });
    agent
}

/// The error that the code sees: `message`, and from `data` its name, stack and whatever else is there.
pub(super) fn error_of(error: &Json) -> ToolError {
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
