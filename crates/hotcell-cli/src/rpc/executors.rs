//! The methods of executors.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_executor::json::{from_json, to_json};
use hotcell_executor::{CodeOutput, Executor, ExecutorOptions, Run};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::entry::Entry;
use super::error::RpcError;
use super::params::params;
use super::run_id::identified;
use super::session::Session;
use super::tools::{ToolParams, remote};

type Reply = Result<Json, RpcError>;

/// Params of methods that take nothing but the executor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    #[serde(rename = "executor")]
    _executor: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(default)]
    options: Json,
    #[serde(default)]
    modules: BTreeMap<String, String>,
}

pub(super) async fn create(session: Arc<Session>, given: Json) -> Reply {
    let Create { options, modules } = params(given)?;
    let mut options = options_of(&options)?;
    for (name, source) in modules {
        options = options.module(name, source);
    }
    let entry = session.adopt(|id| Entry::new(id, Executor::with_engine(&session.engine, options)));
    Ok(made(&entry))
}

fn options_of(json: &Json) -> Result<ExecutorOptions, RpcError> {
    match json {
        Json::Null => Ok(ExecutorOptions::default()),
        json => {
            ExecutorOptions::from_json(json).map_err(|error| RpcError::params(error.to_string()))
        }
    }
}

fn made(entry: &Entry) -> Json {
    json!({"executor": entry.id, "state": entry.executor.state().as_str()})
}

fn state_of(entry: &Entry) -> Json {
    json!({"state": entry.executor.state().as_str()})
}

pub(super) async fn init(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.init().await?;
    Ok(state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SendVariables {
    #[serde(rename = "executor")]
    _executor: String,
    variables: Map<String, Json>,
}

pub(super) async fn send_variables(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let SendVariables { variables, .. } = params(given)?;
    let mut values = Vec::with_capacity(variables.len());
    for (name, json) in &variables {
        let value = from_json(json).map_err(|error| {
            RpcError::params(error.within(format!("variables.{name}")).to_string())
        })?;
        values.push((name.clone(), value));
    }
    entry.executor.send_variables(values).await?;
    Ok(state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SendTools {
    #[serde(rename = "executor")]
    _executor: String,
    tools: Vec<ToolParams>,
}

pub(super) async fn send_tools(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let SendTools { tools, .. } = params(given)?;
    connect(&session, &entry, &tools).await?;
    let mut known = entry.tools();
    known.retain(|old| !tools.iter().any(|new| new.name == old.name));
    known.extend(tools);
    drop(known);
    Ok(state_of(&entry))
}

async fn connect(session: &Session, entry: &Entry, tools: &[ToolParams]) -> Result<(), RpcError> {
    let remote = tools
        .iter()
        .map(|tool| (tool.name.clone(), remote(tool, &entry.id, &session.calls)));
    entry.executor.send_tools(remote).await?;
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunParams {
    #[serde(rename = "executor")]
    _executor: String,
    code: String,
    #[serde(rename = "timeoutMs", default)]
    timeout_ms: Option<f64>,
}

pub(super) async fn run(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let RunParams {
        code, timeout_ms, ..
    } = params(given)?;
    let mut run = Run::new(code);
    if let Some(ms) = timeout_ms {
        let timeout = Duration::try_from_secs_f64(ms / 1000.0)
            .ok()
            .filter(|_| ms >= 1.0);
        run = run.timeout(
            timeout.ok_or_else(|| RpcError::params("timeoutMs must be a number of at least 1"))?,
        );
    }
    let output = identified(entry.executor.run(run)).await?;
    Ok(output_json(&output))
}

fn output_json(output: &CodeOutput) -> Json {
    let mut json = Map::new();
    json.insert("output".into(), to_json(&output.output));
    json.insert("logs".into(), json!(output.logs));
    json.insert("is_final_answer".into(), json!(output.is_final_answer));
    json.insert("entries".into(), json!(output.entries));
    json.insert("diagnostics".into(), json!(output.diagnostics));
    json.insert("stats".into(), json!(output.stats));
    Json::Object(json)
}

pub(super) async fn state(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    Ok(json!({"state": entry.executor.state().as_str(), "queued": entry.executor.queued()}))
}

pub(super) async fn cancel(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cancel();
    Ok(json!({}))
}

pub(super) async fn cleanup(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cleanup().await?;
    entry.tools().clear();
    Ok(state_of(&entry))
}

pub(super) async fn snapshot(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let snapshot = entry.executor.snapshot().await?;
    Ok(json!({"snapshot": STANDARD.encode(snapshot)}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    snapshot: String,
    #[serde(default)]
    options: Json,
}

pub(super) async fn restore(session: Arc<Session>, given: Json) -> Reply {
    let Restore { snapshot, options } = params(given)?;
    let bytes = STANDARD
        .decode(snapshot)
        .map_err(|error| RpcError::params(format!("snapshot is not base64: {error}")))?;
    let options = match options {
        Json::Null => None,
        options => Some(options_of(&options)?),
    };
    let executor = Executor::restore_with_engine(&session.engine, &bytes, options)?;
    let entry = session.adopt(|id| Entry::new(id, executor));
    Ok(made(&entry))
}

pub(super) async fn fork(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let twin = entry.executor.fork().await?;
    let tools = entry.tools().clone();
    let twin = session.adopt(|id| Entry::new(id, twin));
    // Its tools have to say who calls.
    if let Err(error) = connect(&session, &twin, &tools).await {
        session.forget(&twin.id);
        return Err(error);
    }
    *twin.tools() = tools;
    Ok(made(&twin))
}

/// Forgets the executor; a run under way is called off.
pub(super) async fn dispose(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    session.forget(&entry.id);
    entry.executor.cancel();
    Ok(json!({}))
}
