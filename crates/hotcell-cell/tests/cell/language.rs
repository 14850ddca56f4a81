//! What a program is: a strict global script with `await` and `return` at its top level.

use hotcell_cell::{CellError, Program, Value};

use crate::support::{cell, eval, fail, fresh, thrown};

#[test]
fn the_outcome_is_the_completion_value() {
    assert_eq!(fresh("1 + 1"), Value::from(2));
    assert_eq!(fresh("1; const x = 2;"), Value::from(1));
    assert_eq!(
        fresh("if (true) { 'yes' } else { 'no' }"),
        Value::from("yes")
    );
    assert_eq!(fresh("const x = 1"), Value::Undefined);
    assert_eq!(fresh(""), Value::Undefined);
}

#[test]
fn the_outcome_is_awaited() {
    assert_eq!(fresh("Promise.resolve(7)"), Value::from(7));
    assert_eq!(
        fresh("(async () => ({ a: await Promise.resolve(1) }))()"),
        Value::object([("a", Value::from(1))])
    );
    assert_eq!(
        fresh("({ then(resolve) { resolve('thenable') } })"),
        Value::from("thenable")
    );
}

#[test]
fn await_stands_at_the_top_level() {
    assert_eq!(
        fresh("const x = await Promise.resolve(20); x + 1"),
        Value::from(21)
    );
    assert_eq!(
        fresh("let n = 0; for await (const x of [1, Promise.resolve(2)]) n += x; n"),
        Value::from(3)
    );
}

#[test]
fn return_stands_at_the_top_level() {
    assert_eq!(fresh("return 5"), Value::from(5));
    assert_eq!(fresh("return"), Value::Undefined);
    assert_eq!(fresh("1; if (true) return 2; 3"), Value::from(2));
    assert_eq!(fresh("return await Promise.resolve(8)"), Value::from(8));
    assert_eq!(fresh("return Promise.resolve(9)"), Value::from(9));
    assert_eq!(
        fresh("for (const x of [1, 2, 3]) { if (x === 2) return x * 10 }"),
        Value::from(20)
    );
}

#[test]
fn return_runs_finally_and_passes_catch() {
    let mut cell = cell();
    assert_eq!(
        eval(
            &mut cell,
            "var log = []; try { return 1 } catch { log.push('catch') } finally { log.push('finally') }"
        ),
        Value::from(1)
    );
    assert_eq!(eval(&mut cell, "log"), Value::from(vec!["finally"]));
}

#[test]
fn return_in_a_nested_function_is_its_own() {
    assert_eq!(fresh("function f() { return 1 } f(); 2"), Value::from(2));
    assert_eq!(
        thrown(&mut cell(), "eval('return 1')").name(),
        "SyntaxError"
    );
}

#[test]
fn code_is_strict() {
    assert_eq!(
        thrown(&mut cell(), "undeclared = 1").name(),
        "ReferenceError"
    );
    assert_eq!(thrown(&mut cell(), "with ({}) {}").name(), "SyntaxError");
    assert_eq!(fresh("(function () { return this })()"), Value::Undefined);
}

#[test]
fn errors_tell_name_message_and_place() {
    let exception = thrown(
        &mut cell(),
        "const a = 1;\n\nfunction f() {\n  null.x;\n}\nf()",
    );
    assert_eq!(exception.name(), "TypeError");
    assert!(exception.message().contains("null"), "{exception}");
    assert!(
        exception.stack().starts_with("    at f (code.js:4:"),
        "{}",
        exception.stack()
    );
    assert!(
        exception.stack().contains("code.js:6:"),
        "{}",
        exception.stack()
    );
}

#[test]
fn a_program_can_have_a_name() {
    let exception = thrown(
        &mut cell(),
        Program::new("throw new Error('x')").name("step-3.js"),
    );
    assert!(
        exception.stack().contains("step-3.js:1"),
        "{}",
        exception.stack()
    );
}

#[test]
fn syntax_errors_are_told_from_thrown_ones() {
    let exception = thrown(&mut cell(), "let x = ;");
    assert!(exception.at_compile);
    assert_eq!(exception.name(), "SyntaxError");
    assert!(
        exception.stack().contains("code.js:1:9"),
        "{}",
        exception.stack()
    );
    assert!(!thrown(&mut cell(), "throw new SyntaxError('mine')").at_compile);
}

#[test]
fn anything_can_be_thrown() {
    assert_eq!(thrown(&mut cell(), "throw 5").value, Some(Value::from(5)));
    assert_eq!(
        thrown(&mut cell(), "throw undefined").value,
        Some(Value::Undefined)
    );
    let exception = thrown(&mut cell(), "throw () => 1");
    assert_eq!(exception.value, None);
    assert!(
        exception.printed.contains("Function") || exception.printed.contains("=>"),
        "{}",
        exception.printed
    );
}

#[test]
fn a_promise_that_cannot_settle_ends_the_run_at_once() {
    let mut cell = cell();
    assert!(matches!(
        fail(&mut cell, "await new Promise(() => {})"),
        CellError::Stalled
    ));
    assert!(matches!(
        fail(&mut cell, "new Promise(() => {})"),
        CellError::Stalled
    ));
    assert_eq!(
        eval(&mut cell, "'and the cell lives on'"),
        Value::from("and the cell lives on")
    );
}

#[test]
fn rejections_that_nobody_handles_are_reported() {
    let mut cell = cell();
    let outcome =
        pollster::block_on(cell.evaluate("Promise.reject(new Error('lost')); 1")).unwrap();
    assert_eq!(outcome.value, Value::from(1));
    assert_eq!(outcome.unhandled_rejections.len(), 1);
    assert!(outcome.unhandled_rejections[0].contains("lost"));
    let outcome =
        pollster::block_on(cell.evaluate("const p = Promise.reject(1); p.catch(() => {}); 1"))
            .unwrap();
    assert!(outcome.unhandled_rejections.is_empty());
}

#[test]
fn loop_iterations_are_counted_and_limited_for_every_kind() {
    let loops = [
        "for (let i = 0; i < N; i++) {}",
        "for (let i = 0; i < N; i++);",
        "let i = 0; while (i < N) i++;",
        "let i = 0; do { i++ } while (i < N);",
        "for (const x of Array(N)) {}",
        "for (const x in Object.fromEntries(Array.from({ length: N }, (_, i) => ['k' + i, i]))) {}",
        "for await (const x of Array(N)) {}",
        "outer: for (let i = 0; i < N; i++) { continue outer; }",
        "(function () { for (let i = 0; i < N; i++) {} })()",
        "[...(function* () { for (let i = 0; i < N; i++) yield i })()]",
        "await (async () => { let i = 0; while (i < N) { i++; await 0 } })()",
        "class A { static x = (() => { let i = 0; while (i < N) i++ })() }",
        "((x = (() => { for (let i = 0; i < N; i++); })()) => {})()",
        "eval('for (let i = 0; i < N; i++) {}')",
        "Function('for (let i = 0; i < N; i++) {}')()",
        "new Compartment({ globals: { N }, __options__: true }).evaluate('for (let i = 0; i < N; i++) {}')",
    ];
    for code in loops {
        let mut cell = cell();
        cell.set_variable("N", &Value::from(100)).unwrap();
        let run = |cell: &mut _, limit| {
            pollster::block_on(hotcell_cell::Cell::evaluate(
                cell,
                Program::new(code).max_operations(limit),
            ))
        };
        let outcome = run(&mut cell, 100).unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(outcome.stats.operations, 100, "{code}");
        assert!(
            matches!(run(&mut cell, 99), Err(CellError::Operations { limit: 99 })),
            "{code}"
        );
        assert_eq!(eval(&mut cell, "'alive'"), Value::from("alive"));
    }
}

#[test]
fn the_operation_limit_cannot_be_caught() {
    let mut cell = cell();
    for code in [
        "try { while (true) {} } catch { 'caught' }",
        "try { while (true) {} } finally { while (true) {} }",
        "await (async () => { while (true) {} })().catch(() => 'caught')",
        "new Promise(() => { while (true) {} }).catch(() => 'caught')",
        "[1].map(() => { while (true) {} })",
        "JSON.stringify({ toJSON() { while (true) {} } })",
        "new Proxy({}, { get() { while (true) {} } }).x",
    ] {
        let error = fail(&mut cell, Program::new(code).max_operations(1000));
        assert!(
            matches!(error, CellError::Operations { limit: 1000 }),
            "{code}: {error}"
        );
    }
}

#[test]
fn errors_name_what_they_are_about() {
    for (code, message) in [
        (
            "const o = {}; o.a(o.b ? 1 : 2, ...[3])",
            "o.a is not a function",
        ),
        (
            "const o = { a: [{}] }; o.a[0].go()",
            "o.a[0].go is not a function",
        ),
        (
            "const o = { a: {} }; new o.a.B(1)",
            "o.a.B is not a constructor",
        ),
        (
            "const o = { rows: null }; for (const r of o.rows);",
            "o.rows is not iterable",
        ),
        ("const o = {}; const [a] = o", "an object is not iterable"),
        (
            "(function (o) { const { a } = o.b })({})",
            "cannot destructure 'undefined' as it is undefined",
        ),
        ("let a = 0, b = 5; (a || b)()", "5 is not a function"),
        ("[1].map('text')", "\"text\" is not a function"),
        ("[1].map(2n ** 100000n)", "a bigint is not a function"),
        ("[1].map('x'.repeat(1e6))", "a string is not a function"),
        ("new Map(7)", "7 is not iterable"),
    ] {
        assert_eq!(thrown(&mut cell(), code).message(), message, "{code}");
    }
}

#[test]
fn errors_about_monstrous_code_are_short() {
    let chain = format!(
        "const o = {{ f() {{ return o }} }}; o{}.g()",
        ".f()".repeat(2000)
    );
    let name = format!("const o = {{}}; o.{}()", "x".repeat(100_000));
    let long = format!("let n = 0; {} n()", "n = n + 1;".repeat(20_000));
    let deep = format!("const {}a{} = 1", "[".repeat(200), "]".repeat(200));
    let defaults = format!("const {}a{}] = []", "[".repeat(200), "] = 5".repeat(199));
    for code in [chain, name, long, deep, defaults] {
        let error = thrown(&mut cell(), code.as_str());
        assert_eq!(error.name(), "TypeError");
        assert!(error.message().len() < 200, "{}", error.message());
    }
}
