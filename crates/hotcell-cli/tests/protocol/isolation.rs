//! A server that runs everything in worker processes.

use serde_json::json;

use crate::client::Client;

#[test]
fn executors_and_sandboxes_of_the_server_run_in_worker_processes() {
    let mut client = Client::with(&["--isolation", "process"]);
    let executor = client.executor(json!({}));
    client.tools(&executor, json!([{ "name": "twice" }]));
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": "await twice(21)" }),
    );
    let call = client.next_call();
    assert_eq!(call["params"]["tool"], "twice");
    client.answer(&call, &json!(42));
    assert_eq!(client.wait_result(&run)["output"], 42);

    let made = client.call("sandbox.create", json!({}));
    let ran = client.call(
        "sandbox.run",
        json!({ "sandbox": made["sandbox"], "command": "seq 3 | paste -sd+ | bc" }),
    );
    assert_eq!(ran["stdout"], "6\n");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_client_cannot_ask_for_less_than_the_server_insists_on() {
    let mut client = Client::with(&["--isolation", "process"]);
    for method in ["executor.create", "sandbox.create"] {
        let options = json!({ "options": { "isolation": "thread" } });
        let error = client.call_error(method, options);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("--isolation process"), "{message}");
    }
}
