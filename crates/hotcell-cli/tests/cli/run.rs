//! `hotcell run` and `hotcell eval`.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::json;
use tempfile::tempdir;

use crate::{command, hotcell, hotcell_in, ran};

#[test]
fn the_value_of_the_last_expression_is_printed() {
    assert_eq!(hotcell(&["eval", "6 * 7"]).ok(), "42");
    assert_eq!(
        hotcell(&["eval", "'a text' + ' as it is'"]).ok(),
        "a text as it is"
    );
    assert_eq!(hotcell(&["eval", "const quiet = 1;"]).ok(), "");
    assert_eq!(
        hotcell(&["eval", "final_answer([1]); throw 1"]).ok(),
        "[ 1 ]"
    );
    assert_eq!(hotcell(&["eval", "-1"]).ok(), "-1");
}

#[test]
fn values_are_printed_for_people() {
    let code = r#"
        const me = { name: 'me' };
        me.self = me;
        const shared = { twice: true };
        ({
            plain: [1, -0, 1e21, 1e-7, 0.1, NaN, true, null, undefined, 123n, 'it\'s', "\n\u0001"],
            holes: [1, , , 4],
            keys: { ok: 1, 'not ok': 2, 3: 4 },
            me,
            shared: [shared, shared],
            map: new Map([['a', { b: 1 }], [1, 2]]),
            set: new Set(['x', 'y']),
            date: new Date(0),
            invalid: new Date(NaN),
            regexp: /a+/gi,
            bytes: new Uint8Array([1, 2, 255]),
            floats: new Float64Array([0.5, Infinity]),
            halves: new Int16Array([-1, 2]),
            buffer: new Uint8Array([104, 105]).buffer,
            view: new DataView(new ArrayBuffer(8), 2, 4),
            boxed: [Object(1), Object('s'), Object(false)],
            many: Array.from({ length: 120 }, (_, i) => i),
            long: 'x'.repeat(200),
            deep: [[[[[[[[[[1]]]]]]]]]],
            empty: [{}, [], new Map(), new Set()],
        })
    "#;
    insta::assert_snapshot!(hotcell(&["eval", code]));
}

#[test]
fn logs_come_on_their_streams() {
    let ran = hotcell(&[
        "eval",
        "console.log('one', { a: 1 }); console.warn('two'); console.info('three'); console.error('four')",
    ]);
    assert_eq!(ran.stdout, "one { a: 1 }\nthree\n");
    assert_eq!(ran.stderr, "two\nfour\n");
    assert_eq!(ran.code, 0);
}

#[test]
fn logs_come_as_they_are_printed() {
    let mut child = command(&[
        "eval",
        "console.log('on'); for (;;) {}",
        "--max-operations",
        "1000000000000",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut line = [0; 3];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(&line, b"on\n");
}

#[test]
fn code_comes_from_a_file_or_from_standard_input() {
    let dir = tempdir().unwrap();
    fs::write(
        dir.path().join("answer.ts"),
        "const n: number = 20;\nenum E { A = 1 }\nn * 2 + E.A",
    )
    .unwrap();
    assert_eq!(hotcell_in(dir.path(), &["run", "answer.ts"]).ok(), "41");
    let fenced = "Here it is:\n```js\nconst a = 1;\na + 1\n```\n";
    assert_eq!(ran(&mut command(&["run", "-"]), fenced).ok(), "2");
}

#[test]
fn json_is_one_object() {
    let json = hotcell(&[
        "eval",
        "--json",
        "console.log('x'); final_answer({ big: 1n })",
    ])
    .json();
    assert_eq!(json["version"], 1);
    assert_eq!(json["ok"], true);
    assert_eq!(json["exitCode"], 0);
    assert_eq!(
        json["output"],
        json!({"big": {"$": "bigint", "value": "1"}})
    );
    assert_eq!(json["logs"], "x");
    assert_eq!(json["is_final_answer"], true);
    assert_eq!(json["entries"][0]["level"], "log");
    assert_eq!(json["diagnostics"], json!([]));
    assert!(json["stats"]["wallMs"].is_number() && json["stats"]["peakMemoryBytes"].is_number());
}

#[test]
fn variables_are_json_with_tags() {
    let ran = hotcell(&[
        "eval",
        "[name, list.length, when.getTime(), Object.isFrozen(list)]",
        "--var",
        r#"name="Ada""#,
        "--var",
        "list=[1,2]",
        "--var",
        r#"when={"$":"date","value":"1970-01-01T00:00:01.000Z"}"#,
    ]);
    assert_eq!(ran.ok(), "[ 'Ada', 2, 1000, true ]");
}

#[test]
fn imports_have_to_be_allowed() {
    let dir = tempdir().unwrap();
    fs::write(
        dir.path().join("math.mjs"),
        "export const double = (n) => n * 2;",
    )
    .unwrap();
    let code = "const { double } = await import('math'); double(21)";
    assert_eq!(
        hotcell_in(
            dir.path(),
            &["eval", code, "--allow-import", "math=math.mjs"]
        )
        .ok(),
        "42"
    );
    let ran = hotcell_in(dir.path(), &["eval", code]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("ERR_IMPORT_NOT_ALLOWED"), "{ran}");
}

#[test]
fn a_workspace_gives_file_tools_and_nothing_outside_of_it() {
    let dir = tempdir().unwrap();
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    fs::write(inside.join("a.txt"), "hello\n").unwrap();
    let eval = |code: &str, more: &[&str]| {
        let mut args = vec!["eval", code, "--workspace", "inside"];
        args.extend(more);
        hotcell_in(dir.path(), &args)
    };
    assert_eq!(
        eval("(await read('a.txt')).content[0].text", &[]).ok(),
        "hello\n".trim_end()
    );
    assert_eq!(
        eval("await write({ path: 'b.txt', content: 'new' }); 1", &[]).ok(),
        "1"
    );
    assert_eq!(fs::read_to_string(inside.join("b.txt")).unwrap(), "new");

    let calls = eval("await ls(); 1", &["--json"]).json()["calls"].clone();
    assert_eq!(
        (&calls[0]["tool"], &calls[0]["outcome"]),
        (&json!("ls"), &json!("returned"))
    );

    let ran = eval("await read('../secret.txt')", &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("ERR_TOOL_PROXY_FAIL") && !ran.stdout.contains("secret"),
        "{ran}"
    );

    let listed = eval(
        "[typeof read, typeof ls, typeof write, typeof editTool].join()",
        &["--read-only"],
    );
    assert_eq!(listed.ok(), "function,function,undefined,undefined");
}

#[test]
fn time_and_chance_are_given_or_not() {
    assert_eq!(
        hotcell(&["eval", "Date.now()", "--clock", "1234"]).ok(),
        "1234"
    );
    assert_eq!(
        hotcell(&["eval", "Date.now() > 1.6e12", "--clock", "real"]).ok(),
        "true"
    );
    let drawn = || {
        hotcell(&["eval", "Math.random()", "--random", "7"])
            .ok()
            .to_owned()
    };
    assert_eq!(drawn(), drawn());
    let ran = hotcell(&["eval", "Date.now() + Math.random()"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("TypeError"), "{ran}");
}

#[test]
fn state_goes_on_in_another_process() {
    let dir = tempdir().unwrap();
    let first = [
        "eval",
        "let count = 41; const f = () => ++count;",
        "--snapshot-out",
        "state.bin",
    ];
    assert_eq!(hotcell_in(dir.path(), &first).ok(), "");
    let second = ["eval", "f()", "--snapshot-in", "state.bin"];
    assert_eq!(hotcell_in(dir.path(), &second).ok(), "42");
    assert_eq!(hotcell_in(dir.path(), &second).ok(), "42");
}

#[test]
fn a_sealed_state_is_taken_with_its_key_only() {
    let dir = tempdir().unwrap();
    std::fs::write(dir.path().join("key"), "a secret of many bytes\n").unwrap();
    std::fs::write(dir.path().join("other"), "another secret of many\n").unwrap();
    std::fs::write(dir.path().join("short"), "secret").unwrap();
    let run = |args: &[&str]| hotcell_in(dir.path(), args);
    let first = [
        "eval",
        "let count = 41;",
        "--snapshot-out",
        "state",
        "--snapshot-key",
        "key",
    ];
    assert_eq!(run(&first).ok(), "");
    let with = |key| {
        run(&[
            "eval",
            "count + 1",
            "--snapshot-in",
            "state",
            "--snapshot-key",
            key,
        ])
    };
    assert_eq!(with("key").ok(), "42");
    for (key, problem) in [
        ("other", "the seal of the snapshot does not fit"),
        ("short", "a key has at least 16 bytes"),
        ("missing", "failed to read"),
    ] {
        let ran = with(key);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.stderr.contains(problem), "{ran}");
    }
}

#[test]
fn what_is_kept_outside_of_the_cell_has_a_limit() {
    let code = "'x'.repeat(4_000_000)";
    let ran = hotcell(&["eval", code, "--max-host-memory", "2MiB"]);
    assert_eq!(ran.code, 137, "{ran}");
    assert!(ran.stderr.contains("maxHostMemoryBytes"), "{ran}");
    assert_eq!(
        hotcell(&["eval", code, "--max-host-memory", "64MiB"]).code,
        0
    );
}

#[test]
fn an_object_that_holds_much_many_times_is_not_shown_without_end() {
    let code = "const much = {}; for (let i = 0; i < 100; i++) much['k' + i] = 'x'.repeat(5000);
                let x = much; for (let i = 0; i < 6; i++) x = Array(100).fill(x); x";
    let ran = hotcell(&["eval", code]);
    let shown = ran.ok();
    assert!(shown.len() < 8 << 20, "{}", shown.len());
    let ran = hotcell(&["eval", "Array(60).fill(1n << 1_000_000n)"]);
    assert!(ran.ok().contains("0x1000"));
}

#[test]
fn there_are_no_colours_without_a_terminal() {
    let ran = hotcell(&["eval", "({ a: 'b' })"]);
    assert!(!ran.stdout.contains('\x1b'));
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let mut child = command(&[
        "eval",
        "for (let i = 0; i < 20000; i++) console.log('line ' + i)",
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn computing_has_a_limit_of_its_own() {
    let endless = ["eval", "for (;;) {}", "--max-operations", "1000000000000"];
    let ran = hotcell(&[&endless[..], &["--timeout", "none", "--cpu-time", "50ms"]].concat());
    assert_eq!(ran.code, 124, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("after 50ms of computing"),
        "{}",
        ran.stderr
    );
    let ran = hotcell(&[&endless[..], &["--timeout", "none"]].concat());
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("--timeout none needs --cpu-time"),
        "{}",
        ran.stderr
    );
}

#[test]
fn timers_are_granted_by_a_flag() {
    let code = "await new Promise((done) => setTimeout(done, 5, 'waited'))";
    assert_eq!(hotcell(&["eval", code, "--timers", "run"]).ok(), "waited");
    let ran = hotcell(&["eval", code]);
    assert!(ran.stderr.contains("there are no timers"), "{}", ran.stderr);
    let day = "await new Promise((done) => setTimeout(done, 86_400_000)); Date.now()";
    assert_eq!(
        hotcell(&["eval", day, "--timers", "run", "--clock", "0"]).ok(),
        "86400000"
    );
}
