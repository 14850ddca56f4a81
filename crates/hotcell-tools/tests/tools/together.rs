//! Several callers at a time, and callers that change their mind.

use std::sync::atomic::{AtomicUsize, Ordering};

use hotcell_tools::FileToolError;
use serde_json::json;

use crate::support::{backends, mem};

#[test]
fn concurrent_writes_end_with_one_of_them_whole() {
    for backend in backends() {
        let contents: Vec<String> = (0..4)
            .map(|n| format!("{n}\n").repeat(20_000 + n))
            .collect();
        std::thread::scope(|scope| {
            for content in &contents {
                let tools = backend.tools.clone();
                scope.spawn(move || {
                    for _ in 0..20 {
                        tools
                            .call("write", &[json!("a.txt"), json!(content)])
                            .unwrap();
                    }
                });
            }
            let tools = backend.tools.clone();
            let contents = &contents;
            scope.spawn(move || {
                for _ in 0..50 {
                    if let Ok(result) = tools.call("read", &[json!("a.txt")]) {
                        let total = &result["details"]["truncation"]["totalBytes"];
                        let total = total.as_u64().unwrap();
                        assert!(contents.iter().any(|content| content.len() as u64 == total));
                    }
                }
            });
        });
        let end = String::from_utf8(backend.get("a.txt")).unwrap();
        assert!(contents.contains(&end), "{}", backend.name);
        assert_eq!(backend.names(), "a.txt");
    }
}

#[test]
fn concurrent_edits_of_one_file_all_happen() {
    for backend in backends() {
        let lines: Vec<String> = (0..64).map(|n| format!("<{n}>\n")).collect();
        backend.put("a.txt", lines.concat());
        backend.link("a.txt", "link.txt");
        std::thread::scope(|scope| {
            for start in 0..4 {
                let tools = backend.tools.clone();
                scope.spawn(move || {
                    for n in (start..64).step_by(4) {
                        // Through two names: what counts is the file.
                        let path = if n % 8 < 4 { "a.txt" } else { "link.txt" };
                        let args = [
                            json!(path),
                            json!(format!("<{n}>")),
                            json!(format!("[{n}]")),
                        ];
                        tools.call("edit", &args).unwrap();
                    }
                });
            }
        });
        let expected: String = (0..64).map(|n| format!("[{n}]\n")).collect();
        assert_eq!(String::from_utf8(backend.get("a.txt")).unwrap(), expected);
    }
}

#[test]
fn cancelling_stops_a_search_between_files_and_within_one() {
    let backend = mem();
    for n in 0..100 {
        backend.put(&format!("{n}.txt"), "hay\n");
    }
    backend.put("zzz.txt", "hay\n".repeat(1_000_000));
    let calls = [
        ("grep", json!({ "pattern": "needle" })),
        ("grep", json!({ "pattern": "needle", "path": "zzz.txt" })),
        ("find", json!({ "pattern": "needle" })),
        ("read", json!({ "path": "zzz.txt" })),
    ];
    for (tool, params) in calls {
        let asked = std::sync::Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        let tools = backend
            .tools
            .with_cancel(move || counter.fetch_add(1, Ordering::Relaxed) >= 3);
        let error = tools.call(tool, std::slice::from_ref(&params)).unwrap_err();
        assert_eq!(error, FileToolError::Cancelled, "{tool} {params}");
        assert_eq!(asked.load(Ordering::Relaxed), 4, "{tool} {params}");
    }
}
