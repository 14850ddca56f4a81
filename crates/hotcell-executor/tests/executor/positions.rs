//! Places are those of the code as it was given, whatever was done to it.

use std::sync::Arc;

use hotcell_executor::{Executor, ExecutorOptions, Run};
use hotcell_prepare::{Location, Transform};
use pollster::block_on;

use crate::support::{executor, fail, ready, run};

/// Where the error of this code is.
fn place(executor: &Executor, code: &str) -> Location {
    let error = fail(executor, code);
    let place = error.location.unwrap_or_else(|| panic!("{error:?}"));
    assert!(
        error
            .message
            .contains(&format!("(line {}, column {})", place.line, place.column)),
        "{error}"
    );
    assert_eq!(error.details["cause"]["location"]["line"], place.line);
    place
}

fn at(line: u32, column: u32) -> Location {
    Location { line, column }
}

#[test]
fn plain_code() {
    let executor = executor();
    assert_eq!(place(&executor, "throw new Error('x')"), at(1, 11));
    assert_eq!(place(&executor, "\n\n   null.x"), at(3, 4));
}

#[test]
fn columns_are_utf_16() {
    // Four bytes and two units, then three bytes and one unit.
    assert_eq!(
        place(&executor(), "'😀'; '漢'; throw new Error('x')"),
        at(1, 22)
    );
}

#[test]
fn a_fence_and_types_do_not_move_anything() {
    let executor = executor();
    let code = "Here it is:\n```ts\nconst n: number = 1;\nfunction f<T>(x: T): T { throw new Error('é') }\nf<number>(n);\n```";
    assert_eq!(place(&executor, code).line, 4);
    let code = "enum Color { Red, Green }\nconst c: Color = Color.Green;\n(c as any).x.y";
    assert_eq!(place(&executor, code).line, 3);
}

#[test]
fn a_stack_leads_through_several_runs() {
    let executor = executor();
    run(
        &executor,
        "function inner() {\n  'é'; throw new Error('x');\n}",
    );
    let error = fail(&executor, "\ninner()");
    let stack = error.details["cause"]["stack"].as_str().unwrap();
    assert!(stack.contains("inner (run-1.js:2:18)"), "{stack}");
    assert!(stack.contains("(run-2.js:2:"), "{stack}");
    // The place is where this run called, for that is what its writer can change.
    assert_eq!(error.location.unwrap().line, 2);
}

#[test]
fn printed_errors_have_the_same_places() {
    let executor = executor();
    let output = run(
        &executor,
        "try { '漢字'; null.x } catch (error) { console.log(error) }",
    );
    assert!(output.logs.contains("run-1.js:1:13"), "{}", output.logs);
}

#[test]
fn a_program_can_have_a_name() {
    let executor = executor();
    let error = block_on(executor.run(Run::new("null.x").name("agent/step.ts"))).unwrap_err();
    let stack = error.details["cause"]["stack"].as_str().unwrap();
    assert!(stack.contains("agent/step.ts:1:"), "{stack}");
    assert_eq!(error.location.unwrap().line, 1);
}

struct Prefix;

impl Transform for Prefix {
    fn name(&self) -> &'static str {
        "prefix"
    }

    fn transform(&self, code: &str) -> Result<String, String> {
        if code.contains("forbidden") {
            return Err("this word is forbidden".into());
        }
        Ok(format!("/* one */\n/* two */\n{code}"))
    }
}

#[test]
fn a_transform_of_the_host_does_not_move_anything() {
    // Transforms of the host run on threads of this program only.
    let executor = ready(ExecutorOptions::default().transform(Arc::new(Prefix)));
    assert_eq!(place(&executor, "1;\nthrow new Error('x')"), at(2, 11));
    let error = fail(&executor, "'forbidden'");
    assert!(
        format!("{:?}", error.details).contains("this word is forbidden"),
        "{error:?}"
    );
}

#[test]
fn errors_of_syntax_have_places_too() {
    let error = fail(&executor(), "const a = 1;\nconst b = = 2;");
    assert_eq!(error.location, Some(at(2, 11)));
}

#[test]
fn a_call_that_fails_is_where_its_function_stands() {
    let executor = executor();
    for (code, line, column) in [
        ("const f = String;\nmissing(f(1), f(2))", 2, 1),
        ("const o = {};\no.missing(String(1),\n  String(2))", 2, 3),
        ("JSON.parse(String('{'))", 1, 6),
        ("throw new Error('a', { cause: new Error('b') })", 1, 11),
        ("throw new TypeError(String(1) + String(2))", 1, 11),
        ("const all = [];\nnull_(...all.concat(String(1)))", 2, 1),
    ] {
        assert_eq!(place(&executor, code), at(line, column), "{code}");
    }
}

#[test]
fn an_error_of_a_class_of_the_code_is_where_it_is_made() {
    let executor = executor();
    let code = "class Base extends Error {\n  constructor(m) { super(m); this.name = 'Base' }\n}\nclass Own extends Base {}\nthrow new Own('x')";
    assert_eq!(place(&executor, code), at(5, 11));
    let code = "class Strict extends Error {\n  constructor(m) { super(m); throw new RangeError('inside') }\n}\nnew Strict('x')";
    assert_eq!(place(&executor, code).line, 2);
}

#[test]
fn stacks_show_no_code_but_that_of_programs() {
    let executor = executor();
    for code in [
        "throw new Error('x')",
        "new URL('nonsense')",
        "new Compartment({}).evaluate('throw new Error(1)')",
        "new Compartment({}).evaluate('null.x')",
        "structuredClone(() => 1)",
    ] {
        let error = fail(&executor, code);
        let stack = error.details["cause"]["stack"].as_str().unwrap_or_default();
        for inner in ["ses:", "hotcell:", "construct (native)", "apply (native)"] {
            assert!(!stack.contains(inner), "{code}\n{stack}");
        }
        assert_eq!(error.location.map(|at| at.line), Some(1), "{code}\n{stack}");
    }
}
