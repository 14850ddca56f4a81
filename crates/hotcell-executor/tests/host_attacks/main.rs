//! What the host does for a guest cannot be turned against it: it is on the guest's clock, and on the guest's account.
//!
//! The corpus is in `tests/data/host-attacks`. Every attack has a timeout of 200 ms and 64 MiB. It has to be answered within
//! 100 ms of its deadline, the process may grow by twice the cell's memory meanwhile (once for the cell, once for what the host keeps
//! for it, and by what files in memory may hold if there are any), and the next run has to work.
//!
//! The clock says little on a machine that others use, so by default the bound is for what a thread computed, and a
//! generous one for the clock. `HOTCELL_QUIET=1` holds the clock to the bound: for a machine with nothing else to do.
//! `HOTCELL_ATTACKS=text` runs those whose names contain it; `HOTCELL_ATTACK_REPORT=file` keeps the figures of all.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod corpus;
mod measure;

use std::{
    cmp::max,
    collections::BTreeSet,
    env,
    fmt::{self, Write as _},
    future::{pending, poll_fn},
    io::Read,
    mem::take,
    process::{Command, Stdio},
    sync::mpsc::channel,
    task::Poll,
    thread,
    time::Duration,
};

use corpus::Attack;
use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{
    AgentTool, Answer, Approval, ErrorCode, Execution, Executor, ExecutorError, ExecutorOptions,
    Files, Permission, Started, State, json::to_text,
};
use hotcell_meter::Unwatched;
use hotcell_vfs::Limits;
use measure::{Cost, HighWater, cost};
use pollster::block_on;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

const TIMEOUT: Duration = Duration::from_millis(200);
const MEMORY: usize = 64 << 20;
/// What files in memory may hold beside it.
const FILES: u64 = 16 << 20;
/// So often a suspended run is resumed.
const RESUMED: usize = 3;
/// How much later than its deadline a run may be answered.
const LATE: Duration = Duration::from_millis(100);
/// The same by the clock, where other work may come between.
const LATE_WHEN_BUSY: Duration = Duration::from_secs(2);
/// In this variable a process finds the attack that it is for.
const NUMBER: &str = "HOTCELL_ATTACK_NUMBER";
/// Whatever takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn attacks_on_the_host_are_answered_in_time_and_within_their_memory() {
    let mut report = String::new();
    let mut failed = Vec::new();
    for (number, attack) in attacks().iter().enumerate() {
        let mut note = alone(number);
        note.judge();
        let faults = note.faults.join(", ");
        let _ = writeln!(report, "{} | {note} | {faults}", attack.name);
        if !faults.is_empty() {
            failed.push(format!("{}: {faults}", attack.name));
        }
    }
    if let Ok(file) = env::var("HOTCELL_ATTACK_REPORT") {
        std::fs::write(file, report).unwrap();
    }
    let failures = failed.join("\n");
    assert!(failed.is_empty(), "{} failed:\n{failures}", failed.len());
}

#[test]
fn the_corpus_is_as_large_as_it_was() {
    let all = corpus::read("");
    let names: BTreeSet<_> = all.iter().map(|attack| &attack.name).collect();
    assert!(names.len() >= 500);
    assert_eq!(names.len(), all.len());
}

/// The other side of [`alone`].
#[test]
#[ignore = "a part of another test, which runs it in a process of its own"]
fn one_attack() {
    if let Ok(number) = env::var(NUMBER) {
        let number: usize = number.parse().unwrap();
        let note = carry_out(&attacks()[number]);
        println!("\n{}", serde_json::to_string(&note).unwrap());
    }
}

fn is_quiet() -> bool {
    env::var("HOTCELL_QUIET").is_ok_and(|value| value == "1")
}

fn attacks() -> Vec<Attack> {
    corpus::read(&env::var("HOTCELL_ATTACKS").unwrap_or_default())
}

/// Carries an attack out in a process of its own. So one that hangs or kills is a failure like any other, and what an
/// earlier one left to the allocator does not hide what this one takes.
fn alone(number: usize) -> Note {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "one_attack", "--ignored", "--nocapture"])
        .env(NUMBER, number.to_string())
        // After a block of some megabytes was freed, glibc's allocator keeps such blocks, for each thread. What it keeps is not
        // what the host holds for a guest.
        .env("MALLOC_MMAP_THRESHOLD_", "262144")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text);
        sender.send(text)
    });
    let text = receiver.recv_timeout(PATIENCE);
    let _ = child.kill();
    let status = child.wait().unwrap();
    let Ok(text) = text else {
        return Note::lost("hangs");
    };
    let line = text.lines().find(|line| line.starts_with('{'));
    match line.map(serde_json::from_str) {
        Some(Ok(note)) => note,
        _ => Note::lost(&format!("dies: {status}")),
    }
}

/// Runs a program that may be suspended, and resumes it elsewhere each time. What is measured is the longest step that is on the
/// clock of a run.
fn suspend(executor: &Executor, program: &str, given: &Json) -> (Execution, Cost) {
    let (mut started, mut most) = cost(|| block_on(executor.start(program)));
    let mut executor = executor.clone();
    for _ in 0..RESUMED {
        let suspension = match started {
            Started::Complete(execution) => return (execution, most),
            Started::Suspended(suspension) => suspension,
            _ => panic!("neither complete nor suspended"),
        };
        // What is too large for a snapshot goes on where it is.
        if let Ok(bytes) = block_on(executor.snapshot()) {
            executor = Executor::restore(&bytes, Some(options(given))).unwrap();
            block_on(executor.send_tools(tools())).unwrap();
        }
        let calls = suspension.calls.into_iter();
        let answers: Vec<_> = calls
            .map(|call| (call.id, Answer::Value(Value::from(1))))
            .collect();
        let (resumed, resuming) = cost(|| block_on(executor.resume(answers)));
        started = resumed.unwrap();
        most = Cost {
            wall: max(most.wall, resuming.wall),
            cpu: max(most.cpu, resuming.cpu),
        };
    }
    block_on(executor.abandon()).unwrap();
    (block_on(executor.execute("1")), most)
}

/// How an attack went.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    ended: String,
    /// Of the run.
    run: Cost,
    /// Of making JSON of what came of it, as every door but Rust's does.
    print: Cost,
    grown: usize,
    /// What the cell may have.
    limit: usize,
    /// What files may hold beside it.
    files: usize,
    faults: Vec<String>,
}

impl Note {
    fn lost(how: &str) -> Self {
        Self {
            ended: how.into(),
            faults: vec![how.into()],
            ..Self::default()
        }
    }

    fn judge(&mut self) {
        let Self { run, print, .. } = *self;
        let late = if is_quiet() { LATE } else { LATE_WHEN_BUSY };
        let mut must = |is_so: bool, fault: String| {
            if !is_so {
                self.faults.push(fault);
            }
        };
        must(
            run.cpu <= TIMEOUT + LATE,
            format!("computed for {:.0?}", run.cpu),
        );
        must(
            run.wall <= TIMEOUT + late,
            format!("answered after {:.0?}", run.wall),
        );
        must(print.cpu <= LATE, format!("printed for {:.0?}", print.cpu));
        let grown = self.grown >> 20;
        must(
            self.grown <= 2 * self.limit + self.files,
            format!("{grown} MiB more memory"),
        );
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ended, run, print, ..
        } = self;
        write!(
            f,
            "{ended} | run {:.0?} ({:.0?} computed)",
            run.wall, run.cpu
        )?;
        write!(f, " | print {:.0?} | {} MiB", print.cpu, self.grown >> 20)
    }
}

/// Does what the attack says, and what a host would do next.
fn carry_out(attack: &Attack) -> Note {
    let mut note = Note {
        limit: MEMORY,
        ..Note::default()
    };
    // The first run of a process has more to do.
    block_on(ready(&json!({})).run("1")).unwrap();
    let (executor, program) = (ready(&attack.options), attack.program());
    if attack.door == "files" {
        let limits = Limits {
            bytes: FILES,
            ..Limits::default()
        };
        block_on(executor.enable_files(&Files::memory_with(limits))).unwrap();
        note.files = usize::try_from(FILES).unwrap();
    }
    if let Some(limit) = attack.options["memoryLimitBytes"].as_u64() {
        note.limit = usize::try_from(limit).unwrap();
    }
    let memory = HighWater::begin();
    if attack.door == "validate" {
        let (diagnostics, cost) = cost(|| executor.validate(&program));
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
        let (execution, run) = if attack.door == "suspend" {
            suspend(&executor, &program, &attack.options)
        } else {
            cost(|| block_on(executor.execute(&*program)))
        };
        note.run = run;
        note.ended = ending(&execution).into();
        let ((), print) = cost(|| print(&execution));
        note.print = print;
        if let Err(error) = and_then(&attack.door, &executor, execution) {
            note.faults.push(format!("then: {error}"));
        }
    }
    note.grown = memory.grown();
    // On a busy machine anything may be out of time.
    let is_late = !is_quiet() && note.ended == "timeout";
    let is_allowed = attack.ends == ["*"] || attack.ends.contains(&note.ended) || is_late;
    if note.ended.is_empty() || !is_allowed {
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
    drop(to_text(&execution.output, &Unwatched).unwrap());
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
    block_on(executor.send_tools(tools())).unwrap();
    executor
}

fn tools() -> Vec<(&'static str, AgentTool)> {
    let one = || AgentTool::sync(|_| Ok(Value::from(1)));
    let message = |call: &hotcell_cell::ToolCall| {
        ToolError::from(format!(
            "boom: {}",
            call.argument(0).as_str().unwrap_or_default()
        ))
    };
    let large = || Ok(Value::from("x".repeat(8_000_000)));
    vec![
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
        (
            "large",
            AgentTool::asynchronous(move |_| async move {
                soon().await;
                large()
            }),
        ),
        ("undeclared", one().description("Is to be found").deferred()),
        ("defer", AgentTool::suspending()),
        (
            "deferPositional",
            AgentTool::suspending().parameters(two()).positional(),
        ),
    ]
}

/// Is over when it is looked at again.
async fn soon() {
    let mut is_first = true;
    poll_fn(|context| {
        if take(&mut is_first) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    })
    .await;
}

fn two() -> Json {
    json!({ "type": "object", "properties": { "text": { "type": "string" }, "count": { "type": "integer" } } })
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
