//! `grep` and `find` over 10,000 files, 100 MB, beside ripgrep on the same files.

use std::path::Path;
use std::sync::Arc;

use bench_measure::{Report, Row, side_by_side};
use hotcell_tools::FileTools;
use hotcell_vfs::{Access, HostVfs, MemVfs, Vfs, VfsPath};
use serde_json::{Value, json};

use crate::ripgrep::Ripgrep;
use crate::samples::sources;

/// A file system in memory, where ripgrep is at its best.
const TMPFS: &str = "/dev/shm";
/// How often each side searches.
const TIMES: usize = 15;

/// The files, for both sides.
struct Place {
    memory: FileTools,
    host: FileTools,
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = if Path::new(TMPFS).is_dir() {
            tempfile::tempdir_in(TMPFS).unwrap()
        } else {
            eprintln!("there is no {TMPFS}: ripgrep searches a disk");
            tempfile::tempdir().unwrap()
        };
        let memory: Arc<dyn Vfs> = Arc::new(MemVfs::new());
        for (path, text) in sources() {
            let file = dir.path().join(&path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, &text).unwrap();
            let file = VfsPath::ROOT.join(&path);
            memory.mkdir_all(file.parent().unwrap(), 0o755).unwrap();
            memory.write_file(&file, text.as_bytes()).unwrap();
        }
        let host = Arc::new(HostVfs::open(dir.path(), Access::ReadOnly).unwrap());
        Self {
            memory: FileTools::new(memory, "/"),
            host: FileTools::new(host, "/"),
            dir,
        }
    }
}

pub(crate) fn measure(report: &mut Report, ripgrep: &Ripgrep) {
    let place = Place::new();
    let searches = [
        ("a word that is not there", "zebra_crossing", false),
        ("a word in 100 files", "needle_in_hay", false),
        ("an expression", r"[A-Z]\w+_crossing\s", false),
        ("a word in any case", "zebra_crossing", true),
        ("digits, no word to look for", r"\d{9}\s\d", false),
    ];
    for (name, pattern, ignore_case) in searches {
        let args = json!({ "pattern": pattern, "limit": 1000, "ignoreCase": ignore_case });
        let case = if ignore_case { "-i" } else { "-s" };
        let theirs = ["-n", case, "-e", pattern, "."];
        let row = place.compare(ripgrep, &place.memory, "grep", &args, &theirs);
        report.add(Row {
            name: format!("grep, 10,000 files, 100 MB: {name}"),
            bar: row.beside,
            ..row
        });
    }

    let args = json!({ "pattern": "needle_in_hay", "limit": 1000 });
    let theirs = ["-n", "-e", "needle_in_hay", "."];
    let row = place.compare(ripgrep, &place.host, "grep", &args, &theirs);
    report.add(Row {
        name: "the same word, in a mounted directory of the host".into(),
        ..row
    });

    let file = "dir_000/file_50.rs";
    let args = json!({ "pattern": "needle_in_hay", "path": file });
    let theirs = ["-n", "-e", "needle_in_hay", file];
    let row = place.compare(ripgrep, &place.memory, "grep", &args, &theirs);
    report.add(Row {
        name: "the same word, in one file of 10 KB".into(),
        ..row
    });

    let args = json!({ "pattern": "*7.rs" });
    let theirs = ["--files", "-g", "*7.rs", "."];
    let row = place.compare(ripgrep, &place.memory, "find", &args, &theirs);
    report.add(Row {
        name: "find `*7.rs`, 10,000 files".into(),
        bar: row.beside,
        ..row
    });
}

impl Place {
    /// The same search on both sides, in turns.
    fn compare(
        &self,
        ripgrep: &Ripgrep,
        tools: &FileTools,
        tool: &str,
        args: &Value,
        theirs: &[&str],
    ) -> Row {
        let mut ours = || {
            tools.call(tool, std::slice::from_ref(args)).unwrap();
        };
        let mut beside = || {
            if ripgrep.is_there() {
                Ripgrep::run(theirs, self.dir.path());
            }
        };
        let (ours, beside) = side_by_side(&mut ours, &mut beside, TIMES);
        let missing = || "ripgrep is not installed here".to_owned();
        Row {
            unit: "ms".into(),
            hotcell: ours / 1e3,
            beside: ripgrep.is_there().then_some(beside / 1e3),
            note: (!ripgrep.is_there()).then(missing),
            ..Row::default()
        }
    }
}
