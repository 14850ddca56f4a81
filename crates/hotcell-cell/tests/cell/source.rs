//! Code that is made at run time.

use std::sync::{Arc, Mutex};

use hotcell_cell::{CellOptions, SourceKind, Value};

use crate::support::{cell, engine, eval, fresh, thrown};

#[test]
fn evaluators_work() {
    assert_eq!(fresh("eval('1 + 1')"), Value::from(2));
    assert_eq!(fresh("(0, eval)('this === globalThis')"), Value::from(true));
    assert_eq!(
        fresh("let x = 1; (() => { let x = 2; return eval('x') })()"),
        Value::from(2)
    );
    assert_eq!(
        fresh("new Function('a', 'b', 'return a + b')(1, 2)"),
        Value::from(3)
    );
    assert_eq!(
        fresh(
            "Function('a, b = 2', '/* c */ ...rest', 'return a + b + rest.length // done')(1, undefined, 5)"
        ),
        Value::from(4)
    );
    assert_eq!(fresh("Function()()"), Value::Undefined);
    assert_eq!(
        fresh("String(new Function('a', 'return a'))"),
        Value::from("function anonymous(a\n) {\nreturn a\n}")
    );
}

#[test]
fn a_function_body_cannot_end_its_function() {
    for code in [
        "Function('a', '}, globalThis.x = 666, {')",
        "Function('}, globalThis.x = 666, {')",
        "new Function('a){}, globalThis.x = 666, function (b', '')",
        "Function('a', '}); globalThis.x = 666; (function () {')",
        "Function(') { }) ; globalThis.x = 666; (function (', '')",
    ] {
        let mut cell = cell();
        assert_eq!(thrown(&mut cell, code).name(), "SyntaxError", "{code}");
        assert_eq!(
            eval(&mut cell, "typeof x"),
            Value::from("undefined"),
            "{code}"
        );
    }
}

#[test]
fn constructors_of_functions_are_tamed() {
    for code in [
        "(() => {}).constructor('return 1')",
        "(function* () {}).constructor('yield 1')",
        "(async () => {}).constructor('')",
        "(async function* () {}).constructor('')",
        "Object.getPrototypeOf(async () => {}).constructor('')",
        "Reflect.construct((() => {}).constructor, ['1'])",
    ] {
        assert_eq!(thrown(&mut cell(), code).name(), "TypeError", "{code}");
    }
    assert_eq!(fresh("(() => {}) instanceof Function"), Value::from(true));
}

#[test]
fn the_gate_sees_every_source_and_can_refuse_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let options = CellOptions::default().on_source(move |source| {
        let parameters: Vec<String> = source.parameters.iter().map(ToString::to_string).collect();
        record
            .lock()
            .unwrap()
            .push((source.kind, parameters, source.body.to_string()));
        if source.body.to_string().contains("forbidden") {
            Err("no forbidden code, use a tool".into())
        } else {
            Ok(())
        }
    });
    let mut cell = engine().cell(options).unwrap();
    eval(
        &mut cell,
        "eval('1'); (0, eval)('2'); Function('a', 'b', 'return 3'); new Compartment().evaluate('4')",
    );
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen[0], (SourceKind::DirectEval, vec![], "1".into()));
    assert_eq!(seen[1], (SourceKind::IndirectEval, vec![], "2".into()));
    assert_eq!(
        seen[2],
        (
            SourceKind::Function,
            vec!["a".into(), "b".into()],
            "return 3".into()
        )
    );
    assert!(
        seen[3..]
            .iter()
            .any(|(kind, _, body)| *kind == SourceKind::DirectEval && body.contains('4')),
        "{seen:?}"
    );
    for code in [
        "eval('forbidden')",
        "(0, eval)('forbidden')",
        "Function('forbidden')",
        "new Compartment().evaluate('forbidden')",
    ] {
        let exception = thrown(&mut cell, code);
        assert_eq!(
            (exception.name().as_str(), exception.message().as_str()),
            ("SyntaxError", "no forbidden code, use a tool"),
            "{code}"
        );
    }
    assert_eq!(
        eval(
            &mut cell,
            "'forbidden is fine in the program itself'.length"
        ),
        Value::from(39)
    );
}

#[test]
fn the_text_that_is_checked_is_the_text_that_runs() {
    let options = CellOptions::default().on_source(|source| {
        if source.body.to_string().contains("evil") {
            Err("evil".into())
        } else {
            Ok(())
        }
    });
    let mut cell = engine().cell(options).unwrap();
    eval(
        &mut cell,
        "let n = 0; const shifty = { toString() { return n++ ? 'globalThis.evil = 1' : 'return 1' } };",
    );
    assert_eq!(eval(&mut cell, "Function(shifty)()"), Value::from(1));
    assert_eq!(
        eval(&mut cell, "[n, typeof evil]"),
        Value::array([1.into(), "undefined".into()])
    );
}

#[test]
fn code_made_at_run_time_may_hold_lone_surrogates() {
    let mut cell = cell();
    let code = r#"[eval("'\ud800\u00e9'").length, (0, eval)("'a\udc00\ud83d\udca1'.charCodeAt(1)"), Function("return '\ud800'")().length,
        new Compartment().evaluate("'\udbff'").length]"#;
    let expected = Value::array([2, 0xdc00, 1, 1].map(Value::from));
    assert_eq!(eval(&mut cell, code), expected);
    assert_eq!(thrown(&mut cell, "eval('\\ud800')").name(), "SyntaxError");
    assert_eq!(eval(&mut cell, "1"), Value::from(1));
}
