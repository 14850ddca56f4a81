//! Everything but running code.

use std::fs;

use tempfile::tempdir;

use crate::{command, hotcell, hotcell_in, ran};

#[test]
fn help_is_worth_reading() {
    insta::assert_snapshot!(hotcell(&["--help"]).ok());
    insta::assert_snapshot!(hotcell(&["run", "--help"]).ok());
    insta::assert_snapshot!(hotcell(&["serve", "--help"]).ok());
    for command in [
        "eval",
        "repl",
        "check",
        "prompt",
        "doctor",
        "completions",
        "man",
    ] {
        assert!(!hotcell(&[command, "--help"]).ok().is_empty());
    }
}

#[test]
fn check_shows_what_is_wrong_and_where() {
    let ran = ran(
        &mut command(&["check", "-"]),
        "const fs = require('fs');\nconst os = await import('os');\nfs.x",
    );
    assert_eq!(ran.code, 1);
    insta::assert_snapshot!(ran);
}

#[test]
fn check_lets_code_pass_that_only_has_warnings() {
    let ran = ran(&mut command(&["check", "-"]), "process.exit(1)");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran);
}

#[test]
fn check_knows_what_it_is_told() {
    let code = "const { x } = await import('lib'); await search(x)";
    let ran = ran(
        &mut command(&[
            "check", "-", "--json", "--import", "lib", "--tool", "search",
        ]),
        code,
    );
    assert_eq!(
        ran.json(),
        serde_json::json!({"version": 1, "ok": true, "diagnostics": []})
    );
}

#[test]
fn the_prompt_tells_of_everything_there_is() {
    let dir = tempdir().unwrap();
    let tools = r#"{"tools": [{"name": "search", "description": "Searches the web",
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}]}"#;
    fs::write(dir.path().join("tools.json"), tools).unwrap();
    fs::write(dir.path().join("more.txt"), "Answer in rhymes.\n").unwrap();
    let ran = hotcell_in(
        dir.path(),
        &[
            "prompt",
            "--tools",
            "tools.json",
            "--workspace",
            ".",
            "--read-only",
            "--import",
            "lodash",
            "--variable",
            "question: string",
            "--instructions",
            "@more.txt",
            "--tags",
            "```js",
            "```",
            "--timeout",
            "3s",
        ],
    );
    insta::assert_snapshot!(ran.ok());
}

#[test]
fn a_prompt_template_of_your_own_is_filled_in() {
    let dir = tempdir().unwrap();
    fs::write(
        dir.path().join("own.hbs"),
        "Use {{code_block_opening_tag}}, not {{authorized_imports}}.",
    )
    .unwrap();
    let ran = hotcell_in(
        dir.path(),
        &["prompt", "--template", "own.hbs", "--import", "a"],
    );
    assert!(ran.ok().starts_with("Use <code>"), "{ran}");
}

#[test]
fn doctor_finds_that_cells_work() {
    let ran = hotcell(&["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{ran}");
    let json = ran.json();
    assert_eq!(json["ok"], true);
    let checks = json["checks"].as_array().unwrap();
    for name in [
        "image",
        "run",
        "tool call",
        "time limit",
        "memory limit",
        "snapshot and restore",
        "fork",
    ] {
        let check = checks.iter().find(|check| check["name"] == name);
        assert_eq!(check.unwrap()["ok"], true, "{name}");
    }
    assert!(json["machine"]["build"].is_string());
    assert_eq!(hotcell(&["doctor"]).code, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn code_runs_in_a_worker_process_if_it_is_to() {
    let ran = hotcell(&["eval", "6 * 7", "--isolation", "process"]);
    assert_eq!(ran.ok(), "42");
    let ran = hotcell(&["doctor", "--json"]);
    let checks = ran.json()["checks"].clone();
    let is_worker = |check: &&serde_json::Value| check["name"] == "worker process";
    let check = checks.as_array().unwrap().iter().find(is_worker).cloned();
    assert_eq!(check.unwrap()["ok"], true, "{ran}");
    // It means nothing alone.
    assert_eq!(hotcell(&["eval", "1", "--require-jail"]).code, 2);
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            hotcell(&["completions", shell])
                .ok()
                .contains("snapshot-out"),
            "{shell}"
        );
    }
}

#[test]
fn manual_pages_are_written() {
    let dir = tempdir().unwrap();
    let ran = hotcell_in(dir.path(), &["man", "pages"]);
    assert!(ran.ok().contains("hotcell-run.1"), "{ran}");
    let page = fs::read_to_string(dir.path().join("pages/hotcell-run.1")).unwrap();
    assert!(page.contains("snapshot"));
    assert!(hotcell(&["man"]).ok().contains(".TH hotcell 1"));
}
