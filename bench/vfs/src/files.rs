//! `read`, `write` and `edit` in memory, called as a model's code calls them.

use std::sync::Arc;

use bench_measure::{Report, alone as time};
use hotcell_tools::FileTools;
use hotcell_vfs::MemVfs;
use serde_json::{Value, json};

use crate::alone;
use crate::samples::megabyte;

pub(crate) fn measure(report: &mut Report) {
    let tools = FileTools::new(Arc::new(MemVfs::new()), "/work");
    let call = |tool: &str, args: Value| tools.call(tool, &[args]).unwrap();
    let big = megabyte();
    call("write", json!({ "path": "big.txt", "content": big }));
    call(
        "write",
        json!({ "path": "small.txt", "content": "one\ntwo\n" }),
    );

    for (name, args) in [
        ("the first page", json!({ "path": "big.txt" })),
        (
            "the last page",
            json!({ "path": "big.txt", "offset": 15_000 }),
        ),
    ] {
        report.add(alone(
            &format!("read 1 MB, {name} (2,000 lines, 50 KB)"),
            "ms",
            Some(1.0),
            time(300, || call("read", args.clone())) / 1e3,
        ));
    }
    let args = json!({ "path": "small.txt" });
    let took = time(2000, || call("read", args.clone()));
    report.add(alone("read a small file, as a tool", "µs", None, took));
    let args = json!({ "path": "w.txt", "content": "one\ntwo\n" });
    let took = time(2000, || call("write", args.clone()));
    report.add(alone("write a small file, as a tool", "µs", None, took));

    // There and back again: each finds what the other left.
    let mut edit = |name: &str, content: String, old: [&str; 2], new: [&str; 2], times: usize| {
        call("write", json!({ "path": "e.txt", "content": content }));
        let mut turn = 0;
        let took = time(times, || {
            turn = 1 - turn;
            call(
                "edit",
                json!({ "path": "e.txt", "oldText": old[1 - turn], "newText": new[1 - turn] }),
            )
        });
        report.add(alone(name, "ms", None, took / 1e3));
    };
    edit(
        "edit a line in a small file",
        "one\ntwo\n".to_owned(),
        ["one", "eins"],
        ["eins", "one"],
        2000,
    );
    edit(
        "edit a line in the middle of 2 MB",
        format!("{big}the one\n{big}"),
        ["the one\n", "the other\n"],
        ["the other\n", "the one\n"],
        100,
    );
    edit(
        "the same, found only after quotes are made alike",
        format!("{big}the \u{201c}one\u{201d}\n{big}"),
        ["the \"one\"", "the \"other\""],
        ["the \u{201c}other\u{201d}", "the \u{201c}one\u{201d}"],
        50,
    );
}
