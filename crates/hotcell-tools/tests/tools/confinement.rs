//! No way out of the workspace.

use hotcell_tools::{FileToolError, FileTools};
use hotcell_vfs::VfsPath;
use serde_json::{Value, json};

use crate::support::{Backend, backends, mem};

fn outside(backend: &Backend, path: &str) {
    let calls: [(&str, Value); 6] = [
        ("read", json!({ "path": path })),
        ("write", json!({ "path": path, "content": "x" })),
        (
            "edit",
            json!({ "path": path, "oldText": "secret", "newText": "x" }),
        ),
        ("grep", json!({ "pattern": "secret", "path": path })),
        ("find", json!({ "pattern": "*", "path": path })),
        ("ls", json!({ "path": path })),
    ];
    for (tool, params) in calls {
        let error = backend.error(tool, params);
        assert!(
            matches!(error, FileToolError::OutsideWorkspace { .. }),
            "{}: {tool} {path}: {error}",
            backend.name
        );
    }
}

fn with_secret() -> Vec<Backend> {
    let mut all = backends();
    for backend in &mut all {
        let secret = VfsPath::new("/secret");
        backend.vfs.mkdir(secret, 0o755).unwrap();
        backend
            .vfs
            .write_file(&secret.join("key"), b"secret")
            .unwrap();
        backend.put("inside.txt", "fine");
    }
    all
}

#[test]
fn dots_and_absolute_paths_do_not_lead_out() {
    for backend in with_secret() {
        for path in [
            "../secret/key",
            "/secret/key",
            "/secret",
            "..",
            "/",
            "sub/../../secret/key",
            "~/../secret/key",
            "@../secret/key",
            "../missing",
            "/workshop",
            "new/../../missing",
        ] {
            outside(&backend, path);
        }
        assert_eq!(
            backend.vfs.read_file(VfsPath::new("/secret/key")).unwrap(),
            b"secret"
        );
        assert!(!backend.vfs.exists(VfsPath::new("/missing")));
    }
}

#[test]
fn symbolic_links_do_not_lead_out() {
    for backend in with_secret() {
        backend.link("/secret/key", "file");
        backend.link("../secret", "dir");
        backend.link("/secret/none", "dangling");
        backend.link("dir", "twice");
        for path in [
            "file",
            "dir",
            "dir/key",
            "dangling",
            "twice/key",
            "dir/../secret/key",
        ] {
            outside(&backend, path);
        }
        assert!(!backend.vfs.exists(VfsPath::new("/secret/none")));
        // Searches meet links and do not follow them.
        assert_eq!(
            backend.text("grep", json!({ "pattern": "secret" })),
            "No matches found"
        );
        assert_eq!(
            backend.text("find", json!({ "pattern": "**" })),
            "dangling\ndir\nfile\ninside.txt\ntwice"
        );
    }
}

#[test]
fn ignore_rules_are_not_read_through_links() {
    for backend in with_secret() {
        backend
            .vfs
            .write_file(VfsPath::new("/secret/rules"), b"inside.txt")
            .unwrap();
        backend.link("/secret/rules", ".gitignore");
        assert_eq!(
            backend.text("find", json!({ "pattern": "*.txt" })),
            "inside.txt"
        );
    }
}

#[test]
fn links_within_the_workspace_are_followed_and_kept() {
    for backend in backends() {
        backend.put("real/a.txt", "one\n");
        backend.link("real", "dir");
        backend.link("../work/real/a.txt", "file");
        backend.link("real/new.txt", "dangling");
        assert_eq!(
            backend.text("read", json!({ "path": "dir/a.txt" })),
            "one\n"
        );
        backend.text(
            "edit",
            json!({ "path": "file", "oldText": "one", "newText": "two" }),
        );
        assert_eq!(backend.get("real/a.txt"), b"two\n");
        backend.text("write", json!({ "path": "dangling", "content": "new" }));
        assert_eq!(backend.get("real/new.txt"), b"new");
        let link = VfsPath::new("/work/file");
        assert!(backend.vfs.lstat(link).unwrap().is_symlink());
    }
}

#[test]
fn absolute_paths_into_the_workspace_are_fine() {
    for backend in backends() {
        backend.put("sub/a.txt", "one");
        assert_eq!(
            backend.text("read", json!({ "path": "/work/sub/a.txt" })),
            "one"
        );
        assert_eq!(
            backend.text("grep", json!({ "pattern": "one", "path": "/work/sub" })),
            "sub/a.txt:1: one"
        );
    }
}

#[test]
fn links_that_go_in_circles_are_an_error() {
    for backend in backends() {
        backend.link("b", "a");
        backend.link("a", "b");
        for path in ["a", "a/x"] {
            let error = backend.error("read", json!({ "path": path })).to_string();
            assert!(error.contains("ELOOP"), "{}: {error}", backend.name);
            let error = backend
                .error("write", json!({ "path": path, "content": "" }))
                .to_string();
            assert!(error.contains("ELOOP"), "{}: {error}", backend.name);
        }
    }
}

#[test]
fn the_workspace_may_be_named_by_a_link() {
    for backend in backends() {
        backend.put("sub/a.txt", "one");
        let alias = VfsPath::new("/alias");
        backend.vfs.symlink(VfsPath::new("work"), alias).unwrap();
        let tools = FileTools::new(backend.vfs.clone(), alias);
        for path in [
            "sub/a.txt",
            "/alias/sub/a.txt",
            "/work/sub/a.txt",
            "~/sub/a.txt",
        ] {
            let result = tools.call("read", &[json!(path)]).unwrap();
            assert_eq!(result["content"][0]["text"], "one", "{path}");
        }
        let result = tools.call("find", &[json!("*.txt")]).unwrap();
        assert_eq!(result["content"][0]["text"], "sub/a.txt");
        let error = tools.call("read", &[json!("../alias2")]).unwrap_err();
        assert!(matches!(error, FileToolError::OutsideWorkspace { .. }));
    }
}

#[test]
fn whoever_replaces_the_workspace_by_a_link_gives_the_tools_nothing() {
    for backend in with_secret() {
        // A workspace below another directory, so that it can be moved also where it is mounted.
        backend.put("home/key", "mine");
        let home = VfsPath::new("/work/home");
        let tools = FileTools::new(backend.vfs.clone(), home);
        backend
            .vfs
            .rename(home, VfsPath::new("/work/moved"))
            .unwrap();
        backend.vfs.symlink(VfsPath::new("/secret"), home).unwrap();
        for (tool, args) in [
            ("read", json!({ "path": "key" })),
            ("write", json!({ "path": "key", "content": "x" })),
            (
                "edit",
                json!({ "path": "key", "oldText": "secret", "newText": "x" }),
            ),
            ("grep", json!({ "pattern": "secret" })),
            ("find", json!({ "pattern": "*" })),
            ("ls", json!({})),
        ] {
            let error = tools.call(tool, &[args]).unwrap_err();
            assert!(
                matches!(error, FileToolError::OutsideWorkspace { .. }),
                "{}: {tool}: {error}",
                backend.name
            );
        }
        let key = backend.vfs.read_file(VfsPath::new("/secret/key")).unwrap();
        assert_eq!(key, b"secret");
    }
}

#[test]
fn a_workspace_that_does_not_exist_yet_is_not_left_either() {
    let backend = mem();
    let tools = FileTools::new(backend.vfs.clone(), "/later/on");
    for path in ["../x", "/x", "a/../../x", "/later/on/../x", "~/../x"] {
        for (tool, args) in [
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "x" })),
        ] {
            let error = tools.call(tool, &[args]).unwrap_err();
            assert!(
                matches!(error, FileToolError::OutsideWorkspace { .. }),
                "{tool} {path}: {error}"
            );
        }
    }
    assert!(!backend.vfs.exists(VfsPath::new("/later")));
}

#[test]
fn the_workspace_may_be_the_root_or_not_exist_yet() {
    let backend = mem();
    let tools = FileTools::new(backend.vfs.clone(), "/");
    tools
        .call("write", &[json!("/x/y.txt"), json!("1")])
        .unwrap();
    assert!(tools.call("read", &[json!("../../x/y.txt")]).is_ok());
    let tools = FileTools::new(backend.vfs.clone(), "/later/on");
    assert!(
        tools
            .call("read", &[json!("a")])
            .unwrap_err()
            .to_string()
            .contains("not found")
    );
    tools.call("write", &[json!("a"), json!("1")]).unwrap();
    assert!(backend.vfs.exists(VfsPath::new("/later/on/a")));
}
