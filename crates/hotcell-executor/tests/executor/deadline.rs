//! What the host does for code counts towards the time of the run.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use hotcell_cell::Value;
use hotcell_executor::{AgentTool, ErrorCode, Executor, ExecutorOptions, State};
use hotcell_prepare::{Diagnostic, ProgramView, Rule};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, value};

/// So much longer than its time a run may take on a machine with other things to do. Before, these took minutes.
const PATIENCE: Duration = Duration::from_secs(3);

fn hurried() -> ExecutorOptions {
    crate::options()
        .timeout(Duration::from_millis(200))
        .max_operations(1 << 40)
}

/// Runs code that is to be answered soon, whatever the answer, and then something else.
fn soon(code: &str) {
    let executor = ready(hurried());
    let add = AgentTool::sync(|_| Ok(Value::Undefined)).parameters(
        json!({ "properties": { "x": { "uniqueItems": true, "items": { "pattern": "^a+$" } } } }),
    );
    block_on(executor.send_tools([("add", add)])).unwrap();
    let began = Instant::now();
    let execution = block_on(executor.execute(code));
    let took = began.elapsed();
    assert!(
        took < PATIENCE,
        "{took:?}: {}",
        &code[..code.len().min(200)]
    );
    if let Some(error) = execution.error {
        assert_ne!(error.code, ErrorCode::InvalidState);
        drop(serde_json::to_string(&error).unwrap());
    }
    drop(hotcell_executor::json::to_text(&execution.output, &hotcell_meter::Unwatched).unwrap());
    drop(serde_json::to_string(&execution.calls).unwrap());
    if executor.state() == State::Dirty {
        block_on(executor.cleanup()).unwrap();
        block_on(executor.init()).unwrap();
    }
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
}

#[test]
fn code_made_of_slashes_is_read_once() {
    soon("eval('/\"[\";'.repeat(200_000))");
    soon("Function('/\"[\";'.repeat(100_000))");
    soon(&"/\"[\";".repeat(200_000));
    soon("(0, eval)('/['.repeat(400_000))");
}

#[test]
fn imports_and_groups_on_one_line_are_found_once() {
    soon(&format!("'é'; {}", "import(\"x\");".repeat(60_000)));
    soon(&format!("'é'; {}", "/(?<a>b)/;".repeat(60_000)));
    soon("eval(`'é'; ${'import(\"x\");'.repeat(60_000)}`)");
}

#[test]
fn places_in_long_logs_are_translated_once() {
    let long = "'é'; ".to_owned() + &"x = 1; ".repeat(100_000);
    soon(&format!(
        "let x; {long} console.log('run-1.js:1:5 '.repeat(1_000_000))"
    ));
    soon(&format!(
        "let x; {long} for (let i = 0; i < 100; i++) console.log('run-1.js:1:500000 '.repeat(10_000))"
    ));
    soon(&format!(
        "let x; {long} const e = new Error('x'); e.stack = 'run-1.js:1:500000\\n'.repeat(200_000); throw e"
    ));
    soon(&format!(
        "let x; {long} for (let i = 0; i < 1000; i++) Promise.reject(new Error('run-1.js:1:5000 '.repeat(10_000)))"
    ));
}

#[test]
fn large_integers_are_written_in_time() {
    soon("Array.from({ length: 60 }, () => 1n << 1_000_000n)");
    soon("throw Array.from({ length: 60 }, () => 1n << 1_000_000n)");
    soon(
        "throw Object.assign(new Error('x'), { list: Array.from({ length: 60 }, () => 1n << 1_000_000n) })",
    );
    soon("add({ x: Array.from({ length: 60 }, (_, i) => (1n << 1_000_000n) + BigInt(i)) })");
    soon("for (let i = 0; i < 100; i++) try { add({ x: [1n << 1_000_000n] }) } catch {}");
}

#[test]
fn schemas_are_checked_in_time() {
    soon(
        "const x = Array.from({ length: 200_000 }, (_, i) => i); for (;;) try { add({ x }) } catch {}",
    );
    soon(
        "const x = Array.from({ length: 20_000 }, () => 'a'.repeat(300)); for (;;) try { add({ x }) } catch {}",
    );
    soon("const x = new Uint8Array(7_000_000); for (;;) try { add({ x }) } catch {}");
    soon("const x = [[['b'.repeat(3_000_000)]]]; for (;;) try { add({ x }) } catch {}");
}

#[test]
fn preparing_counts_towards_the_time() {
    // Much code, and so little time that reading it alone takes longer.
    let executor = ready(
        crate::options()
            .max_code_bytes(64 << 20)
            .max_host_memory(1 << 30),
    );
    let code = "let a = [1, 2, 3].map((x) => x * 2);\n"
        .repeat(300_000)
        .replace("let a", "globalThis.a");
    let run = hotcell_executor::Run::new(code).timeout(Duration::from_millis(5));
    let error = block_on(executor.run(run)).unwrap_err();
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(executor.state(), State::Dirty);
}

#[test]
fn a_run_that_ends_late_is_told_all_the_same() {
    // The timeout is over when the output is written down, and that it is, is a part of the run.
    let executor = executor();
    let text = block_on(executor.execute_then("[1, undefined]", |execution, watch| {
        hotcell_executor::json::to_text(&execution.output, watch)
    }));
    assert_eq!(text.unwrap(), "[1,{\"$\":\"undefined\"}]");

    let executor = ready(hurried());
    let error = fail(&executor, "console.log('before'); for (;;) {}");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(error.logs.as_deref(), Some("before"));
}

#[test]
fn what_takes_too_long_to_write_down_is_a_timeout_with_its_logs() {
    let executor = executor();
    let error = block_on(
        executor.execute_then("console.log('kept'); [1]", |execution, _| {
            let token = hotcell_meter::StopToken::until(Instant::now());
            let value = Value::Array(vec![Value::Null; 10_000]);
            let stopped = hotcell_executor::json::to_text(&value, &token).unwrap_err();
            execution.stopped(stopped)
        }),
    );
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(error.logs.as_deref(), Some("kept"));
}

/// A rule of the host's that calls the run off.
#[derive(Debug, Default)]
struct Cancelling(Mutex<Option<Executor>>);

impl Rule for Cancelling {
    fn name(&self) -> &'static str {
        "cancelling"
    }

    fn check(&self, _: &ProgramView<'_>) -> Vec<Diagnostic> {
        if let Some(executor) = &*self.0.lock().unwrap() {
            assert!(executor.cancel());
        }
        Vec::new()
    }
}

#[test]
fn a_run_is_cancelled_while_it_is_prepared() {
    let rule = Arc::new(Cancelling::default());
    // Rules of the host run on threads of this program only.
    let executor = ready(ExecutorOptions::default().rule(rule.clone()));
    *rule.0.lock().unwrap() = Some(executor.clone());
    let error = fail(&executor, "1 + 1");
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(executor.state(), State::Ready);
}
