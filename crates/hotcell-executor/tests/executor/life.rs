//! Every row of the transition table, and every call that does not fit its state.

use std::{sync::Arc, thread, time::Duration};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{Concurrency, ErrorCode, ErrorSeverity, Executor, ExecutorError, State};
use pollster::block_on;

use crate::support::{Gate, executor, fail, poll_once, ready, run, value};

fn new() -> Executor {
    Executor::new(crate::options())
}

fn dead() -> Executor {
    let executor = executor();
    block_on(executor.cleanup()).unwrap();
    executor
}

fn dirty() -> Executor {
    let executor = ready(
        crate::options()
            .timeout(Duration::from_millis(20))
            .max_operations(1 << 50),
    );
    fail(&executor, "while (true) {}");
    assert_eq!(executor.state(), State::Dirty);
    executor
}

/// An executor with a run under way, as long as the future is kept.
fn running() -> (
    Executor,
    impl Future<Output = Result<hotcell_executor::CodeOutput, ExecutorError>>,
) {
    let executor = executor();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let of_run = executor.clone();
    let mut future = Box::pin(async move { of_run.run("await gate()").await });
    assert!(poll_once(&mut future).is_pending());
    gate.open();
    (executor, future)
}

fn assert_invalid(result: Result<(), ExecutorError>, state: State, method: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidState, "{method}");
    assert_eq!(error.severity, ErrorSeverity::Error);
    assert!(!error.retryable);
    assert_eq!(error.message, format!("Invalid executor state: {state}"));
    assert_eq!(error.details["state"], state.as_str());
    assert_eq!(error.details["method"], method);
    assert!(error.details["hint"].is_string());
}

/// All methods but those named must be refused, and change nothing.
fn assert_refuses_all_but(executor: &Executor, allowed: &[&str]) {
    let state = executor.state();
    let no_tools: [(&str, Tool); 0] = [];
    let no_variables: [(&str, Value); 0] = [];
    let calls = [
        ("init", block_on(executor.init())),
        (
            "sendVariables",
            block_on(executor.send_variables(no_variables)),
        ),
        ("sendTools", block_on(executor.send_tools(no_tools))),
        ("run", block_on(executor.run("1")).map(|_| ())),
        ("snapshot", block_on(executor.snapshot()).map(|_| ())),
        ("fork", block_on(executor.fork()).map(|_| ())),
    ];
    for (method, result) in calls {
        if !allowed.contains(&method) {
            assert_invalid(result, state, method);
        }
    }
    if !allowed.contains(&"cleanup") {
        assert_invalid(block_on(executor.cleanup()), state, "cleanup");
    }
}

#[test]
fn new_can_only_be_initialised() {
    let executor = new();
    assert_eq!(executor.state(), State::New);
    assert_invalid(block_on(executor.cleanup()), State::New, "cleanup");
    assert_invalid(block_on(executor.run("1")).map(|_| ()), State::New, "run");
    assert_invalid(
        block_on(executor.snapshot()).map(|_| ()),
        State::New,
        "snapshot",
    );
    assert_invalid(block_on(executor.fork()).map(|_| ()), State::New, "fork");
    let variables = executor.send_variables([("a", Value::from(1))]);
    assert_invalid(block_on(variables), State::New, "sendVariables");
    let tools = executor.send_tools([("a", Tool::deferred())]);
    assert_invalid(block_on(tools), State::New, "sendTools");
    assert!(!executor.cancel());
    assert_eq!(executor.state(), State::New);
    block_on(executor.init()).unwrap();
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_failed_init_leaves_it_dead() {
    let executor = Executor::new(crate::options().memory_limit(1));
    let error = block_on(executor.init()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InitFailed);
    assert_eq!(error.severity, ErrorSeverity::Fatal);
    assert!(!error.retryable);
    assert!(
        error
            .message
            .starts_with("SES init failed: a memory limit of 1 bytes is too small")
    );
    assert_eq!(executor.state(), State::Dead);
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
}

#[test]
fn init_of_a_ready_one_changes_nothing() {
    let executor = executor();
    run(&executor, "let kept = 1");
    block_on(executor.init()).unwrap();
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "kept"), Value::from(1));
}

#[test]
fn a_run_returns_to_ready_whether_it_succeeds_or_fails() {
    let executor = executor();
    run(&executor, "1");
    assert_eq!(executor.state(), State::Ready);
    for code in [
        "throw 1",
        "syntax error",
        "import('x')",
        "await new Promise(() => {})",
    ] {
        fail(&executor, code);
        assert_eq!(executor.state(), State::Ready, "{code}");
    }
}

#[test]
fn a_running_one_refuses_everything_but_cancel() {
    let (executor, future) = running();
    assert_eq!(executor.state(), State::Running);
    assert_refuses_all_but(&executor, &[]);
    assert_eq!(executor.state(), State::Running);
    assert!(block_on(future).is_ok());
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_dirty_one_can_only_be_cleaned_up() {
    let executor = dirty();
    assert_refuses_all_but(&executor, &["cleanup"]);
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
}

#[test]
fn a_dead_one_can_be_cleaned_up_and_initialised() {
    let executor = dead();
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
    assert_invalid(block_on(executor.run("1")).map(|_| ()), State::Dead, "run");
    let no_variables: [(&str, Value); 0] = [];
    assert_invalid(
        block_on(executor.send_variables(no_variables)),
        State::Dead,
        "sendVariables",
    );
    block_on(executor.init()).unwrap();
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn cleanup_forgets_state_and_tools() {
    let executor = executor();
    block_on(executor.send_tools([("tool", Tool::sync(|_| Ok(Value::from(1))))])).unwrap();
    block_on(executor.send_variables([("variable", Value::from(2))])).unwrap();
    run(&executor, "let declared = 3");
    block_on(executor.cleanup()).unwrap();
    block_on(executor.init()).unwrap();
    let code = "[typeof tool, typeof variable, typeof declared, typeof final_answer].join()";
    assert_eq!(
        value(&executor, code),
        Value::from("undefined,undefined,undefined,function")
    );
    assert!(executor.tools().is_empty());
}

#[test]
fn many_may_initialise_at_once() {
    let shared = Arc::new(new());
    let threads: Vec<_> = (0..16)
        .map(|number| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                block_on(shared.init()).unwrap();
                let own = executor();
                value(&own, &format!("{number} + 1"))
            })
        })
        .collect();
    for (number, thread) in (0u32..).zip(threads) {
        assert_eq!(thread.join().unwrap(), Value::from(number + 1));
    }
    assert_eq!(shared.state(), State::Ready);
    assert_eq!(value(&shared, "1"), Value::from(1));
}

#[test]
fn a_cancelled_run_says_so_and_keeps_the_state() {
    let executor = executor();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    run(&executor, "let kept = 1");
    let mut future = Box::pin(executor.run("kept = 2; await gate(); kept = 3"));
    gate.reached_by(&mut future);
    assert!(executor.cancel());
    let error = block_on(future).unwrap_err();
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(error.message, "Execution cancelled");
    assert!(error.retryable);
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "kept"), Value::from(2));
    assert!(!executor.cancel());
}

#[test]
fn a_computing_run_can_be_cancelled_from_another_thread() {
    let executor = ready(crate::options().max_operations(1 << 50).on_log(|_| {}));
    let other = executor.clone();
    let canceller = thread::spawn(move || {
        while !other.cancel() {
            thread::yield_now();
        }
    });
    let error = fail(&executor, "while (true) {}");
    canceller.join().unwrap();
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_run_whose_future_is_dropped_is_over() {
    let executor = executor();
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let mut future =
        Box::pin(executor.run("globalThis.seen = 1; await gate(); globalThis.seen = 2"));
    gate.reached_by(&mut future);
    // On a busy machine the cell may have made way right after the call. Dropped there it would be gone.
    for _ in 0..3 {
        assert!(poll_once(&mut future).is_pending());
    }
    drop(future);
    assert_eq!(executor.state(), State::Ready);
    gate.open();
    assert_eq!(value(&executor, "seen"), Value::from(1));
}

#[test]
fn a_timeout_sends_those_in_line_away() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(2)
        .timeout(Duration::from_millis(30));
    let executor = ready(options);
    block_on(executor.send_tools([("gate", Gate::default().tool())])).unwrap();
    let mut first = Box::pin(executor.run("await gate()"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = Box::pin(executor.run("2"));
    assert!(poll_once(&mut second).is_pending());
    assert_eq!(block_on(first).unwrap_err().code, ErrorCode::ExecTimeout);
    let error = block_on(second).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidState);
    assert_eq!(error.details["state"], "DIRTY");
}

#[test]
fn whoever_leaves_the_line_is_skipped() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(2);
    let executor = ready(options);
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let mut first = Box::pin(executor.run("await gate(); 1"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = Box::pin(executor.run("globalThis.second = true"));
    assert!(poll_once(&mut second).is_pending());
    let mut third = Box::pin(executor.run("typeof second"));
    assert!(poll_once(&mut third).is_pending());
    assert_eq!(executor.queued(), 2);
    drop(second);
    assert_eq!(executor.queued(), 1);
    gate.open();
    assert_eq!(block_on(first).unwrap().output, Value::from(1));
    assert_eq!(block_on(third).unwrap().output, Value::from("undefined"));
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_turn_that_is_given_but_never_taken_goes_back() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(1);
    let executor = ready(options);
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let mut first = Box::pin(executor.run("await gate()"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = Box::pin(executor.run("2"));
    assert!(poll_once(&mut second).is_pending());
    gate.open();
    block_on(first).unwrap();
    assert_eq!(executor.state(), State::Running);
    drop(second);
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "3"), Value::from(3));
}

#[test]
fn a_host_that_cancels_before_the_queued_run_begins_stops_only_the_one_under_way() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(1);
    let executor = ready(options);
    block_on(executor.send_tools([("gate", Gate::default().tool())])).unwrap();
    let mut first = Box::pin(executor.run("await gate()"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = Box::pin(executor.run("2"));
    assert!(poll_once(&mut second).is_pending());
    executor.cancel();
    assert_eq!(block_on(first).unwrap_err().code, ErrorCode::Cancelled);
    assert_eq!(block_on(second).unwrap().output, Value::from(2));
}

#[test]
fn there_is_room_for_many() {
    let executors: Vec<_> = (0..300).map(|_| executor()).collect();
    let twins: Vec<_> = executors[..100]
        .iter()
        .map(|executor| {
            run(executor, "let n = 1");
            block_on(executor.fork()).unwrap()
        })
        .collect();
    for twin in &twins {
        assert_eq!(value(twin, "n"), Value::from(1));
    }
    let bytes = block_on(twins[0].snapshot()).unwrap();
    let restored = Executor::restore(&bytes, None).unwrap();
    assert_eq!(value(&restored, "n + 1"), Value::from(2));
}

#[test]
fn a_queue_needs_no_length_to_be_one() {
    let executor = ready(crate::options().run_concurrency(Concurrency::Queue));
    let gate = Gate::default();
    block_on(executor.send_tools([("wait", gate.tool())])).unwrap();
    let mut first = Box::pin(executor.run("await wait(); 1"));
    gate.reached_by(&mut first);
    let mut second = Box::pin(executor.run("2"));
    assert!(poll_once(&mut second).is_pending());
    gate.open();
    assert_eq!(block_on(first).unwrap().output, Value::from(1));
    assert_eq!(block_on(second).unwrap().output, Value::from(2));
    assert_eq!(executor.options().to_json()["maxQueuedRuns"], 1000);
}
