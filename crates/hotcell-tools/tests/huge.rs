//! Files of a gigabyte and directories with a hundred thousand names: right answers, within bounded memory.
//!
//! The memory is that of the whole process, so the tests take turns.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the host has a file, and knows how much memory there is"
)]

use std::sync::{Arc, Mutex, PoisonError};

use hotcell_tools::{EDIT_MAX_BYTES, FileToolError, FileTools};
use hotcell_vfs::{
    Access, Clock, Errno, HostVfs, Limits, MemVfs, OpenOptions, OverlayVfs, TarLimits, Vfs,
    VfsPath, export_tar,
};
use serde_json::{Value, json};

const GIGABYTE: u64 = 1 << 30;
/// What an operation may take beyond what is stored: its buffers, and what the system adds to them.
const ROOM: u64 = 48 << 20;

/// The directory in memory, on the host, and over the host.
fn workspaces(dir: &tempfile::TempDir) -> [(&'static str, Arc<dyn Vfs>); 3] {
    let host = |access| Arc::new(HostVfs::open(dir.path(), access).unwrap());
    let overlay = OverlayVfs::new(host(Access::ReadOnly), Limits::default(), Clock::None);
    [
        ("memory", Arc::new(MemVfs::new())),
        ("host", host(Access::ReadWrite)),
        ("overlay", Arc::new(overlay)),
    ]
}

fn path(text: &str) -> &VfsPath {
    VfsPath::new(text)
}

/// Does `work`, and makes sure that the process did not grow by more than `most` meanwhile.
fn within<T>(most: u64, what: &str, work: impl FnOnce() -> T) -> T {
    let line = |name: &str| -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<u64>().unwrap() * 1024
    };
    // Forgets the peak.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = line("VmRSS:");
    let out = work();
    let grown = line("VmHWM:").saturating_sub(before);
    assert!(
        grown <= most,
        "{what} took {grown} bytes, at most {most} are fine"
    );
    out
}

fn alone() -> std::sync::MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(tools: &FileTools, tool: &str, args: Value) -> String {
    let result = tools.call(tool, &[args]).unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_gigabyte_that_is_mostly_a_hole() {
    let _turn = alone();
    let dir = tempfile::tempdir().unwrap();
    let [memory, host, _] = workspaces(&dir);
    let (file, copy) = (path("/sparse"), path("/copy"));
    for (kind, vfs) in [memory, host] {
        within(ROOM, kind, || {
            let head = "a line of text\n".repeat(200);
            vfs.write_file(file, head.as_bytes()).unwrap();
            vfs.truncate(file, GIGABYTE).unwrap();
            let handle = vfs.open(file, &OpenOptions::read_write()).unwrap();
            handle.write_at(GIGABYTE - 10, b"\nthe end.\n").unwrap();
        });
        let tools = FileTools::new(Arc::clone(&vfs), "/");
        within(ROOM, kind, || {
            let page = text(&tools, "read", json!({ "path": "sparse", "limit": 1 }));
            let more = "[201 more lines in file. Use offset=2 to continue.]";
            assert_eq!(page, format!("a line of text\n\n{more}"), "{kind}");
            let beyond = json!({ "path": "sparse", "offset": 203 });
            let error = tools.call("read", &[beyond]).unwrap_err();
            let total = matches!(error, FileToolError::OffsetBeyondEnd { lines: 202, .. });
            assert!(total, "{kind}: {error}");
            // Where the hole begins the file is no text any more.
            let found = text(
                &tools,
                "grep",
                json!({ "pattern": "end", "path": "sparse" }),
            );
            let note = "is a binary file and was not searched to its end";
            assert!(found.contains(note), "{kind}: {found}");
            let edit = json!({ "path": "sparse", "oldText": "the end", "newText": "x" });
            let error = tools.call("edit", &[edit]).unwrap_err();
            let limit = EDIT_MAX_BYTES;
            assert!(matches!(error, FileToolError::TooLarge { limit: most, .. } if most == limit));
            let limits = TarLimits {
                bytes: GIGABYTE / 2,
                ..TarLimits::default()
            };
            let error = export_tar(&*vfs, VfsPath::ROOT, std::io::sink(), &limits).unwrap_err();
            assert_eq!(error.errno(), Errno::EFBIG, "{kind}");
            assert_eq!(vfs.copy(file, copy).unwrap(), GIGABYTE);
        });
        // What was a hole is one in the copy.
        assert!(vfs.stat(copy).unwrap().allocated < 1 << 20, "{kind}");
    }
}

#[test]
fn an_overlay_takes_a_hole_of_the_host_as_one() {
    let _turn = alone();
    let dir = tempfile::tempdir().unwrap();
    let [_, (_, host), (kind, overlay)] = workspaces(&dir);
    host.write_file(path("/big"), b"").unwrap();
    host.truncate(path("/big"), GIGABYTE).unwrap();
    within(ROOM, kind, || {
        overlay.append_file(path("/big"), b"end").unwrap();
    });
    assert_eq!(overlay.stat(path("/big")).unwrap().size, GIGABYTE + 3);
    assert!(overlay.usage().bytes < 1 << 20);
}

#[test]
fn a_hundred_thousand_files_of_the_host() {
    let _turn = alone();
    let dir = tempfile::tempdir().unwrap();
    // Half of them in one directory, half of them in a thousand.
    let flat = dir.path().join("flat");
    std::fs::create_dir_all(&flat).unwrap();
    for number in 0..50_000 {
        let deep = dir.path().join(format!("deep/d{:03}", number / 50));
        if number % 50 == 0 {
            std::fs::create_dir_all(&deep).unwrap();
        }
        for dir in [&flat, &deep] {
            std::fs::write(dir.join(format!("f{number:05}")), "hay\n").unwrap();
        }
    }
    std::fs::write(dir.path().join("deep/d999/g"), "needle\n").unwrap();
    let [_, host, overlay] = workspaces(&dir);
    for (kind, vfs) in [host, overlay] {
        let tools = FileTools::new(vfs, "/");
        within(ROOM, kind, || {
            let grep = json!({ "pattern": "needle", "glob": "{g,f*9}" });
            assert_eq!(
                text(&tools, "grep", grep),
                "deep/d999/g:1: needle",
                "{kind}"
            );
            let found = text(&tools, "find", json!({ "pattern": "*49999" }));
            assert_eq!(found, "deep/d999/f49999\nflat/f49999", "{kind}");
            let listed = text(&tools, "ls", json!({ "path": "flat" }));
            let more = "[500 entries limit reached. Use limit=1000 for more]";
            assert!(
                listed.starts_with("f00000\n") && listed.ends_with(more),
                "{kind}"
            );
            let all = json!({ "pattern": "*", "limit": 1_000_000 });
            assert!(text(&tools, "find", all).len() < 52 * 1024, "{kind}");
        });
    }
}
