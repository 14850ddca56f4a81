//! Functions of Node's as tools.

use std::{collections::HashMap, future::Future, pin::Pin, sync::Arc};

use hotcell::cell::{Reply, Tool, ToolCall, ToolError, Value};
use hotcell::prompt::ToolSpec;
use hotcell::{AgentTool, Files, Permission, file_tools};
use serde::Deserialize;

use crate::bridge::{Bridge, Lane};

/// What `lib/tools.cjs` tells of a tool.
#[derive(Deserialize)]
struct Given {
    #[serde(flatten)]
    spec: ToolSpec,
    /// Who waits for the answer; by default whoever the function makes wait.
    mode: Option<Mode>,
    permission: Option<Allowed>,
    builtin: Option<Builtin>,
    /// Whether the function is known to return a promise.
    #[serde(default)]
    promises: bool,
    /// Whether it has no function: whoever resumes the run answers.
    #[serde(default)]
    suspends: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Sync,
    Async,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Allowed {
    Allow,
    Deny,
    Ask,
}

/// A tool that need not come to Node's thread: which of the files that were passed, and which tool on those.
#[derive(Deserialize)]
struct Builtin {
    index: usize,
    tool: String,
}

/// Why what was given are no tools.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolsError {
    /// The JSON is not what it should be.
    #[error("the description of a tool is wrong: {0}")]
    Description(serde_json::Error),
    #[error("there is no file tool {0}")]
    Builtin(String),
}

/// The tools of one `sendTools`.
pub(super) fn read(
    bridge: &Arc<Bridge>,
    lane: &Lane,
    set: u32,
    specs: &str,
    builtins: &[Files],
) -> Result<Vec<(String, AgentTool)>, ToolsError> {
    let given: Vec<Given> = serde_json::from_str(specs).map_err(ToolsError::Description)?;
    let builtins: Vec<HashMap<String, AgentTool>> = builtins
        .iter()
        .map(|files| file_tools(files).into_iter().collect())
        .collect();
    given
        .into_iter()
        .map(|given| {
            let name = given.spec.name.clone();
            let tool = match &given.builtin {
                Some(builtin) => file_tool(builtin, &builtins)?,
                None if given.suspends => AgentTool::with_spec(AgentTool::suspending(), given.spec),
                None => AgentTool::with_spec(node_tool(bridge, lane, set, given.mode), given.spec),
            };
            let permission = match given.permission {
                Some(Allowed::Deny) => Permission::Deny,
                Some(Allowed::Ask) => Permission::Ask,
                Some(Allowed::Allow) | None => Permission::Allow,
            };
            let tool = if given.promises {
                tool.promising()
            } else {
                tool
            };
            Ok((name, tool.permission(permission)))
        })
        .collect()
}

fn node_tool(bridge: &Arc<Bridge>, lane: &Lane, set: u32, mode: Option<Mode>) -> Tool {
    let (bridge, lane) = (Arc::clone(bridge), lane.clone());
    let call = move |call: ToolCall| {
        let (bridge, lane) = (Arc::clone(&bridge), lane.clone());
        async move { bridge.call(&lane, set, call).await }
    };
    match mode {
        None => Tool::maybe_async(call),
        Some(Mode::Sync) => Tool::blocking(move |one| plain(call(one))),
        Some(Mode::Async) => Tool::asynchronous(move |one| plain(call(one))),
    }
}

fn plain(
    reply: impl Future<Output = Result<Reply, ToolError>> + Send + 'static,
) -> Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>> {
    Box::pin(async {
        match reply.await? {
            Reply::Value(value) => Ok(value),
            Reply::Later(answer) => answer.await,
            _ => Err(ToolError::from("the tool gave no answer")),
        }
    })
}

fn file_tool(
    builtin: &Builtin,
    builtins: &[HashMap<String, AgentTool>],
) -> Result<AgentTool, ToolsError> {
    builtins
        .get(builtin.index)
        .and_then(|tools| tools.get(&builtin.tool))
        .cloned()
        .ok_or_else(|| ToolsError::Builtin(builtin.tool.clone()))
}
