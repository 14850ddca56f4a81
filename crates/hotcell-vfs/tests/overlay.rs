//! Overlays: what they show, what they list, what they leave alone, what they apply.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the lower layer is a host directory"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use hotcell_vfs::ChangeKind::{Added, Deleted, Metadata, Modified};
use hotcell_vfs::{
    Access, ChangeKind, Clock, Errno, HostVfs, Limits, LinkPolicy, MemVfs, OpenOptions, OverlayVfs,
    Overwrite, TarLimits, Vfs, VfsPath, import_tar,
};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

/// A project on the host, and an overlay over it.
fn project() -> (tempfile::TempDir, OverlayVfs) {
    let dir = tempfile::tempdir().unwrap();
    for sub in ["src/deep", "old"] {
        fs::create_dir_all(dir.path().join(sub)).unwrap();
    }
    for (name, content) in [
        ("src/main", "fn main"),
        ("src/deep/mod", "mod"),
        ("old/a", "a"),
        ("old/b", "b"),
        ("keep", "keep"),
        ("run", "run"),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    let lower = HostVfs::open(dir.path(), Access::ReadOnly).unwrap();
    let overlay = OverlayVfs::new(Arc::new(lower), Limits::default(), Clock::None);
    (dir, overlay)
}

fn listed(overlay: &OverlayVfs) -> Vec<(ChangeKind, String)> {
    let changes = overlay.changes().unwrap();
    changes
        .into_iter()
        .map(|change| (change.kind, change.path.to_string()))
        .collect()
}

fn work(overlay: &OverlayVfs) {
    overlay.write_file(p("/src/main"), b"fn main() {}").unwrap();
    overlay.write_file(p("/src/new"), b"new").unwrap();
    overlay.mkdir(p("/made"), 0o755).unwrap();
    overlay.symlink(p("../keep"), p("/made/link")).unwrap();
    overlay.unlink(p("/old/a")).unwrap();
    overlay.unlink(p("/old/b")).unwrap();
    overlay.rmdir(p("/old")).unwrap();
    overlay.chmod(p("/run"), 0o755).unwrap();
    overlay.rename(p("/src/deep"), p("/moved")).unwrap();
}

#[test]
fn changes_are_listed_by_kind_and_the_host_is_left_alone() {
    let (dir, overlay) = project();
    assert_eq!(listed(&overlay), []);
    work(&overlay);
    let expected = [
        (Added, "/made"),
        (Added, "/made/link"),
        (Added, "/moved"),
        (Added, "/moved/mod"),
        (Deleted, "/old"),
        (Metadata, "/run"),
        (Deleted, "/src/deep"),
        (Modified, "/src/main"),
        (Added, "/src/new"),
    ];
    assert_eq!(
        listed(&overlay),
        expected.map(|(kind, path)| (kind, path.to_owned()))
    );
    assert_eq!(fs::read(dir.path().join("src/main")).unwrap(), b"fn main");
    assert!(dir.path().join("old/a").exists() && !dir.path().join("made").exists());
    overlay.reset();
    assert_eq!(listed(&overlay), []);
    assert_eq!(overlay.read_file(p("/old/a")).unwrap(), b"a");
}

#[test]
fn opening_without_writing_and_undoing_are_no_changes() {
    let (_dir, overlay) = project();
    overlay
        .open(p("/keep"), &OpenOptions::read_write())
        .unwrap();
    overlay.chmod(p("/run"), 0o600).unwrap();
    overlay
        .write_file(p("/src/main"), b"something else")
        .unwrap();
    overlay.write_file(p("/src/main"), b"fn main").unwrap();
    overlay.unlink(p("/old/a")).unwrap();
    overlay.write_file(p("/old/a"), b"a").unwrap();
    let mode = overlay.stat(p("/old/b")).unwrap().mode;
    overlay.chmod(p("/old/a"), mode).unwrap();
    overlay.chmod(p("/run"), mode).unwrap();
    assert_eq!(listed(&overlay), []);
}

#[test]
fn applying_makes_the_host_look_like_the_overlay() {
    let (dir, overlay) = project();
    work(&overlay);
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    overlay.apply(&host, Overwrite::Refuse).unwrap();
    let at = |name: &str| dir.path().join(name);
    assert_eq!(fs::read(at("src/main")).unwrap(), b"fn main() {}");
    assert_eq!(fs::read(at("src/new")).unwrap(), b"new");
    assert_eq!(fs::read(at("made/link")).unwrap(), b"keep");
    assert_eq!(fs::read(at("moved/mod")).unwrap(), b"mod");
    assert!(!at("old").exists() && !at("src/deep").exists());
    assert_eq!(host.stat(p("/run")).unwrap().mode, 0o755);
    overlay.reset();
    assert_eq!(overlay.read_file(p("/moved/mod")).unwrap(), b"mod");
    assert_eq!(listed(&overlay), []);
    let left = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        left.into_iter()
            .all(|name| !name.to_str().unwrap().contains("hotcell"))
    );
}

#[test]
fn what_somebody_else_changed_is_not_overwritten_unless_forced() {
    let (dir, overlay) = project();
    work(&overlay);
    fs::write(dir.path().join("src/main"), b"edited by hand").unwrap();
    fs::write(dir.path().join("src/new"), b"also made by hand").unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    let error = overlay.apply(&host, Overwrite::Refuse).unwrap_err();
    assert_eq!(error.errno(), Errno::EEXIST);
    let detail = error.detail().unwrap();
    assert!(
        detail.contains("/src/main") && detail.contains("/src/new"),
        "{detail}"
    );
    assert!(dir.path().join("old/a").exists(), "nothing was touched");
    overlay.apply(&host, Overwrite::Force).unwrap();
    assert_eq!(
        fs::read(dir.path().join("src/main")).unwrap(),
        b"fn main() {}"
    );
}

#[test]
fn links_out_of_the_host_directory_are_not_applied() {
    let (dir, overlay) = project();
    overlay.symlink(p("/etc/passwd"), p("/out")).unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    assert_eq!(
        overlay.apply(&host, Overwrite::Refuse).unwrap_err().errno(),
        Errno::EPERM
    );
    assert!(fs::symlink_metadata(dir.path().join("out")).is_err());
    overlay
        .apply(&host.with_links(LinkPolicy::Any), Overwrite::Refuse)
        .unwrap();
}

/// Everything below a directory of the host.
fn tree(dir: &std::path::Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        all.push(format!("{} {:?}", path.display(), fs::read(&path).ok()));
        if path.is_dir() && !path.is_symlink() {
            all.extend(tree(&path));
        }
    }
    all.sort();
    all
}

#[test]
fn what_cannot_be_applied_is_named_all_of_it_and_nothing_is_changed() {
    let (dir, overlay) = project();
    work(&overlay);
    overlay.symlink(p("/etc/passwd"), p("/out")).unwrap();
    overlay.symlink(p("../../up"), p("/made/up")).unwrap();
    overlay.mkfifo(p("/pipe"), 0o600).unwrap();
    fs::write(dir.path().join("run"), b"edited by hand").unwrap();
    let before = tree(dir.path());
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    let error = overlay.apply(&host, Overwrite::Refuse).unwrap_err();
    let detail = error.detail().unwrap();
    for named in [
        "nothing was changed",
        "/out: links in a host directory have to be relative",
        "/made/up: links in a host directory",
        "/pipe: named pipes are not made in host directories",
        "/run: changed by somebody else meanwhile",
    ] {
        assert!(detail.contains(named), "{detail}");
    }
    assert!(!detail.contains("/src/main"), "{detail}");
    assert_eq!(tree(dir.path()), before);
    let frozen = HostVfs::open(dir.path(), Access::ReadOnly).unwrap();
    let error = overlay.apply(&frozen, Overwrite::Force).unwrap_err();
    assert_eq!(error.errno(), Errno::EROFS);
    // Without what is in the way it is done.
    for path in ["/out", "/made/up", "/pipe"] {
        overlay.unlink(p(path)).unwrap();
    }
    overlay.apply(&host, Overwrite::Force).unwrap();
    assert_eq!(fs::read(dir.path().join("src/new")).unwrap(), b"new");
}

#[test]
fn a_target_without_room_stays_as_it_was() {
    let of = |bytes| {
        let limits = Limits {
            bytes,
            ..Limits::default()
        };
        let files = MemVfs::with(limits, Clock::None);
        files.mkdir(p("/d"), 0o755).unwrap();
        for name in ["/a", "/d/b", "/c"] {
            files.write_file(p(name), b"old").unwrap();
        }
        files
    };
    let overlay = OverlayVfs::new(Arc::new(of(1 << 20)), Limits::default(), Clock::None);
    overlay.unlink(p("/c")).unwrap();
    overlay.mkdir(p("/e"), 0o755).unwrap();
    for name in ["/a", "/d/b", "/e/f"] {
        overlay.write_file(p(name), &[b'n'; 1000]).unwrap();
    }
    let target = of(2500);
    let error = overlay.apply(&target, Overwrite::Force).unwrap_err();
    assert_eq!(error.errno(), Errno::ENOSPC);
    for name in ["/a", "/d/b", "/c"] {
        assert_eq!(target.read_file(p(name)).unwrap(), b"old", "{name}");
    }
    let names: Vec<_> = target.readdir(VfsPath::ROOT).unwrap();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(target.readdir(p("/d")).unwrap().len(), 1);
    let target = of(10_000);
    overlay.apply(&target, Overwrite::Force).unwrap();
    assert_eq!(target.read_file(p("/e/f")).unwrap().len(), 1000);
    assert!(!target.exists(p("/c")));
    assert_eq!(target.readdir(VfsPath::ROOT).unwrap().len(), 3);
}

#[test]
fn names_of_one_file_and_more_files_than_a_thousand_are_applied() {
    let (dir, overlay) = project();
    for number in 0..1500 {
        overlay
            .write_file(p(&format!("/src/{number}")), b"x")
            .unwrap();
    }
    overlay.link(p("/src/7"), p("/seven")).unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    overlay.apply(&host, Overwrite::Refuse).unwrap();
    let one = host.stat(p("/src/7")).unwrap();
    assert_eq!(host.stat(p("/seven")).unwrap().ino, one.ino);
    // What was there, and what was made: `main` and `deep`.
    assert_eq!(fs::read_dir(dir.path().join("src")).unwrap().count(), 1502);
}

#[test]
fn reader_that_was_first_sees_what_is_written_later() {
    let (_dir, overlay) = project();
    let reader = overlay.open(p("/keep"), &OpenOptions::read()).unwrap();
    assert_eq!(reader.read_all().unwrap(), b"keep");
    overlay.append_file(p("/keep"), b" more").unwrap();
    assert_eq!(reader.read_all().unwrap(), b"keep more");
    overlay.unlink(p("/keep")).unwrap();
    overlay.write_file(p("/keep"), b"another file").unwrap();
    assert_eq!(reader.read_all().unwrap(), b"keep more");
}

#[test]
fn overwriting_a_lower_file_is_one_step_and_keeps_its_mode() {
    let (dir, _) = project();
    let mode = fs::Permissions::from_mode(0o741);
    fs::set_permissions(dir.path().join("run"), mode).unwrap();
    let lower = HostVfs::open(dir.path(), Access::ReadOnly).unwrap();
    let limits = Limits {
        bytes: 5_000,
        ..Limits::default()
    };
    let overlay = OverlayVfs::new(Arc::new(lower), limits, Clock::None);
    let reader = overlay.open(p("/run"), &OpenOptions::read()).unwrap();
    let error = overlay.write_file(p("/run"), &[1; 10_000]).unwrap_err();
    assert_eq!(error.errno(), Errno::ENOSPC);
    assert_eq!(overlay.read_file(p("/run")).unwrap(), b"run");
    assert!(overlay.changes().unwrap().is_empty());
    overlay.write_file(p("/run"), b"new").unwrap();
    assert_eq!(reader.read_all().unwrap(), b"new");
    assert_eq!(overlay.stat(p("/run")).unwrap().mode, 0o741);
    assert_eq!(listed(&overlay), [(Modified, "/run".to_owned())]);
}

#[test]
fn forks_of_an_overlay_go_their_own_ways() {
    let (_dir, overlay) = project();
    overlay.write_file(p("/keep"), b"before").unwrap();
    let fork = overlay.fork();
    fork.unlink(p("/keep")).unwrap();
    fork.unlink(p("/run")).unwrap();
    overlay.write_file(p("/keep"), b"after").unwrap();
    assert!(!fork.exists(p("/keep")));
    assert_eq!(overlay.read_file(p("/keep")).unwrap(), b"after");
    assert_eq!(overlay.read_file(p("/run")).unwrap(), b"run");
}

#[test]
fn copying_up_keeps_to_the_limits() {
    let (dir, _) = project();
    fs::write(dir.path().join("big"), vec![1; 10_000]).unwrap();
    let lower = HostVfs::open(dir.path(), Access::ReadOnly).unwrap();
    let limits = Limits {
        bytes: 5_000,
        ..Limits::default()
    };
    let overlay = OverlayVfs::new(Arc::new(lower), limits, Clock::None);
    assert_eq!(
        overlay.append_file(p("/big"), b"x").unwrap_err().errno(),
        Errno::ENOSPC
    );
    assert_eq!(
        overlay.stat(p("/big")).unwrap().size,
        10_000,
        "half a copy must not show"
    );
    overlay.write_file(p("/big"), b"small").unwrap();
    assert_eq!(overlay.usage().bytes, 5);
}

#[test]
fn changes_become_a_layer_with_marks_for_what_is_gone() {
    let (_dir, overlay) = project();
    work(&overlay);
    let mut archive = Vec::new();
    overlay
        .export_changes(&mut archive, &TarLimits::default())
        .unwrap();
    let layer = MemVfs::new();
    import_tar(
        &layer,
        VfsPath::ROOT,
        archive.as_slice(),
        &TarLimits::default(),
    )
    .unwrap();
    assert_eq!(layer.read_file(p("/src/main")).unwrap(), b"fn main() {}");
    assert!(layer.exists(p("/.wh.old")) && layer.exists(p("/src/.wh.deep")));
    assert_eq!(
        layer.readlink(p("/made/link")).unwrap().to_string(),
        "../keep"
    );
    assert!(!layer.exists(p("/keep")));
}
