//! The guarantees of the contract (`docs/contract.md`), CF-01 to CF-10, and two smoke tests.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex},
    time::Duration,
};

use hotcell_cell::{Pool, Tool, ToolError, Value};
use hotcell_executor::{Concurrency, ErrorCode, Executor, ExecutorOptions, State};
use pollster::block_on;

use crate::support::{Gate, fail, poll_once, ready, rules, run, sleep_tool, value};

fn with_sleep(options: ExecutorOptions) -> Executor {
    let executor = ready(options);
    block_on(executor.send_tools([("sleepTool", sleep_tool())])).unwrap();
    executor
}

#[test]
fn cf_01_the_life_cycle_closes() {
    let executor = Executor::new(crate::options());
    assert_eq!(executor.state(), State::New);
    block_on(executor.init()).unwrap();
    assert_eq!(executor.state(), State::Ready);
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
    block_on(executor.init()).unwrap();
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn cf_02_a_concurrent_run_is_rejected() {
    let executor = with_sleep(crate::options());
    let mut first = Box::pin(executor.run("await sleepTool(300); 1"));
    assert!(poll_once(&mut first).is_pending());
    assert_eq!(executor.state(), State::Running);
    let second = fail(&executor, "await sleepTool(300)");
    assert_eq!(second.code, ErrorCode::InvalidState);
    assert_eq!(block_on(first).unwrap().output, Value::from(1));
}

#[test]
fn cf_03_queued_runs_are_first_in_first_out() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(10);
    let executor = with_sleep(options);
    let order = Arc::new(Mutex::new(Vec::new()));
    // One thread, so that the order in which they end is the order in which they are seen to end.
    let pool = Pool::with_threads(NonZeroUsize::MIN);
    let mut runs = Vec::new();
    for (name, code) in [
        ("A", "await sleepTool(100); final_answer('A')"),
        ("B", "final_answer('B')"),
    ] {
        let mut run = Box::pin({
            let executor = executor.clone();
            async move { executor.run(code).await }
        });
        // Both are submitted, in this order, before either goes on.
        assert!(poll_once(&mut run).is_pending());
        let order = Arc::clone(&order);
        runs.push(pool.spawn(async move {
            let output = run.await.unwrap();
            order.lock().unwrap().push(name);
            output
        }));
    }
    let outputs: Vec<_> = runs.into_iter().map(block_on).collect();
    assert_eq!(outputs[0].output, Value::from("A"));
    assert_eq!(outputs[1].output, Value::from("B"));
    assert!(outputs.iter().all(|output| output.is_final_answer));
    assert_eq!(*order.lock().unwrap(), ["A", "B"]);
}

#[test]
fn cf_04_the_queue_has_a_capacity() {
    let options = crate::options()
        .run_concurrency(Concurrency::Queue)
        .max_queued_runs(1);
    let executor = ready(options);
    let gate = Gate::default();
    block_on(executor.send_tools([("gate", gate.tool())])).unwrap();
    let mut first = Box::pin(executor.run("await gate(); 1"));
    assert!(poll_once(&mut first).is_pending());
    let mut second = Box::pin(executor.run("2"));
    assert!(poll_once(&mut second).is_pending());
    assert_eq!(executor.queued(), 1);
    assert_eq!(fail(&executor, "3").code, ErrorCode::InvalidState);
    gate.open();
    assert_eq!(block_on(first).unwrap().output, Value::from(1));
    assert_eq!(block_on(second).unwrap().output, Value::from(2));
}

#[test]
fn cf_05_a_static_import_is_refused() {
    let executor = ready(crate::options().authorized_imports(["node:fs"]));
    run(&executor, "let effects = 0");
    let error = fail(&executor, "effects++; import fs from \"node:fs\";");
    assert_eq!(error.code, ErrorCode::ImportNotAllowed);
    assert_eq!(error.message, "Import not allowed: node:fs");
    assert_eq!(rules(&error), ["static_import_in_script_mode"]);
    assert_eq!(value(&executor, "effects"), Value::from(0));
}

#[test]
fn cf_06_dynamic_imports_go_by_the_list() {
    let options = crate::options()
        .authorized_imports(["x-ok"])
        .module("x-ok", "export const answer = 42; export default 'ok';");
    let executor = ready(options);
    let output = value(
        &executor,
        "const { answer, default: word } = await import(\"x-ok\"); [answer, word]",
    );
    assert_eq!(output, Value::array([42.into(), "ok".into()]));
    let error = fail(&executor, "await import(\"x-denied\")");
    assert_eq!(error.code, ErrorCode::ImportNotAllowed);
    assert_eq!(rules(&error), ["import_allowed"]);
}

#[test]
fn cf_07_a_failing_tool_is_told_apart() {
    let executor = ready(crate::options());
    let boom = || ToolError::new("Error", "boom");
    block_on(executor.send_tools([
        ("boomTool", Tool::sync(move |_| Err(boom()))),
        (
            "boomLater",
            Tool::asynchronous(move |_| async move { Err(boom()) }),
        ),
    ]))
    .unwrap();
    for code in ["await boomTool()", "boomTool()", "await boomLater()"] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ToolProxyFail, "{code}");
        assert_eq!(error.message, "Tool execution failed: Error: boom");
        assert_eq!(executor.state(), State::Ready);
    }
}

#[test]
fn cf_08_other_exceptions_are_told_apart() {
    let executor = ready(crate::options());
    for code in ["throw new Error(\"x\")", "missing + 1"] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::RuntimeException, "{code}");
        assert_eq!(executor.state(), State::Ready);
    }
}

#[test]
fn cf_09_too_many_operations_have_a_code() {
    let executor = ready(crate::options().max_operations(100));
    let error = fail(&executor, "while(true){}");
    assert_eq!(error.code, ErrorCode::MaxOpsExceeded);
    assert_eq!(error.code.as_str(), "ERR_MAX_OPS_EXCEEDED");
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn cf_10_a_dirty_executor_recovers() {
    let executor = with_sleep(crate::options().timeout(Duration::from_millis(50)));
    let error = fail(&executor, "await sleepTool(999999)");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(executor.state(), State::Dirty);
    block_on(executor.cleanup()).unwrap();
    assert_eq!(executor.state(), State::Dead);
    block_on(executor.init()).unwrap();
    let output = run(&executor, "final_answer(\"ok\")");
    assert_eq!(output.output, Value::from("ok"));
    assert!(output.is_final_answer);
}

/// An agent's first steps; the Node package runs them in TypeScript.
#[test]
fn the_first_smoke_test_passes() {
    let options = crate::options()
        .max_operations(1000)
        .timeout(Duration::from_secs(2))
        .authorized_imports::<String>([]);
    let executor = with_sleep(options);
    let read = Tool::asynchronous(|call| async move {
        let path = call.argument(0).as_str().unwrap_or_default().to_owned();
        Ok(Value::from(format!("content:{path}")))
    });
    block_on(executor.send_tools([("readTool", read)])).unwrap();

    let output = run(
        &executor,
        "
        const text = await readTool(\"a.txt\");
        final_answer(text + \":ok\");
        ",
    );
    assert!(output.is_final_answer);
    assert_eq!(output.output, Value::from("content:a.txt:ok"));

    assert_eq!(
        fail(&executor, "while (true) {}").code,
        ErrorCode::MaxOpsExceeded
    );
    assert_eq!(
        fail(&executor, "\n    await sleepTool(999999);\n  ").code,
        ErrorCode::ExecTimeout
    );
    block_on(executor.cleanup()).unwrap();
}

/// The same with less.
#[test]
fn the_second_smoke_test_passes() {
    let executor = ready(crate::options().max_operations(1000));
    let read = Tool::asynchronous(|call| async move {
        let path = call.argument(0).as_str().unwrap_or_default().to_owned();
        Ok(Value::from(format!("content of {path}")))
    });
    block_on(executor.send_tools([("readTool", read)])).unwrap();
    let output = run(
        &executor,
        "
        const text = await readTool('test.txt');
        final_answer(text + ' was read successfully');
        ",
    );
    assert!(output.is_final_answer);
    assert_eq!(
        output.output,
        Value::from("content of test.txt was read successfully")
    );
    let error = fail(&executor, "while (true) { let i = 0; }");
    assert!(error.message.contains("Max operations exceeded"));
}
