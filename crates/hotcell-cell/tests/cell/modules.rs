//! `import()` gets what the host gives.

use hotcell_cell::{CellOptions, Export, Module, Tool, ToolError, Value};

use crate::support::{cell, engine, eval, thrown};

fn with_modules() -> hotcell_cell::Cell {
    let options = CellOptions::default().on_import(|import| match import.name {
        "math" => Ok("export const pi = 3; export default function twice(x) { return 2 * x }".into()),
        "user" => Ok("import twice, { pi } from 'math'; export const tau = twice(pi); export const meta = typeof import.meta".into()),
        "slow" => Ok("export const x = await Promise.resolve(1);".into()),
        "broken" => Ok("export const = 1".into()),
        "loop" => Ok("while (true) {}".into()),
        "state" => Ok("export let n = 0; export const up = () => ++n;".into()),
        other => Err(ToolError::new("TypeError", format!("no module {other}")).with("code", "ERR_IMPORT_NOT_ALLOWED")),
    });
    engine().cell(options).unwrap()
}

#[test]
fn modules_come_from_the_host() {
    let mut cell = with_modules();
    assert_eq!(
        eval(
            &mut cell,
            "const { default: twice, pi } = await import('math'); twice(pi)"
        ),
        Value::from(6)
    );
    assert_eq!(
        eval(&mut cell, "(await import('user')).tau"),
        Value::from(6)
    );
    assert_eq!(eval(&mut cell, "(await import('slow')).x"), Value::from(1));
    assert_eq!(
        eval(
            &mut cell,
            "const name = 'ma' + 'th'; (await import(name)).pi"
        ),
        Value::from(3)
    );
    assert_eq!(
        eval(
            &mut cell,
            "(await import('state')).up(); (await import('state')).n"
        ),
        Value::from(1)
    );
}

#[test]
fn a_refused_module_is_an_error_with_its_code() {
    let mut cell = with_modules();
    let exception = thrown(&mut cell, "await import('node:fs')");
    assert_eq!(exception.message(), "no module node:fs");
    assert_eq!(
        eval(&mut cell, "await import('node:fs').catch((e) => e.code)"),
        Value::from("ERR_IMPORT_NOT_ALLOWED")
    );
    assert!(
        thrown(&mut crate::support::cell(), "await import('x')")
            .message()
            .contains("no module")
    );
    assert_eq!(
        thrown(&mut cell, "await import('broken')").name(),
        "SyntaxError"
    );
}

#[test]
fn loops_of_modules_count() {
    let mut cell = with_modules();
    let program = hotcell_cell::Program::new("await import('loop')").max_operations(10);
    assert!(matches!(
        crate::support::fail(&mut cell, program),
        hotcell_cell::CellError::Operations { limit: 10 }
    ));
}

#[test]
fn a_module_of_the_host_has_functions_and_values() {
    let options = CellOptions::default().on_import(|import| match import.name {
        "shop" | "missing" => Ok(Module::Defined),
        "user" => Ok("import shop, { price } from 'shop'; export const twice = () => 2 * price('tea') + shop.tax;".into()),
        _ => Err("no such module".into()),
    });
    let mut cell = engine().cell(options).unwrap();
    let price = Tool::sync(|call| Ok(Value::from(u32::try_from(call.tool.len()).unwrap())));
    let slow = Tool::asynchronous(|call| async move { Ok(call.argument(0).clone()) });
    let prices = Value::object([("tea", Value::from(3))]);
    let tax = Value::from(7);
    cell.define_module(
        "shop",
        [
            ("price", Export::Tool(price)),
            ("slow", Export::Tool(slow)),
            ("prices", Export::Value(&prices)),
            ("tax", Export::Value(&tax)),
        ],
    )
    .unwrap();
    let code = "const { price, slow, prices, default: all } = await import('shop'); \
        [price('tea'), await slow(1), prices.tea, all.tax, Object.isFrozen(prices), Object.isFrozen(all), price.name, typeof globalThis.price]";
    assert_eq!(
        eval(&mut cell, code),
        Value::array([
            Value::from(10),
            Value::from(1),
            Value::from(3),
            Value::from(7),
            Value::from(true),
            Value::from(true),
            Value::from("price"),
            Value::from("undefined"),
        ])
    );
    assert_eq!(
        eval(&mut cell, "(await import('user')).twice()"),
        Value::from(27)
    );
    // One that is not there may come.
    assert!(
        thrown(&mut cell, "await import('missing')")
            .message()
            .contains("is not there")
    );
    cell.define_module("missing", [("one", Export::Value(&tax))])
        .unwrap();
    assert_eq!(
        eval(&mut cell, "(await import('missing')).one"),
        Value::from(7)
    );
    // Functions that code has stored are connected again after a restore.
    eval(&mut cell, "globalThis.kept = price; 0");
    let bytes = cell.snapshot().unwrap();
    let mut later = engine().restore(&bytes, CellOptions::default()).unwrap();
    assert!(
        thrown(&mut later, "kept('tea')")
            .message()
            .contains("not connected")
    );
    let price = Tool::sync(|_| Ok(Value::from(5)));
    later
        .define_module("shop", [("price", Export::Tool(price))])
        .unwrap();
    assert_eq!(eval(&mut later, "kept('tea')"), Value::from(5));
    assert!(cell.define_module("", []).is_err());
    assert!(
        cell.define_module("x", [("a b", Export::Value(&tax))])
            .is_err()
    );
}

#[test]
fn static_imports_are_syntax_errors_in_a_program() {
    assert_eq!(
        thrown(&mut cell(), "import fs from 'node:fs'").name(),
        "SyntaxError"
    );
    assert_eq!(
        thrown(&mut cell(), "export const x = 1").name(),
        "SyntaxError"
    );
}
