//! A worker that somebody has taken over says what it likes, and gets nothing for it.
//!
//! Code that begins with `hostile:` makes the worker of these tests misbehave, as the word after that says.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{AgentTool, Approval, ErrorCode, Executor, Permission, State};
use hotcell_worker::{Called, MakeService, Message, Parent, Service};
use pollster::block_on;
use serde_json::json;

use crate::support::{fail, ready, value};

/// The service of a worker of executors, but for what begins with `hostile:`.
pub(crate) fn service() -> (&'static str, MakeService) {
    (hotcell_executor::worker_service().0, make)
}

fn make() -> Result<Box<dyn Service>, String> {
    let (_, make) = hotcell_executor::worker_service();
    Ok(Box::new(Taken(make()?)))
}

struct Taken(Box<dyn Service>);

impl Service for Taken {
    fn handle(&mut self, command: Message, parent: &Parent) -> Message {
        let text = String::from_utf8_lossy(&command.binary).into_owned();
        match text.strip_prefix("hostile:") {
            Some(what) => misbehave(what, parent),
            None => self.0.handle(command, parent),
        }
    }

    fn canceller(&self) -> Box<dyn Fn() -> bool + Send + Sync> {
        self.0.canceller()
    }
}

/// A field of bytes, as both sides write it.
fn field(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

/// A call of a tool, as both sides write it.
fn packed(tool: &str, arguments: &[Value]) -> Vec<u8> {
    let mut out = field(tool.as_bytes());
    out.extend(0_u64.to_le_bytes());
    // It comes from nowhere.
    out.extend(0_u64.to_le_bytes());
    out.extend(field(b""));
    out.extend((arguments.len() as u64).to_le_bytes());
    for argument in arguments {
        out.extend(field(&argument.to_wire().unwrap()));
    }
    out
}

fn call(parent: &Parent, tool: &str, arguments: &[Value]) -> String {
    let called = parent.call("call", &json!({ "call": 7 }), packed(tool, arguments));
    match called {
        Called::Now(Ok(_)) => "answered".to_owned(),
        Called::Now(Err(refusal)) => refusal.message,
        Called::Later(_) => "later".to_owned(),
    }
}

/// What says that a tool was called.
fn called(index: usize) -> Vec<u8> {
    let called =
        json!({ "Called": { "index": index, "tool": "number", "arguments": "1", "trace": null } });
    field(called.to_string().as_bytes())
}

fn misbehave(what: &str, parent: &Parent) -> Message {
    let done = json!({ "op": "done", "ok": true, "state": "READY" });
    let said = match what {
        "unknown tool" => call(parent, "nothing", &[]),
        "denied tool" => call(parent, "denied", &[]),
        "unapproved tool" => call(parent, "asks", &[Value::from("other")]),
        "wrong arguments" => call(
            parent,
            "number",
            &[Value::object([("n", Value::from("x"))])],
        ),
        "too many calls" => {
            let one = || call(parent, "number", &[Value::object([("n", 1.into())])]);
            for _ in 1..30 {
                let _ = one();
            }
            one()
        }
        "approval of nothing" => {
            let asked = parent.call("approve", &json!({}), packed("number", &[]));
            format!("{asked:?}")
        }
        "too much log" => {
            for _ in 0..100 {
                let mut entry = vec![0];
                entry.extend(0_u64.to_le_bytes());
                entry.extend(field(&vec![b'x'; 100_000]));
                parent.print(1, &field(&entry));
            }
            wait_for_the_end(parent)
        }
        "no log" => {
            parent.print(1, &[0xff; 64]);
            wait_for_the_end(parent)
        }
        "no happening" => {
            parent.print(2, &field(b"nothing"));
            wait_for_the_end(parent)
        }
        "a long happening" => {
            parent.print(2, &field(&vec![b' '; 1 << 20]));
            wait_for_the_end(parent)
        }
        "a flood of happenings" => {
            for index in 0..1000 {
                parent.print(2, &called(index));
            }
            wait_for_the_end(parent)
        }
        "strange happenings" => {
            parent.print(2, &called(usize::MAX));
            for ended in [
                json!({ "Ended": [usize::MAX, "Returned"] }),
                json!({ "Ended": [0, { "Failed": "x".repeat(10_000) }] }),
                json!({ "Waits": [7, "deferred"] }),
                json!("Resumed"),
            ] {
                parent.print(2, &field(ended.to_string().as_bytes()));
            }
            parent.flush();
            "strange".to_owned()
        }
        "no request" => {
            call(parent, "number", &[])
                + &format!("{:?}", {
                    let garbage = Message {
                        metadata: b"{\"op\":\"open\"}".to_vec(),
                        binary: Vec::new(),
                    };
                    parent.ask(&garbage)
                })
        }
        "a bomb" => {
            // An array that says it has many elements.
            let mut out = field(b"number");
            out.extend(0_u64.to_le_bytes());
            out.extend(0_u64.to_le_bytes());
            out.extend(field(b""));
            out.extend(u64::MAX.to_le_bytes());
            let called = parent.call("call", &json!({ "call": 8 }), out);
            format!("{called:?}")
        }
        "no result" => return Message::new(&done, vec![0xff; 1000]),
        "no end" => return Message::new(&json!({ "op": "done" }), Vec::new()),
        other => other.to_owned(),
    };
    // As an exit, so that the test reads what was said.
    eprintln!("said: {said}");
    std::process::exit(7)
}

/// It comes from the parent.
fn wait_for_the_end(parent: &Parent) -> ! {
    loop {
        parent.flush();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn executor() -> (Executor, Arc<AtomicUsize>) {
    let approve = |_| async { Approval::Allow };
    let options = crate::options().max_tool_calls(20).on_approval(approve);
    let executor = ready(options);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = || {
        let calls = Arc::clone(&calls);
        AgentTool::from(Tool::sync(move |_| {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(Value::Undefined)
        }))
    };
    let number = json!({
        "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"],
    });
    let tools = [
        ("denied", counted().permission(Permission::Deny)),
        ("asks", counted().permission(Permission::Ask)),
        ("number", counted().parameters(number)),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    (executor, calls)
}

/// What comes of misbehaviour: the error's words, and how many calls took place.
fn met(what: &str) -> (String, usize) {
    let (executor, calls) = executor();
    // Approved for one argument, and for once.
    value(&executor, "asks('this')");
    assert_eq!(calls.swap(0, Ordering::Relaxed), 1);
    let error = fail(&executor, &format!("hostile:{what}"));
    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{what}: {error}");
    assert_eq!(executor.state(), State::Dirty, "{what}");
    // The host goes on.
    block_on(executor.cleanup()).unwrap();
    block_on(executor.init()).unwrap();
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
    (error.message, calls.load(Ordering::Relaxed))
}

#[test]
fn a_worker_has_no_authority_over_tools() {
    for (what, said) in [
        ("unknown tool", "there is no such tool"),
        ("denied tool", "the tool denied may not be called"),
        ("unapproved tool", "the tool asks may not be called"),
        ("wrong arguments", "invalid arguments for number"),
        ("approval of nothing", "nobody needs approval for that"),
    ] {
        let (message, calls) = met(what);
        assert!(message.contains(said), "{what}: {message}");
        assert_eq!(calls, 0, "{what}");
    }
    // What it tells of is shown, at the most.
    assert!(met("strange happenings").0.contains("strange"));
    let (message, calls) = met("too many calls");
    assert!(message.contains("too many tool calls"), "{message}");
    assert!(calls <= 21, "{calls}");
}

#[test]
fn what_no_worker_of_ours_says_is_its_end() {
    for what in [
        "no happening",
        "a long happening",
        "a flood of happenings",
        "too much log",
        "no log",
        "no request",
        "a bomb",
        "no result",
        "no end",
    ] {
        let (message, _) = met(what);
        let is_told = message.contains("broke the protocol") || message.contains("none of ours");
        assert!(is_told, "{what}: {message}");
    }
}
