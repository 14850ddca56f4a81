use std::sync::Arc;

use hotcell_prepare::{
    CallResult, Diagnostic, PrepareOptions, ProgramView, Role, Rule, Severity, Transform,
    prepare_program, validate_code,
};

use crate::at;

struct NoSecrets;

impl Rule for NoSecrets {
    fn name(&self) -> &'static str {
        "no_secrets"
    }

    fn check(&self, program: &ProgramView<'_>) -> Vec<Diagnostic> {
        program
            .string_literals()
            .filter(|literal| literal.text.starts_with("sk-"))
            .map(|literal| {
                program.diagnostic(
                    "no_secrets",
                    Severity::Error,
                    literal.offset,
                    "a secret in the code",
                )
            })
            .collect()
    }
}

struct Inventory;

impl Rule for Inventory {
    fn name(&self) -> &'static str {
        "inventory"
    }

    fn check(&self, program: &ProgramView<'_>) -> Vec<Diagnostic> {
        let globals: Vec<_> = program
            .identifiers()
            .filter(|one| matches!(one.role, Role::Reference { global: true, .. }))
            .map(|one| one.name)
            .collect();
        let calls: Vec<_> = program
            .calls()
            .map(|call| (call.callee.clone(), call.result == CallResult::Awaited))
            .collect();
        let declared: Vec<_> = program.declarations().map(|one| one.name.clone()).collect();
        let message = format!(
            "{globals:?} {calls:?} {declared:?} {}",
            program.code().len()
        );
        vec![program.diagnostic("inventory", Severity::Info, 0, message)]
    }
}

struct Replace(&'static str, &'static str);

impl Transform for Replace {
    fn name(&self) -> &'static str {
        "replace"
    }

    fn transform(&self, code: &str) -> Result<String, String> {
        if self.0.is_empty() {
            Err("nothing to replace".into())
        } else {
            Ok(code.replace(self.0, self.1))
        }
    }
}

fn with_rule(rule: impl Rule + 'static) -> PrepareOptions {
    let mut options = PrepareOptions::default();
    options.rules.push(Arc::new(rule));
    options
}

fn with_transform(transform: Replace) -> PrepareOptions {
    let mut options = PrepareOptions::default();
    options.transforms.push(Arc::new(transform));
    options
}

#[test]
fn a_rule_of_the_host_sees_strings_and_reports_places() {
    let found = validate_code("f('x');\nconst key: string = `sk-1`", &with_rule(NoSecrets));
    assert_eq!(
        (found[0].rule.as_ref(), found[0].location),
        ("no_secrets", at(2, 21))
    );
}

#[test]
fn a_rule_of_the_host_sees_names_calls_and_declarations() {
    let found = validate_code("const a = await b.c(d); a()", &with_rule(Inventory));
    assert_eq!(
        found[0].message,
        r#"["b", "d"] [("b.c", true), ("a", false)] ["a"] 27"#
    );
}

#[test]
fn a_transform_changes_what_runs_and_is_checked() {
    let program = prepare_program("f(1)", &with_transform(Replace("f(", "g(2, ")));
    assert_eq!(&*program.transformed, "g(2, 1)");
    assert_eq!(&*program.original, "f(1)");

    let program = prepare_program("f(1)", &with_transform(Replace("f(", "let (")));
    assert_eq!(program.diagnostics[0].rule, "syntax_valid");
    let program = prepare_program("f(1)", &with_transform(Replace("f", "import('fs'); f")));
    assert_eq!(program.diagnostics[0].rule, "import_allowed");
}

#[test]
fn a_failing_transform_refuses_the_code() {
    let program = prepare_program("f(1)", &with_transform(Replace("", "")));
    assert!(program.has_errors());
    assert!(
        program.diagnostics[0]
            .message
            .contains("nothing to replace")
    );
}

#[test]
fn transforms_do_not_see_code_with_errors() {
    let program = prepare_program("f(", &with_transform(Replace("f(", "f()")));
    assert!(program.has_errors());
    assert_eq!(&*program.transformed, "f(");
}

#[test]
fn places_are_traced_through_added_lines() {
    let code = "a();\nB;\nprocess.exit();";
    let program = prepare_program(code, &with_transform(Replace("B;", "b();\nb2();\nb3();")));
    assert_eq!(program.transformed.lines().count(), 5);
    assert_eq!(program.diagnostics[0].location, at(3, 1));
    assert_eq!(Some(program.engine_location(1, 2)), at(1, 2));
    assert_eq!(Some(program.engine_location(5, 9)), at(3, 9));
    assert_eq!(program.engine_location(4, 1).line, 2);
}

#[test]
fn a_transform_cannot_make_code_too_deep() {
    let deep: &'static str = Box::leak("[".repeat(100_000).into_boxed_str());
    let program = prepare_program("f(1)", &with_transform(Replace("1", deep)));
    assert!(program.has_errors());
}

#[test]
fn a_rule_that_panics_refuses_the_code() {
    struct Broken;
    impl Rule for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }
        fn check(&self, _: &ProgramView<'_>) -> Vec<Diagnostic> {
            std::panic::resume_unwind(Box::new("broken"))
        }
    }
    assert!(prepare_program("f(1)", &with_rule(Broken)).has_errors());
}
