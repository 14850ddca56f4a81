//! Every row of the error table, and what the errors say.

use std::time::Duration;

use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{ErrorCode, ErrorSeverity, Executor, ObservationOptions, State};
use pollster::block_on;
use serde_json::{Value as Json, json};

use crate::support::{executor, fail, ready, rules, run, sleep_tool, value};

/// The error as every other language sees it.
fn normalised(executor: &Executor, code: &str) -> Json {
    serde_json::to_value(fail(executor, code)).unwrap()
}

#[test]
fn the_table_holds() {
    let rows = [
        (ErrorCode::InitFailed, "ERR_SES_INIT_FAILED", "FATAL", false),
        (ErrorCode::InvalidState, "ERR_INVALID_STATE", "ERROR", false),
        (
            ErrorCode::ValidationFailed,
            "ERR_VALIDATION_FAILED",
            "ERROR",
            true,
        ),
        (
            ErrorCode::ImportNotAllowed,
            "ERR_IMPORT_NOT_ALLOWED",
            "ERROR",
            true,
        ),
        (
            ErrorCode::MaxOpsExceeded,
            "ERR_MAX_OPS_EXCEEDED",
            "ERROR",
            true,
        ),
        (ErrorCode::ExecTimeout, "ERR_EXEC_TIMEOUT", "ERROR", true),
        (
            ErrorCode::ToolProxyFail,
            "ERR_TOOL_PROXY_FAIL",
            "ERROR",
            true,
        ),
        (
            ErrorCode::RuntimeException,
            "ERR_RUNTIME_EXCEPTION",
            "ERROR",
            true,
        ),
        (
            ErrorCode::CleanupFailed,
            "ERR_CLEANUP_FAILED",
            "WARN",
            false,
        ),
        (ErrorCode::MemoryLimit, "ERR_MEMORY_LIMIT", "ERROR", true),
        (ErrorCode::Cancelled, "ERR_CANCELLED", "ERROR", true),
        (
            ErrorCode::WorkerCrashed,
            "ERR_WORKER_CRASHED",
            "ERROR",
            true,
        ),
        (
            ErrorCode::InvalidAnswer,
            "ERR_INVALID_ANSWER",
            "ERROR",
            true,
        ),
        (ErrorCode::UnknownRun, "ERR_UNKNOWN_RUN", "ERROR", false),
        (
            ErrorCode::ForeignSnapshot,
            "ERR_FOREIGN_SNAPSHOT",
            "ERROR",
            false,
        ),
    ];
    assert_eq!(rows.len(), ErrorCode::ALL.len());
    for (code, name, severity, retryable) in rows {
        assert_eq!(code.as_str(), name);
        assert_eq!(json!(code), name);
        assert_eq!(json!(code.severity()), severity);
        assert_eq!(code.is_retryable(), retryable, "{name}");
    }
}

#[test]
fn a_validation_error_lists_what_was_found() {
    let error = normalised(&executor(), "let x = ;");
    assert_eq!(error["code"], "ERR_VALIDATION_FAILED");
    assert_eq!(error["severity"], "ERROR");
    assert_eq!(error["retryable"], true);
    assert_eq!(
        error["message"],
        "Code validation failed: unexpected `;` (line 1, column 9)"
    );
    let diagnostic = &error["details"]["diagnostics"][0];
    assert_eq!(diagnostic["rule"], "syntax_valid");
    assert_eq!(diagnostic["severity"], "ERROR");
    assert_eq!(diagnostic["location"], json!({ "line": 1, "column": 9 }));
    assert!(diagnostic["message"].is_string());
}

#[test]
fn validation_errors_run_nothing() {
    let executor = executor();
    run(&executor, "globalThis.effects = 0");
    for code in [
        "effects++; let let = 1;",
        "effects++; await import('x')",
        "effects++; __smol_x",
    ] {
        fail(&executor, code);
    }
    assert_eq!(value(&executor, "effects"), Value::from(0));
}

#[test]
fn a_refused_import_names_its_module_and_its_rule() {
    let executor = ready(crate::options().authorized_imports(["a", "b"]));
    let error = normalised(&executor, "await import('c')");
    assert_eq!(error["message"], "Import not allowed: c");
    assert_eq!(error["details"]["diagnostics"][0]["rule"], "import_allowed");
    let fix = error["details"]["diagnostics"][0]["fix"].as_str().unwrap();
    assert!(fix.contains("a, b"), "{fix}");
}

#[test]
fn a_computed_import_is_refused_when_it_is_called() {
    let executor = executor();
    let error = fail(&executor, "const name = 'f' + 's'; await import(name)");
    assert_eq!(error.code, ErrorCode::ImportNotAllowed);
    assert_eq!(error.message, "Import not allowed: fs");
    assert_eq!(rules(&error), ["import_allowed"]);
    // What the code catches is its own business.
    assert_eq!(
        value(
            &executor,
            "await import('f' + 's').catch((error) => error.code)"
        ),
        Value::from("ERR_IMPORT_NOT_ALLOWED")
    );
    // And an error that only looks like it is an ordinary one.
    let code =
        "throw Object.assign(new Error('x'), { code: 'ERR_IMPORT_NOT_ALLOWED', module: 'other' })";
    assert_eq!(fail(&executor, code).code, ErrorCode::RuntimeException);
}

#[test]
fn an_authorised_module_without_a_source_is_a_runtime_error() {
    let executor = ready(crate::options().authorized_imports(["gone"]));
    let error = fail(&executor, "await import('gone')");
    assert_eq!(error.code, ErrorCode::RuntimeException);
    assert!(
        error.message.contains("registered none"),
        "{}",
        error.message
    );
}

#[test]
fn too_many_operations_are_told_with_their_limit() {
    let error = normalised(&ready(crate::options().max_operations(10)), "for (;;) {}");
    assert_eq!(error["message"], "Max operations exceeded (10)");
    assert_eq!(error["details"]["maxOperations"], 10);
}

#[test]
fn a_timeout_is_told_with_its_limit_and_leaves_dirt() {
    let executor = ready(crate::options().timeout(Duration::from_millis(30)));
    block_on(executor.send_tools([("sleepTool", sleep_tool())])).unwrap();
    let error = normalised(&executor, "console.log('before'); await sleepTool(99999)");
    assert_eq!(error["message"], "Execution timed out after 30ms");
    assert_eq!(error["details"]["timeoutMs"], 30.0);
    assert_eq!(error["logs"], "before");
    assert_eq!(executor.state(), State::Dirty);
}

#[test]
fn a_timeout_also_stops_pure_computing() {
    for code in [
        "while (true) {}",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "Array(1e9).fill(0)",
        "const f = () => f(); try { f() } catch {} f.call.call(() => { while (true) {} })",
    ] {
        let options = crate::options()
            .timeout(Duration::from_millis(50))
            .max_operations(1 << 50)
            .memory_limit(2 << 30);
        let executor = ready(options);
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ExecTimeout, "{code}: {error}");
        assert_eq!(executor.state(), State::Dirty);
    }
}

#[test]
fn the_error_of_a_tool_stays_one_when_it_is_rethrown() {
    let executor = executor();
    let fail_tool = || {
        Tool::asynchronous(|_| async {
            Err(ToolError::new("QuotaError", "no more").with("code", "E_QUOTA"))
        })
    };
    block_on(executor.send_tools([("quota", fail_tool())])).unwrap();
    for code in [
        "await quota()",
        "try { await quota() } catch (error) { throw error }",
        "await Promise.all([quota(), 1])",
        "await quota().finally(() => {})",
        "const f = async () => { await quota() }; await f()",
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ToolProxyFail, "{code}");
        assert_eq!(error.message, "Tool execution failed: QuotaError: no more");
        assert_eq!(error.details["tool"], "quota");
        assert_eq!(error.details["cause"]["name"], "QuotaError");
        assert_eq!(error.details["cause"]["code"], "E_QUOTA");
    }
    for code in [
        "try { await quota() } catch (error) { throw new Error(error.message) }",
        "await quota().catch(() => {}); throw new Error('later')",
        "(await quota().catch(() => null)).length",
    ] {
        assert_eq!(
            fail(&executor, code).code,
            ErrorCode::RuntimeException,
            "{code}"
        );
    }
}

#[test]
fn a_tool_says_whether_to_try_again() {
    let executor = executor();
    let tools = [
        (
            "once",
            Tool::sync(|_| Err(ToolError::from("no").with("retryable", false))),
        ),
        (
            "again",
            Tool::sync(|_| Err(ToolError::from("no").with("retryable", true))),
        ),
        ("silent", Tool::sync(|_| Err(ToolError::from("no")))),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    assert!(!fail(&executor, "once()").retryable);
    assert!(fail(&executor, "again()").retryable);
    assert!(fail(&executor, "silent()").retryable);
}

#[test]
fn a_tool_that_panics_is_a_tool_that_failed() {
    let executor = executor();
    let panics = Tool::sync(|_| panic!("oh no"));
    block_on(executor.send_tools([("panics", panics)])).unwrap();
    let error = fail(&executor, "panics()");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn arguments_that_cannot_cross_are_the_bridges_failure() {
    let executor = executor();
    block_on(executor.send_tools([("tool", Tool::sync(|_| Ok(Value::Undefined)))])).unwrap();
    let error = fail(&executor, "tool(() => {})");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert!(
        error.message.contains("arguments[0] is a function"),
        "{error}"
    );
}

#[test]
fn a_runtime_error_says_what_and_where() {
    let executor = executor();
    let error = fail(&executor, "const a = 1;\n\n  a.b.c();\n");
    assert_eq!(error.code, ErrorCode::RuntimeException);
    assert_eq!(error.severity, ErrorSeverity::Error);
    assert!(
        error.message.starts_with("Runtime exception: TypeError: "),
        "{error}"
    );
    assert!(error.message.contains("(line 3, column "), "{error}");
    assert_eq!(error.location.unwrap().line, 3);
    let cause = &error.details["cause"];
    assert_eq!(cause["name"], "TypeError");
    assert_eq!(cause["location"]["line"], 3);
    assert!(
        cause["stack"].as_str().unwrap().contains("run-1.js:3:"),
        "{cause}"
    );
}

#[test]
fn anything_can_be_thrown() {
    let executor = executor();
    for (code, message) in [
        ("throw 1", "Runtime exception: uncaught 1"),
        ("throw null", "Runtime exception: uncaught null"),
        ("throw { a: 1 }", "Runtime exception: uncaught { a: 1 }"),
        ("throw 'text'", "Runtime exception: uncaught 'text'"),
    ] {
        assert_eq!(fail(&executor, code).message, message);
    }
    fail(&executor, "throw () => {}");
    fail(&executor, "throw Symbol('s')");
    fail(&executor, "throw new Proxy({}, { get() { throw 1 } })");
    fail(
        &executor,
        "const e = new Error(); e.stack = 'x'.repeat(1e6); throw e",
    );
    fail(
        &executor,
        "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })",
    );
    let error = fail(
        &executor,
        "throw Object.assign(new Error('x', { cause: new Error('y') }), { status: 404 })",
    );
    assert_eq!(error.details["cause"]["status"], 404);
    assert_eq!(error.details["cause"]["cause"]["message"], "y");
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn memory_has_a_code_of_its_own_and_the_executor_lives_on() {
    let executor = ready(
        crate::options()
            .memory_limit(24 << 20)
            .max_operations(1 << 50),
    );
    run(&executor, "let kept = 1");
    let error = fail(
        &executor,
        "const list = []; while (true) list.push(new Array(1000).fill(7))",
    );
    assert_eq!(error.code, ErrorCode::MemoryLimit);
    assert_eq!(
        error.message,
        format!("Memory limit exceeded ({} bytes)", 24 << 20)
    );
    assert_eq!(executor.state(), State::Ready);
    assert_eq!(value(&executor, "list.length = 0; kept"), Value::from(1));
}

#[test]
fn a_promise_that_can_never_settle_ends_the_run_at_once() {
    let executor = executor();
    for code in [
        "await new Promise(() => {})",
        "const p = new Promise(() => {}); p",
        "await (async () => { await new Promise(() => {}) })()",
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::RuntimeException);
        assert_eq!(error.details["reason"], "stalled", "{code}");
        assert!(error.message.contains("never settle"), "{error}");
    }
}

#[test]
fn a_rejection_that_nobody_handles_is_a_remark() {
    let output = run(&executor(), "Promise.reject(new Error('lost')); 1");
    assert_eq!(output.output, Value::from(1));
    let remark = output
        .diagnostics
        .iter()
        .find(|one| one.rule == "unhandled_rejection")
        .unwrap();
    assert!(remark.message.contains("lost"), "{remark}");
    assert_eq!(json!(remark.severity), "WARNING");
}

#[test]
fn an_output_that_cannot_cross_is_printed() {
    let executor = executor();
    for (code, printed) in [
        ("(function f() {})", "[Function: f]"),
        ("Symbol('s')", "Symbol(s)"),
        ("({ a: 1, b: () => {} })", "{ a: 1, b: [Function: b] }"),
    ] {
        let output = run(&executor, code);
        assert_eq!(output.output, Value::from(printed), "{code}");
        assert!(
            output
                .diagnostics
                .iter()
                .any(|one| one.rule == "result_not_cloneable")
        );
    }
    let output = run(&executor, "final_answer(() => 1)");
    assert!(output.is_final_answer);
    assert_eq!(output.output, Value::from("[Function (anonymous)]"));
}

#[test]
fn logs_come_with_errors() {
    let error = fail(
        &executor(),
        "console.log('one'); console.warn('two'); throw new Error('x')",
    );
    assert_eq!(error.logs.as_deref(), Some("one\ntwo"));
    assert_eq!(error.entries.len(), 2);
}

#[test]
fn execute_never_fails() {
    let executor = Executor::new(crate::options());
    let execution = block_on(executor.execute("1"));
    assert_eq!(execution.error.unwrap().code, ErrorCode::InvalidState);
    block_on(executor.init()).unwrap();
    let execution = block_on(executor.execute("console.log(1); throw 2"));
    assert_eq!(execution.error.unwrap().code, ErrorCode::RuntimeException);
    assert_eq!(execution.logs, "1");
    assert_eq!(execution.output, Value::Undefined);
    let execution = block_on(executor.execute("3"));
    assert_eq!(execution.error, None);
    assert_eq!(execution.output, Value::from(3));
}

#[test]
fn no_reserved_name_shows_anywhere() {
    let executor = executor();
    let seen = value(
        &executor,
        "function f() {} \
         [f.toString(), new Error('x').stack, Object.getOwnPropertyNames(globalThis).join(), eval.toString()].join()",
    );
    assert!(!seen.as_str().unwrap().contains("__smol_"));
    let error = fail(&executor, "null.x");
    assert!(!format!("{error:?}").contains("__smol_"));
}

#[test]
fn what_was_warned_of_is_on_the_error_of_a_run_that_failed() {
    let error = fail(
        &executor(),
        "console.log(1);\nawait fetch('https://example.com')",
    );
    assert_eq!(error.code, ErrorCode::RuntimeException);
    assert_eq!(rules(&error), ["forbidden_global_access"]);
    assert!(
        error.hint().unwrap().contains("there is no network"),
        "{error:?}"
    );
    assert!(error.message.contains("there is no network"), "{error}");
    let frame = error.details["codeFrame"].as_str().unwrap();
    assert!(frame.contains("> 2 | await fetch"), "{frame}");
}

#[test]
fn names_that_the_host_sent_are_no_mistake() {
    let executor = executor();
    let text = Value::from("a text");
    block_on(executor.send_variables([("document", text.clone()), ("history", text)])).unwrap();
    assert!(executor.validate("document + history").is_empty());
    let found = executor.validate("globalThis.process.env.HOME");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(executor.validate("globalThis.process = 1").is_empty());
}

#[test]
fn a_limit_says_where_the_code_was() {
    let executor = ready(crate::options().max_operations(100));
    let error = fail(&executor, "let i = 0;\n\nwhile (true) {\n  i++;\n}");
    assert_eq!(error.message, "Max operations exceeded (100)");
    assert_eq!(error.location.map(|at| at.line), Some(3));
    let executor = ready(
        crate::options()
            .timeout(std::time::Duration::from_millis(50))
            .max_operations(1 << 50),
    );
    let error = fail(&executor, "let i = 0;\n\nwhile (true) {\n  i++;\n}");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert!(
        error.location.is_some_and(|at| (3..=4).contains(&at.line)),
        "{error:?}"
    );
}

#[test]
fn a_stack_has_no_frame_that_is_not_the_codes_own() {
    let executor = executor();
    let tools = [
        ("price", Tool::sync(|_| Ok(Value::Undefined))),
        (
            "later",
            Tool::asynchronous(|_| async { Ok(Value::Undefined) }),
        ),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    for code in [
        "new Compartment().evaluate('null.x')",
        "const c = new Compartment({ globals: { f() { null.x } }, __options__: true });\nc.evaluate('f()')",
        "new Compartment().evaluate('(function inner() { null.x })')()",
        "new Compartment().evaluate('new Compartment().evaluate(\"null.x\")')",
        "new new Compartment().globalThis.Function('null.x')()",
        "new Compartment().evaluate('Promise.resolve().then(() => null.x)')",
        "price(() => {})",
        "[1].map(() => price(Symbol()))",
        "await later({ a: { b: new WeakMap() } })",
        "final_answer(Promise.resolve())",
    ] {
        let error = fail(&executor, code);
        let cause = &error.details["cause"];
        let stack = cause["stack"].as_str().unwrap();
        assert!(stack.contains("at "), "{code}\n{stack}");
        for frame in stack.lines() {
            for ours in ["price (native)", "later (native)", "final_answer (native)"] {
                assert!(!frame.contains(ours), "{code}\n{stack}");
            }
            // SES's own text is a dozen lines long, a function of the code's stands on the third of its own.
            let line = frame
                .split("<input>:")
                .nth(1)
                .and_then(|rest| rest.split(':').next());
            let line: usize = line.map_or(1, |line| line.parse().unwrap());
            assert!(line <= 3, "{code}\n{stack}");
        }
    }
}

#[test]
fn a_run_that_can_never_end_tells_what_was_thrown_where_nobody_heard_it() {
    for (code, thrown, line) in [
        (
            "const done = new Promise(() => {});\nnew Promise(() => { throw new Error('x') });\nawait done",
            "Error: x (line 2, column 31)",
            2,
        ),
        (
            "await new Promise(async (resolve) => {\n  resolve(JSON.parse('{'));\n});",
            "SyntaxError: Expected property name",
            2,
        ),
        (
            "async function main() { await null; throw new TypeError('late') }\nmain();\nawait new Promise(() => {})",
            "TypeError: late (line 1, column",
            1,
        ),
    ] {
        let error = fail(&executor(), code);
        assert_eq!(error.details["reason"], "stalled", "{code}\n{error}");
        assert!(
            error.message.contains("never settle") && error.message.contains(thrown),
            "{code}\n{error}"
        );
        assert_eq!(
            error.location.map(|at| at.line),
            Some(line),
            "{code}\n{error:?}"
        );
        assert!(rules(&error).contains(&"unhandled_rejection"), "{error:?}");
        let observation = error.observation(&ObservationOptions::default());
        let told = thrown.split(" (").next().unwrap();
        assert_eq!(observation.matches(told).count(), 1, "{observation}");
    }
    // One that ends otherwise tells it beside its own error.
    let error = fail(&executor(), "Promise.reject(new Error('lost')); null.x");
    assert!(error.message.contains("cannot read property"), "{error}");
    assert_eq!(rules(&error), ["unhandled_rejection"]);
    assert_eq!(error.diagnostics()[0]["location"]["line"], 1);
}

#[test]
fn an_observation_tells_the_errors_behind_an_error() {
    let executor = executor();
    let observation =
        |code: &str| fail(&executor, code).observation(&ObservationOptions::default());
    let told =
        observation("try { null.x } catch (cause) { throw new Error('no data', { cause }) }");
    assert!(
        told.contains("Caused by: TypeError: cannot read property 'x' of null"),
        "{told}"
    );
    let told =
        observation("await Promise.any([Promise.reject(new Error('a')), Promise.reject('b')])");
    assert!(
        told.contains("One of its errors: Error: a\nOne of its errors: b\n"),
        "{told}"
    );
}
