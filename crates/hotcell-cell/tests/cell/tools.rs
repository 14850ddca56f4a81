//! Tools: ordinary functions inside, the host's code outside.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hotcell_cell::{CellError, CellOptions, Program, Progress, Reply, Tool, ToolError, Value};

use crate::support::{cell, engine, eval, fail, sleep, thrown};

#[test]
fn a_sync_tool_returns_its_value() {
    let mut cell = cell();
    cell.define_tool(
        "join",
        Tool::sync(|call| Ok(Value::from(format!("{:?}", call.arguments)))),
    )
    .unwrap();
    assert_eq!(
        eval(&mut cell, "join(1, 'a', [2])"),
        Value::from(r#"[Number(1.0), String("a"), Array([Number(2.0)])]"#)
    );
    assert_eq!(
        eval(&mut cell, "[typeof join, join.name, join.length]"),
        Value::array(["function".into(), "join".into(), 0.into()])
    );
}

#[test]
fn an_async_tool_returns_a_promise() {
    let mut cell = cell();
    cell.define_tool(
        "later",
        Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) }),
    )
    .unwrap();
    assert_eq!(
        eval(&mut cell, "later(1) instanceof Promise"),
        Value::from(true)
    );
    assert_eq!(
        eval(&mut cell, "await later({ a: 1 })"),
        Value::object([("a", Value::from(1))])
    );
    assert_eq!(
        eval(
            &mut cell,
            "(await Promise.all([later(1), later(2), 3])).join()"
        ),
        Value::from("1,2,3")
    );
}

#[test]
fn a_blocking_tool_takes_its_time_but_returns_a_plain_value() {
    let mut cell = cell();
    cell.define_tool(
        "slow",
        Tool::blocking(|call| async move {
            sleep(Duration::from_millis(20)).await;
            Ok(call.argument(0).clone())
        }),
    )
    .unwrap();
    assert_eq!(eval(&mut cell, "slow(1) + slow(2)"), Value::from(3));
}

#[test]
fn a_maybe_async_tool_is_synchronous_or_not_by_what_it_gives_back() {
    let mut cell = cell();
    cell.define_tool(
        "either",
        Tool::maybe_async(|call| async move {
            sleep(Duration::from_millis(1)).await;
            match call.argument(0).as_str() {
                Some("now") => Ok(Reply::Value(Value::from(1))),
                Some("later") => Ok(Reply::Later(Box::pin(async {
                    sleep(Duration::from_millis(1)).await;
                    Ok(Value::from(2))
                }))),
                Some("never") => Ok(Reply::Later(Box::pin(async {
                    Err(ToolError::new("RangeError", "no"))
                }))),
                _ => Err(ToolError::new("TypeError", "at once")),
            }
        }),
    )
    .unwrap();
    assert_eq!(eval(&mut cell, "either('now') + 1"), Value::from(2));
    assert_eq!(
        eval(
            &mut cell,
            "const p = either('later'); [p instanceof Promise, await p]"
        ),
        Value::array([true.into(), 2.into()])
    );
    assert!(thrown(&mut cell, "await either('never')").from_tool);
    assert_eq!(
        eval(&mut cell, "try { either() } catch (e) { e.message }"),
        Value::from("at once")
    );
    assert_eq!(
        eval(
            &mut cell,
            "(await Promise.all(Array.from({ length: 100 }, () => either('later')))).length"
        ),
        Value::from(100)
    );
}

#[test]
fn the_end_of_a_run_reaches_a_maybe_async_tool_that_does_not_return() {
    let mut cell = cell();
    let never = Tool::maybe_async(|_| std::future::pending());
    cell.define_tool("never", never).unwrap();
    let program = Program::new("never()").timeout(Duration::from_millis(20));
    assert!(matches!(
        fail(&mut cell, program),
        CellError::Deadline { killed: false }
    ));
    assert_eq!(eval(&mut cell, "1 + 1"), Value::from(2));
}

#[test]
fn a_clock_that_pauses_does_not_count_the_time_of_tools() {
    let slow = |call: hotcell_cell::ToolCall| async move {
        sleep(Duration::from_millis(150)).await;
        Ok(call.argument(0).clone())
    };
    let mut cell = cell();
    cell.define_tools([
        ("wait", Tool::blocking(slow)),
        ("later", Tool::asynchronous(slow)),
        (
            "busy",
            Tool::sync(|_| {
                std::thread::sleep(Duration::from_millis(150));
                Ok(Value::from(3))
            }),
        ),
    ])
    .unwrap();
    let code = "wait(1) + await later(2) + busy()";
    let patient = Program::new(code)
        .timeout(Duration::from_millis(100))
        .pause_clock_during_tools(true);
    assert_eq!(eval(&mut cell, patient), Value::from(6));
    // The time of the code itself still counts.
    let endless = Program::new("await later(1); while (true) {}")
        .timeout(Duration::from_millis(50))
        .pause_clock_during_tools(true);
    assert!(matches!(
        fail(&mut cell, endless),
        CellError::Deadline { .. }
    ));
}

#[test]
fn tool_results_arrive_frozen() {
    let mut cell = cell();
    cell.define_tool(
        "give",
        Tool::sync(|_| {
            Ok(Value::object([(
                "list",
                Value::array([Value::Object(vec![])]),
            )]))
        }),
    )
    .unwrap();
    assert_eq!(thrown(&mut cell, "give().list.push(1)").name(), "TypeError");
    assert_eq!(
        eval(
            &mut cell,
            "const r = give(); [r, r.list, r.list[0]].every(Object.isFrozen)"
        ),
        Value::from(true)
    );
}

#[test]
fn tool_errors_arrive_as_errors() {
    let mut cell = cell();
    cell.define_tools([
        (
            "now",
            Tool::sync(|_| Err(ToolError::new("RangeError", "too big").with("code", "E_BIG"))),
        ),
        (
            "later",
            Tool::asynchronous(|_| async { Err(ToolError::from("plain")) }),
        ),
        (
            "odd",
            Tool::sync(|_| Err(ToolError::new("QuotaError", "full"))),
        ),
    ])
    .unwrap();
    assert_eq!(
        eval(
            &mut cell,
            "try { now() } catch (e) { [e instanceof RangeError, e.name, e.message, e.code, String(e)].join('|') }"
        ),
        Value::from("true|RangeError|too big|E_BIG|RangeError: too big")
    );
    assert_eq!(
        eval(
            &mut cell,
            "try { await later() } catch (e) { [e instanceof Error, e.name, e.message].join('|') }"
        ),
        Value::from("true|Error|plain")
    );
    assert_eq!(
        eval(
            &mut cell,
            "try { odd() } catch (e) { [e instanceof Error, e.name].join('|') }"
        ),
        Value::from("true|QuotaError")
    );
    let exception = thrown(&mut cell, "function f() { now() }\nf()");
    assert!(
        exception.stack().contains("at f (code.js:1"),
        "{}",
        exception.stack()
    );
}

#[test]
fn an_escaped_tool_error_is_told_from_others() {
    let mut cell = cell();
    cell.define_tools([
        ("boom", Tool::sync(|_| Err("boom".into()))),
        (
            "later",
            Tool::asynchronous(|_| async { Err("boom".into()) }),
        ),
    ])
    .unwrap();
    for code in [
        "boom()",
        "await later()",
        "later()",
        "try { boom() } catch (e) { throw e }",
        "try { boom() } finally { 1 }",
        "await Promise.all([later()])",
        "await (async () => { await later() })()",
    ] {
        assert!(thrown(&mut cell, code).from_tool, "{code}");
    }
    for code in [
        "try { boom() } catch (e) { throw new Error('wrapped', { cause: e }) }",
        "throw new Error('boom')",
        "try { boom() } catch (e) { throw structuredClone(e) }",
        "boom.x.y",
    ] {
        assert!(!thrown(&mut cell, code).from_tool, "{code}");
    }
}

#[test]
fn a_tool_that_panics_is_a_tool_that_failed() {
    let mut cell = cell();
    cell.define_tools([
        ("sync", Tool::sync(|_| panic!("oh"))),
        (
            "early",
            Tool::asynchronous(|_| -> std::future::Ready<Result<Value, ToolError>> {
                panic!("oh")
            }),
        ),
        ("late", Tool::asynchronous(|_| async { panic!("oh") })),
    ])
    .unwrap();
    for code in ["sync()", "await early()", "await late()"] {
        assert!(
            thrown(&mut cell, code).message().contains("panicked"),
            "{code}"
        );
    }
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

#[test]
fn thousands_of_calls_may_be_outstanding() {
    let mut cell = cell();
    cell.define_tool(
        "later",
        Tool::asynchronous(|call| async move {
            sleep(Duration::from_millis(5)).await;
            Ok(call.argument(0).clone())
        }),
    )
    .unwrap();
    let sum = eval(
        &mut cell,
        "(await Promise.all(Array.from({ length: 5000 }, (_, i) => later(i)))).reduce((a, b) => a + b)",
    );
    assert_eq!(sum, Value::from(12_497_500));
}

#[test]
fn too_many_calls_at_once_are_refused_one_by_one() {
    let mut cell = engine()
        .cell(CellOptions::default().max_calls_in_flight(2))
        .unwrap();
    cell.define_tool(
        "later",
        Tool::asynchronous(|_| async {
            sleep(Duration::from_millis(1)).await;
            Ok(Value::Null)
        }),
    )
    .unwrap();
    let results = eval(
        &mut cell,
        "(await Promise.allSettled([later(), later(), later()])).map((r) => r.status + (r.reason ?? '')).join()",
    );
    assert_eq!(
        results,
        Value::from(
            "fulfilled,fulfilled,rejectedRangeError: too many tool calls at once: 2 are outstanding, await some first"
        )
    );
    assert_eq!(eval(&mut cell, "await later()"), Value::Null);
}

#[test]
fn a_call_that_nobody_awaits_goes_on_into_the_next_run() {
    let mut cell = cell();
    cell.define_tool(
        "later",
        Tool::asynchronous(|call| async move {
            sleep(Duration::from_millis(5)).await;
            Ok(call.argument(0).clone())
        }),
    )
    .unwrap();
    eval(&mut cell, "const pending = later('kept'); 1");
    assert_eq!(eval(&mut cell, "await pending"), Value::from("kept"));
}

#[test]
fn a_value_that_cannot_enter_is_the_tools_failure() {
    let mut cell = cell();
    cell.define_tool("bad", Tool::sync(|_| Ok(Value::Reference(3))))
        .unwrap();
    assert!(
        thrown(&mut cell, "bad()")
            .message()
            .contains("cannot enter the cell")
    );
}

#[test]
fn final_answer_ends_the_run_whatever_the_code_does() {
    let programs = [
        "final_answer('A')",
        "try { final_answer('A') } catch { 'caught' } finally { final_answer('B') }",
        "await (async () => { final_answer('A') })().catch(() => {})",
        "[1, 2].forEach(() => final_answer('A'))",
        "await Promise.all([1, 2].map(async () => final_answer('A')))",
        "await Promise.allSettled([(async () => final_answer('A'))()])",
        "new Promise(() => final_answer('A'))",
        "for (const x of (function* () { try { yield 1 } finally { final_answer('B') } })()) final_answer('A')",
        "JSON.stringify({ toJSON() { final_answer('A') } })",
        "final_answer('A'); while (true) {}",
        "await later(); final_answer('A')",
        "later().then(() => final_answer('A')); await new Promise(() => {})",
        "queueMicrotask(() => final_answer('A')); await later(); 'too late'",
        "({ get x() { final_answer('A') } })",
        "new Proxy({}, { get: () => final_answer('A') }).x",
    ];
    let mut cell = cell();
    cell.define_tools([
        ("final_answer", Tool::final_answer()),
        ("later", Tool::asynchronous(|_| async { Ok(Value::Null) })),
    ])
    .unwrap();
    for code in programs {
        let outcome =
            pollster::block_on(cell.evaluate(Program::new(code).timeout(Duration::from_secs(2))))
                .unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(
            (outcome.value, outcome.is_final_answer),
            (Value::from("A"), true),
            "{code}"
        );
    }
    assert!(
        !pollster::block_on(cell.evaluate("1"))
            .unwrap()
            .is_final_answer
    );
}

#[test]
fn a_final_answer_that_cannot_cross_is_told_apart() {
    let mut cell = cell();
    cell.define_tool("final_answer", Tool::final_answer())
        .unwrap();
    match fail(&mut cell, "final_answer({ f() {} })") {
        CellError::Uncloneable {
            reason,
            is_final_answer,
            ..
        } => assert_eq!(
            (reason.as_str(), is_final_answer),
            ("answer.f is a function", true)
        ),
        other => panic!("{other:?}"),
    }
    assert!(
        thrown(&mut cell, "final_answer(Promise.resolve(1))")
            .message()
            .contains("await it first")
    );
    assert_eq!(eval(&mut cell, "final_answer()"), Value::Undefined);
}

#[test]
fn deferred_calls_are_answered_by_the_host() {
    let mut cell = cell();
    cell.define_tool("ask", Tool::deferred()).unwrap();
    cell.start("const a = await ask('first', 1); const b = await ask('second').catch((e) => e.message); a + b").unwrap();
    assert!(matches!(
        pollster::block_on(cell.step()).unwrap(),
        Progress::Waiting
    ));
    let calls = cell.outstanding();
    assert_eq!(
        (
            calls.len(),
            calls[0].tool.as_str(),
            calls[0].arguments.as_slice()
        ),
        (1, "ask", [Value::from("first"), Value::from(1)].as_slice())
    );
    assert!(cell.answer(calls[0].id + 1, Ok(Value::Null)).is_err());
    cell.answer(calls[0].id, Ok(Value::from("one "))).unwrap();
    assert!(
        cell.answer(calls[0].id, Ok(Value::Null)).is_err(),
        "answered twice"
    );
    assert!(matches!(
        pollster::block_on(cell.step()).unwrap(),
        Progress::Waiting
    ));
    let calls = cell.outstanding();
    cell.answer(calls[0].id, Err("two".into())).unwrap();
    let Progress::Done(outcome) = pollster::block_on(cell.step()).unwrap() else {
        panic!()
    };
    assert_eq!(outcome.value, Value::from("one two"));
    assert!(matches!(
        fail(&mut cell, "await ask()"),
        CellError::Deferred
    ));
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}

#[test]
fn stats_count_what_a_run_did() {
    let mut cell = cell();
    cell.define_tool("f", Tool::sync(|_| Ok(Value::Null)))
        .unwrap();
    let outcome = pollster::block_on(cell.evaluate("for (let i = 0; i < 10; i++) f()")).unwrap();
    assert_eq!(
        (outcome.stats.operations, outcome.stats.tool_calls),
        (10, 10)
    );
    assert!(outcome.stats.cpu_time > Duration::ZERO);
    assert!(outcome.stats.peak_memory_bytes > 1 << 20);
    pollster::block_on(cell.evaluate("f()")).unwrap();
    assert_eq!((cell.stats().operations, cell.stats().tool_calls), (10, 11));
    let outcome = pollster::block_on(cell.evaluate(
        "const a = []; for (let i = 0; i < 300; i++) a.push(new Uint8Array(65536)); a.length",
    ))
    .unwrap();
    assert!(outcome.stats.peak_memory_bytes > 18 << 20);
}

#[test]
fn one_tool_serves_many_cells() {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let tool = Tool::sync(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(Value::Null)
    });
    for _ in 0..3 {
        let mut cell = cell();
        cell.define_tool("count", tool.clone()).unwrap();
        eval(&mut cell, "count()");
    }
    assert_eq!(count.load(Ordering::Relaxed), 3);
}

#[test]
fn pages_are_an_async_iterator() {
    let mut cell = cell();
    let count = Tool::paged(|call| async move {
        let from = match call.argument(0) {
            Value::Object(_) => call
                .argument(0)
                .get("from")
                .and_then(Value::as_f64)
                .unwrap(),
            _ => 0.0,
        };
        if from > 5.0 {
            return Err(ToolError::from("no more"));
        }
        let items = Value::array([Value::from(from), Value::from(from + 1.0)]);
        let next = Value::object([("from", Value::from(from + 2.0))]);
        let is_last = call.argument(0).as_str() == Some("one page");
        let next = if is_last { Value::Undefined } else { next };
        Ok(Value::object([("items", items), ("next", next)]))
    });
    cell.define_tool("count", count).unwrap();
    let code = "const all = []; for await (const n of count()) { all.push(n); if (n === 3) break; } all.join()";
    assert_eq!(eval(&mut cell, code), Value::from("0,1,2,3"));
    assert_eq!(
        eval(
            &mut cell,
            "(await Array.fromAsync(count('one page'))).length"
        ),
        Value::from(2)
    );
    let code = "const seen = [];\ntry { for await (const n of count()) seen.push(n) } catch (e) { seen.push(e.message) }\nseen.at(-1)";
    assert_eq!(eval(&mut cell, code), Value::from("no more"));
    assert_eq!(
        eval(&mut cell, "[count.name, Object.isFrozen(count)].join()"),
        Value::from("count,true")
    );
}

#[test]
fn a_shadowable_tool_leaves_its_name_to_the_code() {
    let mut cell = cell();
    let list = || Tool::sync(|_| Ok(Value::from("of the host")));
    cell.define_tool("list", list().shadowable()).unwrap();
    assert_eq!(eval(&mut cell, "list()"), Value::from("of the host"));
    assert_eq!(
        eval(&mut cell, "const list = [1]; list.length"),
        Value::from(1)
    );
    assert_eq!(eval(&mut cell, "list.length"), Value::from(1));
    cell.define_tool("list", list().shadowable()).unwrap();
    assert_eq!(eval(&mut cell, "list.length"), Value::from(1));
    cell.define_tool("list", list()).unwrap();
    assert_eq!(eval(&mut cell, "list()"), Value::from("of the host"));
    assert_eq!(thrown(&mut cell, "const list = 1").name(), "SyntaxError");
}

#[test]
fn a_json_text_is_parsed_inside() {
    let mut cell = cell();
    let load = Tool::json(|call| async move { Ok(call.argument(0).clone()) });
    cell.define_tool("load", load).unwrap();
    let code = r#"const data = await load('{"a":[1,2]}'); data.a.push(3); data.a.length"#;
    assert_eq!(eval(&mut cell, code), Value::from(3));
    let error = thrown(&mut cell, "await load('{a}')");
    assert_eq!(error.name(), "SyntaxError");
    assert!(
        error.message().starts_with("load found no JSON: "),
        "{error}"
    );
}
