//! What the host keeps for code is bounded, and the code is told.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use hotcell_cell::{Tool, Value};
use hotcell_executor::{
    AgentTool, CallOutcome, ErrorCode, Executor, ExecutorOptions, Files, Permission,
};
use pollster::block_on;
use serde_json::json;

use crate::support::{Gate, fail, ready, rules, run, value};

const SMALL: usize = 4 << 20;

fn small() -> ExecutorOptions {
    crate::options()
        .max_host_memory(SMALL)
        .max_operations(1 << 40)
}

fn with_tool(options: ExecutorOptions, tool: impl Into<AgentTool>) -> Executor {
    let executor = ready(options);
    block_on(executor.send_tools([("tool", tool.into())])).unwrap();
    executor
}

/// As a text: what stopped the code, and after how many calls.
fn until_refused(executor: &Executor, call: &str) -> (String, f64) {
    let code = format!(
        "let count = 0, error;
         try {{ for (;; count++) {{ {call} }} }} catch (caught) {{ error = caught }}
         ({{ error: String(error), count }})"
    );
    let output = value(executor, &code);
    let error = output.get("error").unwrap().as_str().unwrap().to_owned();
    (error, output.get("count").unwrap().as_f64().unwrap())
}

#[test]
fn arguments_of_calls_that_nobody_answers_are_paid_for() {
    let gate = Gate::default();
    let executor = with_tool(small(), gate.tool());
    let output = run(
        &executor,
        "let first, taken = 0;
         for (let i = 0; i < 1000; i++) tool('x'.repeat(100_000)).catch((e) => { first ??= String(e); taken-- }), taken++;
         await null; await null; await null; await null; ({ first, taken })",
    );
    let error = output.output.get("first").unwrap().as_str().unwrap();
    assert!(
        error.starts_with("RangeError") && error.contains("maxHostMemoryBytes"),
        "{error}"
    );
    let taken = output.output.get("taken").unwrap().as_f64().unwrap();
    assert!((10.0..=42.0).contains(&taken), "{taken}");
    // The next run has all of it again.
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
}

#[test]
fn refused_calls_leave_short_records() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let tool = AgentTool::sync(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(Value::Undefined)
    })
    .parameters(json!({ "type": "object", "properties": { "n": { "type": "number" } } }));
    let executor = with_tool(small(), tool);
    let output = run(
        &executor,
        "let words; for (let i = 0; i < 200; i++) try { tool({ n: 'x'.repeat(500_000) }) } catch (e) { words = String(e) }
         words",
    );
    let error = output.output.as_str().unwrap();
    assert!(error.len() < 1000, "{error}");
    assert!(error.contains("is not of type \"number\""), "{error}");
    assert_eq!(output.calls.len(), 200);
    for call in &output.calls {
        let CallOutcome::Refused(message) = &call.outcome else {
            panic!("{call:?}");
        };
        assert!(message.len() < 1100);
    }
    let kept = output.calls.iter().filter(|call| call.arguments.is_some());
    assert_eq!(kept.count(), 2);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn records_of_calls_are_paid_for() {
    let options = crate::options()
        .max_host_memory(1 << 20)
        .max_tool_calls(usize::MAX)
        .max_operations(1 << 40);
    let executor = with_tool(options, Tool::sync(|_| Ok(Value::Undefined)));
    let (error, count) = until_refused(&executor, "tool()");
    assert!(
        error.contains("maxHostMemoryBytes limit exceeded"),
        "{error}"
    );
    assert!((1000.0..10_000.0).contains(&count), "{count}");
    assert_eq!(value(&executor, "tool(); 1"), Value::from(1));
}

#[test]
fn a_failed_call_keeps_the_beginning_of_its_words_and_is_found_by_it() {
    let tool = Tool::sync(|_| Err("y".repeat(100_000).into()));
    let executor = with_tool(crate::options(), tool);
    let error = fail(&executor, "tool()");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert_eq!(error.details["tool"], "tool");
}

#[test]
fn empty_lines_fill_the_log() {
    let executor = ready(crate::options().max_operations(1 << 40));
    let output = run(
        &executor,
        "for (let i = 0; i < 1_000_000; i++) console.log('')",
    );
    let most = (256 << 10) / 8;
    assert_eq!(output.entries.len(), most + 1);
    assert_eq!(output.entries[most].message, "...[TRUNCATED]");
    assert_eq!(output.diagnostics.len(), 1);
    let remark = &output.diagnostics[0];
    assert_eq!(remark.rule, "log_truncated");
    assert!(remark.message.contains("maxLogBytes"), "{remark}");
    assert_eq!(run(&executor, "console.log('')").entries.len(), 1);
}

#[test]
fn a_log_is_paid_for() {
    let options = crate::options()
        .max_host_memory(1 << 20)
        .max_log_bytes(1 << 30)
        .max_operations(1 << 40);
    let executor = ready(options);
    let output = run(
        &executor,
        "for (let i = 0; i < 1000; i++) console.log('x'.repeat(10_000))",
    );
    assert!(output.logs.len() < 1 << 20);
    assert!(output.logs.ends_with("...[TRUNCATED]"));
    assert!(output.diagnostics[0].message.contains("maxHostMemoryBytes"));
}

#[test]
fn refused_imports_leave_nothing_behind() {
    let options = crate::options().max_operations(1 << 40);
    let executor = ready(options);
    let output = run(
        &executor,
        "let refused = 0;
         for (let i = 0; i < 2000; i++) await import(i + 'x'.repeat(10_000)).catch((e) => {
           if (e.code === 'ERR_IMPORT_NOT_ALLOWED' && e.message.length < 400) refused++;
         });
         refused",
    );
    assert_eq!(output.output, Value::from(2000));
    let error = fail(
        &executor,
        "for (let i = 0; i < 500; i++) await import('m' + i).catch(() => {}); await import('last')",
    );
    assert_eq!(error.code, ErrorCode::ImportNotAllowed);
    assert_eq!(error.details["module"], "last");
}

#[test]
fn approval_is_asked_with_the_same_copy() {
    let options = small().on_approval(|request| async move {
        assert_eq!(request.arguments.len(), 1);
        hotcell_executor::Approval::Deny("no".into())
    });
    let tool = AgentTool::sync(|_| Ok(Value::Undefined)).permission(Permission::Ask);
    let executor = with_tool(options, tool);
    // Together they come to more than there may be at once.
    let output = run(
        &executor,
        "let denied = 0; for (let i = 0; i < 20; i++) try { tool('x'.repeat(1_000_000)) } catch { denied++ } denied",
    );
    assert_eq!(output.output, Value::from(20));
}

#[test]
fn a_result_that_does_not_fit_names_the_limit() {
    let executor = ready(crate::options().max_host_memory(1 << 20));
    let error = fail(&executor, "'x'.repeat(4_000_000)");
    assert_eq!(error.code, ErrorCode::MemoryLimit);
    assert!(error.message.contains("maxHostMemoryBytes"), "{error}");
    assert_eq!(error.details["maxHostMemoryBytes"], 1 << 20);
    let error = fail(
        &executor,
        "throw Object.assign(new Error('x'), { list: Array(20_000).fill(undefined) })",
    );
    assert!(error.message.contains("maxHostMemoryBytes"), "{error}");
    assert_eq!(value(&executor, "1"), Value::from(1));
}

#[test]
fn code_may_be_as_large_as_there_is_room_to_look_at_it() {
    // A sixtieth of it is 104,857 bytes.
    let executor = ready(crate::options().max_host_memory(6 << 20));
    let (fits, large) = ("1;".repeat(50_000), "1;".repeat(60_000));
    run(&executor, &fits);
    let error = fail(&executor, &large);
    assert_eq!(error.code, ErrorCode::ValidationFailed);
    assert_eq!(rules(&error), ["code_too_large"]);
    assert_eq!(executor.validate(&large)[0].rule, "code_too_large");
    let caught =
        "let words; try { eval('1;'.repeat(60_000)) } catch (e) { words = String(e) } words";
    let words = value(&executor, caught);
    assert!(
        words.as_str().unwrap().contains("limit of 104857"),
        "{words:?}"
    );
}

#[test]
fn files_that_were_read_and_not_looked_at_are_paid_for() {
    let executor = ready(small());
    block_on(executor.enable_files(&Files::memory())).unwrap();
    // Each is read before the next, and nothing takes what was read.
    let output = run(
        &executor,
        "await writeText('a', 'x'.repeat(400_000));
         let done = 0, error;
         for (let i = 0; i < 50; i++) {
           readText('a').then(() => done++, (e) => { error = String(e) });
           for (let j = 0; j < 300_000; j++);
         }
         for (let i = 0; i < 100 && done < 1; i++) await exists('a');
         for (let i = 0; i < 60; i++) await null;
         ({ done, error })",
    );
    let error = output.output.get("error").unwrap().as_str().unwrap();
    assert!(error.contains("maxHostMemoryBytes"), "{error}");
    let read = output.output.get("done").unwrap().as_f64().unwrap();
    assert!((1.0..=11.0).contains(&read), "{read}");
}

#[test]
fn the_default_is_as_much_as_the_code_may_have() {
    let limit = |options: ExecutorOptions| options.to_json()["maxHostMemoryBytes"].clone();
    assert_eq!(limit(crate::options()), 64 << 20);
    assert_eq!(limit(crate::options().memory_limit(1 << 30)), 1 << 30);
    assert_eq!(limit(crate::options().memory_limit(1 << 20)), 16 << 20);
    assert_eq!(limit(crate::options().max_host_memory(5)), 5);
}
