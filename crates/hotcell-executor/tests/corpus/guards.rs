//! The limit on loop iterations: exact for every kind of loop wherever it stands, and out of the code's reach.

use hotcell_cell::Value;
use hotcell_executor::{ErrorCode, Executor, ExecutorOptions, State};
use pollster::block_on;

use crate::support;

/// Iterations that are allowed.
const LIMIT: u32 = 20;

/// Loops that make `N` iterations: name, whether it needs `await`, code.
const LOOPS: &[(&str, bool, &str)] = &[
    ("for", false, "for (let i = 0; i < N; i++) { void i }"),
    (
        "for, single statement",
        false,
        "for (let i = 0; i < N; i++) void i;",
    ),
    ("for, empty", false, "for (let i = 0; i < N; i++);"),
    (
        "for, labelled",
        false,
        "l: for (let i = 0; i < N; i++) { for (;false;); if (i >= 0) continue l; throw 0 }",
    ),
    (
        "for, no head",
        false,
        "let k = 0; for (;;) { if (++k >= N) break }",
    ),
    (
        "for, closures",
        false,
        "const c = []; for (let i = 0; i < N; i++) c.push(() => i);",
    ),
    ("for, var", false, "for (var v = 0; v < N; v++) {}"),
    ("for in", false, "for (const k in KEYS) { void k }"),
    (
        "for in, single statement",
        false,
        "for (const k in KEYS) void k;",
    ),
    ("for in, empty", false, "for (const k in KEYS);"),
    (
        "for in, labelled",
        false,
        "l: for (const k in KEYS) { switch (k) { default: continue l } }",
    ),
    (
        "for in, target",
        false,
        "const o = {}; for (o.k in KEYS) {}",
    ),
    ("for of", false, "for (const x of ITEMS) { void x }"),
    (
        "for of, single statement",
        false,
        "for (const x of ITEMS) void x;",
    ),
    ("for of, empty", false, "for (const x of ITEMS);"),
    (
        "for of, labelled",
        false,
        "l: for (const x of ITEMS) { inner: { continue l } }",
    ),
    (
        "for of, pattern",
        false,
        "for (const [x = 1, ...y] of ITEMS.map(() => [])) { try { continue } finally { } }",
    ),
    ("while", false, "let w = 0; while (w < N) { w++ }"),
    (
        "while, single statement",
        false,
        "let w = 0; while (w < N) w++;",
    ),
    ("while, empty", false, "let w = 0; while (w++ < N);"),
    (
        "while, labelled",
        false,
        "let w = 0; l: while (w < N) { w++; { continue l } }",
    ),
    ("do while", false, "let d = 0; do { d++ } while (d < N);"),
    (
        "do while, single statement",
        false,
        "let d = 0; do d++; while (d < N);",
    ),
    ("do while, empty", false, "let d = 0; do; while (++d < N);"),
    (
        "do while, labelled",
        false,
        "let d = 0; l: do { d++; continue l } while (d < N);",
    ),
    ("for await", true, "for await (const x of ITEMS) { void x }"),
    (
        "for await, single statement",
        true,
        "for await (const x of ITEMS) void x;",
    ),
    ("for await, empty", true, "for await (const x of ITEMS);"),
    (
        "for await, labelled",
        true,
        "l: for await (const x of ITEMS) { if (true) continue l }",
    ),
    (
        "for await, generator",
        true,
        "for await (const x of (async function* () { yield* ITEMS })()) {}",
    ),
    (
        "while with await",
        true,
        "let w = 0; while (await (w < N)) { await w++ }",
    ),
];

/// Loops that make `N` iterations of two loops, one inside the other or one after the other.
const COMBINED: &[(&str, u64)] = &[
    // Three turns outside, each with four inside.
    (
        "for (let i = 0; i < 3; i++) for (let j = 0; j < 4; j++);",
        15,
    ),
    (
        "for (let i = 0; i < 3; i++); let w = 0; while (w < 4) w++;",
        7,
    ),
    ("for (const x of [1, 2, 3]) { if (x === 2) break }", 2),
    (
        "while (false); for (;false;); for (const x of []); for (const x in {});",
        0,
    ),
    ("do {} while (false)", 1),
    ("for (const x of [1, 2, 3]) continue", 3),
    ("const f = () => { for (;;) return }; f(); f()", 2),
    (
        "try { for (;;) throw 1 } catch { for (;;) break } finally { do {} while (false) }",
        3,
    ),
    (
        "(function f(n) { for (let i = 0; i < 2; i++) if (n) f(n - 1) })(2)",
        14,
    ),
    (
        "await Promise.all([1, 2, 3].map(async n => { for (let i = 0; i < n; i++) await null }))",
        6,
    ),
    (
        "const g = function* () { while (true) yield 1 }; const it = g(); it.next(); it.next(); it.next()",
        3,
    ),
    // What loops inside the engine is not counted: memory and time limit it.
    (
        "[1, 2, 3].map(x => x).filter(Boolean).sort(); [...Array(100)]; 'x'.repeat(100).replace(/x/g, 'y')",
        0,
    ),
    ("(function f(n) { return n ? f(n - 1) : 0 })(100)", 0),
];

/// Places for a loop: name, whether `await` may stand there, code around `LOOP`.
const PLACES: &[(&str, bool, &str)] = &[
    ("top level", true, "{ LOOP }"),
    ("function", false, "(function () { LOOP })()"),
    (
        "function declaration",
        false,
        "{ function f() { LOOP } f() }",
    ),
    ("arrow", false, "(() => { LOOP })()"),
    (
        "three functions deep",
        false,
        "(() => function () { return (() => { LOOP })() })()()",
    ),
    ("generator", false, "[...(function* () { LOOP yield 1 })()]"),
    (
        "generator after a yield",
        false,
        "[...(function* () { yield 1; LOOP })()]",
    ),
    (
        "async function",
        true,
        "await (async function () { LOOP })()",
    ),
    (
        "async function after await",
        true,
        "await (async () => { await null; LOOP })()",
    ),
    (
        "async generator",
        true,
        "await (async function* () { LOOP })().next()",
    ),
    ("method", false, "new (class { m() { LOOP } })().m()"),
    (
        "async method",
        true,
        "await new (class { async m() { LOOP } })().m()",
    ),
    (
        "generator method",
        false,
        "[...new (class { *m() { LOOP } })().m()]",
    ),
    (
        "static method",
        false,
        "(class { static m() { LOOP } }).m()",
    ),
    (
        "private method",
        false,
        "new (class { #m() { LOOP } m() { this.#m() } })().m()",
    ),
    ("getter", false, "({ get x() { LOOP return 1 } }).x"),
    ("setter", false, "({ set x(v) { LOOP } }).x = 1"),
    (
        "constructor",
        false,
        "new (class { constructor() { LOOP } })()",
    ),
    (
        "derived constructor",
        false,
        "new (class extends Object { constructor() { super(); LOOP } })()",
    ),
    ("static block", false, "(class { static { LOOP } })"),
    (
        "field initialiser",
        false,
        "new (class { x = (() => { LOOP })() })()",
    ),
    (
        "static field initialiser",
        false,
        "(class { static x = (() => { LOOP })() })",
    ),
    (
        "private field initialiser",
        false,
        "new (class { #x = (() => { LOOP })() })()",
    ),
    (
        "computed key",
        false,
        "({ [(() => { LOOP return 'k' })()]: 1 })",
    ),
    (
        "class heritage",
        false,
        "(class extends (() => { LOOP return Object })() {})",
    ),
    (
        "default parameter",
        false,
        "((x = (() => { LOOP })()) => x)()",
    ),
    (
        "default in a pattern",
        false,
        "const { x = (() => { LOOP })() } = {}",
    ),
    ("template", false, "`${(() => { LOOP })()}`"),
    ("tag", false, "(() => { LOOP })``"),
    ("try", true, "try { LOOP } finally { }"),
    ("catch", true, "try { throw 1 } catch { LOOP }"),
    ("finally", true, "try { } finally { LOOP }"),
    ("switch", true, "switch (1) { case 1: LOOP }"),
    ("else", true, "if (false) { } else { LOOP }"),
    ("labelled block", true, "block: { LOOP }"),
    ("callback of map", false, "[1].map(() => { LOOP })"),
    (
        "comparator of sort",
        false,
        "[1, 2].sort(() => { LOOP return 0 })",
    ),
    (
        "replacer",
        false,
        "'a'.replace(/a/, () => { LOOP return '' })",
    ),
    (
        "toJSON",
        false,
        "JSON.stringify({ toJSON() { LOOP return 1 } })",
    ),
    ("reviver", false, "JSON.parse('1', () => { LOOP return 1 })"),
    ("toString", false, "`${{ toString() { LOOP return '' } }}`"),
    (
        "Symbol.toPrimitive",
        false,
        "+{ [Symbol.toPrimitive]() { LOOP return 1 } }",
    ),
    (
        "proxy trap",
        false,
        "new Proxy({}, { get() { LOOP return 1 } }).x",
    ),
    (
        "iterator",
        false,
        "const [] = { [Symbol.iterator]() { LOOP return [][Symbol.iterator]() } }",
    ),
    (
        "promise executor",
        false,
        "await new Promise(done => { LOOP done() })",
    ),
    (
        "then",
        false,
        "await Promise.resolve().then(() => { LOOP })",
    ),
    ("thenable", false, "await { then(done) { LOOP done() } }"),
    (
        "microtask",
        false,
        "await new Promise(done => queueMicrotask(() => { LOOP done() }))",
    ),
    ("bound", false, "(function () { LOOP }).bind(null)()"),
    (
        "Reflect.apply",
        false,
        "Reflect.apply(function () { LOOP }, null, [])",
    ),
    (
        "Reflect.construct",
        false,
        "Reflect.construct(function () { LOOP }, [])",
    ),
    ("direct eval", false, "eval(TEXT)"),
    (
        "direct eval in a function",
        false,
        "(() => { const local = 1; eval(TEXT) })()",
    ),
    ("indirect eval", false, "(0, eval)('{' + TEXT + '}')"),
    (
        "eval in eval",
        false,
        "eval('eval(' + JSON.stringify(TEXT) + ')')",
    ),
    ("Function", false, "Function(TEXT)()"),
    (
        "new Function with parameters",
        false,
        "new Function('a', 'b = 1', TEXT)(1)",
    ),
    (
        "Function in a default parameter",
        false,
        "Function('a = (() => {' + TEXT + '})()', '')()",
    ),
    (
        "child compartment",
        false,
        "new Compartment({ globals: { N, KEYS, ITEMS }, __options__: true }).evaluate('(() => {' + TEXT + '})()')",
    ),
    (
        "Function of a child compartment",
        false,
        "new (new Compartment({ globals: { N, KEYS, ITEMS }, __options__: true }).globalThis.Function)(TEXT)()",
    ),
    ("TypeScript", true, "{ const typed: number = 1; LOOP }"),
    ("TypeScript that is lowered", true, "{ enum E { A } LOOP }"),
];

/// Places that code cannot get at: the constructors of functions that are no plain functions.
const CONSTRUCTORS: &[(&str, &str)] = &[
    ("GeneratorFunction", "(function* () {}).constructor"),
    ("AsyncFunction", "(async () => {}).constructor"),
    (
        "AsyncGeneratorFunction",
        "(async function* () {}).constructor",
    ),
];

fn ready(limit: u32) -> Executor {
    support::ready(ExecutorOptions::default().max_operations(limit.into()))
}

/// Makes the loops' variables such that they make `n` iterations.
fn set_iterations(executor: &Executor, n: u32) {
    let keys = (0..n).map(|i| (format!("k{i}"), Value::from(i)));
    let items = (0..n).map(|i| Value::array([Value::from(i)]));
    block_on(executor.send_variables([
        ("N", Value::from(n)),
        ("KEYS", Value::object(keys)),
        ("ITEMS", Value::array(items)),
    ]))
    .unwrap();
}

/// How many operations it took, or whether the limit was met.
fn operations(executor: &Executor, code: &str) -> Result<u64, ErrorCode> {
    let execution = block_on(executor.execute(code));
    assert_eq!(executor.state(), State::Ready, "{code}");
    match execution.error {
        None => Ok(execution.stats.operations),
        Some(error) if error.code == ErrorCode::MaxOpsExceeded => Err(error.code),
        Some(error) => panic!("{code}\n{error:#?}"),
    }
}

#[test]
fn the_limit_is_exact_for_every_loop_in_every_place() {
    let executor = ready(LIMIT);
    let mut programs = Vec::new();
    for (place, place_awaits, around) in PLACES {
        for (kind, needs_await, body) in LOOPS {
            if *needs_await && !place_awaits {
                continue;
            }
            let text = serde_json::to_string(body).unwrap();
            let code = around.replace("LOOP", body).replace("TEXT", &text);
            programs.push((format!("{kind} in {place}"), code));
        }
    }
    assert!(programs.len() > 1000, "{}", programs.len());
    set_iterations(&executor, LIMIT);
    for (name, code) in &programs {
        let taken = operations(&executor, code);
        assert_eq!(taken, Ok(u64::from(LIMIT)), "{name}: {code}");
    }
    set_iterations(&executor, LIMIT + 1);
    for (name, code) in &programs {
        let taken = operations(&executor, code);
        assert_eq!(taken, Err(ErrorCode::MaxOpsExceeded), "{name}: {code}");
    }
}

#[test]
fn iterations_are_counted_over_the_whole_run() {
    for (code, count) in COMBINED {
        assert_eq!(operations(&ready(1000), code), Ok(*count), "{code}");
        let Ok(limit) = u32::try_from(*count) else {
            continue;
        };
        if limit > 1 {
            assert_eq!(operations(&ready(limit), code), Ok(*count), "{code}");
            assert!(operations(&ready(limit - 1), code).is_err(), "{code}");
        }
    }
}

#[test]
fn the_count_begins_anew_with_every_run() {
    let executor = ready(10);
    let all = "for (let i = 0; i < 10; i++);";
    for _ in 0..5 {
        assert_eq!(operations(&executor, all), Ok(10));
    }
    assert!(operations(&executor, "for (;;);").is_err());
    assert_eq!(operations(&executor, all), Ok(10));
    // Functions of earlier runs count for the run that calls them.
    let define = "const spin = n => { while (n--); }; spin(6)";
    assert_eq!(operations(&executor, define), Ok(6));
    assert_eq!(operations(&executor, "spin(10)"), Ok(10));
    assert!(operations(&executor, "spin(5); spin(6)").is_err());
    // A generator that is left in the middle of its loop goes on in a later run.
    let generator = "const it = (function* () { for (;;) yield 1 })(); it.next()";
    assert_eq!(operations(&executor, generator), Ok(1));
    let next = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(() => it.next()).length";
    assert_eq!(operations(&executor, next), Ok(10));
    assert!(operations(&executor, &format!("{next}; it.next()")).is_err());
}

#[test]
fn nothing_catches_the_limit() {
    let executor = ready(100);
    for code in [
        "try { while (true) {} } catch { caught++ }",
        "try { while (true) {} } catch (e) { caught++ } finally { caught++ }",
        "try { while (true) {} } finally { caught++; while (true) {} }",
        "for (;;) { try { while (true) {} } catch { caught++; continue } finally { caught++; continue } }",
        "l: for (;;) { try { for (;;); } finally { caught++; break l } }",
        "(() => { try { for (;;); } finally { caught++; return 1 } })()",
        "await (async () => { while (true) {} })().catch(() => caught++)",
        "await (async () => { await null; while (true) {} })().catch(() => caught++).finally(() => caught++)",
        "await (async () => { while (true) {} })().then(() => caught++, () => caught++)",
        "await new Promise(() => { while (true) {} }).catch(() => caught++)",
        "await Promise.resolve().then(() => { for (;;); }).catch(() => caught++)",
        "await Promise.allSettled([(async () => { for (;;); })()]); caught++",
        "await Promise.any([(async () => { for (;;); })(), Promise.resolve(1)]); caught++",
        "await Promise.race([1, (async () => { for (;;); })()]); caught++",
        "queueMicrotask(() => { for (;;); }); try { await null; await null } catch { caught++ }",
        "Promise.resolve().then(() => { for (;;); }); 1",
        "try { for (const x of (function* () { try { for (;;); } finally { caught++ } })()) ; } finally { caught++ }",
        "const it = (function* () { try { yield 1; for (;;); } catch { caught++ } })(); it.next(); try { it.next() } catch { caught++ }",
        "try { for await (const x of (async function* () { for (;;); })()); } catch { caught++ }",
        "for (const x of { [Symbol.iterator]: () => ({ next() { return { value: 1 } }, return() { caught++; return {} } }) }) for (;;);",
        "try { [3, 1].sort(() => { for (;;); }) } catch { caught++ }",
        "try { JSON.stringify({ toJSON() { for (;;); } }) } catch { caught++ }",
        "try { new Proxy({}, { get() { for (;;); } }).x } catch { caught++ }",
        "try { `${{ toString() { for (;;); } }}` } catch { caught++ }",
        "try { eval('try { for (;;); } catch { caught++ }') } catch { caught++ }",
        "try { Function('for (;;);')() } catch { caught++ }",
        "try { new Compartment().evaluate('for (;;);') } catch { caught++ }",
        "console.log({ get x() { caught++; return 1 }, [Symbol.toStringTag]: 'x' }); try { for (;;); } catch { caught++ }",
        "class E { static { try { for (;;); } catch { caught++ } } }",
        "try { for (;;); } catch { final_answer(caught++) }",
        "const { x = (() => { for (;;); })() } = {}; caught++",
        "try { await import((() => { for (;;); })()) } catch { caught++ }",
    ] {
        block_on(executor.run("globalThis.caught = 0")).unwrap();
        assert!(operations(&executor, code).is_err(), "{code}");
        let caught = block_on(executor.run("caught")).unwrap().output;
        assert_eq!(caught, Value::from(0), "{code}");
    }
}

#[test]
fn the_limit_holds_for_what_the_last_value_runs() {
    let executor = ready(100);
    for code in [
        "({ then(done) { for (;;); } })",
        "({ get x() { for (;;); } })",
        "new Proxy({}, { ownKeys() { for (;;); } })",
        "final_answer({ get x() { for (;;); } })",
        "throw { get message() { for (;;); } }",
        "throw new Proxy({}, { get() { for (;;); } })",
        "console.log({ get x() { for (;;); } }, new Proxy({}, { get() { for (;;); } })); for (;;);",
    ] {
        let execution = block_on(executor.execute(code));
        assert_eq!(executor.state(), State::Ready, "{code}");
        // Whoever looks at a value may do so without running code of it; nobody may run it without a limit.
        assert!(execution.stats.operations <= 101, "{code}: {execution:?}");
    }
}

#[test]
fn constructors_of_other_functions_are_guarded_or_gone() {
    let executor = ready(LIMIT);
    for (name, constructor) in CONSTRUCTORS {
        for (kind, needs_await, body) in LOOPS {
            if *needs_await && !name.starts_with("Async") {
                continue;
            }
            let text = serde_json::to_string(body).unwrap();
            let code = format!(
                "const made = new ({constructor})({text})(); await made.next?.(); await made"
            );
            set_iterations(&executor, LIMIT);
            let execution = block_on(executor.execute(&*code));
            match execution.error {
                None => assert_eq!(
                    execution.stats.operations,
                    u64::from(LIMIT),
                    "{name}: {kind}"
                ),
                Some(error) => {
                    assert_eq!(error.details["cause"]["name"], "TypeError", "{error:?}");
                    continue;
                }
            }
            set_iterations(&executor, LIMIT + 1);
            assert!(operations(&executor, &code).is_err(), "{name}: {kind}");
        }
    }
}

#[test]
fn names_of_the_executor_are_refused() {
    let executor = ready(LIMIT);
    for code in [
        "__smol_guard",
        "__smol_guard()",
        "__smol_ops = 0",
        "let __smol_ops = 0",
        "var __smol_",
        "const { a: __smol_x } = {}",
        "const [...__smol_x] = []",
        "({ __smol_x } = {})",
        "function __smol_f() {}",
        "(function __smol_f() {})",
        "(__smol_x) => 1",
        "({ __smol_x }) => 1",
        "(...__smol_x) => 1",
        "class __smol_C {}",
        "(class __smol_C {})",
        "try {} catch (__smol_e) {}",
        "__smol_label: for (;;) break __smol_label",
        "for (const __smol_x of []);",
        "typeof __smol_x",
        "delete globalThis[__smol_x]",
        "`${__smol_x}`",
        "({ __smol_x })",
        "\\u005f_smol_x",
        "__smol\\u005fx",
        "__smo\\u{6c}_x = 1",
        "const x: number = __smol_x",
        "enum __smol_E { A }",
    ] {
        let error = block_on(executor.run(code)).unwrap_err();
        assert_eq!(error.code, ErrorCode::ValidationFailed, "{code}");
        let mut rules = error.diagnostics().iter().map(|one| &one["rule"]);
        assert!(
            rules.any(|rule| rule == "reserved_identifier"),
            "{code}: {error:#?}"
        );
    }
}

#[test]
fn names_of_the_executor_are_refused_in_code_made_at_run_time() {
    let executor = ready(LIMIT);
    for code in [
        "eval('__smol_x')",
        "eval('__smol_x = 1')",
        "eval('var __smol_x')",
        "eval('__smol\\\\u005fx')",
        "(0, eval)('let __smol_x')",
        "eval(\"eval('__smol_x')\")",
        "Function('return __smol_x')()",
        "Function('__smol_x', 'return 1')()",
        "Function('a', '__smol_x', 'return 1')()",
        "Function('{ a: __smol_x }', 'return 1')()",
        "Function('a = __smol_x', 'return 1')()",
        "new Function('__smol_x => 1')()",
        "new Compartment().evaluate('__smol_x')",
        "new (new Compartment().globalThis.Function)('__smol_x')()",
    ] {
        let error = block_on(executor.run(code)).unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::RuntimeException,
            "{code}: {error:#?}"
        );
        assert_eq!(error.details["cause"]["name"], "SyntaxError", "{code}");
        assert!(error.message.contains("is reserved"), "{code}: {error}");
    }
}

#[test]
fn there_is_nothing_of_the_executor_to_reach() {
    let executor = ready(100);
    let code = "
        const names = o => o == null ? [] : [...Reflect.ownKeys(o).map(String), ...names(Object.getPrototypeOf(o))];
        [globalThis, console, final_answer, Function, Compartment, new Compartment().globalThis]
            .flatMap(names).filter(name => /smol|guard|operation|count/i.test(name))";
    let found = block_on(executor.run(code)).unwrap().output;
    // `console.count` and `console.countReset` are what a console has.
    let of_console = |name: &Value| name.as_str().is_some_and(|name| name.starts_with("count"));
    match found {
        Value::Array(names) => assert!(names.iter().all(of_console), "{names:?}"),
        other => panic!("{other:?}"),
    }
    // A property may have such a name: it is not the counter.
    let code = "globalThis['__smol_ops'] = -1e9; globalThis['__smol_guard'] = () => {}; for (;;);";
    assert!(operations(&executor, code).is_err());
}
