//! Errors and exit codes.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use tempfile::tempdir;

use crate::{Ran, command, hotcell, hotcell_in, ran};

#[test]
fn an_exception_is_shown_where_it_was_thrown() {
    let code =
        "const list = [1, 2];\nfunction pick(at) {\n  return list[at].name.length;\n}\npick(5);\n";
    insta::assert_snapshot!(ran(&mut command(&["run", "-"]), code));
}

#[test]
fn a_syntax_error_is_shown_with_what_to_do() {
    insta::assert_snapshot!(hotcell(&["eval", "function f() {\n  return [1, 2;\n}"]));
    insta::assert_snapshot!(hotcell(&["eval", "const s = 'not closed;\ns"]));
}

#[test]
fn a_refused_import_names_its_rule() {
    insta::assert_snapshot!(hotcell(&[
        "eval",
        "import fs from 'fs';\nfs.readFileSync('x')"
    ]));
}

#[test]
fn a_warning_does_not_keep_code_from_running() {
    let ran = hotcell(&["eval", "typeof process; 1"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "1\n"), "{ran}");
}

#[test]
fn exit_codes_tell_failures_apart() {
    let code = |args: &[&str]| hotcell(args).code;
    assert_eq!(code(&["eval", "throw new Error('x')"]), 1);
    assert_eq!(code(&["eval", "while (true) {}"]), 1);
    assert_eq!(code(&["eval", "1", "--nonsense"]), 2);
    assert_eq!(code(&["run", "there-is-no-such-file.js"]), 2);
    let endless = [
        "eval",
        "while (true) {}",
        "--max-operations",
        "1000000000000",
        "--timeout",
        "50ms",
    ];
    assert_eq!(code(&endless), 124);
    let hungry = "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)";
    assert_eq!(
        code(&["eval", hungry, "--memory", "16MiB", "--timeout", "5m"]),
        137
    );
}

#[test]
fn json_tells_failures_apart_too() {
    let json = hotcell(&["eval", "--json", "console.log('before'); null.x"]).json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["exitCode"], 1);
    assert_eq!(json["error"]["code"], "ERR_RUNTIME_EXCEPTION");
    assert_eq!(json["error"]["logs"], "before");
    assert_eq!(json["error"]["details"]["cause"]["location"]["line"], 1);
    assert!(json.get("output").is_none());
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_run() {
    let mut child = command(&[
        "eval",
        "console.log('on'); for (;;) {}",
        "--max-operations",
        "1000000000000",
        "--timeout",
        "5m",
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let mut line = [0; 3];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut line)
        .unwrap();
    let id = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ERR_CANCELLED"));
}

#[test]
fn wrong_arguments_are_explained() {
    for args in [
        &["eval", "1", "--timeout", "5"][..],
        &["eval", "1", "--timeout", "5x"],
        &["eval", "1", "--timeout", "0s"],
        &["eval", "1", "--memory", "lots"],
        &["eval", "1", "--var", "x"],
        &["eval", "1", "--var", "x=text"],
        &["eval", "1", "--var", "x={\"a\":[{\"$\":\"function\"}]}"],
        &["eval", "1", "--var", "final_answer=1"],
        &["eval", "1", "--allow-import", "lodash"],
        &["eval", "1", "--clock", "later"],
        &["eval", "1", "--random", "dice"],
        &["eval", "1", "--read-only"],
        &["eval", "1", "--max-operations", "0"],
    ] {
        let ran = hotcell(args);
        assert_eq!(ran.code, 2, "{args:?}\n{ran}");
        insta::with_settings!({ snapshot_suffix => args[2..].join("_").replace(['{', '}', '"', '[', ']', ':', '$', '='], "-") }, {
            insta::assert_snapshot!(ran);
        });
    }
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_not_read_to_it() {
    for option in ["--snapshot-in", "--snapshot-key"] {
        let ran = hotcell(&["eval", "1", option, "/dev/zero"]);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.stderr.contains("it has more than"), "{ran}");
    }
    for command in ["run", "check"] {
        let ran = hotcell(&[command, "/dev/zero"]);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.stderr.contains("larger than 64 MiB"), "{ran}");
    }
}

#[test]
fn files_that_are_not_what_they_should_be_are_named() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("state.bin"), "nonsense").unwrap();
    fs::write(dir.path().join("latin1.js"), b"'\xe9'").unwrap();
    let fails = |args: &[&str]| -> Ran {
        let ran = hotcell_in(dir.path(), args);
        assert_eq!(ran.code, 2, "{ran}");
        ran
    };
    insta::assert_snapshot!(fails(&["eval", "1", "--snapshot-in", "state.bin"]));
    insta::assert_snapshot!(fails(&["run", "latin1.js"]));
    insta::assert_snapshot!(fails(&["eval", "1", "--workspace", "nowhere"]));
    insta::assert_snapshot!(fails(&["eval", "1", "--snapshot-out", "nowhere/state.bin"]));
}

#[test]
fn a_run_that_fails_still_says_what_was_warned_of() {
    let ran = hotcell(&[
        "eval",
        "console.log(1);\nawait fetch('https://example.com')",
    ]);
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stderr.contains("fetch is not defined"), "{ran}");
    assert_eq!(
        ran.stderr.matches("there is no network").count(),
        1,
        "{ran}"
    );
}

#[test]
fn an_observation_is_what_a_model_should_read_next() {
    let ran = hotcell(&["eval", "--observation", "console.log('hm'); missing"]);
    assert_eq!(ran.code, 1, "{ran}");
    assert!(
        ran.stdout
            .starts_with("Error: Runtime exception: ReferenceError: missing"),
        "{ran}"
    );
    assert!(
        ran.stdout.contains("> 1 | console.log('hm'); missing"),
        "{ran}"
    );
    assert!(
        ran.stdout.ends_with("Logs before the error:\nhm\n"),
        "{ran}"
    );
    let ran = hotcell(&[
        "eval",
        "--observation",
        "--max-characters",
        "300",
        "'x'.repeat(5000)",
    ]);
    assert!(
        ran.ok().len() <= 300 && ran.ok().contains("left out"),
        "{ran}"
    );
}

#[test]
fn options_that_are_misspelt_or_out_of_range_say_so() {
    let ran = hotcell(&["eval", "--tiemout", "5s", "1"]);
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.stderr.contains("did you mean --timeout?"), "{ran}");
    assert_eq!(hotcell(&["eval", "let n = 1; n--; --n"]).ok(), "-1");
    for (option, value) in [
        ("--timeout", "-5s"),
        ("--max-operations", "-5"),
        ("--memory", "-1MiB"),
    ] {
        let ran = hotcell(&["eval", "1", option, value]);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(
            ran.stderr.contains(option) && ran.stderr.contains("expected"),
            "{ran}"
        );
    }
}

#[test]
fn where_json_was_asked_for_wrong_usage_is_told_in_json() {
    let cases: [(&[&str], &str); 28] = [
        // Wrong values.
        (
            &["eval", "--json", "--timeout", "x", "1"],
            "unknown unit \"x\"",
        ),
        (
            &["eval", "--json", "1", "--timeout", "5"],
            "a unit is missing",
        ),
        (&["eval", "1", "--cpu-time", "soon", "--json"], "--cpu-time"),
        (&["eval", "--json", "1", "--memory", "lots"], "--memory"),
        (
            &["eval", "--json", "1", "--clock", "later"],
            "expected none, real",
        ),
        (
            &["eval", "--json", "1", "--timers", "maybe"],
            "none, run or persist",
        ),
        (&["eval", "--json", "1", "--var", "x"], "expected name=json"),
        (
            &["eval", "--json", "1", "--isolation", "maybe"],
            "--isolation",
        ),
        (
            &["run", "--json", "x.js", "--max-log", "10"],
            "at least 1KiB",
        ),
        // Negative ones.
        (
            &["eval", "--json", "1", "--timeout", "-5s"],
            "no sign before it",
        ),
        (
            &["eval", "--timeout", "-5s", "--json", "1"],
            "no sign before it",
        ),
        (
            &["eval", "--json", "1", "--max-operations", "-5"],
            "at least 1",
        ),
        (
            &["eval", "--json", "1", "--memory=-1MiB"],
            "no sign before it",
        ),
        (
            &["run", "--json", "x.js", "--max-host-memory", "-1"],
            "no sign before it",
        ),
        // Options that there are not.
        (
            &["eval", "--tiemout", "5s", "--json", "1"],
            "did you mean --timeout?",
        ),
        (
            &["eval", "--json", "--tiemout=5s", "1"],
            "did you mean --timeout?",
        ),
        (
            &["eval", "--nonsense", "5s", "--json", "1"],
            "there is no option --nonsense",
        ),
        (
            &["eval", "--json", "1", "--nonsense"],
            "there is no option --nonsense",
        ),
        (&["run", "--tiemout", "5s", "--json", "x.js"], "'--timeout'"),
        (&["check", "--json", "x.js", "--nonsense"], "--nonsense"),
        (&["doctor", "--json", "--nonsense"], "--nonsense"),
        (&["program", "list", "--json", "--nonsense"], "--nonsense"),
        // What is missing.
        (&["eval", "--json"], "<CODE>"),
        (&["run", "--json"], "<FILE>"),
        (&["run", "--json", "missing.js"], "missing.js"),
        (&["check", "--json", "missing.js"], "missing.js"),
        (
            &["eval", "--json", "1", "--snapshot-in", "missing.bin"],
            "missing.bin",
        ),
        (
            &["eval", "--json", "1", "--workspace", "missing"],
            "missing",
        ),
    ];
    for (args, told) in cases {
        let ran = hotcell(args);
        assert_eq!((ran.code, &*ran.stderr), (2, ""), "{args:?} {ran}");
        let json = ran.json();
        assert_eq!((&json["ok"], &json["exitCode"]), (&false.into(), &2.into()));
        assert_eq!(json["error"]["code"], "ERR_USAGE", "{ran}");
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains(told), "{args:?} {message}");
    }
    // Where it was not, in words.
    for args in [
        &["eval", "--nonsense", "5s", "1"][..],
        &["eval", "1", "--timeout", "x", "--", "--json"],
    ] {
        let ran = hotcell(args);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{args:?} {ran}");
    }
}

#[test]
fn the_answer_format_of_the_prompt_can_be_run() {
    let answer = "Thought: I add.\n<code>\n```js\n1 + 2\n```\n</code>";
    assert_eq!(ran(&mut command(&["run", "-"]), answer).ok(), "3");
}

#[test]
fn the_caret_stands_under_wide_characters() {
    let ran = hotcell(&["eval", "'日本'; nothing"]);
    assert!(
        ran.stderr
            .contains("> 1 | '日本'; nothing\n    |         ^"),
        "{ran}"
    );
}
