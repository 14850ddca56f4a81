//! Every built-in rule, through `run` and `validate`, and rules of the host.

use std::sync::Arc;

use hotcell_cell::{Tool, Value};
use hotcell_executor::{ErrorCode, ExecutorOptions, OptionsError};
use hotcell_prepare::{Diagnostic, ProgramView, Rule, Severity};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, rules, run, value};

#[test]
fn code_that_breaks_a_rule_is_refused_under_its_name() {
    let executor = ready(crate::options().authorized_imports(["ok"]));
    for (code, rule) in [
        ("", "code_non_empty"),
        (" \n\t ", "code_non_empty"),
        ("let x = ", "syntax_valid"),
        ("await import('fs')", "import_allowed"),
        ("import fs from 'fs'", "static_import_in_script_mode"),
        ("export const a = 1", "static_import_in_script_mode"),
        ("const __smol_x = 1", "reserved_identifier"),
        ("const final_answer = 1", "tool_shadowed"),
    ] {
        let error = fail(&executor, code);
        assert_eq!(rules(&error), [rule], "{code}");
        assert!(
            error
                .diagnostics()
                .iter()
                .all(|one| one["severity"] == "ERROR")
        );
        let is_import = rule.contains("import") && !code.starts_with("export");
        let expected = if is_import {
            ErrorCode::ImportNotAllowed
        } else {
            ErrorCode::ValidationFailed
        };
        assert_eq!(error.code, expected, "{code}");
    }
}

#[test]
fn options_that_break_a_rule_are_reported_by_the_run() {
    for (options, rule) in [
        (json!({ "maxOperations": 0 }), "max_operations_valid"),
        (json!({ "maxOperations": -5 }), "max_operations_valid"),
        (json!({ "maxOperations": 1.5 }), "max_operations_valid"),
        (json!({ "maxOperations": "many" }), "max_operations_valid"),
        (json!({ "timeoutMs": 0 }), "timeout_valid"),
        (json!({ "timeoutMs": -1 }), "timeout_valid"),
        (json!({ "timeoutMs": [] }), "timeout_valid"),
    ] {
        let executor = ready(
            ExecutorOptions::from_json(&options)
                .unwrap()
                .isolation(crate::ISOLATION),
        );
        let error = fail(&executor, "globalThis.ran = 1");
        assert_eq!(error.code, ErrorCode::ValidationFailed);
        assert_eq!(rules(&error), [rule], "{options}");
    }
}

#[test]
fn remarks_do_not_keep_code_from_running() {
    let executor = executor();
    let output = run(
        &executor,
        "typeof process === 'undefined' ? 1 : process.exit()",
    );
    assert_eq!(output.output, Value::from(1));
    let found: Vec<_> = output
        .diagnostics
        .iter()
        .map(|one| (&*one.rule, one.severity))
        .collect();
    assert_eq!(found, [("forbidden_global_access", Severity::Warning)]);

    let small = ready(crate::options().max_log_bytes(2048));
    let output = run(&small, "1");
    let found: Vec<_> = output
        .diagnostics
        .iter()
        .map(|one| (&*one.rule, one.severity))
        .collect();
    assert_eq!(found, [("log_budget_too_small", Severity::Info)]);

    let later = Tool::asynchronous(|_| async { Ok(Value::from("text")) });
    block_on(executor.send_tools([("later", later)])).unwrap();
    let output = run(&executor, "later().length");
    assert!(
        output
            .diagnostics
            .iter()
            .any(|one| one.rule == "floating_promise"),
        "{:?}",
        output.diagnostics
    );

    let output = run(&executor, "async () => { return 1 }");
    assert!(
        output
            .diagnostics
            .iter()
            .any(|one| one.rule == "function_not_called")
    );
}

#[test]
fn a_global_that_code_declared_is_no_mistake_any_more() {
    let executor = executor();
    assert_eq!(run(&executor, "() => process.env; 1").diagnostics.len(), 1);
    run(&executor, "const process = { env: 2 }");
    let output = run(&executor, "process.env");
    assert_eq!(output.output, Value::from(2));
    assert_eq!(output.diagnostics, []);
}

#[test]
fn validate_knows_what_run_knows() {
    let executor = executor();
    assert_eq!(executor.validate("search('x')")[0].rule, "unknown_name");
    block_on(executor.send_tools([("search", Tool::deferred())])).unwrap();
    assert_eq!(executor.validate("search('x')"), []);
    assert_eq!(
        executor.validate("const search = 1")[0].rule,
        "tool_shadowed"
    );
    assert_eq!(
        executor.prepare("const n: number = 1").transformed.trim(),
        "const n         = 1"
    );
}

#[test]
fn the_list_of_builtin_globals_is_that_of_a_cell() {
    let names = value(
        &executor(),
        "Object.getOwnPropertyNames(globalThis).sort().join()",
    );
    assert_eq!(
        names.as_str(),
        Some(&*hotcell_prepare::BUILTIN_GLOBALS.join(","))
    );
}

#[test]
fn unknown_names_are_found_only_where_all_are_known() {
    let executor = executor();
    let found = |code: &str| -> Vec<String> {
        let found = executor.validate(code).into_iter();
        found
            .map(|one| format!("{}: {}", one.rule, one.message))
            .collect()
    };
    assert_eq!(
        found("missing + 1"),
        ["unknown_name: `missing` is not defined"]
    );
    assert_eq!(found("typeof missing"), [""; 0]);
    assert_eq!(
        found("const a = 1; function f(b) { return a + b } f(2)"),
        [""; 0]
    );
    assert_eq!(
        found("for (const x of [1]) { try { x() } catch (e) { e } }"),
        [""; 0]
    );
    run(&executor, "let kept = 1; globalThis.made = 2;");
    assert_eq!(found("kept + made"), [""; 0]);
    let bytes = block_on(executor.snapshot()).unwrap();
    let later = hotcell_executor::Executor::restore(&bytes, None).unwrap();
    assert_eq!(later.validate("kept + made"), []);
    assert_eq!(later.validate("other")[0].rule, "unknown_name");
    // Code that makes names by other means is believed.
    run(&executor, "Object.assign(globalThis, { one: 1 }); 0");
    assert_eq!(found("one + two"), [""; 0]);
}

#[test]
fn unknown_names_are_told_for_as_many_as_anybody_reads() {
    // Each is compared with all that there are.
    let executor = executor();
    let names = |prefix: &str, count: u32| -> Vec<String> {
        let name = |n| format!("{prefix}{n:04}{}", "ab".repeat(25));
        (0..count).map(name).collect()
    };
    let known = names("known", 900);
    run(&executor, &format!("let {} = 1;", known.join(", ")));
    let mut code = names("other", 150);
    code.insert(0, format!("{}x", known[0]));
    let found = executor.validate(&code.join("; "));
    assert_eq!(found.len(), 20);
    let fix = found[0].fix.as_deref().unwrap();
    assert!(
        fix.starts_with(&format!("did you mean `{}`?", known[0])),
        "{fix}"
    );
}

#[test]
fn wrong_arguments_are_found_before_the_call() {
    let executor = executor();
    let weather = hotcell_executor::AgentTool::asynchronous(|_| async { Ok(Value::Null) }).parameters(serde_json::json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": ["integer", "null"] }, "tags": { "type": "array" } },
        "required": ["city"],
        "additionalProperties": false,
    }));
    let add = hotcell_executor::AgentTool::sync(|_| Ok(Value::Null))
        .parameters(serde_json::json!({
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
        }))
        .positional();
    block_on(executor.send_tools([("weather", weather), ("math.add", add)])).unwrap();
    let found = |code: &str| -> String {
        let found = executor.validate(&format!("const city = 'x', rest = {{}};\n{code}"));
        let found = found.into_iter().filter(|one| one.rule == "tool_arguments");
        let found: Vec<String> = found
            .map(|one| one.message.rsplit("`: ").next().unwrap().to_owned())
            .collect();
        found.join(" | ")
    };
    for (code, expected) in [
        ("await weather({ city })", ""),
        ("await weather({ city: 'x', days: null, tags: [] })", ""),
        ("await weather('x', 3)", ""),
        ("await weather(rest)", ""),
        ("await weather(...[1])", ""),
        ("await weather({ ...rest })", ""),
        ("await weather({ [city]: 1 })", ""),
        (
            "await weather({ ['city']: 1 })",
            "`city` is a number, it must be a string",
        ),
        ("await weather()", "`city` is missing"),
        (
            "await weather({ town: 'x' })",
            "`city` is missing; there is no `town`",
        ),
        (
            "await weather({ city: 5 })",
            "`city` is a number, it must be a string",
        ),
        (
            "await weather({ city, days: '3' })",
            "`days` is a string, it must be null or a number",
        ),
        (
            "await weather(5)",
            "`city` is a number, it must be a string",
        ),
        ("await weather('x', 3, [], 4)", "4 arguments, it takes 3"),
        ("math.add(1)", "`b` is missing"),
        ("math.add(1, 'x')", "`b` is a string, it must be a number"),
        (
            "math.add({ a: 1, b: 2 })",
            "`a` is an object, it must be a number; `b` is missing",
        ),
        ("((weather) => weather(5))(1)", ""),
    ] {
        assert_eq!(found(code), expected, "{code}");
    }
}

struct NoEval;

impl Rule for NoEval {
    fn name(&self) -> &'static str {
        "no_eval"
    }

    fn check(&self, program: &ProgramView<'_>) -> Vec<Diagnostic> {
        if program.code().contains("eval") {
            vec![Diagnostic::error("no_eval", "eval is not welcome here")]
        } else {
            Vec::new()
        }
    }
}

#[test]
fn a_host_has_rules_of_its_own() {
    // On threads of this program only: its code does not go along.
    let executor = ready(ExecutorOptions::default().rule(Arc::new(NoEval)));
    assert_eq!(rules(&fail(&executor, "eval('1')")), ["no_eval"]);
    assert_eq!(value(&executor, "1 + 1"), Value::from(2));
}

#[test]
fn code_made_at_run_time_goes_the_same_way() {
    let options = crate::options()
        .authorized_imports(["ok"])
        .module("ok", "export default 7");
    let executor = ready(options);
    for code in [
        "eval('__smol_x')",
        "(0, eval)('let __smol_x')",
        "new Function('__smol_x', 'return 1')",
        "new Function('return __smol_x')",
        "new Function('a', '}, globalThis.x = 666, {')",
        "new Function('/*', '*/){')",
        "eval(\"import('fs')\")",
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::RuntimeException, "{code}: {error}");
        assert!(error.message.contains("SyntaxError"), "{code}: {error}");
    }
    // The kin of `Function` have no names, and lockdown closed the ways to them.
    for function in [
        "() => {}",
        "function* () {}",
        "async () => {}",
        "async function* () {}",
    ] {
        let code = format!("Object.getPrototypeOf({function}).constructor('1')");
        assert!(
            fail(&executor, &code).message.contains("TypeError"),
            "{code}"
        );
    }
    assert_eq!(value(&executor, "typeof x"), Value::from("undefined"));
    assert_eq!(
        value(
            &executor,
            "eval('1 + 1') + new Function('a', 'return a')(1)"
        ),
        Value::from(3)
    );
    assert_eq!(
        value(&executor, "(await eval(\"import('ok')\")).default"),
        Value::from(7)
    );
}

#[test]
fn options_are_checked_when_they_are_read() {
    let read = |options: serde_json::Value| ExecutorOptions::from_json(&options);
    assert!(matches!(read(json!([])), Err(OptionsError::NotAnObject)));
    let error = read(json!({ "maxOperation": 5 })).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("unknown option \"maxOperation\": the options are maxOperations, ")
    );
    for wrong in [
        json!({ "runConcurrency": "parallel" }),
        json!({ "maxQueuedRuns": -1 }),
        json!({ "maxQueuedRuns": 0.5 }),
        json!({ "authorizedImports": [""] }),
        json!({ "authorizedImports": "fs" }),
        json!({ "authorizedImports": [1] }),
        json!({ "maxLogBytes": 1023 }),
        json!({ "collectConsoleLevels": ["debug"] }),
        json!({ "memoryLimitBytes": 0 }),
        json!({ "memoryLimitBytes": 1e300 }),
        json!({ "maxHostMemoryBytes": 1000 }),
        json!({ "snapshotKey": "too short" }),
        json!({ "snapshotKey": 1 }),
        json!({ "clock": "fast" }),
        json!({ "clock": { "fixed": "now" } }),
        json!({ "clock": { "fixed": 1, "more": 2 } }),
        json!({ "random": { "seed": -1 } }),
        json!({ "cpuTimeMs": 0.5 }),
        json!({ "cpuTimeMs": "soon" }),
        json!({ "timers": "on" }),
        json!({ "maxCodeBytes": 0 }),
        json!({ "maxResultBytes": "8 MiB" }),
        json!({ "maxToolCalls": -1 }),
        json!({ "maxToolCallsInFlight": 0 }),
        json!({ "pauseClockDuringTools": "yes" }),
        json!({ "isolation": "none" }),
        json!({ "isolation": true }),
        json!({ "requireJail": "yes" }),
        json!({ "modules": { "a": 1 } }),
        json!({ "maxSnapshotBytes": 0 }),
        json!({ "maxBackgroundRuns": -1 }),
    ] {
        assert!(
            matches!(read(wrong.clone()), Err(OptionsError::Value { .. })),
            "{wrong}"
        );
    }
    let all = json!({
        "maxOperations": 5, "timeoutMs": 6.5, "cpuTimeMs": 3.5, "timers": { "persist": true },
        "runConcurrency": "queue", "maxQueuedRuns": 7, "authorizedImports": ["a"],
        "maxLogBytes": 4096, "collectConsoleLevels": ["log"], "memoryLimitBytes": 100_000_000,
        "maxHostMemoryBytes": 2_000_000, "clock": { "fixed": 8 },
        "random": { "seed": 9 }, "maxCodeBytes": 10, "maxResultBytes": 11, "maxToolCalls": 12, "maxToolCallsInFlight": 13,
        "pauseClockDuringTools": true, "isolation": "process", "requireJail": true, "modules": { "a": "export {}" },
        "maxSnapshotBytes": 14, "maxBackgroundRuns": 15,
        "content": true, "maxContentItems": 16, "maxContentBytes": 17, "maxNotifications": 18,
        "store": true, "maxStoreBytes": 19,
    });
    let mut written = read(all.clone()).unwrap().to_json();
    assert_eq!(written["clock"]["fixed"], 8.0);
    written["clock"] = json!({ "fixed": 8 });
    assert_eq!(written, all);
    assert_eq!(
        read(json!({ "timeoutMs": null })).unwrap().to_json(),
        ExecutorOptions::default().to_json()
    );
}

#[test]
fn clock_and_chance_are_off_until_they_are_allowed() {
    let executor = executor();
    for code in ["Date.now()", "new Date()", "Math.random()"] {
        let error = fail(&executor, code);
        assert!(error.message.contains("TypeError"), "{error}");
    }
    let options = json!({ "clock": { "fixed": 0 }, "random": { "seed": 1 } });
    let fixed = || {
        ready(
            ExecutorOptions::from_json(&options)
                .unwrap()
                .isolation(crate::ISOLATION),
        )
    };
    let code = "[new Date().toISOString(), Math.random()]";
    assert_eq!(value(&fixed(), code), value(&fixed(), code));
    assert_eq!(
        value(&fixed(), code).at(0),
        Some(&Value::from("1970-01-01T00:00:00.000Z"))
    );
}
