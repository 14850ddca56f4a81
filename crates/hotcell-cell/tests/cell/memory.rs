//! Memory has a limit, and recursion has one. Both are errors that code can catch.

use std::time::Duration;

use hotcell_cell::{CellError, CellOptions, Engine, EngineOptions, Program, Value};

use crate::support::{cell, engine, eval, fail, fresh, thrown};

const EXHAUSTING: &[&str] = &[
    "const a = []; while (true) a.push(new Array(10000).fill(1.5))",
    "const a = []; while (true) a.push(new Array(200000).fill(1.5))",
    "let s = 'x'; while (true) s += s",
    "const a = []; while (true) a.push(new Uint8Array(1 << 20))",
    "'x'.repeat(2 ** 29)",
    "Array(1e9).fill(0)",
    "new ArrayBuffer(1 << 30)",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
    "const o = {}; for (let i = 0; ; i++) o['k' + i] = i",
    "let f = () => 1; for (;;) { const g = f; f = () => g() }",
    "2n ** (2n ** 40n)",
    "JSON.stringify(Array(1e7).fill('text'))",
    "[...Array(1e8).keys()]",
];

#[test]
fn exhaustion_is_an_error_and_the_cell_lives_on() {
    for code in EXHAUSTING {
        let mut cell = cell();
        let exception = thrown(
            &mut cell,
            Program::new(code).timeout(Duration::from_mins(1)),
        );
        assert!(
            matches!(exception.name().as_str(), "InternalError" | "RangeError"),
            "{code}: {exception}"
        );
        assert_eq!(
            eval(&mut cell, "[1, 2, 3].map((x) => x * 2).join()"),
            Value::from("2,4,6"),
            "{code}"
        );
    }
}

#[test]
fn exhaustion_can_be_caught() {
    let mut cell = cell();
    let code = "let a = []; try { while (true) a.push(new Array(10000).fill(1.5)) } catch (e) { a = null; e.message }";
    assert_eq!(eval(&mut cell, code), Value::from("out of memory"));
    assert!(
        thrown(
            &mut cell,
            "let b = []; while (true) b.push(new Array(10000).fill(1.5))"
        )
        .out_of_memory
    );
    assert!(!thrown(&mut cell, "throw new Error('out of memory')").out_of_memory);
}

#[test]
fn the_limit_is_what_was_asked_for() {
    let most = |limit: u64| {
        let mut cell = engine()
            .cell(CellOptions::default().memory_limit(limit))
            .unwrap();
        let code = "let n = 0; const a = []; try { for (;;) { a.push(new Uint8Array(65536)); n++ } } catch {} a.length = 0; n";
        let bytes = eval(&mut cell, code).as_f64().unwrap() * 65536.0;
        println!("{limit}: {bytes} {:?}", cell.stats());
        bytes
    };
    let (small, large) = (most(32 << 20), most(256 << 20));
    assert!((20e6..33e6).contains(&small), "{small}");
    assert!((220e6..269e6).contains(&large), "{large}");
    assert!(matches!(
        engine().cell(CellOptions::default().memory_limit(1000)),
        Err(CellError::MemoryLimitTooSmall { limit: 1000, .. })
    ));
}

#[test]
fn recursion_is_a_range_error() {
    for code in [
        "const f = () => f(); f()",
        "const f = (n) => n + f(n + 1); f(0)",
        "class A { constructor() { new A() } } new A()",
        "const o = { get x() { return this.x } }; o.x",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
        "const a = []; a[0] = a; const f = (x) => x.map(f); f(a)",
        "const o = { toString() { return String(this) } }; String(o)",
        "const f = (...args) => f(...args, 1); f()",
        "[1].map(function g() { [1].map(g) })",
        "JSON.stringify({ toJSON() { return JSON.stringify(this) } })",
        "async function f() { return await f() } await f()",
        "const g = function* () { yield* g() }; [...g()]",
    ] {
        let mut cell = cell();
        let exception = thrown(&mut cell, code);
        assert!(
            matches!(exception.name().as_str(), "RangeError" | "InternalError"),
            "{code}: {exception}"
        );
        assert_eq!(eval(&mut cell, "1"), Value::from(1), "{code}");
        let caught = format!("let r; try {{ {code} }} catch (e) {{ r = e.name }} r");
        let name = eval(&mut cell, caught.as_str());
        assert!(
            name == Value::from("RangeError") || name == Value::from("InternalError"),
            "{code}: {name:?}"
        );
    }
}

#[test]
fn honest_recursion_has_room() {
    assert_eq!(
        fresh("const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); f(5000)"),
        Value::from(5000)
    );
    assert_eq!(
        fresh(
            "const tree = (d) => (d === 0 ? [] : [tree(d - 1)]); JSON.stringify(tree(1500)).length"
        ),
        Value::from(3002)
    );
}

#[test]
fn deep_recursion_in_native_code_is_an_error_not_a_dead_cell() {
    for code in [
        "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))",
        "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; JSON.stringify(a)",
        "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
        "new RegExp('(?:'.repeat(5e4) + 'a' + ')*'.repeat(5e4)).test('a'.repeat(100))",
        "eval('('.repeat(1e5) + '1' + ')'.repeat(1e5))",
        "eval('['.repeat(1e5))",
        "eval('{'.repeat(1e5) + '}'.repeat(1e5))",
        "eval('-'.repeat(1) + '!'.repeat(1e5) + '1')",
        "eval('a=>'.repeat(1e5) + '1')",
        "eval('1' + '+1'.repeat(2e5))",
        "eval('`${'.repeat(1e4) + '1' + '}`'.repeat(1e4))",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; String(a)",
        "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; structuredClone(a)",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = Object.create(p); p.x",
        "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()",
        "let e = new Error; for (let i = 0; i < 1e5; i++) e = new Error('x', { cause: e }); throw e",
        "let p = Promise.resolve(1); for (let i = 0; i < 1e5; i++) { const q = p; p = { then: (r) => r(q) } } await p",
        "let s = ''; for (let i = 0; i < 1e5; i++) s = s + 'ab' + i; s.length",
        "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; a = null; 'freed'",
        "let a = {}; for (let i = 0; i < 1e6; i++) a = { a }; harden(a); 'hardened'",
    ] {
        let mut cell = cell();
        let result =
            pollster::block_on(cell.evaluate(Program::new(code).timeout(Duration::from_secs(30))));
        match result {
            Ok(_) | Err(CellError::Exception(_) | CellError::Uncloneable { .. }) => {}
            Err(other) => panic!("{code}: {other:?}"),
        }
        assert_eq!(eval(&mut cell, "1"), Value::from(1), "{code}");
    }
}

#[test]
fn garbage_is_collected() {
    let mut cell = engine()
        .cell(CellOptions::default().memory_limit(24 << 20))
        .unwrap();
    for _ in 0..20 {
        eval(
            &mut cell,
            Program::new("for (let i = 0; i < 20000; i++) { const a = { b: {} }; a.b.a = a; }")
                .timeout(Duration::from_mins(1)),
        );
    }
    assert!(fail(&mut cell, "throw 1").to_string().contains('1'));
}

#[test]
fn a_cell_begins_like_any_other_whatever_was_in_its_memory_before() {
    let engine = Engine::with_options(&EngineOptions::default().max_cells(4)).unwrap();
    let next = || engine.cell(CellOptions::default()).unwrap();
    let untouched = next().snapshot().unwrap();
    let owners = [
        "globalThis.mark = 'x'.repeat(100_000)",
        "const all = []; for (let i = 0; i < 100_000; i++) all.push({ i })",
        "(function deep(n) { return n ? deep(n - 1) + 1 : 0 })(5000)",
        "const big = new Uint8Array(30_000_000).fill(7); big.length",
        "while (true) {}",
        "new Float64Array(3e5).map((_, i) => Math.sin(i)).sort()",
    ];
    for code in owners {
        let mut cell = next();
        let _ = pollster::block_on(
            cell.evaluate(Program::new(code).timeout(Duration::from_millis(100))),
        );
        drop(cell);
        assert!(next().snapshot().unwrap() == untouched, "after {code}");
    }
}
