//! Workspaces that only JavaScript reaches.

use std::sync::Arc;

use hotcell_executor::{Executor, ExecutorOptions, Files, file_tools};
use hotcell_vfs::{Access, HostVfs, MemVfs, Vfs, VfsPath};
use pollster::block_on;
use serde_json::Value;

/// Where the workspace is.
pub(crate) const ROOT: &str = "/work";

pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) executor: Executor,
    /// Kept until the test is over.
    _dir: Option<tempfile::TempDir>,
}

impl Backend {
    fn new(name: &'static str, vfs: Arc<dyn Vfs>, dir: Option<tempfile::TempDir>) -> Self {
        vfs.mkdir_all(VfsPath::new(ROOT), 0o755).unwrap();
        let files = Files::of(Arc::clone(&vfs), ROOT);
        let executor = Executor::new(ExecutorOptions::default());
        block_on(executor.init()).unwrap();
        block_on(executor.send_tools(file_tools(&files))).unwrap();
        Self {
            name,
            vfs,
            executor,
            _dir: dir,
        }
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = VfsPath::new(ROOT).join(path);
        self.vfs.mkdir_all(path.parent().unwrap(), 0o755).unwrap();
        self.vfs.write_file(&path, content.as_ref()).unwrap();
    }

    pub(crate) fn get(&self, path: &str) -> Vec<u8> {
        self.vfs
            .read_file(&VfsPath::new(ROOT).join(path))
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The text that code gives.
    pub(crate) fn run(&self, code: &str) -> String {
        let output = block_on(self.executor.run(code));
        let output = output.unwrap_or_else(|error| panic!("{}: {code}\n{error:?}", self.name));
        output.output.as_str().unwrap().to_owned()
    }

    /// What a call from JavaScript gives, or the message of its error.
    pub(crate) fn call(&self, tool: &str, args: &[Value]) -> Result<Value, String> {
        let args: Vec<String> = args.iter().map(Value::to_string).collect();
        let code = format!(
            "try {{ JSON.stringify({{ ok: await {tool}({}) }}) }} \
             catch (error) {{ JSON.stringify({{ error: error.message }}) }}",
            args.join(", ")
        );
        let answer: Value = serde_json::from_str(&self.run(&code)).unwrap();
        match answer.get("ok") {
            Some(result) => Ok(result.clone()),
            None => Err(answer["error"].as_str().unwrap().to_owned()),
        }
    }
}

pub(crate) fn mem() -> Backend {
    Backend::new("memory", Arc::new(MemVfs::new()), None)
}

pub(crate) fn host() -> Backend {
    let dir = tempfile::tempdir().unwrap();
    let vfs = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    Backend::new("host", Arc::new(vfs), Some(dir))
}

/// One empty workspace of each kind.
pub(crate) fn all_backends() -> Vec<Backend> {
    vec![mem(), host()]
}

/// The text parts of a result, joined by line breaks.
pub(crate) fn text_of(result: &Value) -> String {
    let parts = result["content"].as_array().unwrap();
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| part["text"].as_str())
        .collect();
    texts.join("\n")
}
