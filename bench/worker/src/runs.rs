//! What a run costs in a process, beside the same on a thread.

use std::time::{Duration, Instant};

use bench_measure::{Report, Row, median, side_by_side};
use hotcell_cell::{Tool, Value};
use hotcell_executor::{Executor, ExecutorOptions, Isolation, Run};
use hotcell_sandbox::{Sandbox, SandboxOptions};
use pollster::block_on;

/// The most that a warm run may cost more than on a thread, in µs.
const BAR: f64 = 100.0;

pub(crate) fn measure(report: &mut Report) {
    let (there, here) = (executor(Isolation::Process), executor(Isolation::Thread));
    let (ours, beside) = side_by_side(
        &mut || evaluate(&there, "1 + 1"),
        &mut || evaluate(&here, "1 + 1"),
        2000,
    );
    report.add(row("warm run of an executor, `1 + 1`", ours, beside));
    report.add(over("what the process adds to it", ours - beside));

    let code = "for (let n = 0; n < 100; n++) echo(n)";
    let (ours, beside) = side_by_side(
        &mut || evaluate(&there, code),
        &mut || evaluate(&here, code),
        200,
    );
    report.add(row(
        "a call of a tool, of 100 in turn",
        ours / 100.0,
        beside / 100.0,
    ));
    let code = "for (let n = 0; n < 100; n++) await later(n)";
    let (ours, beside) = side_by_side(
        &mut || evaluate(&there, code),
        &mut || evaluate(&here, code),
        200,
    );
    report.add(row(
        "the same, of one that gives a promise",
        ours / 100.0,
        beside / 100.0,
    ));

    let (there, here) = (sandbox(Isolation::Process), sandbox(Isolation::Thread));
    let (ours, beside) = side_by_side(
        &mut || command(&there, "echo hi"),
        &mut || command(&here, "echo hi"),
        2000,
    );
    report.add(row("warm command of a sandbox, `echo hi`", ours, beside));
    report.add(over("what the process adds to it", ours - beside));
    report.add(timeouts());
}

fn row(name: &str, ours: f64, beside: f64) -> Row {
    Row {
        name: name.into(),
        unit: "µs".into(),
        hotcell: ours,
        beside: Some(beside),
        ..Row::default()
    }
}

fn over(name: &str, added: f64) -> Row {
    Row {
        name: name.into(),
        unit: "µs".into(),
        bar: Some(BAR),
        hotcell: added,
        ..Row::default()
    }
}

fn executor(isolation: Isolation) -> Executor {
    let executor = Executor::new(ExecutorOptions::default().isolation(isolation));
    block_on(executor.init()).unwrap();
    let echo = |call: hotcell_cell::ToolCall| Ok(call.argument(0).clone());
    let later = Tool::asynchronous(move |call| async move { echo(call) });
    block_on(executor.send_tools([("echo", Tool::sync(echo)), ("later", later)])).unwrap();
    executor
}

fn evaluate(executor: &Executor, code: &str) {
    let output = block_on(executor.run(code)).unwrap();
    assert_ne!(output.output, Value::Null);
}

fn sandbox(isolation: Isolation) -> Sandbox {
    Sandbox::create(SandboxOptions::default().isolation(isolation)).unwrap()
}

fn command(sandbox: &Sandbox, text: &str) {
    assert_eq!(block_on(sandbox.run(text)).unwrap().exit_code, 0);
}

/// From the deadline of a run that computes to its error.
fn timeouts() -> Row {
    const TIMEOUT: Duration = Duration::from_millis(30);
    let late = |isolation: Isolation| {
        let options = ExecutorOptions::default().isolation(isolation);
        let executor = Executor::new(options.max_operations(1 << 50));
        block_on(executor.init()).unwrap();
        let began = Instant::now();
        let run = Run::new("for (;;) {}").timeout(TIMEOUT);
        assert!(block_on(executor.run(run)).is_err());
        began.elapsed().saturating_sub(TIMEOUT).as_secs_f64() * 1e3
    };
    let all = |isolation| median((0..30).map(|_| late(isolation)).collect());
    Row {
        name: "a timeout, from the deadline to the error".into(),
        unit: "ms".into(),
        bar: Some(10.0),
        hotcell: all(Isolation::Process),
        beside: Some(all(Isolation::Thread)),
        ..Row::default()
    }
}
