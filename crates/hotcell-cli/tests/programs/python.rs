//! CPython as people use it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use serde_json::{Value as Json, json};
use tempfile::tempdir;

use crate::{data, install, is_killed, with};

#[test]
fn code_and_scripts_run_with_arguments_and_streams() {
    let shell = with("python");
    for (command, says) in [
        ("python3 -c 'print(1)'", "1"),
        ("echo 'print(6 * 7)' | python", "42"),
        (
            "python3 - a <<< 'import sys; print(sys.argv)'",
            "['-', 'a']",
        ),
        (
            "echo 'import sys; print(sys.argv[1:], input())' > s.py; echo in | python3 s.py x 'y z'",
            "['x', 'y z'] in",
        ),
        (
            "printf '#!/usr/bin/env python3\\nprint(\"as a script\")\\n' > x; chmod +x x; ./x",
            "as a script",
        ),
        ("x=$(python3 -c 'print(\"captured\")'); echo $x", "captured"),
        (
            "NAME=value python3 -c 'import os; print(os.environ[\"NAME\"], os.getcwd())'",
            "value /workspace",
        ),
        (
            "python3 -m json.tool --compact <<< '{ \"b\": 1 }'",
            "{\"b\":1}",
        ),
        (
            "python3 -c 'import time; t = time.monotonic(); time.sleep(0.2); print(time.monotonic() - t >= 0.2)'",
            "True",
        ),
    ] {
        assert_eq!(shell.sh(command).ok(), says, "{command}");
    }
}

#[test]
fn codes_and_messages_are_pythons() {
    let shell = with("python");
    for (command, code, said) in [
        ("python3 -c 'import sys; sys.exit(7)'", 7, ""),
        (
            "python3 -c 'raise ValueError(\"bad\")'",
            1,
            "ValueError: bad",
        ),
        (
            "python3 -c 'print('",
            1,
            "SyntaxError: '(' was never closed",
        ),
        ("python3 nosuch.py", 2, "can't open file"),
        ("python3 -c 'x = bytearray(10 ** 9)'", 1, "MemoryError"),
        // What is not to be had here is an error of Python's.
        (
            "python3 -c 'import socket; socket.socket()'",
            1,
            "Not supported",
        ),
        (
            "python3 -c 'import subprocess; subprocess.run([\"ls\"])'",
            1,
            "wasi does not support processes",
        ),
        ("python3 -c 'open(\"/etc/shadow\")'", 1, "FileNotFoundError"),
    ] {
        let ran = shell.sh(command);
        assert_eq!(ran.code, code, "{command}: {ran}");
        assert!(ran.stderr.contains(said), "{command}: {ran}");
    }
}

#[test]
fn files_are_those_of_the_shell_and_not_the_machines() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("data.csv"), "b,2\na,1\n").unwrap();
    let ran = with("python").on(dir.path()).sh(r#"
        echo 'import csv, sys
for name, count in csv.reader(sys.stdin): print(name * int(count))' > s.py
        python3 s.py < data.csv | sort
        python3 -c 'import os
os.makedirs("p/q"); open("p/q/mod.py", "w").write("V = 3\n")
os.symlink("../data.csv", "p/link"); os.rename("data.csv", "moved.csv"); os.chmod("s.py", 0o600)
print(sorted(os.listdir(".")), os.path.lexists("p/link"), os.path.exists("p/link"))'
        cat p/q/mod.py; wc -l < moved.csv; readlink p/link
        python3 -c 'import p.q.mod as m; print(m.V)'
        cd p; python3 -c 'import q.mod; print(q.mod.__file__)'
    "#);
    assert_eq!(
        ran.ok(),
        "a\nbb\n['moved.csv', 'p', 's.py'] True False\nV = 3\n2\n../data.csv\n3\n/workspace/p/q/mod.py"
    );
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "the machine's directory is as it was");
}

#[test]
fn it_stands_in_pipelines() {
    let shell = with("python");
    for (command, says) in [
        (
            "seq 5 | python3 -c 'import sys; print(sum(map(int, sys.stdin)))' | sed 's/^/sum /'",
            "sum 15",
        ),
        (
            "python3 -c 'import json; print(json.dumps({\"a\": [1, 2]}))' | jq -c .a",
            "[1,2]",
        ),
        (
            "python3 -c 'print(\"x\" * 300000, end=\"\")' | python3 -c 'import sys; print(len(sys.stdin.read()))'",
            "300000",
        ),
        (
            "touch a.txt b.txt; find . -name '*.txt' | sort | xargs python3 -c 'import sys; print(sys.argv[1:])'",
            "['./a.txt', './b.txt']",
        ),
        (
            "python3 -c 'for i in range(100000): print(i)' | head -2; echo ${PIPESTATUS[@]}",
            "0\n1\n141 0",
        ),
    ] {
        assert_eq!(shell.sh(command).ok(), says, "{command}");
    }
}

#[test]
fn it_is_killed_wherever_it_is() {
    is_killed(
        || with("python"),
        &[
            "python3 -c 'while True: pass'",
            "python3 -c 'import re; re.match(\"(a+)+$\", \"a\" * 40 + \"b\")'",
            "python3 -c 'import time; time.sleep(1000)'",
            "python3 -c 'sum(range(10 ** 15))'",
        ],
        "python3 -c 'print(\"well\")'",
        "well",
    );
}

#[test]
fn what_was_written_before_a_kill_is_there() {
    let ran = with("python").sh(
        "timeout 2 python3 -c 'f = open(\"log\", \"w\"); print(\"one\", file=f, flush=True); print(\"out\", flush=True)\nwhile True: pass'; echo $?; cat log",
    );
    assert_eq!(ran.stdout, "out\n124\none\n", "{ran}");
}

#[test]
fn it_runs_in_a_jailed_worker_process_as_well() {
    install("python");
    let mut server = Command::new(env!("CARGO_BIN_EXE_hotcell"))
        .args(["serve", "--stdio", "--isolation", "process"])
        .env("HOTCELL_DATA", data())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ask = |method: &str, params: Json| -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(stdin, "{request}").unwrap();
        let answer: Json = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        answer["result"].clone()
    };
    let id = ask("sandbox.create", json!({}))["sandbox"].clone();
    let mut run = |command: &str, timeout: u64| {
        let params = json!({ "sandbox": id, "command": command, "timeoutMs": timeout });
        ask("sandbox.run", params)
    };
    let sum = "seq 5 > n; python3 -c 'import json, sys; print(json.dumps(sum(map(int, open(\"n\")))))' | rev";
    let ran = run(sum, 120_000);
    assert_eq!(
        (&ran["exitCode"], &ran["stdout"]),
        (&json!(0), &json!("51\n")),
        "{ran}"
    );
    // Its code is there from then on, also after a kill.
    let ran = run("echo begun; python3 -c 'while True: pass'", 1000);
    assert_eq!(
        (&ran["exitCode"], &ran["stdout"]),
        (&json!(124), &json!("begun\n")),
        "{ran}"
    );
    let ran = run(
        "python3 -c 'print(6 * 7)' | python3 -c 'print(input())'",
        120_000,
    );
    assert_eq!(ran["stdout"], "42\n", "{ran}");
    server.kill().unwrap();
    server.wait().unwrap();
}
