//! The methods for files of executors.

use std::sync::Arc;

use hotcell::json::{from_json, to_json};
use hotcell::vfs::{Access, Change, Limits, VfsError};
use hotcell::{Files, call_file_tool};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::entry::Entry;
use super::error::RpcError;
use super::executors::state_of;
use super::message::{Reply, result};
use super::params::params;
use super::session::Session;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SendFileTools {
    #[serde(rename = "executor")]
    _executor: String,
    root: Option<String>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    overlay: bool,
    #[serde(default)]
    memory: bool,
    max_bytes: Option<u64>,
    max_files: Option<u64>,
}

/// File tools on a directory of this machine, on top of one, or in memory.
pub(super) async fn send(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let files = open(&params(given)?)?;
    entry.executor.enable_files(&files).await?;
    result(&state_of(&entry))
}

fn open(given: &SendFileTools) -> Result<Files, RpcError> {
    let defaults = Limits {
        bytes: 64 << 20,
        files: 10_000,
        ..Limits::default()
    };
    let limits = Limits {
        bytes: given.max_bytes.unwrap_or(defaults.bytes),
        files: given.max_files.unwrap_or(defaults.files),
        ..defaults
    };
    let opened = match (&given.root, given.read_only, given.overlay, given.memory) {
        (None, false, false, true) => return Ok(Files::memory_with(limits)),
        (Some(root), false, true, false) => Files::overlay_with(root, limits),
        (Some(root), true, false, false) => Files::directory(root, Access::ReadOnly),
        (Some(root), false, false, false) => Files::directory(root, Access::ReadWrite),
        _ => {
            return Err(RpcError::params(
                "expected root, alone or with one of readOnly and overlay, or memory",
            ));
        }
    };
    opened.map_err(|error| {
        let root = given.root.as_deref().unwrap_or_default();
        RpcError::params(format!("cannot open the directory {root}: {error}"))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallFileTool {
    #[serde(rename = "executor")]
    _executor: String,
    tool: String,
    #[serde(default)]
    args: Vec<Json>,
}

/// Calls a file tool for the client itself.
pub(super) async fn call(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let CallFileTool { tool, args, .. } = params(given)?;
    let args: Result<Vec<_>, _> = args.iter().map(from_json).collect();
    let args = args.map_err(|error| RpcError::params(error.to_string()))?;
    let files = files_of(&entry)?;
    let answer = blocking::unblock(move || call_file_tool(files.tools(), &tool, &args)).await;
    match answer {
        Ok(value) => result(&json!({ "result": to_json(&value) })),
        Err(error) => Err(RpcError::file(&error)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileChanges {
    #[serde(rename = "executor")]
    _executor: String,
    /// Whether they are made in the directory itself.
    #[serde(default)]
    apply: bool,
}

/// What is different from the directory under an overlay.
pub(super) async fn changes(_: Arc<Session>, entry: Arc<Entry>, given: Json) -> Reply {
    let FileChanges { apply, .. } = params(given)?;
    let files = files_of(&entry)?;
    let changes: Result<Vec<Change>, VfsError> = blocking::unblock(move || {
        if apply {
            files.apply()
        } else {
            files.changes()
        }
    })
    .await;
    let changes = changes.map_err(|error| RpcError::params(error.to_string()))?;
    let told = changes.iter().map(|change| {
        let path = change.path.to_string();
        json!({ "path": path.trim_start_matches('/'), "kind": format!("{:?}", change.kind).to_lowercase() })
    });
    let told: Vec<Json> = told.filter(|change| change["path"] != "").collect();
    result(&json!({ "changes": told }))
}

fn files_of(entry: &Entry) -> Result<Files, RpcError> {
    let files = entry.executor.files().into_iter().next();
    files.ok_or_else(|| RpcError::params("the executor has no file tools: executor.sendFileTools"))
}
