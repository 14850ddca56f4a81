//! Commands of sandboxes.
#![expect(
    clippy::unused_async,
    reason = "all methods have one form, see the table"
)]

use std::sync::Arc;
use std::time::Duration;

use hotcell::sandbox::{Command, OutputStream, RunResult};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::super::batch::Responder;
use super::super::error::RpcError;
use super::super::message::{self, Reply, result};
use super::super::params::params;
use super::super::session::{Message, Session};
use super::bytes::Bytes;
use super::{Only, SandboxEntry};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RunParams {
    #[serde(rename = "sandbox")]
    _sandbox: String,
    command: Bytes,
    stdin: Option<Bytes>,
    timeout_ms: Option<f64>,
    /// Output is told as it comes, under this name.
    stream_as: Option<String>,
}

/// Takes its place among the commands of the sandbox with its first step.
pub(crate) async fn run(
    session: Arc<Session>,
    entry: Arc<SandboxEntry>,
    given: Json,
    responder: Responder,
) {
    let command = match command_of(&session, &entry, given) {
        Ok(command) => command,
        Err(error) => return responder.send(Err(error)),
    };
    let ended = entry.sandbox.run(command).await;
    session.room_for_answer().await;
    let reply = match ended {
        Ok(ended) => result(&told(ended)),
        Err(error) => Err(error.into()),
    };
    responder.send(reply);
}

fn command_of(
    session: &Arc<Session>,
    entry: &SandboxEntry,
    given: Json,
) -> Result<Command, RpcError> {
    let RunParams {
        command,
        stdin,
        timeout_ms,
        stream_as,
        ..
    } = params(given)?;
    let mut command = Command::new(command.0);
    if let Some(stdin) = stdin {
        command = command.stdin(stdin.0);
    }
    if let Some(ms) = timeout_ms {
        let timeout = Duration::try_from_secs_f64(ms / 1000.0)
            .ok()
            .filter(|_| ms >= 1.0);
        let Some(timeout) = timeout else {
            return Err(RpcError::params("timeoutMs must be a number of at least 1"));
        };
        command = command.timeout(timeout);
    }
    if let Some(name) = stream_as {
        let (transport, sandbox) = (Arc::clone(&session.transport), entry.id.clone());
        command = command.on_output(move |stream: OutputStream, bytes: &[u8]| {
            let params = json!({
                "sandbox": sandbox,
                "run": name,
                "stream": stream.name(),
                "data": Bytes(bytes.to_vec()),
            });
            let text = message::notification("sandbox.output", &params);
            transport.send(Message::from(text));
        });
    }
    Ok(command)
}

/// Ends the command under way.
pub(crate) async fn cancel(_: Arc<Session>, entry: Arc<SandboxEntry>, given: Json) -> Reply {
    let _: Only = params(given)?;
    entry.sandbox.cancel();
    result(&json!({}))
}

fn told(ended: RunResult) -> Json {
    let mut told = json!({
        "exitCode": ended.exit_code,
        "stdout": Bytes(ended.stdout),
        "stderr": Bytes(ended.stderr),
        "durationMs": milliseconds(ended.duration),
        "cpuMs": milliseconds(ended.cpu),
        "peakMemoryBytes": ended.peak_memory,
        "truncated": { "stdout": ended.truncated.stdout, "stderr": ended.truncated.stderr },
    });
    if let Some(class) = ended.error_class {
        told["errorClass"] = class.name().into();
    }
    if let Some(error) = ended.error {
        told["error"] = error.into();
    }
    if !ended.limits.is_empty() {
        told["limits"] = ended.limits.iter().map(|limit| limit.name()).collect();
    }
    if !ended.denials.is_empty() {
        let one = |denial: &hotcell::process::Denial| {
            json!({
                "capability": denial.capability.name(),
                "subject": denial.subject,
                "reason": denial.reason,
            })
        };
        told["denials"] = ended.denials.iter().map(one).collect();
    }
    told
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
