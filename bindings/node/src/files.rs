//! Files, for hosts and for sandboxes.

use std::sync::Arc;

use hotcell::tools::FileTools;
use hotcell::vfs::{Access, Limits};
use hotcell::{Files, call_file_tool, file_tool_specs, file_tools};
use napi::Result;
use napi_derive::napi;
use serde_json::{Value as Json, json};

use crate::{
    fault::{bug, mistake},
    host::Host,
    main_thread::Weight,
    outcome::{Data, Outcome, to_value},
    packed::pack,
};

/// Files that tools work on.
#[napi]
pub struct NativeFiles {
    files: Files,
}

#[napi]
impl NativeFiles {
    /// A directory that exists (`directory`, `read-only`, `overlay`), or nothing yet (`memory`).
    #[napi(constructor)]
    pub fn new(
        kind: String,
        root: Option<String>,
        max_bytes: Option<f64>,
        max_files: Option<f64>,
    ) -> Result<Self> {
        let mut limits = Limits {
            bytes: 64 << 20,
            files: 10_000,
            ..Limits::default()
        };
        limits.bytes = max_bytes.map_or(limits.bytes, count);
        limits.files = max_files.map_or(limits.files, count);
        let root = root.unwrap_or_default();
        let opened = match &*kind {
            "memory" => Ok(Files::memory_with(limits)),
            "overlay" => Files::overlay_with(&root, limits),
            "read-only" => Files::directory(&root, Access::ReadOnly),
            _ => Files::directory(&root, Access::ReadWrite),
        };
        let files = opened
            .map_err(|error| mistake(format!("cannot open the directory {root}: {error}")))?;
        Ok(Self { files })
    }

    /// A copy that goes its own way, or the same files if they are the host's.
    #[napi]
    pub fn fork(&self) -> Result<Self> {
        let files = self.files.fork().map_err(mistake)?;
        Ok(Self { files })
    }

    /// The tools that there are for them, as JSON: what a model is told, and the names that it is not told.
    #[napi]
    pub fn tools(&self) -> Result<String> {
        let mut tools: Vec<Json> = Vec::new();
        for spec in file_tool_specs(&self.files) {
            tools.push(serde_json::to_value(spec).map_err(bug)?);
        }
        for (name, _) in file_tools(&self.files) {
            if !tools.iter().any(|tool| tool["name"] == *name) {
                tools.push(json!({ "name": name, "hidden": true }));
            }
        }
        Ok(Json::Array(tools).to_string())
    }

    /// Calls a tool with arguments in JSON, for the host itself.
    #[napi]
    pub fn call(
        &self,
        host: &Host,
        operation: u32,
        tool: String,
        arguments: String,
    ) -> Result<bool> {
        let arguments: Vec<Json> = serde_json::from_str(&arguments).map_err(bug)?;
        let arguments: Vec<_> = arguments.into_iter().map(to_value).collect();
        let tools: FileTools = self.files.tools().clone();
        Ok(Self::tell(host, operation, move || {
            match call_file_tool(&tools, &tool, &arguments) {
                Ok(value) => Outcome::Data(Data::Packed(pack([value]))),
                Err(error) => Outcome::Threw(error.as_value().message.to_string()),
            }
        }))
    }

    /// What is different from the directory, as JSON.
    #[napi]
    pub fn changes(&self, host: &Host, operation: u32) -> bool {
        let files = self.files.clone();
        Self::tell(host, operation, move || told(files.changes()))
    }

    /// Makes the changes in the directory.
    #[napi]
    pub fn apply(&self, host: &Host, operation: u32) -> bool {
        let files = self.files.clone();
        Self::tell(host, operation, move || told(files.apply()))
    }

    fn tell(host: &Host, operation: u32, work: impl FnOnce() -> Outcome + Send + 'static) -> bool {
        let bridge = Arc::clone(&host.bridge);
        let working = async move {
            let outcome = blocking::unblock(work).await;
            bridge.done(0, operation, outcome);
        };
        let affinity = Arc::default();
        host.bridge
            .spawn(operation, Weight::Heavy, &affinity, working)
    }

    pub(crate) fn files(&self) -> Files {
        self.files.clone()
    }
}

fn told(
    changes: std::result::Result<Vec<hotcell::vfs::Change>, hotcell::vfs::VfsError>,
) -> Outcome {
    match changes {
        Ok(changes) => {
            let changes = changes.iter().map(|change| {
                let path = change.path.to_string();
                let path = path.trim_start_matches('/').to_owned();
                json!({ "path": path, "kind": format!("{:?}", change.kind).to_lowercase() })
            });
            let changes: Vec<Json> = changes.filter(|change| change["path"] != "").collect();
            Outcome::data(&changes)
        }
        Err(error) => Outcome::Threw(error.to_string()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked by lib/files.cjs to be whole and positive"
)]
fn count(number: f64) -> u64 {
    number as u64
}
