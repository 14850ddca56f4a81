//! The boundary that tool calls cross.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hotcell_cell::{Tool, ToolError, Value};
use hotcell_executor::{AgentTool, Approval, CallOutcome, ErrorCode, Permission, State};
use pollster::block_on;
use serde_json::json;

use crate::support::{executor, fail, ready, rules, run, sleep, sleep_tool, value};

fn echo() -> AgentTool {
    AgentTool::sync(|call| Ok(Value::Array(call.arguments.into_vec())))
}

fn add_schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "a": { "type": "number" },
            "b": { "type": "integer", "minimum": 0 },
            "note": { "type": "string" },
        },
        "required": ["a", "b"],
        "additionalProperties": false,
    })
}

#[test]
fn variables_and_tools_are_there_by_name() {
    let executor = executor();
    block_on(executor.send_variables([("one", Value::from(1)), ("two", Value::from(2))])).unwrap();
    block_on(executor.send_tools([("echo", echo())])).unwrap();
    assert_eq!(
        value(&executor, "echo(one, two)"),
        Value::array([1.into(), 2.into()])
    );
    block_on(executor.send_variables([("one", Value::from("new"))])).unwrap();
    assert_eq!(value(&executor, "one"), Value::from("new"));
}

#[test]
fn what_is_sent_arrives_frozen() {
    let executor = executor();
    let nested = Value::object([("list", Value::array([Value::object([("a", 1.into())])]))]);
    block_on(executor.send_variables([("nested", nested)])).unwrap();
    let error = fail(&executor, "nested.list[0].a = 2");
    assert!(error.message.contains("TypeError"), "{error}");
    assert!(
        fail(&executor, "nested.list.push(1)")
            .message
            .contains("TypeError")
    );
    block_on(executor.send_tools([("tool", echo())])).unwrap();
    let error = fail(&executor, "globalThis.tool = 1");
    assert!(error.message.contains("TypeError"), "{error}");
}

#[test]
fn names_that_cannot_be_are_refused_and_nothing_is_sent() {
    let executor = executor();
    for name in ["not a name", "1a", "", "__smol_x", "class"] {
        let sent = executor.send_tools([("good", echo()), (name, echo())]);
        let error = block_on(sent).unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{name:?}");
        let sent = executor.send_variables([("good", Value::from(1)), (name, Value::from(1))]);
        assert_eq!(
            block_on(sent).unwrap_err().code,
            ErrorCode::ValidationFailed
        );
        assert_eq!(executor.state(), State::Ready);
        assert_eq!(value(&executor, "typeof good"), Value::from("undefined"));
    }
}

#[test]
fn code_and_variables_cannot_take_the_name_of_a_tool() {
    let executor = executor();
    block_on(executor.send_tools([("search", echo())])).unwrap();
    for code in [
        "const search = 1",
        "function search() {}",
        "let { search } = {}",
        "search = 1",
        "const final_answer = 1",
        "class final_answer {}",
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{code}");
        assert_eq!(rules(&error), ["tool_shadowed"], "{code}");
    }
    for name in ["search", "final_answer"] {
        let sent = executor.send_variables([(name, Value::from(1))]);
        assert_eq!(rules(&block_on(sent).unwrap_err()), ["tool_shadowed"]);
    }
    // Inside a function the name is free.
    assert_eq!(value(&executor, "((search) => search)(1)"), Value::from(1));
}

#[test]
fn a_schema_is_checked_before_the_call() {
    let executor = executor();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let add = AgentTool::sync(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(Value::from(1))
    });
    block_on(executor.send_tools([("add", add.parameters(add_schema()))])).unwrap();
    for code in [
        "add({ a: 1.5, b: 2 })",
        "add({ a: 1, b: 2, note: 'x' })",
        "add(1.5, 2)",
        "add(1, 2, 'x')",
    ] {
        assert_eq!(value(&executor, code), Value::from(1), "{code}");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4);
    for (code, what) in [
        (
            "add({ a: 'x', b: 2 })",
            "a: \"x\" is not of type \"number\"",
        ),
        ("add({ a: 1 })", "\"b\" is a required property"),
        (
            "add({ a: 1, b: -1 })",
            "b: -1 is less than the minimum of 0",
        ),
        ("add({ a: 1, b: 1.5 })", "b: 1.5 is not of type \"integer\""),
        ("add({ a: 1, b: 1, c: 2 })", "'c' was unexpected"),
        ("add()", "\"a\" is a required property"),
        ("add(1, 2, 'x', 4)", "4 arguments, it takes 3"),
        ("add(1, '2')", "b: \"2\" is not of type \"integer\""),
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ToolProxyFail, "{code}");
        assert!(
            error
                .message
                .contains("TypeError: invalid arguments for add"),
            "{error}"
        );
        assert!(error.message.contains(what), "{code}: {error}");
        assert!(
            error.message.contains("call it as add({ a, b, note })"),
            "{error}"
        );
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[test]
fn a_schema_that_is_none_is_refused_when_it_is_sent() {
    let sent = executor();
    let bad = echo().parameters(json!({ "type": "nonsense" }));
    let error = block_on(sent.send_tools([("bad", bad)])).unwrap_err();
    assert_eq!(rules(&error), ["schema_valid"]);
    assert!(
        error
            .message
            .contains("the parameters of bad are no JSON Schema"),
        "{error}"
    );
}

#[test]
fn a_schema_that_points_elsewhere_is_refused() {
    let sent = executor();
    for elsewhere in [
        "file:///etc/passwd",
        "http://localhost/schema.json",
        "other.json",
    ] {
        let bad = echo().parameters(json!({ "$ref": elsewhere }));
        let error = block_on(sent.send_tools([("bad", bad)])).unwrap_err();
        assert_eq!(rules(&error), ["schema_valid"], "{elsewhere}");
    }
}

#[test]
fn permissions_decide_who_is_called() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let options = crate::options().on_approval(move |request| {
        log.lock()
            .unwrap()
            .push((request.tool.to_string(), request.arguments.clone()));
        let approved = request.arguments.first() == Some(&Value::from("yes"));
        async move {
            sleep(Duration::from_millis(1)).await;
            if approved {
                Approval::Allow
            } else {
                Approval::Deny("not today".into())
            }
        }
    });
    let executor = ready(options);
    let later = || {
        AgentTool::asynchronous(|call| async move { Ok(Value::Array(call.arguments.into_vec())) })
    };
    block_on(executor.send_tools([
        ("free", echo()),
        ("never", echo().permission(Permission::Deny)),
        ("ask", echo().permission(Permission::Ask)),
        ("askLater", later().permission(Permission::Ask)),
        ("neverLater", later().permission(Permission::Deny)),
    ]))
    .unwrap();
    assert_eq!(value(&executor, "free(1)"), Value::array([1.into()]));
    assert_eq!(value(&executor, "ask('yes')"), Value::array(["yes".into()]));
    assert_eq!(
        value(&executor, "await askLater('yes')"),
        Value::array(["yes".into()])
    );
    for (code, reason) in [
        ("never(1)", "the host does not allow it"),
        ("await neverLater(1)", "the host does not allow it"),
        ("ask('no')", "not today"),
        ("await askLater('no')", "not today"),
    ] {
        let error = fail(&executor, code);
        assert_eq!(error.code, ErrorCode::ToolProxyFail, "{code}");
        assert!(
            error.message.contains("PermissionDenied: the tool"),
            "{error}"
        );
        assert!(error.message.contains(reason), "{error}");
    }
    let asked = asked.lock().unwrap();
    let tools: Vec<_> = asked.iter().map(|(tool, _)| &**tool).collect();
    assert_eq!(tools, ["ask", "askLater", "ask", "askLater"]);
    assert_eq!(asked[0].1, [Value::from("yes")]);
}

#[test]
fn without_anybody_to_ask_the_answer_is_no() {
    let executor = executor();
    block_on(executor.send_tools([("ask", echo().permission(Permission::Ask))])).unwrap();
    assert!(
        fail(&executor, "ask(1)")
            .message
            .contains("nobody is there to give it")
    );
}

#[test]
fn time_spent_on_tools_and_approval_can_be_free() {
    let options = crate::options()
        .timeout(Duration::from_millis(100))
        .pause_clock_during_tools(true)
        .on_approval(|_| async {
            sleep(Duration::from_millis(150)).await;
            Approval::Allow
        });
    let executor = ready(options);
    let slow = |call: hotcell_cell::ToolCall| async move {
        sleep(Duration::from_millis(150)).await;
        Ok(call.argument(0).clone())
    };
    block_on(executor.send_tools([
        ("later", AgentTool::asynchronous(slow)),
        ("wait", AgentTool::blocking(slow)),
        ("ask", AgentTool::blocking(slow).permission(Permission::Ask)),
    ]))
    .unwrap();
    assert_eq!(
        value(&executor, "(await later(1)) + wait(2) + ask(3)"),
        Value::from(6)
    );
}

#[test]
fn calls_are_recorded() {
    let executor = executor();
    block_on(executor.send_tools([
        ("echo", echo()),
        (
            "fails",
            AgentTool::asynchronous(|_| async { Err(ToolError::from("no")) }),
        ),
        ("never", echo().permission(Permission::Deny)),
        ("open", AgentTool::asynchronous(|_| std::future::pending())),
    ]))
    .unwrap();
    let code =
        "echo(1, 'a'); await fails().catch(() => {}); try { never() } catch {} open(2); 'done'";
    let output = run(&executor, code);
    let seen: Vec<_> = output
        .calls
        .iter()
        .map(|call| (&*call.tool, &call.outcome))
        .collect();
    assert_eq!(
        seen,
        [
            ("echo", &CallOutcome::Returned),
            ("fails", &CallOutcome::Failed("Error: no".into())),
            (
                "never",
                &CallOutcome::Refused(
                    "PermissionDenied: the tool never may not be called: the host does not allow it".into()
                )
            ),
            ("open", &CallOutcome::Unanswered),
        ]
    );
    assert_eq!(output.calls[0].arguments, Some(vec![1.into(), "a".into()]));
    assert_eq!(output.stats.tool_calls, 4);
    let record = serde_json::to_value(&output.calls[1]).unwrap();
    assert_eq!(record["outcome"], "failed");
    assert_eq!(record["message"], "Error: no");
    assert!(record["durationMs"].is_number());
    // Each run has a record of its own.
    assert_eq!(run(&executor, "echo()").calls.len(), 1);
}

#[test]
fn the_record_of_large_arguments_is_cut() {
    let executor = executor();
    block_on(executor.send_tools([("tool", AgentTool::sync(|_| Ok(Value::Undefined)))])).unwrap();
    let output = run(
        &executor,
        "for (let i = 0; i < 4; i++) tool('x'.repeat(400000))",
    );
    let kept: Vec<_> = output
        .calls
        .iter()
        .map(|call| call.arguments.is_some())
        .collect();
    assert_eq!(kept, [true, true, false, false]);
}

#[test]
fn a_run_may_make_so_many_calls() {
    let executor = ready(crate::options().max_tool_calls(3));
    block_on(executor.send_tools([("echo", echo())])).unwrap();
    run(&executor, "for (let i = 0; i < 3; i++) echo(i)");
    let error = fail(&executor, "for (let i = 0; i < 4; i++) echo(i)");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert!(
        error
            .message
            .contains("too many tool calls: a run may make 3"),
        "{error}"
    );
    run(&executor, "for (let i = 0; i < 3; i++) echo(i)");
}

#[test]
fn so_many_calls_may_be_outstanding() {
    let executor = ready(crate::options().max_tool_calls_in_flight(10));
    block_on(executor.send_tools([(
        "later",
        AgentTool::asynchronous(|_| async {
            sleep(Duration::from_millis(100)).await;
            Ok(Value::Undefined)
        }),
    )]))
    .unwrap();
    let all =
        |count| format!("await Promise.all(Array.from({{ length: {count} }}, () => later()))");
    run(&executor, &all(10));
    let error = fail(&executor, &all(11));
    assert!(
        error.message.contains("too many tool calls at once"),
        "{error}"
    );
}

#[test]
fn calls_that_nobody_awaits_do_not_keep_later_ones_from_being_made() {
    let executor = ready(crate::options().max_tool_calls_in_flight(10));
    let price = AgentTool::asynchronous(|_| async { Ok(Value::from(3)) });
    block_on(executor.send_tools([("price", price)])).unwrap();
    run(&executor, "for (let i = 0; i < 1000; i++) price('tea'); 1");
    for _ in 0..30 {
        run(&executor, "price('tea'); 1");
    }
    assert_eq!(value(&executor, "await price('tea')"), Value::from(3));
}

#[test]
fn an_answer_that_comes_between_two_runs_is_taken_in() {
    let executor = ready(crate::options().max_tool_calls_in_flight(4));
    block_on(executor.send_tools([("wait", sleep_tool())])).unwrap();
    for _ in 0..12 {
        run(&executor, "wait(1); 1");
        std::thread::sleep(Duration::from_millis(10));
    }
    run(&executor, "await wait(1)");
}

#[test]
fn the_failure_of_an_asynchronous_tool_says_where_and_which() {
    let executor = executor();
    let broken = AgentTool::asynchronous(|_| async {
        sleep(Duration::from_millis(1)).await;
        Err(ToolError::from("no such city"))
    });
    let plain = AgentTool::asynchronous(|_| async { Ok(Value::Null) });
    block_on(executor.send_tools([("forecast", broken), ("plain", plain)])).unwrap();
    let code = "const a = 1;\nconst go = async () => {\n  return await forecast('Atlantis');\n};\nawait go();";
    let error = fail(&executor, code);
    assert_eq!(error.details["tool"], "forecast");
    assert_eq!(error.location.map(|at| (at.line, at.column)), Some((3, 16)));
    let error = fail(&executor, "\nawait plain(() => 1)");
    assert_eq!(error.details["tool"], "plain");
    assert_eq!(error.location.map(|at| at.line), Some(2));
}

#[test]
fn a_result_may_be_so_large() {
    let executor = ready(crate::options().max_result_bytes(10_000));
    run(&executor, "'x'.repeat(5000)");
    let error = fail(&executor, "'x'.repeat(20000)");
    assert_eq!(error.code, ErrorCode::RuntimeException);
    assert_eq!(error.details["reason"], "result_too_large");
    assert_eq!(executor.state(), State::Ready);
}

#[test]
fn code_may_be_so_large() {
    let executor = ready(crate::options().max_code_bytes(100));
    let error = fail(&executor, &format!("'{}'", "x".repeat(100)));
    assert_eq!(rules(&error), ["code_too_large"]);
}

#[test]
fn the_first_final_answer_wins_and_nothing_swallows_it() {
    let executor = executor();
    for code in [
        "final_answer(1); final_answer(2)",
        "try { final_answer(1) } catch { final_answer(2) } finally { final_answer(3) }",
        "await Promise.all([(async () => final_answer(1))(), (async () => final_answer(2))()])",
        "[1, 2].forEach((x) => final_answer(x))",
        "function* g() { try { yield 1 } finally { final_answer(2) } } for (const x of g()) final_answer(x)",
        "await new Promise((resolve) => resolve()).then(() => final_answer(1)).catch(() => 2).finally(() => 3)",
        "const o = { get x() { final_answer(1) } }; try { o.x } catch {} 5",
        "async function* g() { yield 1 } for await (const x of g()) final_answer(x)",
        "queueMicrotask(() => final_answer(1)); await new Promise(() => {})",
        "JSON.parse('[1]', (key, value) => final_answer(value))",
        "return final_answer(1)",
    ] {
        let output = run(&executor, code);
        assert!(output.is_final_answer, "{code}");
        assert_eq!(output.output, Value::from(1), "{code}");
    }
    let output = run(&executor, "final_answer()");
    assert!(output.is_final_answer);
    assert_eq!(output.output, Value::Undefined);
    assert!(!run(&executor, "1").is_final_answer);
}

#[test]
fn a_final_answer_of_the_host_has_the_last_word() {
    let executor = executor();
    let polish = AgentTool::asynchronous(|call| async move {
        match call.argument(0).as_str() {
            Some(text) => Ok(Value::from(format!("<{text}>"))),
            None => Err(ToolError::new("TypeError", "text, please")),
        }
    });
    block_on(executor.send_tools([("final_answer", polish)])).unwrap();
    let output = run(&executor, "try { final_answer('a') } catch {} 'b'");
    assert!(output.is_final_answer);
    assert_eq!(output.output, Value::from("<a>"));
    assert_eq!(run(&executor, "'b'").output, Value::from("b"));
    let error = fail(&executor, "final_answer(1)");
    assert_eq!(error.code, ErrorCode::ToolProxyFail);
    assert_eq!(error.details["tool"], "final_answer");
}

#[test]
fn a_final_answer_of_the_host_ends_with_the_run() {
    let executor = ready(crate::options().timeout(Duration::from_millis(20)));
    let never = AgentTool::asynchronous(|_| std::future::pending());
    block_on(executor.send_tools([("final_answer", never)])).unwrap();
    let error = fail(&executor, "final_answer(1)");
    assert_eq!(error.code, ErrorCode::ExecTimeout);
    assert_eq!(executor.state(), State::Dirty);

    let executor = crate::support::executor();
    let other = executor.clone();
    let cancels = AgentTool::asynchronous(move |_| {
        assert!(other.cancel());
        std::future::pending()
    });
    block_on(executor.send_tools([("final_answer", cancels)])).unwrap();
    let error = fail(&executor, "const kept = 1; final_answer(1)");
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(run(&executor, "kept").output, Value::from(1));
}

#[test]
fn evaluators_and_urls_refuse_what_is_too_large_and_the_cell_lives_on() {
    let executor = ready(crate::options().max_result_bytes(1 << 20));
    for code in [
        "Function(...Array(60000).fill('x'), '1')",
        "eval('1;'.repeat(600000))",
        "new URL('http://a/' + 'x'.repeat(2e6))",
    ] {
        let caught =
            format!("(() => {{ try {{ {code} }} catch (error) {{ return error.name }} }})()");
        let name = value(&executor, &caught);
        assert!(
            matches!(name.as_str(), Some("RangeError" | "TypeError")),
            "{code}: {name:?}"
        );
    }
}

#[test]
fn tools_can_be_sent_again() {
    let executor = executor();
    let version = |number: i32| Tool::sync(move |_| Ok(Value::from(number)));
    block_on(executor.send_tools([("version", version(1))])).unwrap();
    run(&executor, "const kept = version");
    block_on(executor.send_tools([("version", version(2))])).unwrap();
    assert_eq!(
        value(&executor, "[version(), kept()]"),
        Value::array([2.into(), 2.into()])
    );
}

#[test]
fn the_prompt_is_made_of_what_was_sent() {
    let executor = executor();
    let add = AgentTool::sync(|_| Ok(Value::Undefined))
        .description("Adds")
        .parameters(add_schema())
        .returns(json!({ "type": "number" }))
        .positional();
    block_on(executor.send_tools([("add", add)])).unwrap();
    let declared = hotcell_prompt::tools_prompt(&executor.tools()).unwrap();
    assert!(
        declared.contains("declare function add(a: number, b: number, note?: string): number;"),
        "{declared}"
    );
}

#[test]
fn a_tool_that_takes_an_object_gets_one_also_for_positions() {
    let executor = executor();
    block_on(executor.send_tools([("echo", echo().parameters(add_schema()))])).unwrap();
    let packed = value(&executor, "echo({ a: 1, b: 2 })");
    assert_eq!(value(&executor, "echo(1, 2)"), packed);
    let message = fail(&executor, "echo('one', 2)").message;
    assert!(
        message.contains("call it as echo({ a, b, note })"),
        "{message}"
    );
    block_on(executor.send_tools([("add", echo().parameters(add_schema()).positional())])).unwrap();
    assert_eq!(value(&executor, "add(1, 2).length"), Value::from(2));
}

#[test]
fn tools_may_be_in_namespaces() {
    let executor = executor();
    let later = || AgentTool::asynchronous(|call| async move { Ok(call.argument(0).clone()) });
    let tools = [
        ("Host.readDoc", later()),
        ("Host.files.stat", later()),
        ("plain", later()),
    ];
    block_on(executor.send_tools(tools)).unwrap();
    let code = "[await Host.readDoc('a'), await Host.files.stat('b'), Object.isFrozen(Host), Object.isFrozen(Host.files)]";
    assert_eq!(
        value(&executor, code),
        Value::array(["a".into(), "b".into(), true.into(), true.into()])
    );
    // More of them join, and what was stored goes on working.
    run(&executor, "const kept = Host.readDoc");
    block_on(executor.send_tools([("Host.list", echo())])).unwrap();
    assert_eq!(
        value(
            &executor,
            "[await kept(1), await Host.readDoc(2), Host.list(3)[0]]"
        ),
        Value::array([1.into(), 2.into(), 3.into()])
    );
    assert_eq!(rules(&fail(&executor, "const Host = 1")), ["tool_shadowed"]);
    fail(&executor, "Host.readDoc = 1");
    fail(&executor, "Host.more = 1");
    assert!(block_on(executor.send_variables([("Host", Value::Null)])).is_err());
    let found = executor.validate("Host.readDoc('a'); 1");
    assert!(
        found[0]
            .message
            .contains("`Host.readDoc` returns a promise"),
        "{found:?}"
    );
    // A fork and a snapshot keep them.
    let fork = block_on(executor.fork()).unwrap();
    assert_eq!(value(&fork, "await Host.readDoc(5)"), Value::from(5));
    // A tool of that name takes its place, and the other way round.
    block_on(executor.send_tools([("Host", echo())])).unwrap();
    assert_eq!(value(&executor, "Host(7)[0]"), Value::from(7));
    assert_eq!(executor.tools().len(), 2);
    block_on(executor.send_tools([("Host.readDoc", later())])).unwrap();
    assert_eq!(value(&executor, "await Host.readDoc(8)"), Value::from(8));
}
