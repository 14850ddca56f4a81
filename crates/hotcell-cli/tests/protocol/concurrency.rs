use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::client::Client;

const PATIENT: u64 = 1_000_000_000_000;

#[test]
fn sixty_four_runs_at_once_are_answered_in_any_order() {
    let mut client = Client::new();
    let mut runs = Vec::new();
    for number in 0..64 {
        let e = client.executor(json!({"timeoutMs": 600_000}));
        client.tools(&e, json!([{"name": "double"}]));
        let code = format!(
            "const n = {number}; let sum = 0; for (let i = 0; i < 1000; i++) sum += i; (await double(n)) + sum"
        );
        let id = client.send("executor.run", json!({"executor": e, "code": code}));
        runs.push((number, id));
    }
    // All are under way at once: every one of them waits for its tool before the first is answered.
    let mut calls: Vec<_> = (0..64).map(|_| client.next_call()).collect();
    calls.reverse();
    for call in calls {
        let n = call["params"]["args"][0].as_i64().unwrap();
        client.answer(&call, &json!(n * 2));
    }
    for (number, id) in runs {
        assert_eq!(client.wait_result(&id)["output"], number * 2 + 499_500);
    }
}

#[test]
fn a_long_run_delays_nobody() {
    let mut client = Client::with(&["--threads", "1"]);
    let busy = client.executor(json!({"maxOperations": PATIENT, "timeoutMs": 600_000}));
    let other = client.executor(json!({}));
    let endless = client.send(
        "executor.run",
        json!({"executor": busy, "code": "for (;;) {}"}),
    );
    assert_eq!(client.run(&other, "1 + 1"), 2);
    assert_eq!(
        client.call("executor.state", json!({"executor": busy}))["state"],
        "RUNNING"
    );
    assert_eq!(
        client.call("executor.cancel", json!({"executor": busy})),
        json!({})
    );
    let error = client.wait_error(&endless);
    assert_eq!(error["data"]["code"], "ERR_CANCELLED");
}

#[test]
fn a_cancelled_run_leaves_its_state() {
    let mut client = Client::new();
    let e = client.executor(json!({"maxOperations": PATIENT, "timeoutMs": 600_000}));
    client.run(&e, "let kept = 1;");
    // In one breath: the run has begun when the cancel is looked at.
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "kept = 2; for (;;) {}"}),
    );
    client.call("executor.cancel", json!({"executor": e}));
    assert_eq!(client.wait_error(&run)["data"]["code"], "ERR_CANCELLED");
    assert_eq!(client.run(&e, "kept"), 2);
}

#[test]
fn a_run_that_waits_for_a_tool_is_cancelled_too() {
    let mut client = Client::new();
    let e = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(&e, json!([{"name": "ask"}]));
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "await ask()"}),
    );
    let call = client.next_call();
    client.call("executor.cancel", json!({"executor": e}));
    assert_eq!(client.wait_error(&run)["data"]["code"], "ERR_CANCELLED");
    // Too late, and nobody minds.
    client.answer(&call, &json!(1));
    assert_eq!(client.run(&e, "2"), 2);
}

#[test]
fn requests_for_one_executor_begin_in_their_order() {
    let mut client = Client::new();
    let e = client.executor(json!({"runConcurrency": "queue", "maxQueuedRuns": 1000}));
    let mut sent = Vec::new();
    client.send(
        "executor.run",
        json!({"executor": e, "code": "var seen = []"}),
    );
    for number in 0..100 {
        let id = client.send(
            "executor.run",
            json!({"executor": e, "code": format!("seen.push({number})")}),
        );
        sent.push(id);
    }
    for (number, id) in sent.iter().enumerate() {
        assert_eq!(client.wait_result(id)["output"], number + 1);
    }
    let expected: Vec<_> = (0..100).collect();
    assert_eq!(client.run(&e, "seen"), json!(expected));
}

#[test]
fn variables_and_a_run_may_be_sent_in_one_breath() {
    let mut client = Client::new();
    let made = client.call("executor.create", json!({}));
    let e = made["executor"].as_str().unwrap().to_owned();
    client.send("executor.init", json!({"executor": e}));
    client.send(
        "executor.sendVariables",
        json!({"executor": e, "variables": {"x": 20}}),
    );
    client.send(
        "executor.sendTools",
        json!({"executor": e, "tools": [{"name": "ask", "mode": "sync"}]}),
    );
    let run = client.send("executor.run", json!({"executor": e, "code": "x + ask()"}));
    let call = client.next_call();
    client.answer(&call, &json!(22));
    assert_eq!(client.wait_result(&run)["output"], 42);
}

#[test]
fn a_second_run_is_rejected_or_queued_as_asked() {
    let mut client = Client::new();
    let e = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(&e, json!([{"name": "ask"}]));
    let first = client.send(
        "executor.run",
        json!({"executor": e, "code": "await ask()"}),
    );
    let call = client.next_call();
    let error = client.call_error("executor.run", json!({"executor": e, "code": "1"}));
    assert_eq!(error["data"]["code"], "ERR_INVALID_STATE");
    client.answer(&call, &json!(null));
    client.wait_result(&first);

    let e = client
        .executor(json!({"timeoutMs": 600_000, "runConcurrency": "queue", "maxQueuedRuns": 1}));
    client.tools(&e, json!([{"name": "ask"}]));
    let first = client.send(
        "executor.run",
        json!({"executor": e, "code": "await ask('first')"}),
    );
    let second = client.send(
        "executor.run",
        json!({"executor": e, "code": "await ask('second')"}),
    );
    let call = client.next_call();
    assert_eq!(
        client.call("executor.state", json!({"executor": e})),
        json!({"state": "RUNNING", "queued": 1})
    );
    let error = client.call_error("executor.run", json!({"executor": e, "code": "3"}));
    assert_eq!(error["data"]["code"], "ERR_INVALID_STATE");
    let first_run = call["params"]["run"].clone();
    client.answer(&call, &json!(1));
    assert_eq!(client.wait_result(&first)["output"], 1);
    let call = client.next_call();
    assert_eq!(call["params"]["args"], json!(["second"]));
    assert_ne!(call["params"]["run"], first_run);
    client.answer(&call, &json!(2));
    assert_eq!(client.wait_result(&second)["output"], 2);
}

#[test]
fn disposing_of_an_executor_calls_its_run_off() {
    let mut client = Client::new();
    let e = client.executor(json!({"maxOperations": PATIENT, "timeoutMs": 600_000}));
    let run = client.send(
        "executor.run",
        json!({"executor": e, "code": "for (;;) {}"}),
    );
    assert_eq!(
        client.call("executor.dispose", json!({"executor": e})),
        json!({})
    );
    assert_eq!(client.wait_error(&run)["data"]["code"], "ERR_CANCELLED");
}

#[test]
fn requests_beyond_the_limit_are_refused() {
    let mut client = Client::with(&["--max-requests", "2"]);
    let e = client.executor(json!({"timeoutMs": 600_000}));
    let f = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(&e, json!([{"name": "ask"}]));
    client.tools(&f, json!([{"name": "ask"}]));
    let first = client.send(
        "executor.run",
        json!({"executor": e, "code": "await ask()"}),
    );
    let second = client.send(
        "executor.run",
        json!({"executor": f, "code": "await ask()"}),
    );
    let calls = [client.next_call(), client.next_call()];
    let error = client.call_error("executor.state", json!({"executor": e}));
    assert_eq!(
        (&error["code"], &error["data"]["retryable"]),
        (&json!(-32000), &json!(true))
    );
    for call in &calls {
        client.answer(call, &json!(1));
    }
    client.wait_result(&first);
    client.wait_result(&second);
}

#[test]
fn requests_larger_together_than_the_limit_are_refused() {
    let mut client = Client::with(&["--max-pending", "10KiB"]);
    let e = client.executor(json!({"timeoutMs": 600_000}));
    client.tools(&e, json!([{"name": "ask"}]));
    let code = format!("await ask() /*{}*/", " ".repeat(20_000));
    let run = client.send("executor.run", json!({"executor": e, "code": code}));
    let call = client.next_call();
    let error = client.call_error("executor.state", json!({"executor": e}));
    assert_eq!(error["data"]["retryable"], json!(true));
    client.answer(&call, &json!(1));
    assert_eq!(client.wait_result(&run)["output"], json!(1));
    client.call("executor.state", json!({"executor": e}));
}

#[test]
fn a_client_that_does_not_read_is_not_read_either() {
    const RUNS: usize = 200;
    let mut server = Command::new(env!("CARGO_BIN_EXE_hotcell"))
        .args(["serve", "--stdio", "--max-unread", "1MiB"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let request = |method, params| {
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let options = json!({"runConcurrency": "queue", "maxQueuedRuns": RUNS});
    writeln!(
        stdin,
        "{}",
        request("executor.create", json!({ "options": options }))
    )
    .unwrap();
    assert!(answers.next().unwrap().unwrap().contains("e1"));
    writeln!(
        stdin,
        "{}",
        request("executor.init", json!({"executor": "e1"}))
    )
    .unwrap();
    assert!(answers.next().unwrap().unwrap().contains("READY"));

    // A megabyte of answer each; and more of a line than fits into a pipe.
    let code = format!("'x'.repeat(1e6) /*{}*/", " ".repeat(400_000));
    let run = request("executor.run", json!({"executor": "e1", "code": code}));
    let taken = Arc::new(AtomicUsize::new(0));
    let writer = thread::spawn({
        let taken = Arc::clone(&taken);
        move || {
            for _ in 0..RUNS {
                writeln!(stdin, "{run}").unwrap();
                taken.fetch_add(1, Ordering::Relaxed);
            }
            stdin
        }
    });
    let mut before = 0;
    let stuck = loop {
        thread::sleep(Duration::from_millis(500));
        let now = taken.load(Ordering::Relaxed);
        if now == before && now > 0 {
            break now;
        }
        before = now;
    };
    assert!(stuck < RUNS, "{stuck} requests were taken");

    for answer in answers.take(RUNS) {
        assert!(answer.unwrap().contains("result"));
    }
    drop(writer.join().unwrap());
    assert!(server.wait().unwrap().success());
}

/// Pipelines of runs, all sent before the first answer is read, with the codes of each; gives what was answered in which order.
fn pipelines(client: &mut Client, options: &serde_json::Value, codes: &[&str], count: usize) {
    let executors: Vec<_> = (0..count)
        .map(|_| client.executor(options.clone()))
        .collect();
    let id = |pipeline: usize, run: usize| pipeline * codes.len() + run;
    for (pipeline, executor) in executors.iter().enumerate() {
        for (run, code) in codes.iter().enumerate() {
            let request = json!({
                "jsonrpc": "2.0", "id": id(pipeline, run), "method": "executor.run",
                "params": {"executor": executor, "code": code},
            });
            client.raw(&request.to_string());
        }
    }
    let mut next: Vec<_> = (0..count).map(|pipeline| id(pipeline, 0)).collect();
    for _ in 0..count * codes.len() {
        let answer = client.next_other();
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        let pipeline = id / codes.len();
        assert_eq!(id, next[pipeline], "of executor {pipeline}: {answer}");
        next[pipeline] += 1;
    }
}

#[test]
fn queued_runs_are_answered_in_the_order_of_the_queue() {
    let options = json!({"runConcurrency": "queue", "maxQueuedRuns": 1000});
    for threads in ["1", "2", "8"] {
        let mut client = Client::with(&["--threads", threads]);
        pipelines(&mut client, &options, &["1 + 1"; 50], 40);
        let mixed = [
            "let a = []; for (let i = 0; i < 3000; i++) a.push({ i }); a",
            "1",
            "throw new Error('x')",
            "not code",
            "await null; console.log('y')",
        ];
        pipelines(&mut client, &options, &mixed.repeat(10), 20);
    }
}

#[test]
fn queued_runs_hear_in_order_that_there_is_no_cell_any_more() {
    let options = json!({"runConcurrency": "queue", "maxQueuedRuns": 1000, "timeoutMs": 100, "maxOperations": PATIENT});
    let mut codes = vec!["1 + 1"; 40];
    codes[10] = "for (;;) {}";
    let mut client = Client::new();
    pipelines(&mut client, &options, &codes, 20);
}
