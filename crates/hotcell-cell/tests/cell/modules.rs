//! `import()` gets what the host gives.

use hotcell_cell::{CellOptions, ToolError, Value};

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
