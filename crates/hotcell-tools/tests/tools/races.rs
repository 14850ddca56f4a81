//! Another process swaps directories and files for links while the tools work with them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;

use hotcell_tools::FileTools;
use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, OverlayVfs, Vfs, VfsPath,
};
use serde_json::{Value, json};

use crate::attacker::{Attacker, Move};

/// How often each tool is called.
const ROUNDS: usize = 30;
/// How many rounds come before the attacker has to be seen at work again.
const STRETCH: usize = 10;
/// What no tool may show, in no part of a result or an error.
const SECRET: &str = "Geheimnis";

/// The host: `inside` is mounted, `inside/work` is the workspace. The secret is in `outside`, and in `inside/private`.
struct Host {
    _root: tempfile::TempDir,
    path: PathBuf,
}

impl Host {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("inside/work/dir")).unwrap();
        fs::write(path.join("inside/work/file"), "mine\n").unwrap();
        fs::write(path.join("inside/work/dir/file"), "mine\n").unwrap();
        for place in ["outside", "inside/private"] {
            let dir = path.join(place).join("dir");
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("file"), SECRET).unwrap();
            fs::write(dir.join(format!("{SECRET}.txt")), SECRET).unwrap();
        }
        let work = path.join("inside/work");
        symlink("../private/dir", work.join("beside")).unwrap();
        symlink(path.join("outside/dir"), work.join("absolute")).unwrap();
        symlink("../private/dir/file", work.join("file-beside")).unwrap();
        Self { _root: root, path }
    }

    /// The tools in each of the ways they may be given the host's files.
    fn tools(&self) -> Vec<(&'static str, FileTools)> {
        let host = || {
            let host = HostVfs::open(self.path.join("inside"), Access::ReadWrite).unwrap();
            Arc::new(host.with_links(LinkPolicy::Any))
        };
        let overlay = || OverlayVfs::new(host(), Limits::default(), Clock::None);
        let mounted = |vfs: Arc<dyn Vfs>| {
            let tree = MountVfs::new(Arc::new(MemVfs::new()));
            tree.mount(VfsPath::new("/mnt"), vfs).unwrap();
            Arc::new(tree)
        };
        let tools = |vfs: Arc<dyn Vfs>, root: &str| FileTools::new(vfs, root);
        vec![
            ("host", tools(host(), "/work")),
            ("mounted", tools(mounted(host()), "/mnt/work")),
            ("overlay", tools(Arc::new(overlay()), "/work")),
            (
                "mounted overlay",
                tools(mounted(Arc::new(overlay())), "/mnt/work"),
            ),
        ]
    }

    /// Nothing there is new, gone or changed.
    fn assert_untouched(&self) {
        for place in ["outside", "inside/private"] {
            let dir = self.path.join(place).join("dir");
            assert_eq!(fs::read_dir(self.path.join(place)).unwrap().count(), 1);
            assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
            for name in ["file".to_owned(), format!("{SECRET}.txt")] {
                assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), SECRET);
            }
        }
    }

    /// Calls every tool on `name`, again and again, while two names of the mounted directory change places.
    fn call_all_while_swapping(&self, a: &str, b: &str, name: &str) {
        let inside = self.path.join("inside");
        for (form, tools) in self.tools() {
            let mut attacker = Attacker::start(&[Move::Swap(&inside.join(a), &inside.join(b))]);
            for round in 0..ROUNDS {
                for (tool, args) in calls(name) {
                    let said = match tools.call(tool, std::slice::from_ref(&args)) {
                        Ok(result) => result.to_string(),
                        Err(error) => error.to_string(),
                    };
                    assert!(!said.contains(SECRET), "{form}: {tool} {args}: {said}");
                }
                if round % STRETCH == 0 {
                    attacker.wait_for_lap();
                }
            }
            drop(attacker);
            self.assert_untouched();
        }
    }
}

/// Every tool, on a name that may be anything by now and on what lies below it.
fn calls(name: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("grep", json!({ "pattern": "." })),
        ("find", json!({ "pattern": "**" })),
        ("ls", json!({})),
    ];
    for path in [name.to_owned(), format!("{name}/file")] {
        calls.extend([
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "mine\n" })),
            (
                "edit",
                json!({ "path": path, "oldText": "mine", "newText": "still mine" }),
            ),
            (
                "edit",
                json!({ "path": path, "oldText": "heimnis", "newText": "gone" }),
            ),
            ("grep", json!({ "pattern": ".", "path": path })),
            ("find", json!({ "pattern": "*", "path": path })),
            ("ls", json!({ "path": path })),
        ]);
    }
    calls.push((
        "write",
        json!({ "path": format!("{name}/sub/new"), "content": "x" }),
    ));
    calls
}

#[test]
fn no_tool_leaves_the_workspace_while_a_directory_becomes_a_link_beside_it() {
    Host::new().call_all_while_swapping("work/dir", "work/beside", "dir");
}

#[test]
fn no_tool_leaves_the_mount_while_a_directory_becomes_a_link_out_of_it() {
    Host::new().call_all_while_swapping("work/dir", "work/absolute", "dir");
}

#[test]
fn no_tool_leaves_the_workspace_while_a_file_becomes_a_link() {
    Host::new().call_all_while_swapping("work/file", "work/file-beside", "file");
}

#[test]
fn no_tool_follows_the_workspace_elsewhere() {
    let host = Host::new();
    symlink("private/dir", host.path.join("inside/trap")).unwrap();
    host.call_all_while_swapping("work", "trap", ".");
}
