//! `recover`: after a timeout an executor goes on with what is there.

use std::time::Duration;

use hotcell_cell::{Tool, Value};
use hotcell_executor::{ErrorCode, Executor, Isolation, Run, State};
use pollster::block_on;

use crate::support::{Gate, fail, poll_once, ready, run, value};

fn impatient() -> Executor {
    let options = crate::options().timeout(Duration::from_millis(100));
    ready(options.max_operations(1 << 50))
}

/// Runs of JavaScript that do not end, and do what they can against being ended.
const ENDLESS: [&str; 9] = [
    "for (;;) {}",
    "try { for (;;) {} } catch (e) { caught = e } finally { caught = 'finally' }",
    "await (async () => { for (;;) { try { await null } catch { } } })().catch(() => { caught = 1 })",
    "for (;;) { try { for (;;) {} } catch {} }",
    "/(a+)+$/.test('a'.repeat(40) + 'b')",
    // Short: what sort does natively on a long one may have to be torn out, which leaves nothing to recover.
    "const list = Array.from({ length: 3e3 }, (_, i) => i % 7); for (;;) list.sort((x, y) => x - y)",
    "[2, 1].sort(() => { for (;;) {} })",
    "'a'.replace(/a/, () => { for (;;) {} })",
    "class Hidden { static { for (;;) {} } }",
];

#[test]
fn what_was_there_is_there_again() {
    for code in ENDLESS {
        // A worker that a busy machine lets do nothing for 50 ms is killed, and then there is nothing to recover.
        let attempts = if crate::ISOLATION == Isolation::Process {
            5
        } else {
            1
        };
        assert!((0..attempts).any(|_| is_recovered(code)), "{code}");
    }
}

fn is_recovered(code: &str) -> bool {
    let executor = impatient();
    let tool = Tool::sync(|_| Ok(Value::from(3)));
    block_on(executor.send_tools([("three", tool)])).unwrap();
    block_on(executor.send_variables([("given", Value::from(4))])).unwrap();
    run(
        &executor,
        "let caught; let kept = 1; const f = () => kept + three(); class C { #x = 5; x() { return this.#x } }",
    );
    let error = fail(&executor, &format!("kept = 2; {code}"));
    assert_eq!(error.code, ErrorCode::ExecTimeout, "{code}");
    if error.details["recoverable"] != true {
        return false;
    }
    assert!(error.hint().unwrap().contains("recover()"), "{code}");
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.recover()).unwrap();
    assert_eq!(executor.state(), State::Ready);
    let all = "[kept, f(), given, new C().x(), caught].join()";
    assert_eq!(value(&executor, all), Value::from("2,5,4,5,"), "{code}");
    // And as often as one likes.
    let again = fail(&executor, "for (;;) {}");
    assert_eq!(again.code, ErrorCode::ExecTimeout);
    if again.details["recoverable"] != true {
        return false;
    }
    block_on(executor.recover()).unwrap();
    assert_eq!(value(&executor, "f()"), Value::from(5));
    true
}

#[test]
fn a_run_that_waited_for_a_tool_is_recovered() {
    let executor = impatient();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let error = fail(
        &executor,
        "let step = 1; try { await gate(); step = 2 } catch { step = 3 } finally { step = 4 }",
    );
    assert_eq!(error.details["recoverable"], true);
    assert_eq!(error.details["limit"], "timeoutMs");
    block_on(executor.recover()).unwrap();
    gate.open();
    // Nothing of it goes on, also when its answer would be there.
    assert_eq!(value(&executor, "await gate(); step"), Value::from(1));
}

#[test]
fn a_run_that_was_torn_out_of_native_code_is_not_recovered() {
    let executor = impatient();
    run(&executor, "let kept = 1");
    let error = fail(&executor, "3n ** (2n ** 22n)");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(error.details["recoverable"], false);
    assert!(error.hint().unwrap().contains("state was lost"));
    let refused = block_on(executor.recover()).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidState);
    assert_eq!(refused.message, "Invalid executor state: DIRTY");
    let hint = refused.hint().unwrap();
    assert!(hint.contains("only cleanup() and init() help"), "{hint}");
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.cleanup()).unwrap();
    block_on(executor.init()).unwrap();
    assert_eq!(value(&executor, "typeof kept"), Value::from("undefined"));
}

#[test]
fn a_run_that_was_dropped_as_it_computed_is_not_recovered() {
    let options = crate::options().timeout(Duration::from_mins(1));
    let executor = ready(options.max_operations(1 << 50));
    let mut endless = Box::pin(executor.run("for (;;) {}"));
    assert!(poll_once(&mut endless).is_pending());
    drop(endless);
    if crate::ISOLATION == Isolation::Process {
        // Nobody is in the middle of it here: its worker is told to end it, and all else is kept.
        assert_eq!(value(&executor, "1 + 1"), Value::from(2));
        return;
    }
    assert_eq!(executor.state(), State::Dirty);
    assert!(block_on(executor.recover()).is_err());
}

#[test]
fn cleanup_lets_go_of_what_recover_would_bring_back() {
    let executor = impatient();
    run(&executor, "let kept = 1");
    fail(&executor, "for (;;) {}");
    block_on(executor.cleanup()).unwrap();
    assert!(block_on(executor.recover()).is_err());
    block_on(executor.init()).unwrap();
    assert_eq!(value(&executor, "typeof kept"), Value::from("undefined"));
}

#[test]
fn snapshots_and_forks_are_taken_of_what_was_recovered() {
    let executor = impatient();
    fail(&executor, "let kept = 7; for (;;) {}");
    assert!(block_on(executor.snapshot()).is_err());
    block_on(executor.recover()).unwrap();
    let bytes = block_on(executor.snapshot()).unwrap();
    let elsewhere = Executor::restore(&bytes, None).unwrap();
    assert_eq!(value(&elsewhere, "kept"), Value::from(7));
    let twin = block_on(executor.fork()).unwrap();
    assert_eq!(value(&twin, "kept"), Value::from(7));
}

#[test]
fn a_time_that_is_over_before_the_code_begins_costs_nothing() {
    let executor = ready(crate::options().max_code_bytes(8 << 20));
    run(&executor, "let kept = 1");
    let long = "1 + ".repeat(200_000) + "1";
    let run = Run::new(long).timeout(Duration::from_millis(1));
    let error = block_on(executor.run(run)).unwrap_err();
    if error.code == ErrorCode::ExecTimeout {
        assert_eq!(error.details["recoverable"], true);
        block_on(executor.recover()).unwrap();
    }
    assert_eq!(value(&executor, "kept"), Value::from(1));
}

#[test]
fn whoever_hears_of_a_timeout_may_recover_and_go_on_at_once() {
    let executor = impatient();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let again = executor.clone();
    let next = block_on(executor.execute_then("for (;;) {}", |execution, _| {
        assert_eq!(execution.error.unwrap().code, ErrorCode::ExecTimeout);
        block_on(again.recover()).unwrap();
        let run = Run::new("await gate()").timeout(Duration::from_mins(1));
        let mut next = Box::pin(async move { again.run(run).await });
        gate.reached_by(&mut next);
        next
    }));
    // Only now the turn of the first is passed on, which takes nothing from the second.
    assert!(executor.cancel());
    assert_eq!(block_on(next).unwrap_err().code, ErrorCode::Cancelled);
    assert_eq!(value(&executor, "1"), Value::from(1));
}
