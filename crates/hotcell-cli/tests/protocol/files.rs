//! Files, approval and modules over the wire.

use std::fs;

use serde_json::{Value as Json, json};
use tempfile::tempdir;

use crate::client::Client;

#[test]
fn an_executor_gets_file_tools_and_the_client_sees_the_files() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    let of = |params: Json| {
        let mut params = params;
        params["executor"] = json!(executor);
        params
    };
    client.call("executor.sendFileTools", of(json!({ "memory": true })));
    let output = client.run(
        &executor,
        "await writeText('a.csv', 'id\\n1\\n'); const rows = []; for await (const line of readLines('a.csv')) rows.push(line); rows",
    );
    assert_eq!(output, json!(["id", "1"]));
    let read = of(json!({ "tool": "readText", "args": ["a.csv"] }));
    assert_eq!(
        client.call("executor.callFileTool", read),
        json!({ "result": "id\n1\n" })
    );
    let missing = of(json!({ "tool": "readText", "args": ["b.csv"] }));
    let error = client.call_error("executor.callFileTool", missing);
    assert_eq!(error["data"]["code"], "ENOENT");

    // A twin has files of its own, and so has what is restored.
    let twin = client.call("executor.fork", of(json!({})))["executor"].clone();
    let twin = twin.as_str().unwrap();
    client.run(twin, "await writeText('a.csv', '')");
    assert_eq!(
        client.run(&executor, "(await readText('a.csv')).length"),
        json!(5)
    );
    let snapshot = client.call("executor.snapshot", of(json!({})))["snapshot"].clone();
    let later =
        client.call("executor.restore", json!({ "snapshot": snapshot }))["executor"].clone();
    client.call(
        "executor.sendFileTools",
        json!({ "executor": later, "memory": true }),
    );
    let later = later.as_str().unwrap();
    assert_eq!(
        client.run(later, "(await readText('a.csv')).length"),
        json!(5)
    );
}

#[test]
fn an_overlay_is_applied_when_the_client_says_so() {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "old").unwrap();
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.call(
        "executor.sendFileTools",
        json!({ "executor": executor, "root": dir.path(), "overlay": true }),
    );
    client.run(&executor, "await writeText('a.txt', 'new')");
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), "old");
    let changes = json!({ "changes": [{ "path": "a.txt", "kind": "modified" }] });
    let of = json!({ "executor": executor });
    assert_eq!(client.call("executor.fileChanges", of), changes);
    let apply = json!({ "executor": executor, "apply": true });
    client.call("executor.fileChanges", apply);
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), "new");
    for wrong in [
        json!({ "executor": executor }),
        json!({ "executor": executor, "root": dir.path(), "memory": true }),
        json!({ "executor": executor, "root": "/nowhere/at/all" }),
        json!({ "executor": executor, "memory": true, "readonly": true }),
    ] {
        assert_eq!(
            client.call_error("executor.sendFileTools", wrong)["code"],
            -32602
        );
    }
}

#[test]
fn a_call_waits_for_approval() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(
        &executor,
        json!([
            { "name": "pay", "permission": "ask" },
            { "name": "burn", "permission": "deny" },
        ]),
    );
    let code = "const said = [];
        for (const sum of [1, 2]) said.push(await pay(sum).catch((error) => error.message));
        said.push(await burn().catch((error) => error.message));
        said";
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": code }),
    );
    let asked = client.next_other();
    assert_eq!(asked["method"], "tool.approval");
    assert_eq!(
        (&asked["params"]["tool"], &asked["params"]["args"]),
        (&json!("pay"), &json!([1]))
    );
    assert_eq!(asked["params"]["executor"], json!(executor));
    client.answer(&asked, &json!(true));
    let call = client.next_call();
    client.answer(&call, &json!("paid"));
    let asked = client.next_other();
    client.answer(&asked, &json!("too much"));
    let said = client.wait_result(&run)["output"].clone();
    assert_eq!(said[0], "paid");
    assert_eq!(said[1], "the tool pay may not be called: too much");
    assert_eq!(
        said[2],
        "the tool burn may not be called: the host does not allow it"
    );
}

#[test]
fn modules_have_functions_of_the_client_and_values() {
    let mut client = Client::new();
    let modules = json!({
        "shop": { "functions": [{ "name": "price" }], "values": { "tax": 0.5, "when": { "$": "date", "value": "1970-01-01T00:00:00.000Z" } } },
        "sums": "export const twice = (n: number) => 2 * n;",
    });
    let options = json!({ "authorizedImports": ["shop", "sums"] });
    let made = client.call(
        "executor.create",
        json!({ "options": options, "modules": modules }),
    );
    let executor = made["executor"].as_str().unwrap().to_owned();
    client.call("executor.init", json!({ "executor": executor }));
    let code = "import { price, tax, when } from 'shop'; import { twice } from 'sums'; [twice(await price('tea')) + tax, when.getTime()]";
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": code }),
    );
    let call = client.next_call();
    assert_eq!(
        (&call["params"]["tool"], &call["params"]["args"]),
        (&json!("shop#price"), &json!(["tea"]))
    );
    client.answer(&call, &json!(3));
    assert_eq!(client.wait_result(&run)["output"], json!([6.5, 0]));
    // The functions of a twin's modules say that it is the twin.
    let twin = client.call("executor.fork", json!({ "executor": executor }))["executor"].clone();
    let run = client.send(
        "executor.run",
        json!({ "executor": twin, "code": "await price(1)" }),
    );
    let call = client.next_call();
    assert_eq!(call["params"]["executor"], twin);
    client.answer(&call, &json!(0));
    client.wait_result(&run);
    let wrong = json!({ "modules": { "x": { "fns": [] } } });
    assert_eq!(client.call_error("executor.create", wrong)["code"], -32602);
}

#[test]
fn a_prompt_says_what_the_executor_has() {
    let mut client = Client::new();
    let executor = client.executor(json!({ "maxOperations": 77, "timeoutMs": 1500.5 }));
    client.tools(
        &executor,
        json!([{ "name": "price", "description": "Tells a price" }, { "name": "far.away", "deferred": true }]),
    );
    let prompt = client.call(
        "executor.renderPrompt",
        json!({ "executor": executor, "context": { "customInstructions": "Be brief." } }),
    );
    let prompt = prompt["text"].as_str().unwrap();
    for part in [
        "declare function price(",
        "declare function searchTools(",
        "1 more tool",
        "77 loop iterations",
        "Be brief.",
    ] {
        assert!(prompt.contains(part), "{part}\n{prompt}");
    }
}

#[test]
fn code_is_checked_with_and_without_an_executor() {
    let mut client = Client::new();
    let found = client.call("validateCode", json!({ "code": "let = ;" }));
    assert_eq!(found["diagnostics"][0]["rule"], "syntax_valid");
    let executor = client.executor(json!({}));
    client.tools(
        &executor,
        json!([{ "name": "weather", "parameters": { "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] } }]),
    );
    let mut check = |code: &str| {
        let found = client.call(
            "executor.validate",
            json!({ "executor": executor, "code": code }),
        );
        found["diagnostics"][0]["message"].clone()
    };
    assert_eq!(check("await wether('x')"), "`wether` is not defined");
    assert_eq!(
        check("await weather({ town: 'x' })"),
        "wrong arguments for `weather`: `city` is missing"
    );
    assert_eq!(check("await weather({ city: 'x' })"), Json::Null);
}

#[test]
fn a_run_tells_its_calls_and_may_be_a_function() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(&executor, json!([{ "name": "price" }]));
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": "async () => await price('tea')", "callFunction": true, "name": "step.js" }),
    );
    let call = client.next_call();
    client.answer(&call, &json!(3));
    let result = client.wait_result(&run);
    assert_eq!(result["output"], 3);
    assert_eq!(
        (&result["calls"][0]["tool"], &result["calls"][0]["outcome"]),
        (&json!("price"), &json!("returned"))
    );
}

#[test]
fn a_tool_may_answer_page_by_page() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    client.tools(&executor, json!([{ "name": "rows", "mode": "stream" }]));
    let run = client.send(
        "executor.run",
        json!({ "executor": executor, "code": "const all = []; for await (const row of rows('t')) all.push(row); all" }),
    );
    let first = client.next_call();
    assert_eq!(first["params"]["args"], json!(["t"]));
    client.answer(&first, &json!({ "items": [1, 2], "next": { "page": 2 } }));
    let second = client.next_call();
    assert_eq!(second["params"]["args"], json!([{ "page": 2 }]));
    client.answer(&second, &json!({ "items": [3] }));
    assert_eq!(client.wait_result(&run)["output"], json!([1, 2, 3]));
}
