//! Directories of the host's.

use std::{fs, sync::Arc};

use hotcell_sandbox::{Mount, Sandbox};
use hotcell_vfs::{ChangeKind, FixedVfs};

use crate::{run, sandbox, text, with};

#[test]
fn a_directory_can_be_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "host\n").unwrap();
    let sandbox = with(crate::options().mount("/data", Mount::ReadOnly(folder.path().into())));
    assert_eq!(text(&sandbox, "cat /data/f"), "host\n");
    let result = run(&sandbox, "echo x > /data/f");
    assert!(
        result.stderr_text().contains("Read-only file system"),
        "{}",
        result.stderr_text()
    );
    assert_eq!(run(&sandbox, "rm -rf /data").exit_code, 1);
    assert_eq!(
        fs::read_to_string(folder.path().join("f")).unwrap(),
        "host\n"
    );
    // It can be forked: nobody changes it.
    assert_eq!(text(&sandbox.fork().unwrap(), "cat /data/f"), "host\n");
}

#[test]
fn an_overlay_keeps_changes_to_itself_until_they_are_applied() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "old\n").unwrap();
    let sandbox = sandbox();
    sandbox
        .mount("project", Mount::Overlay(folder.path().into()))
        .unwrap();
    text(&sandbox, "cd project; echo new > f; echo g > g");
    let fork = sandbox.fork().unwrap();
    text(&fork, "rm f");
    assert_eq!(
        fs::read_to_string(folder.path().join("f")).unwrap(),
        "old\n"
    );
    let overlay = sandbox.overlay("/workspace/project").unwrap().unwrap();
    let changes = overlay.changes().unwrap();
    let kinds: Vec<_> = changes
        .iter()
        .map(|change| (change.path.to_string(), change.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("/f".to_owned(), ChangeKind::Modified),
            ("/g".to_owned(), ChangeKind::Added)
        ]
    );
    assert_eq!(
        fork.overlay(".").unwrap().unwrap().changes().unwrap().len(),
        2
    );
    assert!(sandbox.overlay("/tmp").unwrap().is_none());
    sandbox.unmount("/workspace/project").unwrap();
    assert!(!sandbox.exists("/workspace/project/f").unwrap());
    sandbox.unmount("/workspace/project").unwrap_err();
}

#[test]
fn memory_and_other_file_systems_can_be_mounted() {
    let sandbox = sandbox();
    sandbox.mount("/scratch", Mount::Memory).unwrap();
    let library = FixedVfs::new().file("/readme", "read me\n");
    sandbox
        .mount("/lib", Mount::Custom(Arc::new(library)))
        .unwrap();
    assert_eq!(
        text(&sandbox, "echo 1 > /scratch/f; cat /lib/readme /scratch/f"),
        "read me\n1\n"
    );
    let fork = sandbox.fork().unwrap();
    text(&fork, "rm /scratch/f");
    let restored = Sandbox::restore(&sandbox.snapshot().unwrap(), crate::options()).unwrap();
    assert_eq!(text(&restored, "cat /scratch/f; ls /lib"), "1\n");
}

#[test]
fn what_cannot_be_mounted_is_an_error() {
    let sandbox = sandbox();
    let error = sandbox
        .mount("/x", Mount::ReadOnly("/no/such/directory".into()))
        .unwrap_err();
    assert!(error.to_string().contains("/no/such/directory"), "{error}");
    sandbox.write_file("f", "x").unwrap();
    sandbox.mount("f", Mount::Memory).unwrap_err();
    sandbox.mount("a\0b", Mount::Memory).unwrap_err();
    let bad = crate::options().mount("/x", Mount::Overlay("/no/such".into()));
    Sandbox::create(bad).unwrap_err();
}
