//! Runs that go on by themselves.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use hotcell_cell::{Pool, Value};
use hotcell_executor::{
    AgentTool, Answer, Concurrency, ErrorCode, EventKind, Execution, Executor, ExecutorOptions,
    Run, Running, Started, State,
};
use pollster::block_on;

use crate::support::{Gate, executor, poll_once, ready, value};

const SOON: Duration = Duration::from_millis(20);

fn gated(options: ExecutorOptions) -> (Executor, Gate) {
    let executor = ready(options);
    let gate = Gate::default();
    let tools = [
        ("gate", AgentTool::from(gate.tool())),
        ("ask", AgentTool::suspending()),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    (executor, gate)
}

fn start(executor: &Executor, code: &str) -> Running {
    match block_on(executor.start(Run::new(code).yield_after(SOON))) {
        Started::Running(running) => running,
        other => panic!("not running: {other:?}"),
    }
}

fn complete(started: Started) -> Execution {
    match started {
        Started::Complete(execution) => execution,
        other => panic!("not complete: {other:?}"),
    }
}

fn wait(executor: &Executor, id: &str) -> Execution {
    complete(block_on(executor.wait(id)).unwrap())
}

#[test]
fn a_run_that_is_quick_is_complete() {
    let executor = executor();
    let run = Run::new("1 + 1").yield_after(Duration::from_mins(1));
    assert_eq!(
        complete(block_on(executor.start(run))).output,
        Value::from(2)
    );
    assert!(executor.background_runs().is_empty());
}

#[test]
fn one_that_times_out_is_there_to_be_fetched_also_after_recover() {
    let options = crate::options().timeout(Duration::from_secs(1));
    let (executor, _gate) = gated(options.content(true));
    let running = start(&executor, "let kept = 2; text('seen'); await gate()");
    assert_eq!(running.content[0].text(), Some("seen"));
    while executor.state() == State::Running {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.recover()).unwrap();
    assert_eq!(executor.state(), State::Ready);
    let execution = wait(&executor, &running.id);
    assert_eq!(execution.error.unwrap().code, ErrorCode::ExecTimeout);
    assert_eq!(execution.content, running.content);
    assert_eq!(value(&executor, "kept"), Value::from(2));
}

#[test]
fn one_that_takes_longer_goes_on_by_itself_and_is_fetched_once() {
    let (executor, gate) = gated(crate::options());
    let running = start(
        &executor,
        "console.log('before'); await gate(); console.log('after'); 7",
    );
    assert_eq!((&*running.id, &*running.logs), ("1", "before"));
    assert_eq!(running.made.len(), 1);
    assert_eq!(executor.state(), State::Running);
    assert_eq!(executor.background_runs(), ["1"]);
    let still = block_on(executor.wait_for("1", Duration::ZERO)).unwrap();
    assert!(matches!(still, Started::Running(still) if still.entries == running.entries));
    gate.open();
    let execution = wait(&executor, "1");
    assert_eq!(
        (execution.output, &*execution.logs),
        (Value::from(7), "before\nafter")
    );
    let error = block_on(executor.wait("1")).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnknownRun);
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn its_end_is_told() {
    let (executor, gate) = gated(crate::options());
    let running = start(&executor, "await gate()");
    let mut events = executor.events();
    gate.open();
    let event = block_on(async {
        use futures_util::StreamExt as _;
        loop {
            let event = events.next().await.unwrap();
            if matches!(event.kind, EventKind::Ended { .. }) {
                return event;
            }
        }
    });
    assert_eq!(*event.run, running.id);
    // Whoever hears of it finds the executor ready.
    assert_eq!(executor.state(), State::Ready);
    wait(&executor, &running.id);
}

#[test]
fn it_is_cancelled_and_its_end_fetched_or_given_up_and_forgotten() {
    let (executor, _gate) = gated(crate::options());
    let first = start(&executor, "await gate()");
    executor.cancel_run(&first.id).unwrap();
    assert_eq!(
        wait(&executor, &first.id).error.unwrap().code,
        ErrorCode::Cancelled
    );
    let second = start(&executor, "await gate()");
    block_on(executor.give_up(&second.id)).unwrap();
    assert!(executor.background_runs().is_empty());
    for error in [
        executor.cancel_run(&second.id).unwrap_err(),
        block_on(executor.give_up("nonsense")).unwrap_err(),
        block_on(executor.wait("01")).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::UnknownRun);
    }
    while executor.state() == State::Running {
        std::thread::yield_now();
    }
    assert_eq!(value(&executor, "1"), Value::from(1));
}

#[test]
fn those_in_line_are_cancelled_where_they_stand() {
    let options = crate::options().run_concurrency(Concurrency::Queue);
    let (executor, gate) = gated(options);
    let first = start(&executor, "await gate(); 1");
    let second = start(&executor, "2");
    let third = start(&executor, "3");
    assert_eq!(second.logs, "");
    executor.cancel_run(&second.id).unwrap();
    assert_eq!(
        wait(&executor, &second.id).error.unwrap().code,
        ErrorCode::Cancelled
    );
    assert_eq!(executor.state(), State::Running);
    gate.open();
    assert_eq!(wait(&executor, &third.id).output, Value::from(3));
    assert_eq!(wait(&executor, &first.id).output, Value::from(1));
}

#[test]
fn there_is_a_limit_and_results_that_nobody_fetches_count() {
    let options = crate::options().max_background_runs(1);
    let (executor, gate) = gated(options);
    let running = start(&executor, "await gate(); 1");
    gate.open();
    while executor.state() == State::Running {
        std::thread::yield_now();
    }
    let run = || Run::new("2").yield_after(Duration::from_mins(1));
    let error = complete(block_on(executor.start(run()))).error.unwrap();
    assert_eq!(error.code, ErrorCode::InvalidState);
    assert!(error.hint().unwrap().contains("maxBackgroundRuns"));
    assert_eq!(wait(&executor, &running.id).output, Value::from(1));
    assert_eq!(
        complete(block_on(executor.start(run()))).output,
        Value::from(2)
    );
}

#[test]
fn who_goes_before_it_has_come_back_takes_it_along() {
    let (executor, _gate) = gated(crate::options());
    let mut start =
        Box::pin(executor.start(Run::new("await gate()").yield_after(Duration::from_mins(1))));
    while executor.state() != State::Running {
        assert!(poll_once(&mut start).is_pending());
    }
    drop(start);
    while executor.state() == State::Running {
        std::thread::yield_now();
    }
    assert!(executor.background_runs().is_empty());
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn it_suspends_and_is_resumed_in_the_background() {
    let (executor, gate) = gated(crate::options());
    let running = start(
        &executor,
        "await gate(); const n = await ask('?'); await gate(); n + 1",
    );
    gate.open();
    let Started::Suspended(suspension) = block_on(executor.wait(&running.id)).unwrap() else {
        panic!()
    };
    assert_eq!(suspension.calls[0].id, "1.2");
    assert_eq!(executor.state(), State::Suspended);
    let answer = || [("1.2", Answer::Value(Value::from(41)))];
    // What cannot be taken loses nothing.
    let wrong = [("1.9", Answer::Value(Value::from(41)))];
    block_on(executor.resume_within(wrong, SOON)).unwrap_err();
    assert!(executor.background_runs().is_empty());
    let resumed = block_on(executor.resume_within(answer(), Duration::from_mins(1))).unwrap();
    assert_eq!(complete(resumed).output, Value::from(42));
    let again = block_on(executor.resume_within(answer(), SOON)).unwrap_err();
    assert_eq!(again.code, ErrorCode::InvalidState);
}

#[test]
fn a_resume_while_the_run_goes_on_is_refused_and_changes_nothing() {
    let (executor, gate) = gated(crate::options());
    let code = "const n = await ask('?'); await gate(); n";
    let Started::Suspended(_) = block_on(executor.start(code)) else {
        panic!()
    };
    let answer = |n: i32| [("1.1", Answer::Value(Value::from(n)))];
    let running = match block_on(executor.resume_within(answer(1), SOON)).unwrap() {
        Started::Running(running) => running,
        other => panic!("{other:?}"),
    };
    for error in [
        block_on(executor.resume(answer(2))).unwrap_err(),
        block_on(executor.resume_within(answer(3), SOON)).unwrap_err(),
    ] {
        assert_eq!(error.code, ErrorCode::InvalidState);
    }
    gate.open();
    assert_eq!(wait(&executor, &running.id).output, Value::from(1));
}

#[test]
fn what_was_given_up_while_it_waited_is_abandoned() {
    let (executor, gate) = gated(crate::options());
    let running = start(&executor, "await gate(); await ask('?')");
    gate.open();
    while executor.state() != State::Suspended {
        std::thread::yield_now();
    }
    block_on(executor.give_up(&running.id)).unwrap();
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn a_spawner_of_the_hosts_polls_it_and_may_drop_it() {
    let pool = Arc::new(Pool::new());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let (executor, gate) = gated(crate::options().spawner(move |run| {
        counter.fetch_add(1, Ordering::Relaxed);
        pool.spawn(run).detach();
    }));
    let running = start(&executor, "await gate(); 1");
    gate.open();
    assert_eq!(wait(&executor, &running.id).output, Value::from(1));
    assert_eq!(count.load(Ordering::Relaxed), 1);

    let (executor, _) = gated(crate::options().spawner(drop));
    let run = Run::new("1").yield_after(Duration::from_mins(1));
    let error = complete(block_on(executor.start(run))).error.unwrap();
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn its_time_ends_it_as_any_other() {
    let options = crate::options().timeout(Duration::from_millis(100));
    let (executor, _gate) = gated(options);
    let running = start(&executor, "await gate()");
    assert_eq!(
        wait(&executor, &running.id).error.unwrap().code,
        ErrorCode::ExecTimeout
    );
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.cleanup()).unwrap();
    assert!(executor.background_runs().is_empty());
}
