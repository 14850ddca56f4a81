use std::process::Command;

use serde_json::{Value as Json, json};

use crate::client::Client;

const CODE: &str =
    "const a = await look(1);\nconst b = await pay(10);\nconst c = await tell(100);\na + b + c";

fn tools() -> Json {
    json!([{"name": "look"}, {"name": "pay", "permission": "ask"}, {"name": "tell"}, {"name": "ask", "suspends": true}])
}

fn ready(client: &mut Client, options: Json) -> String {
    let e = client.executor(options);
    client.tools(&e, tools());
    e
}

fn start(client: &mut Client, e: &str, code: &str) -> Json {
    client.call("executor.start", json!({"executor": e, "code": code}))
}

fn resume(client: &mut Client, e: &str, answers: Json) -> Json {
    client.call(
        "executor.resume",
        json!({"executor": e, "answers": answers}),
    )
}

/// Waits for a request of the server's that is no call of a tool.
fn approval(client: &mut Client) -> Json {
    loop {
        let other = client.next_other();
        if other["method"] == "tool.approval" {
            return other;
        }
    }
}

#[test]
fn consent_in_another_process_runs_nothing_twice_from_python() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/consent.py");
    let output = Command::new("python3")
        .args([script, env!("CARGO_BIN_EXE_hotcell")])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{complaints}");
    assert_eq!(told.trim(), "ok", "{complaints}");
}

#[test]
fn two_forks_have_two_futures() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    let run = client.send("executor.start", json!({"executor": e, "code": CODE}));
    let call = client.next_call();
    assert_eq!(call["params"]["call"], "1.1");
    client.answer(&call, &json!(1));
    let asked = approval(&mut client);
    assert_eq!(asked["params"]["call"], "1.2");
    client.answer(&asked, &json!({"$": "suspend"}));
    let suspended = client.wait_result(&run);
    assert_eq!(suspended["status"], "suspended");
    assert_eq!(
        suspended["calls"],
        json!([{"id": "1.2", "tool": "pay", "arguments": [10], "reason": "approval"}])
    );
    let twin = client.call("executor.fork", json!({"executor": e}));
    assert_eq!(twin["state"], "SUSPENDED");
    let twin = twin["executor"].as_str().unwrap().to_owned();
    let denied = client.call_error(
        "executor.resume",
        json!({"executor": twin, "answers": {"1.2": {"deny": "too much"}}}),
    );
    assert!(
        denied["message"].as_str().unwrap().contains("too much"),
        "{denied}"
    );
    let params = json!({"executor": e, "answers": {"1.2": {"approve": true}}});
    let resumed = client.send("executor.resume", params);
    for (tool, answer) in [("pay", 10), ("tell", 100)] {
        let call = client.next_call();
        assert_eq!(
            (&call["params"]["tool"], &call["params"]["executor"]),
            (&json!(tool), &json!(e))
        );
        client.answer(&call, &json!(answer));
    }
    assert_eq!(client.wait_result(&resumed)["output"], 111);
    assert!(client.calls.is_empty());
}

#[test]
fn answers_come_in_any_order_and_those_that_do_not_fit_lose_nothing() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    let code = "const all = await Promise.all([ask(1), ask(2), ask(3).catch((e) => e.message)]); all.join()";
    assert_eq!(
        start(&mut client, &e, code)["calls"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    for (answers, code) in [
        (json!({}), -32000),
        (json!({"1.9": {"value": 1}}), -32000),
        (json!({"1.1": {"approve": true}}), -32000),
        (json!({"1.1": 1}), -32602),
        (json!({"1.1": {"value": 1, "deny": "no"}}), -32602),
        (json!({"1.1": {"nonsense": 1}}), -32602),
        (json!({"1.1": {"approve": false}}), -32602),
        (json!({"1.1": {"value": {"$": "nonsense"}}}), -32602),
    ] {
        let params = json!({"executor": e, "answers": answers});
        let error = client.call_error("executor.resume", params);
        assert_eq!(error["code"], code, "{error}");
        let waits = client.call("executor.suspension", json!({"executor": e}));
        assert_eq!(waits["calls"].as_array().unwrap().len(), 3);
    }
    let failed = json!({"1.3": {"error": {"message": "gone"}}});
    assert_eq!(
        resume(&mut client, &e, failed)["calls"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let params = json!({"executor": e, "answers": {"1.3": {"value": 3}}});
    let error = client.call_error("executor.resume", params);
    assert_eq!(error["data"]["code"], "ERR_INVALID_ANSWER");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("answered already")
    );
    let end = resume(
        &mut client,
        &e,
        json!({"1.2": {"value": "b"}, "1.1": {"value": "a"}}),
    );
    assert_eq!(
        (&end["status"], &end["output"]),
        (&json!("complete"), &json!("a,b,gone"))
    );
    assert_eq!(
        client.call("executor.suspension", json!({"executor": e})),
        Json::Null
    );
    start(&mut client, &e, "await ask(1)");
    let state = client.call("executor.abandon", json!({"executor": e}));
    assert_eq!(state, json!({"state": "READY"}));
}

#[test]
fn a_tool_suspends_one_call() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    let run = client.send(
        "executor.start",
        json!({"executor": e, "code": "await look(1)"}),
    );
    let call = client.next_call();
    client.answer(&call, &json!({"$": "suspend"}));
    assert_eq!(client.wait_result(&run)["calls"][0]["reason"], "tool");
    assert_eq!(
        resume(&mut client, &e, json!({"1.1": {"value": 5}}))["output"],
        5
    );
}

#[test]
fn a_run_that_takes_longer_goes_on_by_itself() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({"maxBackgroundRuns": 1}));
    let params = |code: &str| json!({"executor": e, "code": code, "yieldAfterMs": 20});
    let quick = client.call(
        "executor.start",
        json!({"executor": e, "code": "1", "yieldAfterMs": 60_000}),
    );
    assert_eq!(
        (&quick["status"], &quick["output"]),
        (&json!("complete"), &json!(1))
    );
    let running = client.call("executor.start", params("console.log('a'); await look(1)"));
    assert_eq!(running["status"], "running");
    assert_eq!(running["logs"], "a");
    let id = running["id"].clone();
    let refused = client.call_error("executor.start", params("1"));
    assert!(
        refused["data"]["details"]["hint"]
            .as_str()
            .unwrap()
            .contains("maxBackgroundRuns"),
        "{refused}"
    );
    let still = client.call(
        "executor.wait",
        json!({"executor": e, "id": id, "yieldAfterMs": 0}),
    );
    assert_eq!(still["status"], "running");
    let waited = client.send("executor.wait", json!({"executor": e, "id": id}));
    let call = client.next_call();
    client.answer(&call, &json!(5));
    assert_eq!(client.wait_result(&waited)["output"], 5);
    let unknown = client.call_error("executor.wait", json!({"executor": e, "id": id}));
    assert_eq!(unknown["data"]["code"], "ERR_UNKNOWN_RUN");

    let id = client.call("executor.start", params("await look(1)"))["id"].clone();
    client.call("executor.cancelRun", json!({"executor": e, "id": id}));
    let error = client.call_error("executor.wait", json!({"executor": e, "id": id}));
    assert_eq!(error["data"]["code"], "ERR_CANCELLED");
    let id = client.call("executor.start", params("await look(1)"))["id"].clone();
    client.call("executor.giveUp", json!({"executor": e, "id": id}));
    let error = client.call_error("executor.giveUp", json!({"executor": e, "id": id}));
    assert_eq!(error["data"]["code"], "ERR_UNKNOWN_RUN");
}

/// The events of notifications until one of this type.
fn events_until(client: &mut Client, end: &str) -> Vec<Json> {
    let mut all = Vec::new();
    loop {
        let note = client.next_other();
        if note["method"] != "executor.event" {
            continue;
        }
        all.extend(note["params"]["events"].as_array().unwrap().iter().cloned());
        if all.last().is_some_and(|last| last["type"] == end) {
            return all;
        }
    }
}

#[test]
fn events_are_told_when_asked_for() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    client.call("executor.events", json!({"executor": e}));
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let params =
        json!({"executor": e, "code": "console.log(1); await look(2)", "traceparent": traceparent});
    let run = client.send("executor.start", params);
    let call = client.next_call();
    let of_call = call["params"]["traceparent"].as_str().unwrap().to_owned();
    assert!(of_call.starts_with("00-0af7651916cd43dd8448eb211c80319c-"));
    client.answer(&call, &json!(3));
    assert_eq!(client.wait_result(&run)["output"], 3);
    let told = events_until(&mut client, "ended");
    let types: Vec<&str> = told
        .iter()
        .map(|one| one["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        ["runStarted", "log", "callStarted", "callEnded", "ended"]
    );
    assert_eq!(told[2]["traceparent"], of_call.as_str());
    assert_eq!(
        (&told[2]["call"], &told[2]["parent"]),
        (&json!("1.1"), &json!("1"))
    );
    client.call("executor.events", json!({"executor": e, "on": false}));
    client.run(&e, "1");
    assert!(client.others.is_empty(), "{:?}", client.others);
    let wrong = client.call_error(
        "executor.start",
        json!({"executor": e, "code": "1", "traceparent": "x"}),
    );
    assert_eq!(wrong["code"], -32602);
}

/// The client here reads all the time, so this one is told what fits, and that the rest is missing.
#[test]
fn what_is_not_read_is_missed_and_counted() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    client.call("executor.events", json!({"executor": e, "maxUnread": 2}));
    client.run(&e, "for (let i = 0; i < 5000; i++) console.log(i)");
    let told = events_until(&mut client, "ended");
    let missed: u64 = told.iter().filter_map(|one| one["events"].as_u64()).sum();
    let heard = told.iter().filter(|one| one["type"] != "missed").count() as u64;
    assert_eq!(missed + heard, 5002);
}

#[test]
fn a_snapshot_is_looked_at_and_taken_against_another() {
    let mut client = Client::new();
    let e = ready(&mut client, json!({}));
    client.run(
        &e,
        "const kept = Array.from({ length: 50_000 }, (_, i) => i); 1",
    );
    let base = client.call("executor.snapshot", json!({"executor": e}))["snapshot"].clone();
    start(&mut client, &e, "await ask('?') + kept.length");
    let delta =
        client.call("executor.snapshot", json!({"executor": e, "base": base}))["snapshot"].clone();
    let length = |text: &Json| text.as_str().unwrap().len();
    assert!(length(&delta) * 2 < length(&base));
    let info = client.call("inspectSnapshot", json!({"snapshot": delta}));
    assert_eq!(info["state"], "SUSPENDED");
    assert_eq!(info["hasBase"], true);
    assert_eq!(
        info["run"]["calls"],
        json!([{"id": "2.1", "tool": "ask", "arguments": ["?"], "reason": "deferred"}])
    );
    let error = client.call_error("executor.restore", json!({"snapshot": delta}));
    assert!(
        error["message"].as_str().unwrap().contains("needed"),
        "{error}"
    );
    let restored = client.call("executor.restore", json!({"snapshot": delta, "base": base}));
    let restored = restored["executor"].as_str().unwrap().to_owned();
    assert_eq!(
        resume(&mut client, &restored, json!({"2.1": {"value": 1}}))["output"],
        50_001
    );
    let limited = json!({"snapshot": base, "options": {"maxSnapshotBytes": 10}});
    assert!(
        client.call_error("inspectSnapshot", limited)["message"]
            .as_str()
            .unwrap()
            .contains("maxSnapshotBytes")
    );
    client.close();
}
