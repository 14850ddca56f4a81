use serde_json::json;

use crate::client::Client;

/// Loops are not what ends these runs.
const ENDLESS: &str = "for (;;) {}";

#[test]
fn an_executor_lives_and_ends() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    let answer = client.call(
        "executor.run",
        json!({"executor": e, "code": "console.log('hi'); final_answer(6 * 7)"}),
    );
    assert_eq!(answer["output"], 42);
    assert_eq!(answer["logs"], "hi");
    assert_eq!(answer["is_final_answer"], true);
    assert_eq!(answer["entries"][0]["level"], "log");
    assert_eq!(answer["diagnostics"], json!([]));
    for stat in ["operations", "wallMs", "toolCalls", "peakMemoryBytes"] {
        assert!(answer["stats"][stat].is_number(), "{stat}");
    }
    assert_eq!(
        client.call("executor.state", json!({"executor": e})),
        json!({"state": "READY", "queued": 0})
    );
    assert_eq!(
        client.call("executor.cleanup", json!({"executor": e})),
        json!({"state": "DEAD"})
    );
    let error = client.call_error("executor.run", json!({"executor": e, "code": "1"}));
    assert_eq!(error["code"], -32000);
    assert_eq!(error["data"]["code"], "ERR_INVALID_STATE");
    assert_eq!(
        client.call("executor.init", json!({"executor": e})),
        json!({"state": "READY"})
    );
    assert_eq!(
        client.call("executor.dispose", json!({"executor": e})),
        json!({})
    );
    assert_eq!(
        client.call_error("executor.state", json!({"executor": e}))["code"],
        -32602
    );
    assert_eq!(client.close(), Some(0));
}

#[test]
fn variables_of_every_kind_come_back_as_they_were() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    let value = json!({
        "plain": [1, 0.5, "x", null, true],
        "undefined": {"$": "undefined"},
        "numbers": [{"$": "number", "value": "NaN"}, {"$": "number", "value": "-0"}, {"$": "number", "value": "-Infinity"}],
        "bigint": {"$": "bigint", "value": "-123456789012345678901234567890"},
        "date": {"$": "date", "value": "2026-01-01T00:00:00.000Z"},
        "bytes": {"$": "bytes", "base64": "aGk="},
        "floats": {"$": "bytes", "type": "Float32Array", "base64": "AAAAPw=="},
        "map": {"$": "map", "entries": [["k", {"v": 1}], [2, [3]]]},
        "set": {"$": "set", "values": [1, "two"]},
        "regexp": {"$": "regexp", "source": "a+", "flags": "gi"},
        "dollar": {"$": "object", "entries": [["$", "x"]]},
        "hole": [1, {"$": "hole"}, 3],
        "half": {"$": "string", "units": [55357]},
    });
    client.call(
        "executor.sendVariables",
        json!({"executor": e, "variables": {"value": value}}),
    );
    assert_eq!(client.run(&e, "value"), value);
    assert_eq!(
        client.run(&e, "const a = { name: 'a' }; a.self = a; [a, a]"),
        json!([
            {"$": "def", "id": 1, "value": {"name": "a", "self": {"$": "ref", "id": 1}}},
            {"$": "ref", "id": 1},
        ]),
    );
    let error = client.run(
        &e,
        "Object.assign(new TypeError('no', { cause: 1 }), { code: 'E' })",
    );
    assert_eq!(error["$"], "error");
    assert_eq!(
        (&error["name"], &error["message"], &error["cause"]),
        (&json!("TypeError"), &json!("no"), &json!(1))
    );
    assert_eq!(error["properties"], json!({"code": "E"}));
}

#[test]
fn what_cannot_leave_is_printed_and_remarked_on() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    let answer = client.call(
        "executor.run",
        json!({"executor": e, "code": "(function named() {})"}),
    );
    assert!(answer["output"].is_string());
    assert_eq!(answer["diagnostics"][0]["severity"], "WARNING");
}

#[test]
fn failures_are_normalised() {
    let mut client = Client::new();
    let e = client.executor(json!({"timeoutMs": 600_000, "maxOperations": 1000}));
    let mut code_of = |code: &str| {
        let error = client.call_error("executor.run", json!({"executor": e, "code": code}));
        assert_eq!(error["code"], -32000);
        let data = &error["data"];
        assert_eq!(data["message"], error["message"]);
        assert!(data["severity"].is_string() && data["retryable"].is_boolean());
        data["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code_of("null.x"), "ERR_RUNTIME_EXCEPTION");
    assert_eq!(code_of("let x = ;"), "ERR_VALIDATION_FAILED");
    assert_eq!(code_of(""), "ERR_VALIDATION_FAILED");
    assert_eq!(code_of("await import('fs')"), "ERR_IMPORT_NOT_ALLOWED");
    assert_eq!(code_of(ENDLESS), "ERR_MAX_OPS_EXCEEDED");
    let e = client
        .executor(json!({"maxOperations": 1_000_000_000_000_u64, "memoryLimitBytes": 16 << 20, "timeoutMs": 600_000}));
    let run = json!({"executor": e, "code": "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)"});
    assert_eq!(
        client.call_error("executor.run", run)["data"]["code"],
        "ERR_MEMORY_LIMIT"
    );
    let run = json!({"executor": e, "code": ENDLESS, "timeoutMs": 50});
    assert_eq!(
        client.call_error("executor.run", run)["data"]["code"],
        "ERR_EXEC_TIMEOUT"
    );
    assert_eq!(
        client.call("executor.state", json!({"executor": e}))["state"],
        "DIRTY"
    );
}

#[test]
fn modules_are_imported() {
    let mut client = Client::new();
    let params = json!({"options": {"authorizedImports": ["math"]}, "modules": {"math": "export const two = 2"}});
    let made = client.call("executor.create", params);
    let e = made["executor"].as_str().unwrap().to_owned();
    client.call("executor.init", json!({"executor": e}));
    assert_eq!(client.run(&e, "(await import('math')).two"), 2);
}

#[test]
fn snapshots_and_forks_go_on_from_where_they_were_taken() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    client.tools(&e, json!([{"name": "ask", "mode": "async"}]));
    client.run(&e, "let count = 1;");

    let snapshot = client.call("executor.snapshot", json!({"executor": e}))["snapshot"].clone();
    let fork = client.call("executor.fork", json!({"executor": e}));
    assert_eq!(fork["state"], "READY");
    let twin = fork["executor"].as_str().unwrap().to_owned();
    assert_ne!(twin, e);
    assert_eq!(client.run(&twin, "count += 10"), 11);
    assert_eq!(client.run(&e, "count += 1"), 2);

    // The tools of a twin say who calls.
    let run = client.send(
        "executor.run",
        json!({"executor": twin, "code": "await ask()"}),
    );
    let call = client.next_call();
    assert_eq!(call["params"]["executor"], twin.as_str());
    client.answer(&call, &json!("yes"));
    assert_eq!(client.wait_result(&run)["output"], "yes");

    // Another process takes the snapshot up. Its tools have to be sent again.
    assert_eq!(client.close(), Some(0));
    let mut client = Client::new();
    let restored = client.call("executor.restore", json!({"snapshot": snapshot}));
    assert_eq!(restored["state"], "READY");
    let e = restored["executor"].as_str().unwrap().to_owned();
    assert_eq!(client.run(&e, "count"), 1);
    client.tools(&e, json!([{"name": "ask", "mode": "sync"}]));
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "ask() + count"}),
    );
    let call = client.next_call();
    client.answer(&call, &json!(41));
    assert_eq!(client.wait_result(&run)["output"], 42);

    let error = client.call_error("executor.restore", json!({"snapshot": "bm9uc2Vuc2U="}));
    assert_eq!(error["code"], -32000);
    assert_eq!(
        client.call_error("executor.restore", json!({"snapshot": "?"}))["code"],
        -32602
    );
}

#[test]
fn the_process_ends_with_its_client_in_the_middle_of_runs() {
    let mut client = Client::new();
    let options = json!({"maxOperations": 1_000_000_000_000_u64, "timeoutMs": 3_600_000});
    for _ in 0..4 {
        let e = client.executor(options.clone());
        client.tools(
            &e,
            json!([{"name": "ask"}, {"name": "ask_now", "mode": "sync"}]),
        );
        client.send("executor.run", json!({"executor": e, "code": ENDLESS}));
    }
    for code in ["await ask()", "ask_now()"] {
        let e = client.executor(options.clone());
        client.tools(
            &e,
            json!([{"name": "ask"}, {"name": "ask_now", "mode": "sync"}]),
        );
        client.send("executor.run", json!({"executor": e, "code": code}));
        client.next_call();
    }
    assert_eq!(client.close(), Some(0));
}

#[test]
fn answers_that_are_nearly_there_are_given_before_the_end() {
    let mut client = Client::new();
    let e = client.executor(json!({}));
    let run = client.send("executor.run", json!({"executor": e, "code": "1 + 1"}));
    let answer = client.wait(&run);
    assert_eq!(answer["result"]["output"], 2);
    assert_eq!(client.close(), Some(0));
}

#[test]
fn what_computes_too_long_is_ended_and_recovered_with_its_state() {
    let mut client = Client::new();
    let options = json!({"timeoutMs": null, "cpuTimeMs": 40, "maxOperations": 1u64 << 50});
    let e = client.executor(options);
    client.call(
        "executor.run",
        json!({"executor": e, "code": "let kept = 1"}),
    );
    let endless = json!({"executor": e, "code": ENDLESS});
    let error = client.call_error("executor.run", endless);
    assert_eq!(error["data"]["code"], "ERR_EXEC_TIMEOUT");
    assert_eq!(error["data"]["details"]["limit"], "cpuTimeMs");
    assert_eq!(error["data"]["details"]["recoverable"], true);
    assert_eq!(
        client.call("executor.recover", json!({"executor": e})),
        json!({"state": "READY"})
    );
    let own = json!({"executor": e, "code": ENDLESS, "timeoutMs": 20, "cpuTimeMs": 60_000});
    let error = client.call_error("executor.run", own);
    assert_eq!(error["data"]["details"]["limit"], "timeoutMs");
    client.call("executor.recover", json!({"executor": e}));
    let kept = client.call("executor.run", json!({"executor": e, "code": "kept"}));
    assert_eq!(kept["output"], 1);
    let wrong = json!({"executor": e, "code": "1", "cpuTimeMs": 0});
    let error = client.call_error("executor.run", wrong);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("cpuTimeMs must be a number of at least 1")
    );
    client.call("executor.cleanup", json!({"executor": e}));
    let error = client.call_error("executor.recover", json!({"executor": e}));
    assert_eq!(error["data"]["code"], "ERR_INVALID_STATE");
}

#[test]
fn timers_are_granted_by_an_option() {
    let mut client = Client::new();
    let e = client.executor(json!({"timers": true, "clock": {"fixed": 0}}));
    let code = "await new Promise((done) => setTimeout(done, 86_400_000)); Date.now()";
    let answer = client.call("executor.run", json!({"executor": e, "code": code}));
    assert_eq!(answer["output"], 86_400_000);
    let prompt = client.call("executor.renderPrompt", json!({"executor": e}));
    assert!(prompt["text"].as_str().unwrap().contains("Timers work"));
}
