//! `docs/contract.md` says what the code does: each of its tables, row by row.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{
    AgentTool, Answer, ErrorCode, Executor, ExecutorError, ExecutorOptions, Started, State,
};
use pollster::block_on;
use serde_json::{Value as Json, json};

use crate::support::{Gate, executor, fail, poll_once, ready};

const CONTRACT: &str = include_str!("../../../../docs/contract.md");

/// The rows of the table whose heading begins with this, without code marks.
fn table(heading: &str) -> Vec<Vec<String>> {
    let (_, rest) = CONTRACT.split_once(heading).unwrap();
    let rows = rest
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let row = row.trim_matches('|');
        row.split('|')
            .map(|cell| cell.trim().replace('`', ""))
            .collect()
    };
    rows.map(cells).collect()
}

/// Every state. A new one does not compile here.
const STATES: [State; 7] = {
    use State::{Dead, Dirty, Initializing, New, Ready, Running, Suspended};
    match New {
        New | Initializing | Ready | Running | Suspended | Dirty | Dead => {}
    }
    [New, Initializing, Ready, Running, Suspended, Dirty, Dead]
};

#[test]
fn every_state_is_in_the_contract() {
    let rows = table("| state |");
    let told: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(told, STATES.map(State::as_str));
}

/// An executor in this state, and what has to be kept for it to stay there.
fn in_state(state: &str) -> (Executor, Option<Box<dyn std::any::Any>>) {
    let options = crate::options()
        .max_operations(1 << 50)
        .timeout(Duration::from_secs(5));
    let executor = Executor::new(options);
    if state == "NEW" {
        return (executor, None);
    }
    block_on(executor.init()).unwrap();
    match state {
        "READY" => {}
        "DEAD" => block_on(executor.cleanup()).unwrap(),
        "DIRTY" => {
            let run = hotcell_executor::Run::new("for (;;) {}").timeout(Duration::from_millis(1));
            assert!(block_on(executor.run(run)).is_err());
        }
        "RUNNING" => {
            let gate = Gate::default();
            block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
            let running = executor.clone();
            let mut run = Box::pin(async move { running.run("await gate()").await.is_ok() });
            gate.reached_by(&mut run);
            assert!(poll_once(&mut run).is_pending());
            return (executor, Some(Box::new(run)));
        }
        "SUSPENDED" => {
            block_on(executor.send_tools([("ask", AgentTool::suspending())])).unwrap();
            assert!(matches!(
                block_on(executor.start("await ask()")),
                Started::Suspended(_)
            ));
        }
        other => panic!("there is no way to {other}"),
    }
    assert_eq!(executor.state().as_str(), state);
    (executor, None)
}

fn call(executor: &Executor, method: &str) -> Result<(), ExecutorError> {
    let no_tools: [(&str, Tool); 0] = [];
    let no_variables: [(&str, Value); 0] = [];
    match method {
        "init" => block_on(executor.init()),
        "sendVariables" => block_on(executor.send_variables(no_variables)),
        "sendTools" => block_on(executor.send_tools(no_tools)),
        "run" => block_on(executor.run("1")).map(|_| ()),
        "start" => match block_on(executor.start("1")) {
            Started::Complete(execution) => execution.into_result().map(|_| ()),
            _ => Ok(()),
        },
        "resume" => block_on(executor.resume([("1.1", Answer::Value(1.into()))])).map(|_| ()),
        "abandon" => block_on(executor.abandon()),
        "snapshot" => block_on(executor.snapshot()).map(|_| ()),
        "fork" => block_on(executor.fork()).map(|_| ()),
        "recover" => block_on(executor.recover()),
        "cleanup" => block_on(executor.cleanup()),
        other => panic!("there is no method {other}"),
    }
}

#[test]
fn every_method_does_in_every_state_what_the_contract_says() {
    let states = ["NEW", "READY", "RUNNING", "SUSPENDED", "DIRTY", "DEAD"];
    let header = "| method | `NEW` | `READY` | `RUNNING` | `SUSPENDED` | `DIRTY` | `DEAD` |";
    for row in table(header) {
        let method = &*row[0];
        for (state, expected) in states.iter().zip(&row[1..]) {
            let (executor, _kept) = in_state(state);
            let result = call(&executor, method);
            let place = format!("{method} in {state}");
            if expected == "–" {
                let error = result.expect_err(&place);
                assert_eq!(error.code, ErrorCode::InvalidState, "{place}");
                assert_eq!(executor.state().as_str(), *state, "{place}");
            } else {
                assert!(result.is_ok(), "{place}: {result:?}");
                assert_eq!(executor.state().as_str(), expected, "{place}");
            }
        }
    }
}

/// What the code says of an option's default.
fn default_of(name: &str) -> String {
    let options = ExecutorOptions::default().to_json();
    options.get(name).map_or("none".to_owned(), Json::to_string)
}

#[test]
fn every_option_is_in_the_contract_with_its_default() {
    let rows = table("| name |");
    for row in &rows {
        assert_eq!(default_of(&row[0]), row[1], "{}", row[0]);
    }
    // The error for an unknown one lists them.
    let error = ExecutorOptions::from_json(&json!({ "nonsense": 1 })).unwrap_err();
    let error = error.to_string();
    let (_, known) = error.split_once("the options are ").unwrap();
    let known: BTreeSet<&str> = known.split(", ").collect();
    let told: BTreeSet<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(told, known);
}

#[test]
fn a_wrong_option_is_refused_in_the_words_of_the_contract() {
    for row in table("| name |") {
        let (name, range) = (&*row[0], &*row[2]);
        let options = ExecutorOptions::from_json(&json!({ name: [[]] }));
        if let "maxOperations" | "timeoutMs" = name {
            // These the run reports.
            let error = fail(&ready(options.unwrap()), "1");
            assert_eq!(error.code, ErrorCode::ValidationFailed, "{name}");
            assert!(error.message.contains(range), "{name}: {}", error.message);
        } else {
            let error = options.expect_err(name).to_string();
            assert!(error.ends_with(&format!("it must be {range}")), "{error}");
        }
    }
}

/// An error of each kind, and the executor that it left.
fn provoke(code: ErrorCode) -> (ExecutorError, Executor) {
    let failed = |executor: Executor, code: &str| (fail(&executor, code), executor);
    match code {
        ErrorCode::InvalidState => {
            let executor = Executor::new(crate::options());
            (block_on(executor.cleanup()).unwrap_err(), executor)
        }
        ErrorCode::InitFailed => {
            let executor = Executor::new(crate::options().memory_limit(1));
            (block_on(executor.init()).unwrap_err(), executor)
        }
        ErrorCode::ValidationFailed => failed(executor(), ")"),
        ErrorCode::ImportNotAllowed => failed(executor(), "await import('x')"),
        ErrorCode::MaxOpsExceeded => failed(executor(), "for (;;) {}"),
        ErrorCode::ExecTimeout => {
            let options = crate::options().timeout(Duration::from_millis(20));
            failed(ready(options.max_operations(1 << 50)), "for (;;) {}")
        }
        ErrorCode::RuntimeException => failed(executor(), "throw new Error('x')"),
        ErrorCode::ToolProxyFail => {
            let executor = executor();
            let tool = Tool::sync(|_| Err(hotcell_cell::ToolError::new("Error", "x")));
            block_on(executor.send_tools([("tool", tool)])).unwrap();
            failed(executor, "tool()")
        }
        ErrorCode::CleanupFailed => {
            let executor = executor();
            let bomb = Bomb;
            let tool = Tool::sync(move |_| {
                let _held = &bomb;
                Ok(Value::Undefined)
            });
            block_on(executor.send_tools([("tool", tool)])).unwrap();
            (block_on(executor.cleanup()).unwrap_err(), executor)
        }
        ErrorCode::MemoryLimit => failed(
            executor(),
            "const all = []; for (;;) all.push(new Uint8Array(1e7))",
        ),
        ErrorCode::Cancelled => {
            let executor = executor();
            let gate = Gate::default();
            block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
            let mut run = Box::pin(executor.run("await gate()"));
            gate.reached_by(&mut run);
            assert!(executor.cancel());
            let error = block_on(run).unwrap_err();
            (error, executor.clone())
        }
        #[cfg(target_os = "linux")]
        ErrorCode::WorkerCrashed => {
            let options = crate::options().isolation(hotcell_executor::Isolation::Process);
            let executor = ready(options);
            let die = Tool::sync(|_| {
                crate::worker::signal("KILL");
                Ok(Value::Undefined)
            });
            block_on(executor.send_tools([("die", die)])).unwrap();
            failed(executor, "die(); for (;;) {}")
        }
        ErrorCode::InvalidAnswer => {
            let (executor, _) = in_state("SUSPENDED");
            let answer = executor.resume([("no such call", Answer::Value(1.into()))]);
            (block_on(answer).unwrap_err(), executor)
        }
        ErrorCode::UnknownRun => {
            let executor = Executor::new(ExecutorOptions::default());
            (block_on(executor.wait("7")).unwrap_err(), executor)
        }
        ErrorCode::ForeignSnapshot => {
            let mut bytes = block_on(executor().snapshot()).unwrap();
            bytes[7] = 1;
            let error = Executor::restore(&bytes, None).unwrap_err();
            (error, Executor::new(ExecutorOptions::default()))
        }
        other => panic!("nobody has said how to provoke {other}"),
    }
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// Whether a message is a template of the contract's, and perhaps more behind it.
fn follows(message: &str, template: &str) -> bool {
    let mut rest = message;
    let mut parts = template.split(['{', '}']);
    if !rest.starts_with(parts.next().unwrap_or_default()) {
        return false;
    }
    rest = &rest[template.find('{').unwrap_or(template.len())..];
    // Names of what is put in stand at every other place.
    parts.skip(1).step_by(2).all(|text| match rest.find(text) {
        Some(at) => {
            rest = &rest[at + text.len()..];
            true
        }
        None => false,
    })
}

#[test]
fn every_error_is_what_the_contract_says() {
    let rows = table("| code |");
    let told: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    let known: BTreeMap<&str, ErrorCode> = ErrorCode::ALL.map(|code| (code.as_str(), code)).into();
    assert_eq!(
        told.iter().copied().collect::<BTreeSet<_>>(),
        known.keys().copied().collect()
    );
    for row in &rows {
        let (error, executor) = provoke(known[&*row[0]]);
        assert_eq!(error.code.as_str(), row[0]);
        assert_eq!(json!(error.severity), json!(row[1]), "{}", row[0]);
        assert_eq!(error.retryable, row[2] == "yes", "{}", row[0]);
        assert!(
            follows(&error.message, &row[3]),
            "{}: {}",
            row[3],
            error.message
        );
        let leaves = if row[4] == "as it was" {
            "NEW"
        } else {
            &*row[4]
        };
        assert_eq!(executor.state().as_str(), leaves, "{}", row[0]);
    }
}

#[test]
fn every_rule_is_in_the_contract() {
    let rules = include_str!("../../../hotcell-prepare/src/rule.rs");
    let known: Vec<&str> = rules
        .lines()
        .filter(|line| line.starts_with("pub const "))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let rows = table("| rule |");
    let told: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(told, known);
}

#[test]
fn every_kind_of_event_is_in_the_documents() {
    let kinds = include_str!("../../src/event.rs");
    let (_, kinds) = kinds.split_once("pub fn name(&self)").unwrap();
    let (kinds, _) = kinds.split_once("fn size").unwrap();
    let names: Vec<&str> = kinds.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 8, "{names:?}");
    let protocol = include_str!("../../../../docs/stdio-protocol.md");
    let types = include_str!("../../../../bindings/node/index.d.cts");
    for name in names {
        assert!(CONTRACT.contains(&format!("`{name}`")), "{name}");
        assert!(protocol.contains(&format!("`{name}`")), "{name}");
        assert!(types.contains(&format!("type: \"{name}\"")), "{name}");
    }
}

#[test]
fn every_guarantee_is_a_test() {
    let tests = include_str!("conformance.rs");
    let tested: Vec<String> = tests
        .lines()
        .filter_map(|line| line.strip_prefix("fn cf_"))
        .map(|name| format!("CF-{}", &name[..2]))
        .collect();
    let rows = table("| | what is guaranteed |");
    let told: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(told, tested);
}

#[test]
fn the_contract_says_how_long_an_observation_is() {
    let most = hotcell_executor::ObservationOptions::default().max_characters;
    assert_eq!(most, 20_000);
    assert!(CONTRACT.contains("at most 20,000 characters"));
}

/// The names between code marks.
fn marked(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn what_is_told_of_globals_is_true() {
    let is_global = |name: &&str| hotcell_prepare::BUILTIN_GLOBALS.contains(name);
    let readme = include_str!("../../../../README.md");
    let row = |name: &str| {
        let begin = format!("| {name} | ");
        let row = readme.lines().find_map(|line| line.strip_prefix(&*begin));
        marked(row.unwrap())
    };
    let mut library = row("library");
    library.remove("en-US");
    assert!(library.iter().all(is_global), "{library:?}");
    let mut hardening = row("hardening");
    assert!(hardening.iter().all(is_global), "{hardening:?}");
    let missing = row("not there");
    assert!(!missing.iter().any(is_global), "{missing:?}");

    // The prompt speaks of fewer, in a line for what is there and one for what is not.
    let prompt = include_str!("../../../hotcell-prompt/src/system_prompt.hbs");
    let line = |begin: &str| prompt.lines().find(|line| line.starts_with(begin)).unwrap();
    let told = marked(line("- Of the web's globals you have"));
    assert!(told.is_subset(&library), "{told:?}");
    let missing = marked(line("- There is no "));
    assert!(!missing.iter().any(is_global), "{missing:?}");

    // What the scripts of the image make global is in the README.
    let finish = include_str!("../../../hotcell-image/guest/js/finish.js");
    let (_, list) = finish.split_once("for (const name of [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let made: BTreeSet<&str> = list.split('\'').skip(1).step_by(2).collect();
    assert!(made.is_subset(&library), "{made:?}");
    hardening.append(&mut library);
    assert!(hardening.len() > 10);
}

#[test]
fn the_reserved_prefix_is_the_same_for_code_and_for_names() {
    assert_eq!(
        hotcell_prepare::RESERVED_PREFIX,
        hotcell_prompt::RESERVED_PREFIX
    );
    let told = format!(
        "an identifier that begins with `{}`",
        hotcell_prepare::RESERVED_PREFIX
    );
    assert!(CONTRACT.contains(&told));
}
