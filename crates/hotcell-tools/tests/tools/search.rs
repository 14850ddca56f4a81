//! grep, find and ls beyond the cases.

use hotcell_tools::MAX_BYTES;
use hotcell_vfs::VfsPath;
use serde_json::{Value, json};

use crate::support::{Backend, backends, mem};

fn grep(backend: &Backend, params: Value) -> String {
    backend.text("grep", params)
}

#[test]
fn grep_takes_globs() {
    for backend in backends() {
        for name in ["a.rs", "b.ts", "src/c.rs", "src/deep/d.rs"] {
            backend.put(name, "x\n");
        }
        let files = |glob: &str| {
            let found = grep(&backend, json!({ "pattern": "x", "glob": glob }));
            let files: Vec<&str> = found
                .lines()
                .filter_map(|line| line.split(':').next())
                .collect();
            files.join(" ")
        };
        assert_eq!(files("*.rs"), "a.rs src/c.rs src/deep/d.rs");
        assert_eq!(files("!*.rs"), "b.ts");
        assert_eq!(files("src/*.rs"), "src/c.rs");
        assert_eq!(files("/*.rs"), "a.rs");
        assert_eq!(files("**/*.{ts,js}"), "b.ts");
        assert_eq!(
            grep(
                &backend,
                json!({ "pattern": "x", "path": "src", "glob": "deep/*" })
            ),
            "src/deep/d.rs:1: x"
        );
    }
}

#[test]
fn grep_matches_as_told() {
    for backend in backends() {
        backend.put("a", "Foo.bar\nfoo(bar\n-v\n");
        let found = |params: Value| grep(&backend, params);
        assert_eq!(found(json!({ "pattern": "foo" })), "a:2: foo(bar");
        assert_eq!(
            found(json!({ "pattern": "foo", "ignoreCase": true })),
            "a:1: Foo.bar\na:2: foo(bar"
        );
        assert_eq!(
            found(json!({ "pattern": "o(b", "literal": true })),
            "a:2: foo(bar"
        );
        assert_eq!(found(json!({ "pattern": "-v" })), "a:3: -v");
        let error = backend
            .error("grep", json!({ "pattern": "foo(" }))
            .to_string();
        assert!(
            error.starts_with("Invalid regular expression \"foo(\": "),
            "{error}"
        );
        assert!(
            error.ends_with("set literal to true to search for it as plain text"),
            "{error}"
        );
        let error = backend
            .error("grep", json!({ "pattern": "a\nb" }))
            .to_string();
        assert!(error.contains("cannot contain a line break"), "{error}");
        let error = backend
            .error("grep", json!({ "pattern": "((a{1000}){1000}){1000}" }))
            .to_string();
        assert!(error.starts_with("Invalid regular expression"), "{error}");
    }
}

#[test]
fn grep_shows_context_once_and_separates_groups() {
    for backend in backends() {
        backend.put("a", "1\nx2\n3\nx4\n5\n6\n7\nx8\r\n");
        backend.put("b", "x\n");
        assert_eq!(
            grep(&backend, json!({ "pattern": "x", "context": 1 })),
            "a-1- 1\na:2: x2\na-3- 3\na:4: x4\na-5- 5\n--\na-7- 7\na:8: x8\n--\nb:1: x"
        );
    }
}

#[test]
fn grep_says_there_is_more_only_if_there_is() {
    for backend in backends() {
        backend.put("a", "x\nx\n");
        backend.put("b", "x\nb\nx\n");
        let found = |limit: u64| grep(&backend, json!({ "pattern": "x", "limit": limit }));
        assert_eq!(found(4), "a:1: x\na:2: x\nb:1: x\nb:3: x");
        assert_eq!(
            found(2),
            "a:1: x\na:2: x\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]"
        );
        assert_eq!(found(u64::MAX), found(4));
        // A match beyond the limit may still be context of the last one that counts.
        assert_eq!(
            grep(
                &backend,
                json!({ "pattern": "x", "path": "b", "limit": 1, "context": 5 })
            ),
            "b:1: x\nb-2- b\nb-3- x\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]"
        );
    }
}

#[test]
fn grep_cuts_long_lines_and_long_output() {
    for backend in backends() {
        backend.put("long", "é".repeat(600) + "\nneedle\n");
        assert_eq!(
            grep(&backend, json!({ "pattern": "é" })),
            format!(
                "long:1: {}... [truncated]\n\n[Some lines truncated to 500 chars. Use read to see full lines]",
                "é".repeat(500)
            )
        );
        backend.put(
            "many",
            "a line of forty characters, more or less\n".repeat(5000),
        );
        let result = backend
            .tools
            .call("grep", &[json!({ "pattern": "forty", "limit": 100_000 })])
            .unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        let (lines, notice) = text.split_once("\n\n").unwrap();
        assert!(lines.len() <= MAX_BYTES && lines.len() > MAX_BYTES - 100);
        assert_eq!(
            notice,
            "[50.0KB limit reached. Refine the pattern or search a smaller path]"
        );
        let truncation = &result["details"]["truncation"];
        assert_eq!(truncation["outputBytes"], lines.len());
        assert_eq!(truncation["outputLines"], lines.lines().count());
    }
}

#[test]
fn grep_searches_files_longer_than_its_buffers() {
    for backend in backends() {
        let mut text = "some filler line\n".repeat(100_000);
        text.push_str("needle at the end");
        backend.put("big", &text);
        assert_eq!(
            grep(&backend, json!({ "pattern": "needle" })),
            "big:100001: needle at the end"
        );
        // One line longer than any buffer.
        backend.put("big", "x".repeat(20 << 20) + "\nneedle\n");
        let found = grep(&backend, json!({ "pattern": "needle" }));
        assert!(
            found.contains("big was not searched to its end: a line is too long"),
            "{found}"
        );
    }
}

#[test]
fn grep_reads_utf16_with_a_byte_order_mark() {
    let backend = mem();
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend("one\nneedle\n".encode_utf16().flat_map(u16::to_le_bytes));
    backend.put("wide.txt", bytes);
    assert_eq!(
        grep(&backend, json!({ "pattern": "needle" })),
        "wide.txt:2: needle"
    );
}

#[test]
fn searches_skip_git_and_obey_rules_above_the_start() {
    for backend in backends() {
        backend.put(".git/config", "x\n");
        backend.put(".gitignore", "*.log\n");
        backend.put(".ignore", "!b.log\n");
        backend.put("sub/a.log", "x\n");
        backend.put("sub/b.log", "x\n");
        backend.put("sub/c.txt", "x\n");
        for path in [".", "sub"] {
            assert_eq!(
                grep(&backend, json!({ "pattern": "x", "path": path })),
                "sub/b.log:1: x\nsub/c.txt:1: x"
            );
        }
        // What is named is searched.
        assert_eq!(
            grep(&backend, json!({ "pattern": "x", "path": ".git" })),
            ".git/config:1: x"
        );
        assert_eq!(
            grep(&backend, json!({ "pattern": "x", "path": "sub/a.log" })),
            "sub/a.log:1: x"
        );
    }
}

#[test]
fn rules_end_with_their_directory() {
    for backend in backends() {
        backend.put("a/.gitignore", "x.txt\n/only-here\n");
        backend.put("a/x.txt", "");
        backend.put("a/deep/x.txt", "");
        backend.put("a/only-here/y", "");
        backend.put("a/deep/only-here/y", "");
        backend.put("b/x.txt", "");
        assert_eq!(
            backend.text("find", json!({ "pattern": "**" })),
            "a/\na/.gitignore\na/deep/\na/deep/only-here/\na/deep/only-here/y\nb/\nb/x.txt"
        );
    }
}

#[test]
fn an_ignore_file_that_is_too_long_is_told() {
    let backend = mem();
    backend.put(".gitignore", "a.txt\n".repeat(100_000));
    backend.put("a.txt", "");
    assert_eq!(
        backend.text("find", json!({ "pattern": "*.txt" })),
        "a.txt\n\n[/work/.gitignore is longer than 256KB: not obeyed]"
    );
}

#[test]
fn many_ignore_files_that_are_not_obeyed_are_told_in_short() {
    let backend = mem();
    for n in 0..100 {
        backend.put(&format!("d{n:02}/.gitignore"), "");
        let path = format!("/work/d{n:02}/.gitignore");
        backend.vfs.truncate(VfsPath::new(&path), 1 << 20).unwrap();
    }
    assert_eq!(
        backend.text("find", json!({ "pattern": "none" })),
        "No files found matching pattern\n\n[/work/d00/.gitignore is longer than 256KB: not obeyed. \
         /work/d01/.gitignore is longer than 256KB: not obeyed. \
         /work/d02/.gitignore is longer than 256KB: not obeyed. 97 more ignore files: not obeyed]"
    );
}

#[test]
fn rules_of_nested_directories_are_obeyed_up_to_a_megabyte() {
    let backend = mem();
    let mut dir = String::new();
    for _ in 0..20 {
        dir.push_str("d/");
        let rule = format!("{}\n", "x".repeat(99));
        backend.put(&format!("{dir}.ignore"), rule.repeat(2000));
    }
    backend.put("d/hidden.txt", "");
    backend.put("d/.gitignore", "hidden.txt");
    let found = backend.text("find", json!({ "pattern": "*.txt" }));
    assert!(found.starts_with("No files found"), "{found}");
    assert!(found.contains("comes after 1MB of others: not obeyed"));
    assert!(
        found.ends_with("12 more ignore files: not obeyed]"),
        "{found}"
    );
}

#[test]
fn find_matches_names_or_paths() {
    for backend in backends() {
        for name in ["a.txt", "src/b.txt", "src/lib/c.txt", "src/lib/d.rs"] {
            backend.put(name, "");
        }
        let found = |pattern: &str| {
            let text = backend.text("find", json!({ "pattern": pattern }));
            text.replace('\n', " ")
        };
        assert_eq!(found("*.txt"), "a.txt src/b.txt src/lib/c.txt");
        assert_eq!(found("./*.txt"), "a.txt src/b.txt src/lib/c.txt");
        assert_eq!(found("/*.txt"), "a.txt");
        assert_eq!(found("src/*.txt"), "src/b.txt");
        assert_eq!(found("src/**/*.txt"), "src/b.txt src/lib/c.txt");
        assert_eq!(found("**/lib/**"), "src/lib/c.txt src/lib/d.rs");
        assert_eq!(found("lib"), "src/lib/");
        assert_eq!(found("lib/"), "src/lib/");
        assert_eq!(found("*.{rs,toml}"), "src/lib/d.rs");
        assert_eq!(found("[ab].txt"), "a.txt src/b.txt");
        assert_eq!(
            backend.text("find", json!({ "pattern": "lib/*.rs", "path": "src" })),
            "src/lib/d.rs"
        );
        assert!(
            backend
                .error("find", json!({ "pattern": "" }))
                .to_string()
                .contains("it is empty")
        );
    }
}

#[test]
fn hostile_globs_are_an_error_or_an_answer() {
    let backend = mem();
    backend.put("a", "x\n");
    backend.put(".gitignore", "{".repeat(3000) + &"}".repeat(3000));
    let nested = "{".repeat(2000) + "a" + &"}".repeat(2000);
    let _ = backend.tools.call("find", &[json!(nested)]);
    let long = "*?".repeat(50_000);
    let error = backend
        .error("find", json!({ "pattern": long }))
        .to_string();
    assert!(error.ends_with("it is longer than 4096 bytes"), "{error}");
    let error = backend
        .error("grep", json!({ "pattern": "x", "glob": "[z-a]" }))
        .to_string();
    assert!(error.starts_with("Invalid glob \"[z-a]\": "), "{error}");
    let stars = "*a".repeat(500);
    let found = backend.text("find", json!({ "pattern": stars }));
    assert!(
        found.starts_with("No files found matching pattern\n\n[/work/.gitignore has 1 rules"),
        "{found}"
    );
}

#[test]
fn find_and_ls_stop_at_their_limits() {
    for backend in backends() {
        for n in 0..5 {
            backend.put(&format!("{n}.txt"), "");
        }
        assert_eq!(
            backend.text("find", json!({ "pattern": "*", "limit": 2 })),
            "0.txt\n1.txt\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]"
        );
        assert_eq!(
            backend.text("ls", json!({ "limit": 2 })),
            "0.txt\n1.txt\n\n[2 entries limit reached. Use limit=4 for more]"
        );
        assert!(!backend.text("ls", json!({ "limit": 5 })).contains('['));
        assert!(
            !backend
                .text("find", json!({ "pattern": "*", "limit": 5 }))
                .contains('[')
        );
    }
}

#[test]
fn ls_of_an_empty_directory_says_so() {
    for backend in backends() {
        assert_eq!(backend.names(), "(empty directory)");
    }
}

#[test]
fn a_hundred_thousand_files() {
    let backend = mem();
    for dir in 0..100 {
        for file in 0..1000 {
            backend.put(&format!("d{dir}/f{file}.txt"), "hay\n");
        }
    }
    backend.put("d50/needle.txt", "needle\n");
    assert_eq!(
        backend.text("grep", json!({ "pattern": "needle" })),
        "d50/needle.txt:1: needle"
    );
    assert_eq!(
        backend.text("find", json!({ "pattern": "needle.*" })),
        "d50/needle.txt"
    );
    let all = backend.text("find", json!({ "pattern": "*", "limit": 1_000_000 }));
    assert!(all.len() < MAX_BYTES + 200);
    assert!(
        all.ends_with("[50.0KB limit reached. Refine the pattern or search a smaller directory]")
    );
}

#[test]
fn a_very_deep_tree_is_searched() {
    let backend = mem();
    let deep = "d/".repeat(400);
    backend.put(&format!("{deep}needle.txt"), "needle\n");
    assert_eq!(
        grep(&backend, json!({ "pattern": "needle" })),
        format!("{deep}needle.txt:1: needle")
    );
}

#[test]
fn an_ignore_file_full_of_wildcards_is_obeyed_and_takes_no_more_memory_than_its_text() {
    let backend = mem();
    let mut rules: String = (0..5000).map(|n| format!("**/*{n}*a*b*/**\n")).collect();
    rules.push_str("**/left*o?t/**\n");
    backend.put(".gitignore", rules);
    backend.put("left-out/a", "needle\n");
    backend.put("kept.txt", "needle\n");
    assert_eq!(
        grep(&backend, json!({ "pattern": "needle" })),
        "kept.txt:1: needle"
    );
}

#[test]
fn a_search_stops_between_rules() {
    let backend = mem();
    let rule = format!("{}b\n", "*a".repeat(2000));
    backend.put(".gitignore", rule.repeat(60));
    for n in 0..10 {
        backend.put(&format!("{}{n}", "a".repeat(250)), "x\n");
    }
    let looks = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&looks);
    let tools = backend
        .tools
        .with_cancel(move || counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 200);
    let error = tools.call("find", &[json!("zz")]).unwrap_err();
    assert!(
        matches!(error, hotcell_tools::FileToolError::Cancelled),
        "{error}"
    );
}

#[test]
fn rules_that_stand_for_too_many_are_told() {
    let backend = mem();
    backend.put(".gitignore", "{a,b}".repeat(20) + "\nout\n");
    backend.put("out", "");
    backend.put("kept", "");
    assert_eq!(
        backend.text("find", json!({ "pattern": "*" })),
        ".gitignore\nkept\n\n[/work/.gitignore has 1 rules that are too long or stand for too many: not obeyed]"
    );
}
