//! Runs as values: begun, suspended, resumed, and those that go on by themselves.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use hotcell::cell::ToolError;
use hotcell::json::{from_json, to_json};
use hotcell::meter::{StopToken, Watch};
use hotcell::{Answer, ExecutorOptions, Running, Started, Suspension, inspect_snapshot};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::batch::Responder;
use super::entry::Entry;
use super::error::RpcError;
use super::executors::{Only, StartParams, decoded, options_of, output_of, run_of, state_of};
use super::message::{Reply, result};
use super::params::params;
use super::session::Session;
use super::tools::error_of;

/// How long it may take to write down what came of a run: it is over, and its own time with it.
const TIME_TO_TELL: Duration = Duration::from_secs(5);

/// Runs code to its end, or until it waits for the client.
pub(super) async fn start(
    session: Arc<Session>,
    entry: Arc<Entry>,
    given: Json,
    responder: Responder,
) {
    let given: Result<StartParams, _> = params(given);
    let run = given.and_then(|given| {
        let StartParams {
            run,
            yield_after_ms,
            traceparent,
        } = given;
        let mut run = run_of(run)?;
        if let Some(patience) = patience(yield_after_ms)? {
            run = run.yield_after(patience);
        }
        if let Some(text) = traceparent {
            let trace = text.parse();
            run = run
                .trace(trace.map_err(|error| RpcError::params(format!("traceparent: {error}")))?);
        }
        Ok(run)
    });
    match run {
        Ok(run) => {
            let started = entry.executor.start_when(run, session.room_for_answer());
            responder.send(told(started.await));
        }
        Err(error) => responder.send(Err(error)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Resume {
    #[serde(rename = "executor")]
    _executor: String,
    answers: Map<String, Json>,
    yield_after_ms: Option<f64>,
}

/// Gives a suspended run answers, and takes it further.
pub(super) async fn resume(
    session: Arc<Session>,
    entry: Arc<Entry>,
    given: Json,
    responder: Responder,
) {
    let given: Result<Resume, _> = params(given);
    let given = given.and_then(|given| {
        let answers = given.answers.iter().map(answer_of);
        let answers: Vec<(String, Answer)> = answers.collect::<Result<_, _>>()?;
        Ok((answers, patience(given.yield_after_ms)?))
    });
    let executor = &entry.executor;
    let started = match given {
        Err(error) => return responder.send(Err(error)),
        Ok((answers, None)) => executor.resume(answers).await,
        Ok((answers, Some(patience))) => executor.resume_within(answers, patience).await,
    };
    session.room_for_answer().await;
    responder.send(started.map_err(RpcError::from).and_then(told));
}

/// `{"value": …}`, `{"error": {"message": …}}`, `{"approve": true}` or `{"deny": "why"}`.
fn answer_of((call, given): (&String, &Json)) -> Result<(String, Answer), RpcError> {
    let wrong = |what: &str| RpcError::params(format!("answers[{call:?}] {what}"));
    let only = given.as_object().filter(|given| given.len() == 1);
    let (kind, content) = only
        .and_then(|given| given.iter().next())
        .ok_or_else(|| wrong("must be an object of one of these: value, error, approve, deny"))?;
    let answer = match (&**kind, content) {
        ("value", value) => Answer::Value(from_json(value).map_err(|error| {
            RpcError::params(error.within(format!("answers[{call:?}].value")).to_string())
        })?),
        ("error", Json::String(message)) => Answer::Error(ToolError::from(&**message)),
        ("error", error @ Json::Object(_)) => Answer::Error(error_of(error)),
        ("error", _) => return Err(wrong("has an error that is neither a text nor an object")),
        ("approve", Json::Bool(true)) => Answer::Approve,
        ("approve", _) => {
            return Err(wrong(
                "approves with true: to refuse, deny it with a reason",
            ));
        }
        ("deny", Json::String(reason)) => Answer::Deny(reason.clone()),
        ("deny", _) => return Err(wrong("denies with a text, the reason")),
        (other, _) => {
            let other: String = other.chars().take(80).collect();
            return Err(wrong(&format!(
                "has an unknown member {other:?}: there are value, error, approve, deny"
            )));
        }
    };
    Ok((call.clone(), answer))
}

/// The run that waits, if there is one.
pub(super) async fn suspension(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    match entry.executor.suspension().await {
        Some(suspension) => suspended(&suspension),
        None => result(&Json::Null),
    }
}

/// Gives up the run that waits.
pub(super) async fn abandon(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.executor.abandon().await?;
    result(&state_of(&entry))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct OfRun {
    #[serde(rename = "executor")]
    _executor: String,
    id: String,
    yield_after_ms: Option<f64>,
}

/// Waits for the end of a run that goes on by itself.
pub(super) async fn wait(
    session: Arc<Session>,
    entry: Arc<Entry>,
    given: Json,
    responder: Responder,
) {
    let given: Result<OfRun, _> = params(given);
    let given = given.and_then(|given| Ok((patience(given.yield_after_ms)?, given.id)));
    let reply = match given {
        Ok((patience, id)) => {
            let patience = patience.unwrap_or(Duration::MAX);
            let started = entry.executor.wait_for(&id, patience).await;
            session.room_for_answer().await;
            started.map_err(RpcError::from).and_then(told)
        }
        Err(error) => Err(error),
    };
    responder.send(reply);
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    #[serde(rename = "executor")]
    _executor: String,
    id: String,
}

/// Ends a run that goes on by itself; what came of it is there to be fetched.
pub(super) async fn cancel_run(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let Named { id, .. } = params(given)?;
    entry.executor.cancel_run(&id)?;
    result(&json!({}))
}

/// Ends a run that goes on by itself, and forgets it.
pub(super) async fn give_up(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let Named { id, .. } = params(given)?;
    entry.executor.give_up(&id).await?;
    result(&json!({}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inspect {
    snapshot: String,
    #[serde(default)]
    options: Json,
}

/// What a snapshot says of itself.
pub(super) async fn inspect(session: Arc<Session>, given: Json) -> Reply {
    let Inspect { snapshot, options } = params(given)?;
    let options: ExecutorOptions = options_of(&session, &options)?;
    result(&inspect_snapshot(
        &decoded("snapshot", &snapshot)?,
        &options,
    )?)
}

fn patience(ms: Option<f64>) -> Result<Option<Duration>, RpcError> {
    let Some(ms) = ms else { return Ok(None) };
    let patience = Duration::try_from_secs_f64(ms / 1000.0).ok();
    match patience {
        Some(patience) => Ok(Some(patience)),
        None => Err(RpcError::params(
            "yieldAfterMs must be a number of at least 0",
        )),
    }
}

/// How far a run has come. One that failed is an error, as it is for `executor.run`.
fn told(started: Started) -> Reply {
    match started {
        Started::Complete(execution) => {
            let watch = StopToken::until(Instant::now() + TIME_TO_TELL);
            let output = output_of(execution, &watch)?;
            Ok(format!(r#"{{"status":"complete",{}"#, &output[1..]))
        }
        Started::Suspended(suspension) => suspended(&suspension),
        Started::Running(running) => going_on(&running),
        _ => Err(RpcError::internal(
            "a run came to something that this build does not know",
        )),
    }
}

fn going_on(running: &Running) -> Reply {
    result(&json!({
        "status": "running",
        "id": running.id,
        "logs": running.logs,
        "entries": running.entries,
        "content": running.content,
        "made": running.made,
    }))
}

fn suspended(suspension: &Suspension) -> Reply {
    let watch = StopToken::until(Instant::now() + TIME_TO_TELL);
    let mut calls = Vec::new();
    for call in &suspension.calls {
        let arguments = call.arguments.iter().map(|value| {
            // How much it is, code decides.
            watch.check().map(|()| to_json(value))
        });
        let arguments: Result<Vec<Json>, _> = arguments.collect();
        let arguments = arguments
            .map_err(|_| RpcError::internal("there was no time to write the arguments down"))?;
        calls.push(json!({
            "id": call.id,
            "tool": call.tool,
            "arguments": arguments,
            "reason": call.reason,
        }));
    }
    result(&json!({
        "status": "suspended",
        "calls": calls,
        "made": suspension.made,
        "logs": suspension.logs,
        "entries": suspension.entries,
        "content": suspension.content,
        "stats": suspension.stats,
    }))
}
