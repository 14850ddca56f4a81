//! Workspaces to test in.

use std::sync::Arc;

use hotcell_tools::{FileToolError, FileTools};
use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, OverlayVfs, Vfs, VfsPath, View,
};
use serde_json::{Value, json};

/// Where the workspace is.
pub(crate) const ROOT: &str = "/work";

pub(crate) struct Backend {
    pub(crate) name: &'static str,
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) tools: FileTools,
    /// Kept until the test is over.
    _dir: Option<tempfile::TempDir>,
}

impl Backend {
    fn new(name: &'static str, vfs: Arc<dyn Vfs>, dir: Option<tempfile::TempDir>) -> Self {
        vfs.mkdir_all(VfsPath::new(ROOT), 0o755).unwrap();
        Self {
            name,
            tools: FileTools::new(Arc::clone(&vfs), ROOT),
            vfs,
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

    pub(crate) fn link(&self, target: &str, link: &str) {
        self.vfs
            .symlink(VfsPath::new(target), &VfsPath::new(ROOT).join(link))
            .unwrap();
    }

    /// What a call gives, or the message of its error.
    pub(crate) fn call(&self, tool: &str, args: &[Value]) -> Result<Value, String> {
        let result = self.tools.call(tool, args);
        result.map_err(|error| error.to_string())
    }

    /// The text of a call with one object.
    pub(crate) fn text(&self, tool: &str, params: Value) -> String {
        match self.tools.call(tool, &[params]) {
            Ok(result) => text_of(&result),
            Err(error) => panic!("{}: {tool}: {error}", self.name),
        }
    }

    /// The error of a call with one object.
    pub(crate) fn error(&self, tool: &str, params: Value) -> FileToolError {
        match self.tools.call(tool, &[params]) {
            Ok(result) => panic!("{}: {tool} gave {result}", self.name),
            Err(error) => error,
        }
    }

    /// All names in the workspace, to see that nothing is left behind.
    pub(crate) fn names(&self) -> String {
        self.text("ls", json!({}))
    }
}

pub(crate) fn mem() -> Backend {
    Backend::new("memory", Arc::new(MemVfs::new()), None)
}

pub(crate) fn host() -> Backend {
    let dir = tempfile::tempdir().unwrap();
    let vfs = HostVfs::open(dir.path(), Access::ReadWrite)
        .unwrap()
        .with_links(LinkPolicy::Any);
    Backend::new("host", Arc::new(vfs), Some(dir))
}

fn mounted() -> Backend {
    let dir = tempfile::tempdir().unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadWrite)
        .unwrap()
        .with_links(LinkPolicy::Any);
    let all = MountVfs::new(Arc::new(MemVfs::new()));
    all.mount(VfsPath::new(ROOT), Arc::new(host)).unwrap();
    Backend::new("host mounted at the workspace", Arc::new(all), Some(dir))
}

fn overlay() -> Backend {
    let dir = tempfile::tempdir().unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadOnly).unwrap();
    let vfs = OverlayVfs::new(Arc::new(host), Limits::default(), Clock::None);
    Backend::new("overlay on a read-only host", Arc::new(vfs), Some(dir))
}

/// A file system that does not lead out of the workspace itself.
fn confined() -> Backend {
    let vfs = Arc::new(MemVfs::new());
    vfs.mkdir(VfsPath::new(ROOT), 0o755).unwrap();
    let view = View::confined(vfs, VfsPath::new(ROOT)).unwrap();
    Backend::new("a confined view", Arc::new(view), None)
}

/// One empty workspace of each kind, for tests that stay in it.
pub(crate) fn all_backends() -> Vec<Backend> {
    let mut all = backends();
    all.push(confined());
    all
}

/// One empty workspace of each kind.
pub(crate) fn backends() -> Vec<Backend> {
    vec![mem(), host(), mounted(), overlay()]
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
