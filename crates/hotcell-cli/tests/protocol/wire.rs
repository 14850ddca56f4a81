use serde_json::{Value as Json, json};

use crate::client::Client;

#[test]
fn lines_that_are_no_json_are_answered_and_survived() {
    let mut client = Client::new();
    for line in ["nonsense", "{", "{}}", "\"\\ud800\"", "[1,", "\u{0}"] {
        client.raw(line);
        let answer = client.next_other();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Json::Null, &json!(-32700)),
            "{line}"
        );
    }
    client.raw("");
    client.raw("   \t");
    let e = client.executor(json!({}));
    assert_eq!(client.run(&e, "1"), 1);
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let mut client = Client::new();
    for line in [
        "1",
        "null",
        "\"x\"",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"executor.create"}"#,
        r#"{"id":1,"method":"executor.create"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"executor.create","params":3}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"executor.create"}"#,
        r#"{"jsonrpc":"2.0","id":"t1","result":1,"error":{}}"#,
        "[]",
    ] {
        client.raw(line);
        assert_eq!(client.next_other()["error"]["code"], -32600, "{line}");
    }
}

#[test]
fn ids_come_back_as_they_were() {
    let mut client = Client::new();
    for id in [
        json!(1),
        json!(1.5),
        json!("x"),
        json!(null),
        json!(-9_007_199_254_740_991_i64),
    ] {
        client.raw(&json!({"jsonrpc": "2.0", "id": id, "method": "executor.create"}).to_string());
        let answer = client.next_other();
        assert_eq!(answer["id"], id);
        assert!(answer["result"]["executor"].is_string());
    }
}

#[test]
fn unknown_methods_and_params_are_named() {
    let mut client = Client::new();
    let error = client.call_error("executor.explode", json!({}));
    assert_eq!(error["code"], -32601);
    assert!(error["message"].as_str().unwrap().contains("executor.run"));
    let e = client.executor(json!({}));
    for (method, params, told) in [
        (
            "executor.create",
            json!({"options": {"timeout": 5}}),
            "timeout",
        ),
        (
            "executor.create",
            json!({"options": {"maxLogBytes": 1}}),
            "maxLogBytes",
        ),
        ("executor.create", json!({"option": {}}), "option"),
        ("executor.create", json!({"modules": {"a": 1}}), "string"),
        ("executor.init", json!({}), "executor"),
        ("executor.init", json!({"executor": 1}), "executor"),
        ("executor.init", json!({"executor": "e999"}), "e999"),
        ("executor.run", json!({"executor": e}), "code"),
        ("executor.run", json!({"executor": e, "code": 1}), "string"),
        (
            "executor.run",
            json!({"executor": e, "code": "1", "timeout": 1}),
            "timeout",
        ),
        (
            "executor.run",
            json!({"executor": e, "code": "1", "timeoutMs": 0}),
            "timeoutMs",
        ),
        (
            "executor.sendVariables",
            json!({"executor": e, "variables": {"x": [{"$": "what"}]}}),
            "variables.x[0].$",
        ),
        ("executor.state", json!({"executor": e, "more": 1}), "more"),
    ] {
        let error = client.call_error(method, params.clone());
        assert_eq!(error["code"], -32602, "{params}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(told), "{params}: {message}");
    }
    let id = client.send("executor.create", json!([]));
    assert_eq!(client.wait_error(&id)["code"], -32602);
}

#[test]
fn options_with_a_rule_of_their_own_are_reported_by_the_run() {
    let mut client = Client::new();
    let e = client.executor(json!({"timeoutMs": -5, "maxOperations": "many"}));
    let error = client.call_error("executor.run", json!({"executor": e, "code": "1"}));
    assert_eq!(error["data"]["code"], "ERR_VALIDATION_FAILED");
    let rules = error["data"]["details"]["diagnostics"].to_string();
    assert!(
        rules.contains("timeout_valid") && rules.contains("max_operations_valid"),
        "{rules}"
    );
}

#[test]
fn notifications_are_obeyed_in_silence() {
    let mut client = Client::new();
    let e = client.executor(json!({"runConcurrency": "queue", "maxQueuedRuns": 1}));
    client.raw(&json!({"jsonrpc": "2.0", "method": "executor.run", "params": {"executor": e, "code": "let quiet = 1;"}}).to_string());
    client.raw(r#"{"jsonrpc":"2.0","method":"no.such.method"}"#);
    // In order, so it has happened by now.
    assert_eq!(client.run(&e, "quiet"), 1);
    assert_eq!(client.others, Vec::<Json>::new());
}

#[test]
fn a_batch_is_answered_as_one() {
    let mut client = Client::new();
    let e = client.executor(json!({"runConcurrency": "queue", "maxQueuedRuns": 10}));
    let request = |id: u64, code: &str| json!({"jsonrpc": "2.0", "id": id, "method": "executor.run", "params": {"executor": e, "code": code}});
    let batch = json!([
        request(1, "var n = 1; n"),
        request(2, "n + 1"),
        {"jsonrpc": "2.0", "method": "executor.state", "params": {"executor": e}},
        {"jsonrpc": "2.0", "id": 3, "method": "nope"},
        4,
    ]);
    client.raw(&batch.to_string());
    let answers = client.next_other();
    let mut answers = answers.as_array().unwrap().clone();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), 4);
    assert_eq!(
        (&answers[0]["id"], &answers[0]["error"]["code"]),
        (&Json::Null, &json!(-32600))
    );
    assert_eq!(answers[1]["result"]["output"], 1);
    assert_eq!(answers[2]["result"]["output"], 2);
    assert_eq!(answers[3]["error"]["code"], -32601);
    // Nothing but notifications: nothing to say.
    client.raw(
        &json!([{"jsonrpc": "2.0", "method": "executor.state", "params": {"executor": e}}])
            .to_string(),
    );
    assert_eq!(client.run(&e, "n"), 1);
    assert_eq!(client.others, Vec::<Json>::new());
}

#[test]
fn a_batch_of_too_many_is_refused_as_one() {
    let mut client = Client::new();
    client.raw(&format!("[{}1]", "1,".repeat(20_000)));
    let answer = client.next_other();
    assert_eq!(answer["error"]["code"], -32600);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("at most 10000"), "{message}");
    let e = client.executor(json!({}));
    assert_eq!(client.run(&e, "1 + 1"), 2);
}

#[test]
fn long_lines_pass_and_longer_ones_are_refused() {
    let mut client = Client::with(&["--max-line", "1MiB"]);
    let e = client.executor(json!({}));
    let text = "x".repeat(900_000);
    client.call(
        "executor.sendVariables",
        json!({"executor": e, "variables": {"text": text}}),
    );
    assert_eq!(client.run(&e, "text.length"), 900_000);
    client.raw(&"y".repeat(3 << 20));
    let answer = client.next_other();
    assert_eq!(answer["error"]["code"], -32700);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("1048576 bytes")
    );
    assert_eq!(client.run(&e, "text.length + 1"), 900_001);
}

#[test]
fn nesting_is_taken_as_far_as_values_go() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let line = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"c999","method":"executor.sendVariables","params":{{"executor":"{e}","variables":{{"x":{value}}}}}}}"#
        )
    };
    client.raw(&line(&nested(900)));
    assert_eq!(client.wait_result("c999")["state"], "READY");
    let depth = "let depth = 0; for (let at = x; at !== undefined; at = at[0]) depth++; depth";
    assert_eq!(client.run(&e, depth), 900);
    for deep in [1_100, 1_000_000] {
        client.raw(&line(&nested(deep)));
        assert_eq!(client.next_other()["error"]["code"], -32700);
    }
    // Out of the cell, too.
    let out = client.run(
        &e,
        "let deep = 1; for (let i = 0; i < 900; i++) deep = [deep]; deep",
    );
    assert!(out.to_string().starts_with(&"[".repeat(900)));
}

#[test]
fn whatever_a_run_gives_there_is_an_answer_with_all_of_it() {
    let mut client = Client::new();
    let e = client.executor(json!({"maxOperations": 1_000_000_000}));
    client.tools(&e, json!([{"name": "echo"}]));
    for code in [
        "/(?i:a)b/v",
        "new Date(NaN)",
        "1n << 1_000_000n",
        "-(1n << 100_000n)",
        "'\\ud800'.repeat(1000)",
        "({ ['\\udc00']: 1, $: 2 })",
        "new Map([[NaN, -0], [undefined, [,]]])",
        "const a = []; a.push(a); a",
        "new Float16Array([1.5])",
        "[/(?<a>b)\\k<a>/dgimsvy, Symbol.iterator.description]",
        "new BigUint64Array([2n ** 64n - 1n]).subarray(0, 1)",
    ] {
        // As a result, and as an argument that comes back.
        let whole = format!(
            "console.log('seen'); (() => {{ {} }})()",
            last_returned(code)
        );
        let run = client.send("executor.run", json!({"executor": e, "code": whole}));
        let result = client.wait_result(&run);
        assert_eq!(result["logs"], "seen", "{code}");
        let echoed = format!("await echo((() => {{ {} }})())", last_returned(code));
        let run = client.send("executor.run", json!({"executor": e, "code": echoed}));
        let call = client.next_call();
        let argument = call["params"]["args"][0].clone();
        client.answer(&call, &argument);
        assert_eq!(
            client.wait_result(&run)["output"],
            result["output"],
            "{code}"
        );
    }
    let large = client.run(&e, "1n << 20_000n");
    assert_eq!(
        large["value"].as_str().map(|digits| &digits[..4]),
        Some("0x10")
    );
}

/// The code as the body of a function, with the value of its last expression.
fn last_returned(code: &str) -> String {
    match code.rsplit_once("; ") {
        Some((before, last)) => format!("{before}; return {last}"),
        None => format!("return {code}"),
    }
}

#[test]
fn calls_are_paid_for_until_they_are_answered() {
    let mut client = Client::new();
    let options = json!({"maxHostMemoryBytes": 4 << 20, "maxOperations": 1_000_000_000});
    let e = client.executor(options);
    client.tools(&e, json!([{"name": "tool"}]));
    let code = "let first, refused = 0;
        for (let i = 0; i < 500; i++) tool('x'.repeat(100_000)).catch((e) => { first ??= e.message; refused++ });
        await null; await null; await null; await null; [first, refused]";
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let output = client.wait_result(&run)["output"].clone();
    assert!(
        output[0].as_str().unwrap().contains("maxHostMemoryBytes"),
        "{output}"
    );
    let refused = output[1].as_u64().unwrap();
    assert!(refused >= 450, "{refused}");
    assert!(client.calls.len() <= 50);
    assert_eq!(client.run(&e, "1 + 1"), 2);
}

#[test]
fn a_snapshot_is_restored_with_the_options_of_whoever_restores_it() {
    let mut client = Client::new();
    let key = "a secret of many bytes";
    let e = client.executor(json!({"clock": "real", "snapshotKey": key}));
    assert_eq!(client.run(&e, "let kept = Date.now() > 0; kept"), true);
    let taken = client.call("executor.snapshot", json!({"executor": e}))["snapshot"].clone();
    let restored = client.call(
        "executor.restore",
        json!({"snapshot": taken, "options": {"snapshotKey": key}}),
    );
    let e = restored["executor"].as_str().unwrap().to_owned();
    assert_eq!(client.run(&e, "kept"), true);
    let run = client.send("executor.run", json!({"executor": e, "code": "Date.now()"}));
    assert_eq!(
        client.wait_error(&run)["data"]["code"],
        "ERR_RUNTIME_EXCEPTION"
    );

    let other = json!({"snapshot": taken, "options": {"snapshotKey": "another secret of many"}});
    let error = client.call_error("executor.restore", other);
    assert!(
        error["message"].as_str().unwrap().contains("does not fit"),
        "{error}"
    );
    let error = client.call_error(
        "executor.create",
        json!({"options": {"snapshotKey": "short"}}),
    );
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("at least 16 bytes"),
        "{error}"
    );
}

#[test]
fn a_message_that_takes_far_more_memory_than_its_line_is_refused() {
    let mut client = Client::with(&["--max-line", "1MiB"]);
    let e = client.executor(json!({}));
    // As many commas, but they are text.
    let text = ",".repeat(100_000);
    client.call(
        "executor.sendVariables",
        json!({"executor": e, "variables": {"text": text}}),
    );
    assert_eq!(client.run(&e, "text.length"), 100_000);
    client.raw(&format!(
        r#"{{"jsonrpc":"2.0","id":"c999","method":"executor.sendVariables","params":{{"executor":"{e}","variables":{{"x":[{}0]}}}}}}"#,
        "0,".repeat(100_000)
    ));
    let error = client.next_other()["error"].clone();
    assert_eq!(error["code"], -32700);
    assert!(
        error["message"].as_str().unwrap().contains("--max-line"),
        "{error}"
    );
    assert_eq!(client.run(&e, "typeof x"), "undefined");
}

#[test]
fn answers_of_a_batch_that_are_too_large_together_are_lost_one_by_one() {
    let mut client = Client::with(&["--max-unread", "1MiB"]);
    let e = client.executor(json!({"runConcurrency": "queue"}));
    let run = |id: u32| {
        let params = json!({"executor": e, "code": "'x'.repeat(400_000)"});
        json!({"jsonrpc": "2.0", "id": id, "method": "executor.run", "params": params})
    };
    client.raw(&Json::from((0..5).map(run).collect::<Vec<_>>()).to_string());
    let answers = client.next_other();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 5);
    let (whole, lost): (Vec<_>, Vec<_>) =
        answers.iter().partition(|one| one.get("result").is_some());
    assert_eq!((whole.len(), lost.len()), (2, 3));
    for one in lost {
        assert_eq!(one["error"]["code"], -32000);
        let message = one["error"]["message"].as_str().unwrap();
        assert!(message.contains("--max-unread"), "{message}");
    }
    assert_eq!(client.run(&e, "1 + 1"), 2);
}

#[test]
fn the_text_of_a_call_and_what_comes_back_are_paid_for() {
    let mut client = Client::new();
    let e = client.executor(json!({"maxHostMemoryBytes": 4 << 20}));
    client.tools(&e, json!([{"name": "tool"}]));
    let run = |client: &mut Client, code: &str| {
        client.send("executor.run", json!({"executor": e, "code": code}))
    };
    let caught = ".catch((error) => `${error.name}: ${error.message}`)";

    // Each character takes six in JSON.
    let id = run(
        &mut client,
        &format!(r"await tool('\u0001'.repeat(1e6)){caught}"),
    );
    let message = client.wait_result(&id)["output"].to_string();
    assert!(
        message.contains("RangeError: the arguments of tool cannot be sent"),
        "{message}"
    );
    assert!(message.contains("maxHostMemoryBytes"), "{message}");

    let id = run(&mut client, &format!("await tool('x'.repeat(1e6)){caught}"));
    let call = client.next_call();
    assert_eq!(
        call["params"]["args"][0].as_str().map(str::len),
        Some(1_000_000)
    );
    client.answer(&call, &json!(vec![0; 100_000]));
    let message = client.wait_result(&id)["output"].to_string();
    assert!(
        message.contains("RangeError: the answer of the tool cannot be kept"),
        "{message}"
    );

    let id = run(&mut client, "await tool(1, [2], { '\u{e9}': '\"' })");
    let call = client.next_call();
    assert_eq!(call["params"]["args"], json!([1, [2], {"\u{e9}": "\""}]));
    client.answer(&call, &json!(vec![0; 1000]));
    assert_eq!(client.wait_result(&id)["output"], json!(vec![0; 1000]));
}
