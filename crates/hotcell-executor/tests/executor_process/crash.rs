//! A worker that dies is an error with a name, and the executor goes on with another.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{Concurrency, ErrorCode, Executor, Isolation, Run, State};
use pollster::block_on;

use crate::{
    support::{Gate, executor, fail, poll_once, ready, run, value},
    worker::{signal, workers},
};

/// `stop()`: the worker is stopped, and so does nothing more that it is asked to.
fn stop_tool(name: &'static str) -> Tool {
    Tool::sync(move |_| {
        signal(name);
        Ok(Value::Undefined)
    })
}

#[test]
fn a_crash_is_named_with_its_signal_and_what_was_printed() {
    let executor = executor();
    block_on(executor.send_tools([("die", stop_tool("ABRT"))])).unwrap();
    run(&executor, "const kept = 1");
    let error = fail(
        &executor,
        "console.log('before'); die(); console.log('after')",
    );
    assert_eq!(error.code, ErrorCode::WorkerCrashed);
    assert!(error.message.contains("SIGABRT"), "{error}");
    assert_eq!(error.details["signal"], "SIGABRT");
    assert_eq!(error.logs.as_deref(), Some("before"));
    assert_eq!(executor.state(), State::Dirty);
    let refused = fail(&executor, "1");
    assert_eq!(refused.code, ErrorCode::InvalidState);
    block_on(executor.cleanup()).unwrap();
    block_on(executor.init()).unwrap();
    assert_eq!(value(&executor, "typeof kept"), Value::from("undefined"));
}

#[test]
fn a_worker_that_does_not_end_a_run_in_time_is_killed() {
    let executor = ready(crate::options().timeout(Duration::from_millis(300)));
    block_on(executor.send_tools([("stop", stop_tool("STOP"))])).unwrap();
    let error = fail(
        &executor,
        "console.log('so far'); stop(); await 1; for (;;) {}",
    );
    assert_eq!(error.code, ErrorCode::ExecTimeout, "{error}");
    assert_eq!(error.message, "Execution timed out after 300ms");
    assert_eq!(error.logs.as_deref(), Some("so far"));
    assert_eq!(executor.state(), State::Dirty);
}

#[test]
fn a_worker_that_does_not_end_what_is_cancelled_is_killed() {
    let executor = executor();
    let other = executor.clone();
    let stop = Tool::sync(move |_| {
        signal("STOP");
        assert!(other.cancel());
        Ok(Value::Undefined)
    });
    block_on(executor.send_tools([("stop", stop)])).unwrap();
    let error = fail(&executor, "stop(); for (;;) {}");
    assert_eq!(error.code, ErrorCode::Cancelled, "{error}");
    assert_eq!(
        executor.state(),
        State::Dirty,
        "what the code declared is gone"
    );
}

/// Says when it is dropped.
struct Told(Arc<AtomicBool>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_run_that_nobody_waits_for_is_over_and_its_calls_too() {
    let executor = executor();
    let gate = Gate::default();
    let dropped = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&dropped);
    let waits = Tool::asynchronous(move |_| {
        let told = Told(Arc::clone(&told));
        async move {
            let _told = told;
            std::future::pending::<()>().await;
            Ok(Value::Undefined)
        }
    });
    let tools = [("gate", gate.tool()), ("waits", waits)];
    block_on(executor.send_tools(tools)).unwrap();
    let before = workers();
    let mut future = Box::pin(executor.run("globalThis.x = 1; waits(); await gate(); x = 2"));
    gate.reached_by(&mut future);
    assert!(poll_once(&mut future).is_pending());
    drop(future);
    assert!(
        dropped.load(Ordering::Relaxed),
        "its calls are dropped at once"
    );
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "x"), Value::from(1));
    assert!(
        before.iter().all(|pid| workers().contains(pid)),
        "the same worker"
    );
}

#[test]
fn a_worker_that_dies_between_two_runs_is_noticed_by_the_next() {
    let executor = executor();
    run(&executor, "const x = 1");
    signal("KILL");
    while !workers().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let error = fail(&executor, "x");
    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error}");
    assert_eq!(executor.state(), State::Dirty);
}

#[test]
fn nothing_is_left_of_many_executors() {
    let options = || crate::options().run_concurrency(Concurrency::Queue);
    let ran = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let executor = ready(options());
                    assert_eq!(value(&executor, "6 * 7"), Value::from(42));
                    ran.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(ran.load(Ordering::Relaxed), 20);
    let is_zombie = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.contains(") Z ")
    };
    for _ in 0..1000 {
        if !workers().iter().any(is_zombie) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("a zombie");
}

#[test]
fn rules_of_the_host_cannot_go_along_and_that_is_said() {
    struct NoEval;
    impl hotcell_prepare::Rule for NoEval {
        fn name(&self) -> &'static str {
            "no_eval"
        }

        fn check(&self, _: &hotcell_prepare::ProgramView<'_>) -> Vec<hotcell_prepare::Diagnostic> {
            Vec::new()
        }
    }
    let executor = Executor::new(crate::options().rule(Arc::new(NoEval)));
    let error = block_on(executor.init()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InitFailed);
    assert!(
        error.message.contains("rules and transforms of the host"),
        "{error}"
    );
    assert_eq!(
        executor.options().to_json()["isolation"],
        Isolation::Process.name()
    );
}

#[test]
fn a_timeout_of_a_run_is_told_as_it_was_given() {
    let executor = executor();
    let run = Run::new("for (;;) { await 1 }").timeout(Duration::from_millis(40));
    let error = block_on(executor.run(run)).unwrap_err();
    assert!(
        matches!(
            error.code,
            ErrorCode::ExecTimeout | ErrorCode::MaxOpsExceeded
        ),
        "{error}"
    );
}
