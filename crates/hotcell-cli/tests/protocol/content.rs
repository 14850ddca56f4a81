//! What code shows, what it tells, and what it lets the client keep.

use serde_json::{Value as Json, json};

use crate::client::Client;

#[test]
fn a_run_has_what_its_code_showed_also_if_it_failed() {
    let mut client = Client::new();
    let e = client.executor(json!({"content": true, "maxContentItems": 3}));
    let params = |code: &str| json!({"executor": e, "code": code});
    let code = "text('a'); image('data:image/gif;base64,R0lGODlh'); display([1])";
    let result = client.call("executor.run", params(code));
    let items = json!([
        {"mime": "text/plain", "text": "a"},
        {"mime": "image/gif", "data": "R0lGODlh"},
        {"mime": "application/json", "text": "[1]"},
    ]);
    assert_eq!(result["content"], items);
    let seen = client.call("observation", json!({"result": result}));
    assert_eq!(seen["text"], "Shown:\na\n[image/gif, 6 bytes]\n[1]");
    let error = client.call_error("executor.run", params(&format!("{code}; text('more')")));
    assert_eq!(error["data"]["content"], items);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("maxContentItems"),
        "{error}"
    );
    let seen = client.call("observation", json!({"error": error["data"]}));
    assert!(
        seen["text"]
            .as_str()
            .unwrap()
            .ends_with("Shown before the error:\na\n[image/gif, 6 bytes]\n[1]")
    );
    // Without anything to show there is nothing.
    assert_eq!(
        client.call("executor.run", params("1"))["content"],
        json!([])
    );
}

#[test]
fn progress_is_told_before_the_run_ends() {
    let mut client = Client::new();
    let e = client.executor(json!({"content": true}));
    client.tools(&e, json!([{"name": "gate"}]));
    let code = "notify('half way'); await gate(); notify({ n: 2 })";
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let gate = client.next_call();
    let told = client.next_other();
    let notice = |text: &str| {
        json!({"jsonrpc": "2.0", "method": "executor.notify",
            "params": {"executor": e, "run": gate["params"]["run"], "text": text}})
    };
    assert_eq!(told, notice("half way"));
    client.answer(&gate, &json!(1));
    client.wait_result(&run);
    assert_eq!(client.next_other(), notice("{\"n\":2}"));
}

#[test]
fn what_is_shown_is_an_event_and_stands_in_a_run_that_waits() {
    let mut client = Client::new();
    let e = client.executor(json!({"content": true}));
    client.tools(&e, json!([{"name": "ask", "suspends": true}]));
    client.call("executor.events", json!({"executor": e}));
    let code = "image('data:image/gif;base64,R0lGODlh'); notify('here'); await ask(); text('b')";
    let params = json!({"executor": e, "code": code, "timeoutMs": null, "cpuTimeMs": 60_000});
    let started = client.call("executor.start", params);
    let image = json!({"mime": "image/gif", "data": "R0lGODlh"});
    assert_eq!(started["content"], json!([image]));
    let answers = json!({"1.1": {"value": 1}});
    let ended = client.call(
        "executor.resume",
        json!({"executor": e, "answers": answers}),
    );
    assert_eq!(
        ended["content"],
        json!([image, {"mime": "text/plain", "text": "b"}])
    );
    let mut told: Vec<Json> = Vec::new();
    while told.last().is_none_or(|event| event["type"] != "ended") {
        let other = client.next_other();
        if other["method"] == "executor.event" {
            told.extend(other["params"]["events"].as_array().unwrap().clone());
        } else {
            assert_eq!(other["params"]["run"], "1", "{other}");
        }
    }
    let of_kind = |kind: &str| {
        let events = told.iter().filter(|event| event["type"] == kind);
        events.cloned().collect::<Vec<_>>()
    };
    let shown = of_kind("content");
    assert_eq!(
        (&shown[0]["data"], &shown[1]["text"]),
        (&json!("R0lGODlh"), &json!("b"))
    );
    assert_eq!(
        (&shown[1]["index"], &shown[1]["bytes"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(of_kind("notify")[0]["text"], "here");
}

#[test]
fn the_client_keeps_what_code_stores() {
    let mut client = Client::new();
    let e = client.executor(json!({"store": true, "maxStoreBytes": 1000}));
    let code = "store('k', new Map([[1, 2n]])); store('k'); [load('k').size, load('none')]";
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let asked = |client: &mut Client, answer: Json| {
        let request = client.next_other();
        client.answer(&request, &answer);
        let params = &request["params"];
        assert_eq!(params["executor"], e.as_str());
        (
            request["method"].clone(),
            params["key"].clone(),
            params["value"].clone(),
        )
    };
    let map = json!({"$": "map", "entries": [[1, {"$": "bigint", "value": "2"}]]});
    let nothing = json!({"$": "undefined"});
    let stored = |value: &Json| (json!("store.store"), json!("k"), value.clone());
    assert_eq!(asked(&mut client, Json::Null), stored(&map));
    assert_eq!(asked(&mut client, Json::Null), stored(&nothing));
    assert_eq!(
        asked(&mut client, map.clone()),
        (json!("store.load"), json!("k"), Json::Null)
    );
    asked(&mut client, nothing.clone());
    assert_eq!(client.wait_result(&run)["output"], json!([1, nothing]));

    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "load('bad')"}),
    );
    let request = client.next_other();
    client.answer_error(&request, &json!({"code": 1, "message": "the disk is full"}));
    let error = client.wait_error(&run);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("the disk is full")
    );
    let code = "store('k', 'x'.repeat(2000))";
    let error = client.call_error("executor.run", json!({"executor": e, "code": code}));
    assert!(error["message"].as_str().unwrap().contains("maxStoreBytes"));
}
