//! The words around the code: prompt, answer, observation, and tools in namespaces.

use serde_json::json;

use crate::client::Client;

#[test]
fn an_observation_is_made_of_what_a_run_gave() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(&executor, json!([{ "name": "weather" }]));
    let run = |code: &str| json!({ "executor": executor, "code": code });
    let result = client.call("executor.run", run("console.log('hm'); ({ a: 1 })"));
    let text = client.call("observation", json!({ "result": result }));
    assert_eq!(text["text"], "Logs:\nhm\nResult: { a: 1 }");
    let error = client.call_error("executor.run", run("await wether()"));
    let text = client.call("observation", json!({ "error": error }));
    let text = text["text"].as_str().unwrap();
    assert!(text.contains("> 1 | await wether()"), "{text}");
    assert!(text.contains("did you mean `weather`?"), "{text}");
    let wrong = client.call_error(
        "observation",
        json!({ "result": result, "options": { "max": 1 } }),
    );
    assert_eq!(wrong["code"], -32602);
}

#[test]
fn prompt_and_parser_are_there() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(
        &executor,
        json!([{ "name": "Host.readDoc", "description": "Reads" }]),
    );
    let tools = client.call("executor.tools", json!({ "executor": executor }))["tools"].clone();
    let prompt = client.call("renderPrompt", json!({ "context": { "tools": tools } }));
    let prompt = prompt["text"].as_str().unwrap();
    assert!(prompt.contains("declare namespace Host {"), "{prompt}");
    let parsed = client.call("parseCode", json!({ "answer": "<code>\n1 + 1\n</code>" }));
    assert_eq!(parsed["code"], "1 + 1");
    let found = client.call(
        "executor.validate",
        json!({ "executor": executor, "code": "Host.readDoc(1); 2" }),
    );
    assert_eq!(found["diagnostics"][0]["severity"], "WARNING", "{found}");
}

#[test]
fn tools_may_be_in_namespaces() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(&executor, json!([{ "name": "Host.readDoc" }]));
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": "await Host.readDoc('a')" }),
    );
    let call = client.next_call();
    assert_eq!(call["params"]["tool"], "Host.readDoc");
    client.answer(&call, &json!("a text"));
    assert_eq!(client.wait_result(&run)["output"], "a text");
}
