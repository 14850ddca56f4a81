//! Clients that ask for much, or read little.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::client::{Client, peak_memory_of};

#[test]
fn thousands_of_ignore_rules_take_hardly_any_memory() {
    let mut client = Client::new();
    let executor = client.executor(json!({ "timeoutMs": 100_000 }));
    let made = client.call("sandbox.create", json!({}));
    client.call(
        "executor.attachSandbox",
        json!({ "executor": executor, "sandbox": made["sandbox"] }),
    );
    let code = r"
        const rules = Array.from({ length: 5000 }, (_, i) => '**/*' + i + '*a*b*/**');
        await write({ path: '.gitignore', content: rules.join('\n') });
        (await bash('mkdir -p .git d; for i in {1..1000}; do echo x > d/f$i; done')).exitCode";
    assert_eq!(client.run(&executor, code), 0);
    let found = client.run(&executor, "(await find({ pattern: 'zz' })).content[0].text");
    assert!(
        found.as_str().unwrap().starts_with("No files found"),
        "{found}"
    );
    let found = client.run(&executor, "(await grep({ pattern: 'zz' })).content[0].text");
    assert!(
        found.as_str().unwrap().starts_with("No matches found"),
        "{found}"
    );
    assert_eq!(client.run(&executor, "(await bash('rg zz')).exitCode"), 1);
    // Searches that nobody awaits end with their run.
    let code = "for (let i = 0; i < 200; i++) find({ pattern: '**/*a*b*c*d*e' }); 1";
    assert_eq!(client.run(&executor, code), 1);
    assert_eq!(client.run(&executor, "(await readText('d/f7')).length"), 2);
    // It was more than 3,000.
    let peak = client.peak_memory();
    assert!(peak < 700, "{peak} MiB");
}

#[test]
fn no_answers_are_made_while_too_many_are_unread() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_hotcell"))
        .args(["serve", "--stdio", "--max-unread", "1MiB"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut stdout = BufReader::new(server.stdout.take().unwrap());
    let options = json!({ "runConcurrency": "queue", "maxQueuedRuns": 1000 });
    let mut send = |id: u32, method: &str, params: serde_json::Value| {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(stdin, "{message}").unwrap();
    };
    let mut line = String::new();
    send(0, "executor.create", json!({ "options": options }));
    stdout.read_line(&mut line).unwrap();
    send(1, "executor.init", json!({ "executor": "e1" }));
    stdout.read_line(&mut line).unwrap();
    let runs = 2..82;
    for id in runs.clone() {
        let method = ["executor.run", "executor.start"][id as usize % 2];
        let code = "'x'.repeat(8e6)";
        send(id, method, json!({ "executor": "e1", "code": code }));
    }
    thread::sleep(Duration::from_secs(3));
    // All of them would be 640.
    let peak = peak_memory_of(&server);
    assert!(peak < 300, "{peak} MiB");
    let mut lengths = Vec::new();
    for _ in runs.clone() {
        line.clear();
        stdout.read_line(&mut line).unwrap();
        lengths.push(line.len());
    }
    let long = lengths.iter().filter(|length| **length > 8_000_000);
    assert_eq!(long.count(), runs.len());
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn looks_at_much_code_keep_nobody_waiting() {
    let mut client = Client::new();
    let executor = client.executor(json!({}));
    let code = "a\n".repeat(500_000);
    let ids: Vec<_> = (0..12)
        .map(|_| client.send("validateCode", json!({ "code": code })))
        .collect();
    let answer = "```js\n".repeat(100_000);
    let parsed = client.send("parseCode", json!({ "answer": answer }));
    assert_eq!(client.run(&executor, "1"), 1);
    let before = client.unasked();
    assert!(before < ids.len(), "{before} were answered first");
    for id in ids {
        client.wait_result(&id);
    }
    client.wait(&parsed);
}

#[test]
fn long_code_that_is_run_keeps_nobody_waiting() {
    let mut client = Client::new();
    let bystander = client.executor(json!({}));
    let code = "a\n".repeat(500_000);
    let ids: Vec<_> = (0..12)
        .map(|_| {
            let executor = client.executor(json!({ "timeoutMs": 200 }));
            client.send(
                "executor.run",
                json!({ "executor": executor, "code": code }),
            )
        })
        .collect();
    assert_eq!(client.run(&bystander, "1"), 1);
    for id in ids {
        client.wait_error(&id);
    }
}
