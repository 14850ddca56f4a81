//! How long the file tools take: the median, and the least for machines with other work to do.
//!
//! With `--tree DIR` it also writes the tree that is searched below DIR, to hold another program against it:
//! `rg -j1 --hidden PATTERN DIR` on a file system in memory.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for people who measure"
)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hotcell_tools::FileTools;
use hotcell_vfs::{MemVfs, Vfs, VfsPath};
use serde_json::{Value, json};

const FILES: usize = 10_000;
const FILE_BYTES: usize = 10 * 1024;

fn main() {
    let vfs: Arc<dyn Vfs> = Arc::new(MemVfs::new());
    let tree = tree();
    for (path, content) in &tree {
        let path = VfsPath::new("/work").join(path);
        vfs.mkdir_all(path.parent().unwrap(), 0o755).unwrap();
        vfs.write_file(&path, content.as_bytes()).unwrap();
    }
    let mut args = std::env::args().skip_while(|arg| arg != "--tree");
    if let (Some(_), Some(dir)) = (args.next(), args.next()) {
        write_tree(Path::new(&dir), &tree);
    }
    let tools = FileTools::new(vfs, "/work");
    searches(&tools);
    files(&tools);
    edits(&tools);
}

fn measure(tools: &FileTools, name: &str, rounds: usize, tool: &str, args: Value) {
    let args = [args];
    report(name, rounds, || {
        black_box(tools.call(tool, &args).unwrap());
    });
}

fn searches(tools: &FileTools) {
    let grep = |name: &str, pattern: &str, options: Value| {
        let mut args = json!({ "pattern": pattern, "path": "tree", "limit": 1000 });
        args.as_object_mut()
            .unwrap()
            .extend(options.as_object().cloned().unwrap_or_default());
        measure(tools, &format!("grep 100 MB, {name}"), 9, "grep", args);
    };
    grep("literal, no match", "zebra_crossing", json!({}));
    grep("literal, 100 matches", "needle_in_hay", json!({}));
    grep("regex", r"[A-Z]\w+_crossing\s", json!({}));
    grep(
        "ignore case",
        "zebra_crossing",
        json!({ "ignoreCase": true }),
    );
    grep("no literal in it", r"\d{9}\s\d", json!({}));
    let find = |name: &str, pattern: &str| {
        measure(
            tools,
            &format!("find 10,000 files, {name}"),
            31,
            "find",
            json!({ "pattern": pattern }),
        );
    };
    find("no match", "*.zebra");
    find("by path", "tree/**/*7.rs");
    measure(
        tools,
        "ls of 100 names",
        301,
        "ls",
        json!({ "path": "tree/dir_000" }),
    );
}

fn big() -> String {
    "A line of text that has sixty-four characters with its line end\n".repeat(16 * 1024)
}

fn files(tools: &FileTools) {
    let (big, small) = (big(), "one\ntwo\n");
    tools
        .call("write", &[json!("big.txt"), json!(big)])
        .unwrap();
    tools
        .call("write", &[json!("small.txt"), json!(small)])
        .unwrap();
    let read = |name: &str, args: Value| measure(tools, name, 301, "read", args);
    read("read 1 MB, first page", json!({ "path": "big.txt" }));
    read(
        "read 1 MB, last page",
        json!({ "path": "big.txt", "offset": 15_000 }),
    );
    read("read small file", json!({ "path": "small.txt" }));
    let write = |name: &str, content: &str| {
        measure(
            tools,
            name,
            301,
            "write",
            json!({ "path": "w.txt", "content": content }),
        );
    };
    write("write small file", small);
    write("write 1 MB", &big);
}

fn edits(tools: &FileTools) {
    // There and back again: each pair is what is looked for and what takes its place.
    let edit = |name: &str, rounds: usize, pairs: [(&str, &str); 2]| {
        let mut pairs = pairs.iter().cycle();
        report(name, rounds, || {
            let (old, new) = pairs.next().unwrap();
            let args = [json!("edit.txt"), json!(old), json!(new)];
            black_box(tools.call("edit", &args).unwrap());
        });
    };
    let put = |content: String| {
        tools
            .call("write", &[json!("edit.txt"), json!(content)])
            .unwrap()
    };
    let big = big();
    put("one\ntwo\n".to_owned());
    edit("edit small file", 1000, [("one", "eins"), ("eins", "one")]);
    put(format!("{big}the one\n{big}"));
    edit(
        "edit 2 MB",
        100,
        [("the one\n", "the other\n"), ("the other\n", "the one\n")],
    );
    put(format!("{big}the \u{201c}one\u{201d}\n{big}"));
    edit(
        "edit 2 MB, not exact",
        50,
        [
            ("the \"one\"", "the \u{201c}other\u{201d}"),
            ("the \"other\"", "the \u{201c}one\u{201d}"),
        ],
    );
}

fn report(name: &str, rounds: usize, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    let shown = |time: Duration| time.as_secs_f64() * 1000.0;
    let (least, median) = (times[0], times[times.len() / 2]);
    println!(
        "{name:<36} {:>9.3} ms median {:>9.3} ms least",
        shown(median),
        shown(least)
    );
}

/// Source-like text, the same on every run.
fn tree() -> Vec<(String, String)> {
    const WORDS: [&str; 16] = [
        "let", "value", "=", "compute(", "index", "+", "offset", ");", "return", "if", "Some(",
        "crossing", "Zebra", "match", "{", "}",
    ];
    let mut state = 1_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).unwrap_or(0)
    };
    (0..FILES)
        .map(|n| {
            let mut text = String::with_capacity(FILE_BYTES + 80);
            while text.len() < FILE_BYTES {
                for _ in 0..6 + next() % 6 {
                    text.push_str(WORDS[next() % WORDS.len()]);
                    text.push(' ');
                }
                text.push('\n');
            }
            if n % 100 == 50 {
                text.push_str("needle_in_hay\n");
            }
            (format!("tree/dir_{:03}/file_{n}.rs", n / 100), text)
        })
        .collect()
}

fn write_tree(dir: &Path, tree: &[(String, String)]) {
    for (path, content) in tree {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}
