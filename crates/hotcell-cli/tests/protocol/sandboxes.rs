//! Sandboxes over the wire.

use std::fs;

use serde_json::{Value as Json, json};
use tempfile::tempdir;

use crate::client::Client;

/// A sandbox, and a function that adds it to params.
fn sandbox(client: &mut Client, options: Json) -> (String, impl Fn(Json) -> Json + use<>) {
    let made = client.call("sandbox.create", json!({ "options": options }));
    let id = made["sandbox"].as_str().unwrap().to_owned();
    let of = id.clone();
    (id, move |mut params: Json| {
        params["sandbox"] = json!(of);
        params
    })
}

#[test]
fn a_sandbox_runs_commands_and_keeps_its_shell() {
    let mut client = Client::new();
    let (_, of) = sandbox(
        &mut client,
        json!({ "files": { "prices": "tea 3\ncake 4\n" }, "env": { "WHO": "you" } }),
    );
    let mut run = |command: &str| client.call("sandbox.run", of(json!({ "command": command })));
    let ran = run("awk '{ s += $2 } END { print s }' prices; echo oops >&2; exit 3");
    assert_eq!(
        (&ran["exitCode"], &ran["stdout"], &ran["stderr"]),
        (&json!(3), &json!("7\n"), &json!("oops\n"))
    );
    assert_eq!(ran["truncated"], json!({ "stdout": 0, "stderr": 0 }));
    assert!(ran["durationMs"].is_number() && ran["errorClass"].is_null());
    run("greet() { echo \"hello $1\"; }; mkdir d; cd d");
    assert_eq!(
        run("pwd; greet $WHO")["stdout"],
        "/workspace/d\nhello you\n"
    );
    // What is no text comes as base64, and goes so.
    assert_eq!(
        run("printf '\\xff\\x00'")["stdout"],
        json!({ "base64": "/wA=" })
    );
    let given = json!({ "command": "od -An -tx1", "stdin": { "base64": "/wA=" } });
    assert_eq!(client.call("sandbox.run", of(given))["stdout"], " ff 00\n");
    let history = client.call("sandbox.history", of(json!({})));
    assert_eq!(
        history["entries"][1]["command"],
        "greet() { echo \"hello $1\"; }; mkdir d; cd d"
    );
    assert_eq!(
        client.call("sandbox.state", of(json!({}))),
        json!({ "cwd": "/workspace/d", "running": false })
    );
}

#[test]
fn failures_of_the_sandbox_have_their_class() {
    let mut client = Client::new();
    let (_, of) = sandbox(
        &mut client,
        json!({ "allowedCommands": ["yes", "sleep"], "limits": { "outputBytes": 100 } }),
    );
    let mut run = |command: &str| {
        client.call(
            "sandbox.run",
            of(json!({ "command": command, "timeoutMs": 200 })),
        )
    };
    let killed = run("echo begun; while :; do :; done");
    assert_eq!(
        (
            &killed["exitCode"],
            &killed["errorClass"],
            &killed["stdout"]
        ),
        (&json!(124), &json!("TIMEOUT"), &json!("begun\n"))
    );
    let denied = run("curl http://example.com");
    assert_eq!(denied["errorClass"], "CAPABILITY_DENIED");
    assert_eq!(denied["denials"][0]["subject"], "curl");
    let flood = run("for i in {1..1000}; do echo $i; done");
    assert!(flood["truncated"]["stdout"].as_u64().unwrap() > 0);
    assert_eq!(flood["stdout"].as_str().unwrap().len(), 100);
    assert_eq!(run("echo alive")["stdout"], "alive\n");
}

#[test]
fn a_command_is_cancelled_and_the_next_one_runs() {
    let mut client = Client::new();
    let (_, of) = sandbox(&mut client, json!({}));
    // In one breath: the run has begun when the cancel comes.
    let stuck = client.send("sandbox.run", of(json!({ "command": "sleep 1000 | cat" })));
    let next = client.send("sandbox.run", of(json!({ "command": "echo next" })));
    let cancel = client.send("sandbox.cancel", of(json!({})));
    assert_eq!(client.wait_result(&cancel), json!({}));
    let stuck = client.wait_result(&stuck);
    assert_eq!(
        (&stuck["exitCode"], &stuck["errorClass"]),
        (&json!(125), &json!("CANCELLED"))
    );
    assert_eq!(client.wait_result(&next)["stdout"], "next\n");
}

#[test]
fn output_is_told_as_it_comes() {
    let mut client = Client::new();
    let (id, of) = sandbox(&mut client, json!({}));
    let command = json!({ "command": "echo one; sleep 1000", "streamAs": "mine" });
    let running = client.send("sandbox.run", of(command));
    let told = client.next_other();
    assert_eq!(told["method"], "sandbox.output");
    assert_eq!(
        told["params"],
        json!({ "sandbox": id, "run": "mine", "stream": "stdout", "data": "one\n" })
    );
    client.call("sandbox.cancel", of(json!({})));
    assert_eq!(client.wait_result(&running)["stdout"], "one\n");
}

#[test]
fn files_of_a_sandbox_are_there_for_the_client() {
    let mut client = Client::new();
    let (_, of) = sandbox(&mut client, json!({}));
    for (method, params) in [
        ("mkdir", json!({ "path": "a/b", "parents": true })),
        ("writeFile", json!({ "path": "a/b/f", "content": "one\n" })),
        (
            "appendFile",
            json!({ "path": "a/b/f", "content": { "base64": "dHdvCg==" } }),
        ),
        ("chmod", json!({ "path": "a/b/f", "mode": 0o600 })),
        ("rename", json!({ "path": "a/b/f", "to": "a/g" })),
        ("symlink", json!({ "path": "l", "target": "a/g" })),
    ] {
        assert_eq!(
            client.call(&format!("sandbox.{method}"), of(params)),
            json!({})
        );
    }
    let read = client.call("sandbox.readFile", of(json!({ "path": "l" })));
    assert_eq!(read, json!({ "content": "one\ntwo\n" }));
    let stat = client.call("sandbox.stat", of(json!({ "path": "l" })));
    assert_eq!(
        (&stat["type"], &stat["size"], &stat["mode"]),
        (&json!("file"), &json!(8), &json!(0o600))
    );
    let link = client.call("sandbox.stat", of(json!({ "path": "l", "follow": false })));
    assert_eq!(link["type"], "symlink");
    let names = client.call("sandbox.readDir", of(json!({ "path": "a" })));
    assert_eq!(
        names["entries"],
        json!([{ "name": "b", "type": "directory" }, { "name": "g", "type": "file" }])
    );
    let archive = client.call("sandbox.export", of(json!({ "path": "a" })))["archive"].clone();
    client.call(
        "sandbox.remove",
        of(json!({ "path": "a", "recursive": true })),
    );
    let error = client.call_error("sandbox.readFile", of(json!({ "path": "a/g" })));
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32000), &json!("ENOENT"))
    );
    assert_eq!(error["data"]["path"], "/workspace/a/g");
    client.call("sandbox.mkdir", of(json!({ "path": "in" })));
    client.call(
        "sandbox.import",
        of(json!({ "path": "in", "archive": archive })),
    );
    let ran = client.call(
        "sandbox.run",
        of(json!({ "command": "find in -type f | xargs cat" })),
    );
    assert_eq!(ran["stdout"], "one\ntwo\n");
}

#[test]
fn forks_and_snapshots_go_their_own_way() {
    let mut client = Client::new();
    let (_, of) = sandbox(&mut client, json!({}));
    client.call(
        "sandbox.run",
        of(json!({ "command": "x=1; f() { echo f$x; }; echo a > a" })),
    );
    client.call("sandbox.setEnv", of(json!({ "name": "Y", "value": "two" })));
    let fork = client.call("sandbox.fork", of(json!({})))["sandbox"].clone();
    client.call(
        "sandbox.run",
        json!({ "sandbox": fork, "command": "x=2; rm a" }),
    );
    assert_eq!(
        client.call("sandbox.run", of(json!({ "command": "f; cat a; echo $Y" })))["stdout"],
        "f1\na\ntwo\n"
    );
    let snapshot = client.call("sandbox.snapshot", json!({ "sandbox": fork }))["snapshot"].clone();
    client.call("sandbox.destroy", of(json!({})));
    // In another process.
    let mut other = Client::new();
    let later = other.call("sandbox.restore", json!({ "snapshot": snapshot }))["sandbox"].clone();
    let ran = other.call(
        "sandbox.run",
        json!({ "sandbox": later, "command": "f; ls; env | grep ^Y" }),
    );
    assert_eq!(ran["stdout"], "f2\nY=two\n");
    let value = |client: &mut Client, name: &str| {
        client.call("sandbox.getEnv", json!({ "sandbox": later, "name": name }))["value"].clone()
    };
    assert_eq!(value(&mut other, "Y"), "two");
    other.call(
        "sandbox.setEnv",
        json!({ "sandbox": later, "name": "Y", "value": null }),
    );
    assert_eq!(value(&mut other, "Y"), Json::Null);
}

#[test]
fn a_directory_is_mounted_and_taken_away() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("f"), "host\n").unwrap();
    let mut client = Client::new();
    let (_, of) = sandbox(&mut client, json!({}));
    let mount = json!({ "path": "/m", "directory": dir.path(), "access": "overlay" });
    client.call("sandbox.mount", of(mount));
    let ran = client.call(
        "sandbox.run",
        of(json!({ "command": "cat /m/f; echo x > /m/f; cat /m/f" })),
    );
    assert_eq!(ran["stdout"], "host\nx\n");
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "host\n");
    client.call("sandbox.unmount", of(json!({ "path": "/m" })));
    let gone = client.call("sandbox.run", of(json!({ "command": "cat /m/f" })));
    assert_eq!(gone["exitCode"], 1);
}

#[test]
fn an_executor_and_a_sandbox_work_on_the_same_files() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    let (id, of) = sandbox(&mut client, json!({}));
    client.call(
        "executor.attachSandbox",
        json!({ "executor": executor, "sandbox": id }),
    );
    let step = "await write('n', '3\\n1\\n'); const r = await bash('sort n | tee s'); [r.exitCode, r.stdout]";
    assert_eq!(client.run(&executor, step), json!([0, "1\n3\n"]));
    assert_eq!(
        client.call("sandbox.readFile", of(json!({ "path": "s" })))["content"],
        "1\n3\n"
    );
    // A snapshot of the executor carries the sandbox along.
    let snapshot =
        client.call("executor.snapshot", json!({ "executor": executor }))["snapshot"].clone();
    let later =
        client.call("executor.restore", json!({ "snapshot": snapshot }))["executor"].clone();
    let later = later.as_str().unwrap();
    assert_eq!(
        client.run(later, "(await bash('cat s; rm s')).stdout"),
        json!("1\n3\n")
    );
    assert_eq!(
        client.run(&executor, "(await bash('cat s')).stdout"),
        json!("1\n3\n")
    );
}

/// A program that prints a word.
const HELLO: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\08\00\00\00\05\00\00\00hello")
    (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)))))"#;

#[test]
fn programs_are_what_the_client_says_and_else_what_is_installed() {
    let dir = tempdir().unwrap();
    let module = dir.path().join("hello.wasm");
    fs::write(&module, wat::parse_str(HELLO).unwrap()).unwrap();
    for isolation in ["thread", "process"] {
        let mut client = Client::new();
        let (_, of) = sandbox(
            &mut client,
            json!({ "programs": { "greet": module }, "isolation": isolation }),
        );
        let ran = client.call("sandbox.run", of(json!({ "command": "greet | rev" })));
        assert_eq!(ran["stdout"], "olleh", "{ran}");
        let ran = client.call("sandbox.run", of(json!({ "command": "python3" })));
        let told = ran["stderr"].as_str().unwrap();
        assert!(told.contains("give it with the option programs"), "{told}");
    }
    let mut client = Client::new();
    let options = json!({ "programs": { "greet": "/nowhere.wasm" } });
    let error = client.call_error("sandbox.create", json!({ "options": options }));
    assert_eq!(error["code"], -32602);
    let told = error["message"].as_str().unwrap();
    assert!(
        told.contains("option programs: failed to read /nowhere.wasm"),
        "{told}"
    );
}

#[test]
fn a_network_policy_says_what_is_reached_and_an_audit_what_was_decided() {
    let mut client = Client::new();
    let secret = "sk-never-told-4711";
    let (id, of) = sandbox(
        &mut client,
        json!({
            "audit": true,
            "network": {
                "rules": ["api.example GET"],
                "secrets": [{ "name": "token", "hosts": ["api.example"], "value": secret }],
            },
        }),
    );
    let told = client.next_other();
    assert_eq!(
        told,
        json!({
            "jsonrpc": "2.0",
            "method": "sandbox.audit",
            "params": { "event": "create", "sandbox": id, "origin": "new" },
        })
    );
    let ran = client.call(
        "sandbox.run",
        of(json!({ "command": "curl -s https://evil.example/; exit 3" })),
    );
    assert_eq!(ran["errorClass"], "CAPABILITY_DENIED");
    assert_eq!(ran["denials"][0]["subject"], "https://evil.example/");
    let fork = client.call("sandbox.fork", of(json!({})))["sandbox"].clone();
    client.call("sandbox.destroy", json!({ "sandbox": fork }));
    let mut events = Vec::new();
    while events.last() != Some(&json!({ "event": "destroy", "sandbox": fork })) {
        let told = client.next_other();
        assert_eq!(told["method"], "sandbox.audit");
        assert!(!told.to_string().contains("4711"), "{told}");
        events.push(told["params"].clone());
    }
    let [start, deny, end, forked, _destroyed] = &*events else {
        panic!("{events:?}");
    };
    assert_eq!(
        (&start["event"], &start["run"]),
        (&json!("start"), &json!(1))
    );
    assert_eq!(
        (&deny["event"], &deny["capability"], &deny["subject"]),
        (
            &json!("deny"),
            &json!("network"),
            &json!("https://evil.example/")
        )
    );
    assert!(deny["reason"].as_str().unwrap().contains("api.example"));
    assert_eq!(
        (&end["event"], &end["exitCode"]),
        (&json!("end"), &json!(3))
    );
    assert_eq!(
        (&forked["origin"], &forked["of"]),
        (&json!("fork"), &json!(id))
    );

    for (options, told) in [
        (json!({ "audit": 1 }), "option audit is 1"),
        (
            json!({ "network": { "rules": ["ftp://x"] } }),
            "option network",
        ),
        (
            json!({ "network": { "secrets": [{ "name": "a", "hosts": [], "value": secret }] } }),
            "it is for no host",
        ),
        (
            json!({ "network": { "secrets": [secret] } }),
            "secrets[0] cannot be read",
        ),
    ] {
        let error = client.call_error("sandbox.create", json!({ "options": options }));
        assert_eq!(error["code"], -32602, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(told) && !message.contains("4711"),
            "{message}"
        );
    }
}

#[test]
fn what_is_wrong_with_params_is_said() {
    let mut client = Client::new();
    let (_, of) = sandbox(&mut client, json!({ "concurrency": "refuse" }));
    for (method, params, told) in [
        (
            "sandbox.create",
            json!({ "options": { "limits": { "files": -1 } } }),
            "limits.files",
        ),
        (
            "sandbox.create",
            json!({ "options": { "file": {} } }),
            "allowedCommands",
        ),
        ("sandbox.run", json!({ "command": "ls" }), "sandbox"),
        (
            "sandbox.run",
            json!({ "sandbox": "s999", "command": "ls" }),
            "s999",
        ),
        ("sandbox.run", of(json!({ "command": 1 })), "base64"),
        (
            "sandbox.run",
            of(json!({ "command": "ls", "timeoutMs": 0 })),
            "timeoutMs",
        ),
        (
            "sandbox.run",
            of(json!({ "command": "ls", "timeout": 1 })),
            "timeout",
        ),
        (
            "sandbox.mount",
            of(json!({ "path": "/m", "access": "overlay" })),
            "directory",
        ),
        ("sandbox.restore", json!({ "snapshot": "?" }), "base64"),
    ] {
        let error = client.call_error(method, params);
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], -32602, "{message}");
        assert!(message.contains(told), "{message}");
    }
    let error = client.call_error("sandbox.restore", json!({ "snapshot": "AAAA" }));
    assert_eq!(error["data"]["code"], "SNAPSHOT");
    let stuck = client.send("sandbox.run", of(json!({ "command": "sleep 1000" })));
    let refused = client.call_error("sandbox.run", of(json!({ "command": "ls" })));
    assert_eq!(refused["data"]["code"], "BUSY");
    client.call("sandbox.destroy", of(json!({})));
    assert_eq!(client.wait_result(&stuck)["errorClass"], "CANCELLED");
    assert_eq!(
        client.call_error("sandbox.state", of(json!({})))["code"],
        -32602
    );
}

/// The isolations that a server may insist on.
#[cfg(target_os = "linux")]
const ISOLATIONS: [&[&str]; 2] = [&[], &["--isolation", "process"]];
#[cfg(not(target_os = "linux"))]
const ISOLATIONS: [&[&str]; 1] = [&[]];

#[test]
fn commands_that_were_not_awaited_end_with_their_run() {
    for args in ISOLATIONS {
        let mut client = Client::with(args);
        let executor = client.executor(json!({}));
        let (id, of) = sandbox(&mut client, json!({}));
        client.call(
            "executor.attachSandbox",
            json!({ "executor": executor, "sandbox": id }),
        );
        let is_free = |client: &mut Client| {
            let echo = json!({ "command": "echo ok", "timeoutMs": 60_000 });
            assert_eq!(client.call("sandbox.run", of(echo))["stdout"], "ok\n");
        };
        let code = "bash('while :; do :; done'); throw new Error('enough')";
        client.call_error(
            "executor.run",
            json!({ "executor": executor, "code": code }),
        );
        is_free(&mut client);

        let code = "for (let i = 0; i < 100; i++) bash('sleep 1000'); 1";
        assert_eq!(client.run(&executor, code), 1);
        is_free(&mut client);

        let code = "globalThis.later = bash('sleep 1000'); 2";
        assert_eq!(client.run(&executor, code), 2);
        let code = "(await bash('echo hi')).stdout";
        assert_eq!(client.run(&executor, code), "hi\n");
        let code = "try { await later } catch (error) { error.message }";
        let message = client.run(&executor, code);
        let message = message.as_str().unwrap();
        assert!(message.contains("ended with the run"), "{message}");
    }
}

#[test]
fn a_command_that_waits_is_answered_when_its_time_is_over() {
    for args in ISOLATIONS {
        let mut client = Client::with(args);
        let (_, of) = sandbox(&mut client, json!({}));
        let first = client.send("sandbox.run", of(json!({ "command": "sleep 1000" })));
        let second = of(json!({ "command": "echo never", "timeoutMs": 100 }));
        let late = client.call("sandbox.run", second);
        assert_eq!(late["exitCode"], 124, "{late}");
        assert_eq!(late["errorClass"], "TIMEOUT", "{late}");
        client.call("sandbox.cancel", of(json!({})));
        assert_eq!(client.wait_result(&first)["exitCode"], 125);
    }
}
