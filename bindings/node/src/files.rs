//! The file tools, for hosts and for sandboxes.

use std::sync::Arc;

use hotcell_tools::FileTools;
use hotcell_vfs::{Access, HostVfs};
use napi::Result;
use napi_derive::napi;
use serde_json::{Value as Json, json};

use crate::{
    home::Weight,
    host::{Host, bug, mistake},
    outcome::Outcome,
};

/// The file tools of one directory.
#[napi]
pub struct NativeFileTools {
    tools: FileTools,
}

#[napi]
impl NativeFileTools {
    /// Confined to `root`, a directory that exists.
    #[napi(constructor)]
    pub fn new(root: String, read_only: bool) -> Result<Self> {
        let access = if read_only {
            Access::ReadOnly
        } else {
            Access::ReadWrite
        };
        let vfs = HostVfs::open(&root, access)
            .map_err(|error| mistake(format!("cannot open the directory {root}: {error}")))?;
        Ok(Self {
            tools: FileTools::new(Arc::new(vfs), "/"),
        })
    }

    /// What there is, as JSON.
    #[napi]
    pub fn list() -> String {
        let tools = FileTools::list().into_iter().map(|info| {
            json!({
                "name": info.name,
                "aliases": info.aliases,
                "description": info.description,
                "parameters": info.arguments,
                "returns": info.result,
                "changes": matches!(info.name, "write" | "edit"),
            })
        });
        Json::Array(tools.collect()).to_string()
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
        let (tools, bridge) = (self.tools.clone(), Arc::clone(&host.bridge));
        let calling = async move {
            let work = blocking::unblock(move || tools.call(&tool, &arguments));
            let outcome = match work.await {
                Ok(result) => Outcome::data(&result),
                Err(error) => Outcome::Threw(error.to_string()),
            };
            bridge.done(0, operation, outcome);
        };
        let pace = Arc::default();
        Ok(host.bridge.spawn(operation, Weight::Heavy, &pace, calling))
    }

    pub(crate) fn tools(&self) -> FileTools {
        self.tools.clone()
    }
}
