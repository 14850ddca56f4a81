//! Runs that wait for answers, in files: `--suspend-to`, `hotcell resume`, `hotcell inspect`.

use std::fs;

use serde_json::json;
use tempfile::tempdir;

use crate::{hotcell, hotcell_in};

const STEP: &str = "await write({ path: 'a.txt', content: 'hello' }); console.log('written'); const name = await person('who?'); `done for ${name}`";

#[test]
fn a_run_waits_for_consent_and_for_an_answer_in_a_file() {
    let dir = tempdir().unwrap();
    let asks = ["--workspace", ".", "--ask", "write", "--ask", "person"];
    let begin = [&["eval", STEP, "--suspend-to", "run.hcs"], &asks[..]].concat();
    let waiting = hotcell_in(dir.path(), &begin);
    assert_eq!((waiting.code, &*waiting.stdout), (3, ""), "{waiting}");
    assert!(waiting.stderr.contains("1.1  write({"), "{waiting}");
    assert!(waiting.stderr.contains("--approve 1.1"), "{waiting}");
    assert!(!dir.path().join("a.txt").exists());

    let shown = hotcell_in(dir.path(), &["resume", "run.hcs"]);
    assert!(shown.ok().contains("SUSPENDED"), "{shown}");
    let inspected = hotcell_in(dir.path(), &["inspect", "run.hcs", "--json"]);
    assert_eq!(inspected.json()["run"]["calls"][0]["tool"], "write");

    // What cannot be taken leaves the file as it was.
    let wrong = hotcell_in(dir.path(), &["resume", "run.hcs", "--approve", "1.7"]);
    assert_eq!(wrong.code, 2, "{wrong}");
    assert!(wrong.stderr.contains("does not exist"), "{wrong}");

    let approve = [&["resume", "run.hcs", "--approve", "1.1"], &asks[..]].concat();
    let approved = hotcell_in(dir.path(), &approve);
    assert_eq!(approved.code, 3, "{approved}");
    assert_eq!(approved.stdout, "written\n");
    assert_eq!(
        fs::read_to_string(dir.path().join("a.txt")).unwrap(),
        "hello"
    );
    fs::remove_file(dir.path().join("a.txt")).unwrap();

    let answer = [&["resume", "run.hcs", "--answer", "1.2=\"Ada\""], &asks[..]].concat();
    let answered = hotcell_in(dir.path(), &answer);
    assert_eq!(
        (answered.code, &*answered.stdout),
        (0, "done for Ada\n"),
        "{answered}"
    );
    // It is over, and its file is gone: nothing runs twice.
    let again = hotcell_in(dir.path(), &answer);
    assert_eq!(again.code, 2, "{again}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn what_was_shown_before_and_after_the_answer_is_there_in_the_end() {
    let dir = tempdir().unwrap();
    let code = "text('before'); notify('half way'); text(await ask()); 1";
    let begin = [
        "eval",
        code,
        "--content",
        "--suspend-to",
        "r",
        "--ask",
        "ask",
        "--json",
    ];
    let waiting = hotcell_in(dir.path(), &begin);
    assert_eq!(waiting.code, 3, "{waiting}");
    let before = json!({"mime": "text/plain", "text": "before"});
    assert_eq!(waiting.json()["content"], json!([before]));
    let answer = [
        "resume",
        "r",
        "--content",
        "--answer",
        "1.1=\"after\"",
        "--json",
    ];
    let ended = hotcell_in(dir.path(), &answer);
    assert_eq!(
        ended.json()["content"],
        json!([before, {"mime": "text/plain", "text": "after"}])
    );
}

#[test]
fn a_call_is_denied_or_fails() {
    let dir = tempdir().unwrap();
    let code = "const out = []; for (const n of [1, 2]) out.push(await pay(n).catch((e) => e.message)); out.join()";
    let waiting = hotcell_in(
        dir.path(),
        &["eval", code, "--suspend-to", "r", "--ask", "pay", "--json"],
    );
    assert_eq!(waiting.code, 3, "{waiting}");
    let waiting = waiting.json();
    assert_eq!(waiting["status"], "suspended");
    assert_eq!(
        waiting["calls"],
        json!([{"id": "1.1", "tool": "pay", "arguments": [1], "reason": "deferred"}])
    );
    let failed = hotcell_in(dir.path(), &["resume", "r", "--fail", "1.1=no money"]);
    assert_eq!(failed.code, 3, "{failed}");
    let denied = hotcell_in(dir.path(), &["resume", "r", "--deny", "1.2=no"]);
    assert_eq!(
        denied.code, 2,
        "it waits for an answer, not for consent: {denied}"
    );
    let ended = hotcell_in(dir.path(), &["resume", "r", "--answer", "1.2=7", "--json"]);
    assert_eq!(ended.json()["output"], "no money,7");
}

#[test]
fn a_file_that_another_process_has_taken_is_left_to_it() {
    let dir = tempdir().unwrap();
    hotcell_in(
        dir.path(),
        &["eval", "await pay(1)", "--suspend-to", "r", "--ask", "pay"],
    );
    fs::copy(dir.path().join("r"), dir.path().join("r.resuming")).unwrap();
    let refused = hotcell_in(dir.path(), &["resume", "r", "--answer", "1.1=7"]);
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("another process"), "{refused}");
    fs::remove_file(dir.path().join("r.resuming")).unwrap();
    let ended = hotcell_in(dir.path(), &["resume", "r", "--answer", "1.1=7"]);
    assert_eq!(ended.ok(), "7");
}

#[test]
fn a_key_is_asked_for_and_damage_is_found() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("key"), "a secret that is hard to guess").unwrap();
    let waiting = hotcell_in(
        dir.path(),
        &[
            "eval",
            "await pay(1)",
            "--suspend-to",
            "r",
            "--ask",
            "pay",
            "--snapshot-key",
            "key",
        ],
    );
    assert_eq!(waiting.code, 3, "{waiting}");
    let sealed = hotcell_in(
        dir.path(),
        &["inspect", "r", "--snapshot-key", "key", "--json"],
    );
    assert_eq!(sealed.json()["isSealed"], true);
    let mut bytes = fs::read(dir.path().join("r")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(dir.path().join("bad"), &bytes).unwrap();
    for args in [
        &["inspect", "bad", "--snapshot-key", "key"][..],
        &[
            "resume",
            "bad",
            "--answer",
            "1.1=1",
            "--snapshot-key",
            "key",
        ],
        &["inspect", "key"],
        &["resume", "missing", "--answer", "1.1=1"],
    ] {
        let ran = hotcell_in(dir.path(), args);
        assert_eq!(ran.code, 2, "{ran}");
    }
    assert!(
        dir.path().join("bad").exists(),
        "what cannot be read is not taken away"
    );
}

#[test]
fn without_a_place_to_keep_it_a_run_cannot_wait() {
    let ran = hotcell(&["eval", "await pay(1)", "--ask", "pay"]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.stderr.contains("--suspend-to"), "{ran}");
}

#[test]
fn what_happens_is_written_to_a_file() {
    let dir = tempdir().unwrap();
    let ran = hotcell_in(
        dir.path(),
        &["eval", "console.log('x'); 1", "--events", "events"],
    );
    assert_eq!(ran.code, 0, "{ran}");
    let text = fs::read_to_string(dir.path().join("events")).unwrap();
    let types: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].to_string())
        .collect();
    assert_eq!(types, ["\"runStarted\"", "\"log\"", "\"ended\""]);
}
