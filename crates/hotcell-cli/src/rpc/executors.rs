//! The methods of executors.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_executor::json::{from_json, to_text};
use hotcell_executor::{Execution, Executor, ExecutorOptions, LogEntry, Run, RunStats};
use hotcell_meter::Watch;
use hotcell_prepare::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::batch::Responder;
use super::entry::Entry;
use super::error::RpcError;
use super::message::{Reply, result};
use super::params::params;
use super::run_id::identified;
use super::session::Session;
use super::tools::{ToolParams, remote};

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
    result(&made(&entry))
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
    result(&state_of(&entry))
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
    result(&state_of(&entry))
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
    result(&state_of(&entry))
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

/// Answers before the next run in line begins, so that answers come in the order of the line.
pub(super) async fn run(entry: Arc<Entry>, given: Json, responder: Responder) {
    let run = match run_of(given) {
        Ok(run) => run,
        Err(error) => return responder.send(&Err(error)),
    };
    let answer = |execution: Execution, watch: &dyn Watch| {
        responder.send(&answer(execution, watch));
    };
    identified(entry.executor.execute_then(run, answer)).await;
}

fn run_of(given: Json) -> Result<Run, RpcError> {
    let RunParams {
        code, timeout_ms, ..
    } = params(given)?;
    let run = Run::new(code);
    let Some(ms) = timeout_ms else {
        return Ok(run);
    };
    let timeout = Duration::try_from_secs_f64(ms / 1000.0)
        .ok()
        .filter(|_| ms >= 1.0);
    match timeout {
        Some(timeout) => Ok(run.timeout(timeout)),
        None => Err(RpcError::params("timeoutMs must be a number of at least 1")),
    }
}

/// What the result of a run has beside its output.
#[derive(Serialize)]
struct Rest<'a> {
    logs: &'a str,
    is_final_answer: bool,
    entries: &'a [LogEntry],
    diagnostics: &'a [Diagnostic],
    stats: &'a RunStats,
}

fn answer(execution: Execution, watch: &dyn Watch) -> Reply {
    let execution = match execution.error {
        Some(error) => return Err(error.into()),
        None => execution,
    };
    let rest = result(&Rest {
        logs: &execution.logs,
        is_final_answer: execution.is_final_answer,
        entries: &execution.entries,
        diagnostics: &execution.diagnostics,
        stats: &execution.stats,
    })?;
    match to_text(&execution.output, watch) {
        // One object, written in two parts.
        Ok(output) => Ok(format!(r#"{{"output":{output},{}"#, &rest[1..])),
        Err(stopped) => Err(execution.stopped(stopped).into()),
    }
}

pub(super) async fn state(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let (state, queued) = (entry.executor.state(), entry.executor.queued());
    result(&json!({"state": state.as_str(), "queued": queued}))
}

pub(super) async fn cancel(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cancel();
    result(&json!({}))
}

pub(super) async fn cleanup(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.cleanup().await?;
    entry.tools().clear();
    result(&state_of(&entry))
}

pub(super) async fn snapshot(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let snapshot = entry.executor.snapshot().await?;
    result(&json!({"snapshot": STANDARD.encode(snapshot)}))
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
    result(&made(&entry))
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
    result(&made(&twin))
}

/// Forgets the executor; a run under way is called off.
pub(super) async fn dispose(session: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    session.forget(&entry.id);
    entry.executor.cancel();
    result(&json!({}))
}
