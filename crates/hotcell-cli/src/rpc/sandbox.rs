//! The methods of sandboxes: the shell side of the protocol.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

mod bytes;
pub(super) mod files;
pub(super) mod run;

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell::sandbox::{HistoryEntry, Sandbox, SandboxError, SandboxOptions};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::error::RpcError;
use super::line::Line;
use super::message::{self, Reply, result};
use super::params::params;
use super::session::{Message, Session, Transport};
use bytes::Bytes;

/// A sandbox with its place in line.
pub(super) struct SandboxEntry {
    pub(super) id: String,
    pub(super) sandbox: Sandbox,
    pub(super) line: Arc<Line>,
}

impl SandboxEntry {
    pub(super) fn new(sandbox: Sandbox) -> Arc<Self> {
        Arc::new(Self {
            id: id_of(sandbox.id()),
            sandbox,
            line: Arc::default(),
        })
    }
}

/// The id of a sandbox: its number, by which audit events know it, too.
fn id_of(number: u64) -> String {
    format!("s{number}")
}

/// Params of methods that take nothing but the sandbox.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    #[serde(rename = "sandbox")]
    _sandbox: String,
}

/// Does what may take a while on a thread that may wait.
async fn aside<T: Send + 'static>(
    entry: &SandboxEntry,
    work: impl FnOnce(&Sandbox) -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, RpcError> {
    let sandbox = entry.sandbox.clone();
    Ok(blocking::unblock(move || work(&sandbox)).await?)
}

fn made(session: &Session, sandbox: Sandbox) -> Reply {
    let entry = session.adopt_sandbox(sandbox);
    result(&json!({ "sandbox": entry.id }))
}

/// What a client says of a new sandbox, and what this machine has for it: all programs that are installed, unless the client says
/// which.
pub(super) fn options_of(session: &Session, json: Json) -> Result<SandboxOptions, RpcError> {
    let (json, is_audited) = take_audit(json)?;
    let isolation = session.isolation(&json)?;
    let has_programs = json.get("programs").is_some_and(|given| !given.is_null());
    let mut options = match json {
        Json::Null => SandboxOptions::default(),
        json => {
            SandboxOptions::from_json(&json).map_err(|error| RpcError::params(error.to_string()))?
        }
    };
    if !has_programs {
        options = (session.furnish)(options);
    }
    if let Some(isolation) = isolation {
        options = isolation.of_sandbox(options);
    }
    if is_audited {
        let transport = Arc::clone(&session.transport);
        options = options.on_audit_json(move |event| tell(&*transport, event));
    }
    Ok(options)
}

/// Takes off the option `audit`, which is about this protocol.
fn take_audit(mut json: Json) -> Result<(Json, bool), RpcError> {
    let given = json.as_object_mut().and_then(|json| json.remove("audit"));
    match given {
        None | Some(Json::Null) => Ok((json, false)),
        Some(Json::Bool(is_audited)) => Ok((json, is_audited)),
        Some(other) => {
            let problem = format!("option audit is {other}: it must be true or false");
            Err(RpcError::params(problem))
        }
    }
}

/// Tells the client what was decided, by the id that it knows the sandbox by.
fn tell(transport: &dyn Transport, mut event: Json) {
    for name in ["sandbox", "of"] {
        if let Some(number) = event.get(name).and_then(Json::as_u64) {
            event[name] = id_of(number).into();
        }
    }
    let text = message::notification("sandbox.audit", &event);
    transport.send(Message::from(text));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(default)]
    options: Json,
}

pub(super) async fn create(session: Arc<Session>, given: Json) -> Reply {
    let Create { options } = params(given)?;
    let options = options_of(&session, options)?;
    let sandbox = blocking::unblock(move || Sandbox::create(options)).await?;
    made(&session, sandbox)
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
    let options = options_of(&session, options)?;
    let sandbox = blocking::unblock(move || Sandbox::restore(&bytes, options)).await?;
    made(&session, sandbox)
}

pub(super) async fn snapshot(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let snapshot = aside(&entry, Sandbox::snapshot).await?;
    result(&json!({ "snapshot": STANDARD.encode(snapshot) }))
}

pub(super) async fn fork(session: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    made(&session, entry.sandbox.fork()?)
}

/// Ends what runs, and forgets the sandbox.
pub(super) async fn destroy(session: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    session.forget_sandbox(&entry.id);
    entry.sandbox.destroy();
    result(&json!({}))
}

/// Where the next command begins, and whether one is under way.
pub(super) async fn state(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let cwd = entry.sandbox.cwd()?.to_string();
    result(&json!({ "cwd": cwd, "running": entry.sandbox.is_running() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetEnv {
    #[serde(rename = "sandbox")]
    _sandbox: String,
    name: String,
    /// `null` removes the variable.
    value: Option<Bytes>,
}

pub(super) async fn set_env(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let SetEnv { name, value, .. } = params(given)?;
    match value {
        Some(value) => entry.sandbox.set_env(name, value.0)?,
        None => entry.sandbox.unset_env(name)?,
    }
    result(&json!({}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetEnv {
    #[serde(rename = "sandbox")]
    _sandbox: String,
    name: String,
}

/// The value of a variable; `null` if there is none.
pub(super) async fn get_env(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let GetEnv { name, .. } = params(given)?;
    let value = entry.sandbox.get_env(name)?;
    result(&json!({ "value": value.map(|value| Bytes(value.into())) }))
}

pub(super) async fn history(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    let entries = entry.sandbox.history()?;
    let entries: Vec<Json> = entries.into_iter().map(told).collect();
    result(&json!({ "entries": entries }))
}

fn told(entry: HistoryEntry) -> Json {
    let mut told = json!({
        "command": Bytes(entry.command.into()),
        "exitCode": entry.exit_code,
        "durationMs": run::milliseconds(entry.duration),
    });
    if let Some(class) = entry.error_class {
        told["errorClass"] = class.name().into();
    }
    told
}

impl From<SandboxError> for RpcError {
    fn from(error: SandboxError) -> Self {
        let mut data = json!({ "code": error.code(), "message": error.to_string() });
        if let SandboxError::File(error) = &error {
            data["path"] = error.path().to_string().into();
        }
        Self::failed(error.to_string(), &data)
    }
}
