//! What the host does for a guest cannot be turned against it: it is on the guest's clock, and on the guest's account.
//!
//! The corpus is in `tests/data/host-attacks`. Every attack has a timeout of 200 ms and 64 MiB. It has to be answered within
//! 100 ms of its deadline, the process may grow by twice the cell's memory meanwhile, and the next run has to work.
//!
//! The clock says little on a machine that others use, so by default the bound is for what the thread computed, and a
//! generous one for the clock. `HOTCELL_QUIET=1` holds the clock to the bound: for a machine with nothing else to do.
//! `HOTCELL_ATTACKS=text` runs those whose names contain it; `HOTCELL_ATTACK_REPORT=file` keeps the figures of all.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod corpus;
mod measure;

use std::{
    env,
    fmt::Write as _,
    future::pending,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use corpus::Attack;
use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{
    AgentTool, Approval, ErrorCode, Execution, Executor, ExecutorError, ExecutorOptions,
    Permission, State, json::to_json,
};
use measure::{Cost, HighWater, cost};
use pollster::block_on;
use serde_json::{Value as Json, json};

const TIMEOUT: Duration = Duration::from_millis(200);
const MEMORY: usize = 64 << 20;
/// How much later than its deadline a run may be answered.
const LATE: Duration = Duration::from_millis(100);
/// The same by the clock, where other work may come between.
const LATE_WHEN_BUSY: Duration = Duration::from_secs(2);
/// Whatever takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// How an attack went.
#[derive(Debug, Default)]
struct Note {
    ended: String,
    /// Of the run.
    run: Cost,
    /// Of making JSON of what came of it, as every door but Rust's does.
    print: Cost,
    grown: usize,
    faults: Vec<String>,
}

#[test]
fn attacks_on_the_host_are_answered_in_time_and_within_their_memory() {
    let attacks = corpus::read(&env::var("HOTCELL_ATTACKS").unwrap_or_default());
    let is_quiet = env::var("HOTCELL_QUIET").is_ok_and(|value| value == "1");
    let mut report = String::new();
    let mut failed = Vec::new();
    for attack in attacks {
        let name = attack.name.clone();
        let mut note = in_time(attack);
        note.judge(is_quiet);
        let _ = writeln!(
            report,
            "{name} | {} | run {:.0?} ({:.0?} computed) | print {:.0?} | {} MiB | {}",
            note.ended,
            note.run.wall,
            note.run.cpu,
            note.print.cpu,
            note.grown >> 20,
            note.faults.join(", ")
        );
        if !note.faults.is_empty() {
            failed.push(format!("{name}: {}", note.faults.join(", ")));
        }
    }
    if let Ok(file) = env::var("HOTCELL_ATTACK_REPORT") {
        std::fs::write(file, report).unwrap();
    }
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn the_corpus_is_as_large_as_it_was() {
    let mut names: Vec<_> = corpus::read("")
        .into_iter()
        .map(|attack| attack.name)
        .collect();
    assert!(names.len() >= 500);
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// Carries an attack out on a thread of its own, so that one that hangs is a failure like any other.
fn in_time(attack: Attack) -> Note {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(carry_out(&attack)));
    receiver
        .recv_timeout(PATIENCE)
        .unwrap_or_else(|error| Note {
            ended: match error {
                RecvTimeoutError::Timeout => "hangs".into(),
                RecvTimeoutError::Disconnected => "panics".into(),
            },
            faults: vec!["no answer".into()],
            ..Note::default()
        })
}

impl Note {
    fn judge(&mut self, is_quiet: bool) {
        let bound = TIMEOUT + LATE;
        if self.run.cpu > bound {
            self.faults
                .push(format!("computed for {:.0?}", self.run.cpu));
        }
        let late = if is_quiet { LATE } else { LATE_WHEN_BUSY };
        if self.run.wall > TIMEOUT + late {
            self.faults
                .push(format!("answered after {:.0?}", self.run.wall));
        }
        if self.print.cpu > LATE {
            self.faults
                .push(format!("printed for {:.0?}", self.print.cpu));
        }
        if self.grown > 2 * MEMORY {
            self.faults
                .push(format!("{} MiB more memory", self.grown >> 20));
        }
    }
}

/// Does what the attack says, and what a host would do next.
fn carry_out(attack: &Attack) -> Note {
    let mut note = Note::default();
    let executor = ready(&attack.options);
    let memory = HighWater::begin();
    if attack.door == "validate" {
        let (diagnostics, cost) = cost(|| executor.validate(&attack.code));
        note.run = cost;
        let error = diagnostics
            .iter()
            .any(|found| found.severity == hotcell_prepare::Severity::Error);
        let is_import = diagnostics
            .iter()
            .any(|found| found.rule.starts_with("import"));
        note.ended = if is_import {
            "import"
        } else if error {
            "refused"
        } else {
            "ok"
        }
        .into();
    } else {
        let (execution, run) = cost(|| block_on(executor.execute(&*attack.code)));
        note.run = run;
        note.ended = ending(&execution).into();
        let ((), print) = cost(|| print(&execution));
        note.print = print;
        if let Err(error) = and_then(&attack.door, &executor, execution) {
            note.faults.push(format!("then: {error}"));
        }
    }
    note.grown = memory.grown();
    let is_allowed = |ended: &String| attack.ends.contains(ended);
    if note.ended.is_empty() || !(attack.ends == ["*"] || is_allowed(&note.ended)) {
        note.faults.push(format!("it ended as {}", note.ended));
    }
    let next = if executor.state() == State::Ready {
        executor
    } else {
        ready(&json!({}))
    };
    match block_on(next.run("1 + 1")) {
        Ok(run) if run.output == Value::from(2) => {}
        other => note
            .faults
            .push(format!("the next run does not work: {other:?}")),
    }
    note
}

/// How a run ended, in the corpus's words; nothing if it may not end like that.
fn ending(execution: &Execution) -> &'static str {
    let Some(error) = &execution.error else {
        return "ok";
    };
    if error.details.get("reason") == Some(&"corruption".into()) {
        return "";
    }
    match error.code {
        ErrorCode::ValidationFailed => "refused",
        ErrorCode::ImportNotAllowed => "import",
        ErrorCode::RuntimeException => "threw",
        ErrorCode::ExecTimeout => "timeout",
        ErrorCode::MemoryLimit => "memory",
        ErrorCode::MaxOpsExceeded => "operations",
        ErrorCode::ToolProxyFail => "tool",
        _ => "",
    }
}

/// All that a door which speaks JSON makes of an execution.
fn print(execution: &Execution) {
    drop(to_json(&execution.output).to_string());
    drop(serde_json::to_string(&execution.diagnostics).unwrap());
    drop(serde_json::to_string(&execution.entries).unwrap());
    drop(serde_json::to_string(&execution.calls).unwrap());
    if let Some(error) = &execution.error {
        drop(serde_json::to_string(error).unwrap());
    }
}

/// What is done with the state that the program left.
fn and_then(door: &str, executor: &Executor, execution: Execution) -> Result<(), ExecutorError> {
    if door == "variables" && execution.error.is_none() {
        let other = ready(&json!({}));
        block_on(other.send_variables([("sent", execution.output)]))?;
        block_on(other.run("typeof sent"))?;
    }
    if executor.state() != State::Ready {
        return Ok(());
    }
    let twin = match door {
        "snapshot" => {
            let bytes = block_on(executor.snapshot())?;
            Executor::restore(&bytes, Some(options(&json!({}))))?
        }
        "fork" => block_on(executor.fork())?,
        _ => return Ok(()),
    };
    block_on(twin.run("1 + 1")).map(drop)
}

fn options(given: &Json) -> ExecutorOptions {
    let mut options = json!({
        "timeoutMs": TIMEOUT.as_millis(),
        "memoryLimitBytes": MEMORY,
        "maxOperations": 1u64 << 50,
    });
    for (name, value) in given.as_object().unwrap() {
        options[name] = value.clone();
    }
    ExecutorOptions::from_json(&options)
        .unwrap()
        .on_log(|_| {})
        .on_approval(|_| async { Approval::Allow })
}

/// An executor with tools of all kinds.
fn ready(given: &Json) -> Executor {
    let executor = Executor::new(options(given));
    block_on(executor.init()).unwrap();
    let one = || AgentTool::sync(|_| Ok(Value::from(1)));
    let message = |call: &hotcell_cell::ToolCall| {
        ToolError::from(format!(
            "boom: {}",
            call.argument(0).as_str().unwrap_or_default()
        ))
    };
    let tools = [
        ("echo", AgentTool::sync(|call| Ok(call.argument(0).clone()))),
        (
            "later",
            AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
        ),
        ("never", Tool::asynchronous(|_| pending()).into()),
        ("boom", AgentTool::sync(move |call| Err(message(&call)))),
        (
            "fails",
            AgentTool::asynchronous(move |call| async move { Err(message(&call)) }),
        ),
        ("denied", one().permission(Permission::Deny)),
        (
            "asked",
            AgentTool::asynchronous(|_| async { Ok(Value::from(1)) }).permission(Permission::Ask),
        ),
        ("checked", one().parameters(schema())),
        ("positional", one().parameters(schema()).positional()),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    executor
}

fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "count": { "type": "integer", "minimum": 0 },
            "list": { "type": "array", "items": { "type": ["number", "object", "array", "null", "boolean"] } },
            "code": { "type": "string", "pattern": "^(a|a?)+$" },
            "mail": { "type": "string", "format": "email" },
            "unique": { "type": "array", "uniqueItems": true },
        },
        "required": ["text"],
        "additionalProperties": false,
    })
}
