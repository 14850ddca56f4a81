//! What stays from one run to the next.

use hotcell_cell::{Tool, Value};

use crate::support::{cell, eval, fail, fresh, thrown};

#[test]
fn declarations_stay() {
    let mut cell = cell();
    eval(
        &mut cell,
        "let a = 1; const b = 2; var c = 3; function d() { return a + b + c } class E { x = 4 }",
    );
    assert_eq!(eval(&mut cell, "d() + new E().x"), Value::from(10));
    eval(&mut cell, "a = 100");
    assert_eq!(eval(&mut cell, "d()"), Value::from(105));
}

#[test]
fn declarations_after_await_stay() {
    let mut cell = cell();
    eval(&mut cell, "await 0; let a = 1; await 0; const b = a + 1;");
    assert_eq!(eval(&mut cell, "a + b"), Value::from(3));
}

#[test]
fn destructured_declarations_stay() {
    let mut cell = cell();
    eval(
        &mut cell,
        "const { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], f: 5 };",
    );
    assert_eq!(
        eval(&mut cell, "JSON.stringify([a, c, d, e])"),
        Value::from(r#"[1,2,[3,4],{"f":5}]"#)
    );
}

#[test]
fn a_later_run_may_declare_a_name_again_as_anything() {
    let kinds = [
        "let x = V",
        "const x = V",
        "var x = V",
        "function x() {}; x = V",
        "class x { static valueOf() { return V } }",
    ];
    for first in kinds {
        for second in kinds {
            let mut cell = cell();
            eval(&mut cell, first.replace('V', "1").as_str());
            eval(&mut cell, second.replace('V', "2").as_str());
            assert_eq!(
                eval(&mut cell, "Number(x.valueOf())"),
                Value::from(2),
                "{first}; then {second}"
            );
        }
    }
}

#[test]
fn a_constant_refuses_assignment() {
    let mut cell = cell();
    eval(&mut cell, "const x = 1");
    assert_eq!(thrown(&mut cell, "x = 2").name(), "TypeError");
    assert_eq!(eval(&mut cell, "x"), Value::from(1));
}

#[test]
fn closures_see_updates_of_their_names() {
    let mut cell = cell();
    eval(&mut cell, "let n = 1; const read = () => n;");
    eval(&mut cell, "n = 2");
    assert_eq!(eval(&mut cell, "read()"), Value::from(2));
}

#[test]
fn names_in_blocks_and_loop_heads_do_not_leak() {
    let mut cell = cell();
    eval(
        &mut cell,
        "{ let hidden = 1 } for (let i = 0; i < 1; i++) {} for (const k of [1]) {}",
    );
    for name in ["hidden", "i", "k"] {
        assert_eq!(
            eval(&mut cell, format!("typeof {name}").as_str()),
            Value::from("undefined")
        );
    }
}

#[test]
fn a_failed_run_keeps_what_it_completed() {
    let mut cell = cell();
    assert_eq!(
        thrown(&mut cell, "let a = 1; const b = null.x; let c = 3;").name(),
        "TypeError"
    );
    assert_eq!(eval(&mut cell, "a"), Value::from(1));
    assert_eq!(eval(&mut cell, "typeof b"), Value::from("undefined"));
    eval(&mut cell, "let c = 4; const b = 5;");
    assert_eq!(eval(&mut cell, "b + c"), Value::from(9));
}

#[test]
fn redeclaring_in_one_program_is_still_an_error() {
    assert_eq!(
        thrown(&mut cell(), "let a = 1; let a = 2;").name(),
        "SyntaxError"
    );
}

#[test]
fn a_program_that_does_not_compile_changes_nothing() {
    let mut cell = cell();
    eval(&mut cell, "let a = 1");
    fail(&mut cell, "let a = 2; let ;");
    assert_eq!(eval(&mut cell, "a"), Value::from(1));
}

#[test]
fn variables_arrive_frozen() {
    let mut cell = cell();
    let value = Value::object([
        (
            "list",
            Value::array([Value::from(1), Value::object([("deep", Value::Null)])]),
        ),
        ("map", Value::Map(vec![])),
    ]);
    cell.set_variable("data", &value).unwrap();
    assert_eq!(eval(&mut cell, "data"), value);
    for code in [
        "data.list.push(2)",
        "data.list[0] = 9",
        "data.x = 1",
        "delete data.list",
        "data.list[1].deep = 1",
        "Object.setPrototypeOf(data, {})",
    ] {
        assert_eq!(thrown(&mut cell, code).name(), "TypeError", "{code}");
    }
    assert_eq!(
        eval(
            &mut cell,
            "[data, data.list, data.list[1], data.map].every(Object.isFrozen)"
        ),
        Value::from(true)
    );
    assert_eq!(eval(&mut cell, "data"), value);
}

#[test]
fn a_variable_replaces_an_earlier_one_and_a_declaration() {
    let mut cell = cell();
    cell.set_variable("x", &Value::from(1)).unwrap();
    assert_eq!(eval(&mut cell, "x"), Value::from(1));
    eval(&mut cell, "let x = 2");
    assert_eq!(eval(&mut cell, "x"), Value::from(2));
    cell.set_variable("x", &Value::from(3)).unwrap();
    assert_eq!(eval(&mut cell, "x"), Value::from(3));
}

#[test]
fn names_that_code_could_not_write_are_refused() {
    let mut cell = cell();
    for name in ["", "a b", "1x", "a-b", "x;y", "\0"] {
        assert!(cell.set_variable(name, &Value::Null).is_err(), "{name:?}");
        assert!(
            cell.define_tool(name, Tool::deferred()).is_err(),
            "{name:?}"
        );
    }
    for name in ["$", "_x1", "größe", "变量"] {
        cell.set_variable(name, &Value::from(1)).unwrap();
        assert_eq!(eval(&mut cell, name), Value::from(1));
    }
}

#[test]
fn tools_cannot_be_replaced_by_code() {
    let mut cell = cell();
    cell.define_tool("answer", Tool::sync(|_| Ok(Value::from(42))))
        .unwrap();
    for code in [
        "answer = 1",
        "globalThis.answer = 1",
        "delete globalThis.answer",
        "Object.defineProperty(globalThis, 'answer', { value: 1 })",
        "answer.x = 1",
        "let answer = 1",
        "function answer() {}",
    ] {
        let name = thrown(&mut cell, code).name();
        assert!(
            name == "TypeError" || name == "SyntaxError",
            "{code}: {name}"
        );
    }
    assert_eq!(eval(&mut cell, "answer()"), Value::from(42));
    assert_eq!(
        eval(&mut cell, "{ let answer = 1; answer }"),
        Value::from(1)
    );
}

#[test]
fn the_host_can_replace_a_tool() {
    let mut cell = cell();
    cell.define_tool("answer", Tool::sync(|_| Ok(Value::from(1))))
        .unwrap();
    eval(&mut cell, "const kept = answer;");
    cell.define_tool("answer", Tool::sync(|_| Ok(Value::from(2))))
        .unwrap();
    assert_eq!(
        eval(&mut cell, "[answer(), kept()]"),
        Value::from(vec![2, 2])
    );
    cell.define_tool(
        "answer",
        Tool::asynchronous(|_| async { Ok(Value::from(3)) }),
    )
    .unwrap();
    assert_eq!(eval(&mut cell, "await answer()"), Value::from(3));
}

#[test]
fn what_a_cell_has_and_has_not() {
    for name in [
        "structuredClone",
        "URL",
        "URLSearchParams",
        "TextEncoder",
        "TextDecoder",
        "atob",
        "btoa",
        "queueMicrotask",
        "harden",
        "Compartment",
    ] {
        assert_eq!(
            fresh(&format!("typeof {name}")),
            Value::from("function"),
            "{name}"
        );
    }
    assert_eq!(fresh("typeof console"), Value::from("object"));
    for name in [
        "process",
        "require",
        "fetch",
        "setTimeout",
        "setInterval",
        "SharedArrayBuffer",
        "Atomics",
        "WebAssembly",
        "performance",
        "lockdown",
        "repairIntrinsics",
        "hotcellBoot",
        "hotcellNative",
        "module",
        "global",
        "Deno",
        "Bun",
        "window",
    ] {
        assert_eq!(
            fresh(&format!("typeof {name}")),
            Value::from("undefined"),
            "{name}"
        );
    }
}
