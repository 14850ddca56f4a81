use serde_json::{Value as Json, json};

use crate::client::Client;

fn ready(client: &mut Client) -> String {
    let e = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(
        &e,
        json!([
            {"name": "later", "mode": "async", "description": "Takes its time"},
            {"name": "now", "mode": "sync"},
            {"name": "typed", "parameters": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
             "returns": {"type": "number"}},
        ]),
    );
    e
}

/// Runs code that calls one tool, and gives the answer of the tool and then that of the run.
fn with_answer(client: &mut Client, e: &str, code: &str, answer: &Json) -> (Json, Json) {
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let call = client.next_call();
    match answer.get("error") {
        Some(error) => client.answer_error(&call, error),
        None => client.answer(&call, &answer["result"]),
    }
    (call, client.wait(&run))
}

#[test]
fn a_call_carries_everything_and_its_answer_arrives() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let code = "await later('a', new Map([[1, 2n]]), undefined)";
    let result = json!({"result": {"$": "set", "values": [1]}});
    let (call, answer) = with_answer(&mut client, &e, code, &result);
    assert_eq!(call["jsonrpc"], "2.0");
    assert_eq!(call["params"]["executor"], e.as_str());
    assert_eq!(call["params"]["tool"], "later");
    assert!(
        call["params"]["run"]
            .as_str()
            .is_some_and(|run| !run.is_empty())
    );
    assert_eq!(
        call["params"]["args"],
        json!(["a", {"$": "map", "entries": [[1, {"$": "bigint", "value": "2"}]]}, {"$": "undefined"}]),
    );
    assert_eq!(
        answer["result"]["output"],
        json!({"$": "set", "values": [1]})
    );
    assert_eq!(answer["result"]["stats"]["toolCalls"], 1);
}

#[test]
fn an_async_tool_gives_a_promise_and_a_sync_one_a_value() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let result = json!({"result": 1});
    let code = "const p = later(); [p instanceof Promise, await p]";
    let (_, answer) = with_answer(&mut client, &e, code, &result);
    assert_eq!(answer["result"]["output"], json!([true, 1]));
    let (_, answer) = with_answer(&mut client, &e, "[now()]", &result);
    assert_eq!(answer["result"]["output"], json!([1]));
}

#[test]
fn several_calls_are_under_way_at_once() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let code = "(await Promise.all([later(1), later(2), later(3)])).join()";
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let calls = [client.next_call(), client.next_call(), client.next_call()];
    for call in calls.iter().rev() {
        let n = call["params"]["args"][0].as_i64().unwrap();
        client.answer(call, &json!(n * 10));
    }
    assert_eq!(client.wait_result(&run)["output"], "10,20,30");
}

#[test]
fn an_error_of_the_client_is_an_error_of_the_code() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let failure = json!({"error": {"code": 1, "message": "no such file", "data": {"name": "RangeError", "code": "ENOENT", "path": "/x"}}});
    for tool in ["await later()", "now()"] {
        let code = format!(
            "try {{ {tool} }} catch (e) {{ [e instanceof RangeError, e.name, e.message, e.code, e.path] }}"
        );
        let (_, answer) = with_answer(&mut client, &e, &code, &failure);
        assert_eq!(
            answer["result"]["output"],
            json!([true, "RangeError", "no such file", "ENOENT", "/x"])
        );
        let (_, answer) = with_answer(&mut client, &e, tool, &failure);
        assert_eq!(answer["error"]["code"], -32000);
        assert_eq!(answer["error"]["data"]["code"], "ERR_TOOL_PROXY_FAIL");
        assert_eq!(
            client.call("executor.state", json!({"executor": e}))["state"],
            "READY"
        );
    }
}

#[test]
fn an_answer_that_is_no_value_fails_the_call() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let (_, answer) = with_answer(
        &mut client,
        &e,
        "await later()",
        &json!({"result": {"a": [{"$": "nonsense"}]}}),
    );
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("a[0].$: unknown kind \"nonsense\""),
        "{message}"
    );
}

#[test]
fn arguments_are_checked_against_their_schema() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let (call, answer) = with_answer(
        &mut client,
        &e,
        "await typed({ n: 1 })",
        &json!({"result": 2}),
    );
    assert_eq!(
        (&call["params"]["args"], &answer["result"]["output"]),
        (&json!([{"n": 1}]), &json!(2))
    );
    let error = client.call_error(
        "executor.run",
        json!({"executor": e, "code": "await typed({ n: 'x' })"}),
    );
    assert_eq!(error["data"]["code"], "ERR_TOOL_PROXY_FAIL");
}

#[test]
fn tools_that_make_no_sense_are_refused() {
    let mut client = Client::new();
    let e = ready(&mut client);
    let mut refused = |tool: Json| {
        client.call_error(
            "executor.sendTools",
            json!({"executor": e, "tools": [tool]}),
        )
    };
    assert_eq!(
        refused(json!({"name": "x", "mode": "slow"}))["code"],
        -32602
    );
    assert_eq!(
        refused(json!({"name": "x", "colour": "red"}))["code"],
        -32602
    );
    assert_eq!(refused(json!({"mode": "sync"}))["code"], -32602);
    assert_eq!(refused(json!({"name": "not a name"}))["code"], -32000);
}

#[test]
fn the_clock_can_wait_for_tools() {
    let mut client = Client::new();
    let e = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(&e, json!([{"name": "later"}]));
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "await later()", "timeoutMs": 1500}),
    );
    let call = client.next_call();
    assert_eq!(client.wait_error(&run)["data"]["code"], "ERR_EXEC_TIMEOUT");
    client.answer(&call, &json!("too late"));
    let e = client.executor(json!({"timeoutMs": 600_000, "pauseClockDuringTools": true}));
    client.tools(&e, json!([{"name": "later"}]));
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "await later()", "timeoutMs": 1500}),
    );
    let call = client.next_call();
    std::thread::sleep(std::time::Duration::from_secs(2));
    client.answer(&call, &json!("in time"));
    assert_eq!(client.wait_result(&run)["output"], "in time");
}
