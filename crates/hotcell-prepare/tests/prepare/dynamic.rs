use hotcell_prepare::{Diagnostic, DynamicKind, prepare_dynamic};

use crate::{at, options};

const FUNCTIONS: [DynamicKind; 4] = [
    DynamicKind::Function,
    DynamicKind::GeneratorFunction,
    DynamicKind::AsyncFunction,
    DynamicKind::AsyncGeneratorFunction,
];

fn run(kind: DynamicKind, params: &str, body: &str) -> Result<String, Diagnostic> {
    prepare_dynamic(kind, Some(params), body, &options())
}

fn eval(body: &str) -> Result<String, Diagnostic> {
    prepare_dynamic(DynamicKind::DirectEval, None, body, &options())
}

#[test]
fn functions_come_back_as_their_source_text() {
    let cases = [
        (
            DynamicKind::Function,
            "function anonymous(a,b\n) {\nreturn a\n}",
        ),
        (
            DynamicKind::GeneratorFunction,
            "function* anonymous(a,b\n) {\nreturn a\n}",
        ),
        (
            DynamicKind::AsyncFunction,
            "async function anonymous(a,b\n) {\nreturn a\n}",
        ),
        (
            DynamicKind::AsyncGeneratorFunction,
            "async function* anonymous(a,b\n) {\nreturn a\n}",
        ),
    ];
    for (kind, source) in cases {
        assert_eq!(run(kind, "a,b", "return a").unwrap(), source);
        assert!(prepare_dynamic(kind, None, "", &options()).is_ok());
    }
}

#[test]
fn parameters_cannot_close_the_function() {
    for params in [
        "}, globalThis.x=666, {",
        "a) { evil() }, function(b",
        "a){evil()}//",
        "a) {} , (",
        "/*",
        "//",
        "a) /*",
        "*/",
        "a = `",
        "a = '",
        "a = {",
        "){}})(function(",
        "...",
        "a,",
        ",",
        "a b",
        "(a)",
        "a) { } function x(",
        "\n){}(",
        "-->",
        "a = /",
        "a\n) {\n}) ; evil(); (function anonymous(b",
    ] {
        for kind in FUNCTIONS {
            for body in ["", "*/){", "return 1", "}, function() {", "`", "*/ 1"] {
                let result = run(kind, params, body);
                // One trailing comma is part of the grammar, and a line comment ends with its line.
                let fine = ["a,", "//"].contains(&params) && ["", "return 1"].contains(&body);
                assert_eq!(result.is_ok(), fine, "{params:?} {body:?}: {result:?}");
            }
        }
    }
}

#[test]
fn bodies_cannot_close_the_function() {
    for body in [
        "}, globalThis.x=666, function() {",
        "}); evil(); (function() {",
        "} function b() {",
        "*/){",
        "/*",
        "`",
        "'",
        "}}",
        "{",
        "})(",
        "return 1 }, evil(), { a: 1",
        "} {",
        "})//",
        "\n}) ; evil(); (function anonymous(\n) {\n",
        "} + function() {",
        "}\n/*",
        "</script>",
    ] {
        for kind in FUNCTIONS {
            let found = run(kind, "a", body).expect_err(body);
            assert_eq!(found.rule, "syntax_valid", "{body:?}");
        }
    }
}

#[test]
fn ordinary_functions_are_accepted() {
    for (params, body) in [
        ("", ""),
        ("a", "return a"),
        ("a, b = 1, ...c", "return [a, b, c]"),
        ("{ a, b: [c] } = {}", "return c"),
        ("a /* x */", "// comment"),
        ("a // comment", "return a // comment"),
        ("a = '}'", "return '{' + `}${1}` + /[}]/"),
        ("", "'use strict'; return this"),
        ("a, a", "return a"),
        ("", "with (x) { y }"),
        ("", "return new.target"),
        ("<!-- x", "--> y"),
    ] {
        assert!(
            run(DynamicKind::Function, params, body).is_ok(),
            "{params:?} {body:?}"
        );
    }
}

#[test]
fn bodies_follow_the_kind_of_function() {
    assert!(run(DynamicKind::AsyncFunction, "", "await f()").is_ok());
    assert!(run(DynamicKind::Function, "", "await f()").is_err());
    assert!(run(DynamicKind::GeneratorFunction, "", "yield f(), yield* g()").is_ok());
    assert!(run(DynamicKind::AsyncGeneratorFunction, "", "yield await f()").is_ok());
    assert!(
        run(
            DynamicKind::AsyncFunction,
            "",
            "for await (const x of f()) {}"
        )
        .is_ok()
    );
    assert!(run(DynamicKind::Function, "", "for await (const x of f()) {}").is_err());
}

#[test]
fn errors_are_located_in_the_part_at_fault() {
    assert_eq!(
        run(DynamicKind::Function, "a", "let x;\n  let = ;")
            .unwrap_err()
            .location,
        at(2, 9)
    );
    assert_eq!(
        run(DynamicKind::Function, "a,\n b c", "")
            .unwrap_err()
            .location,
        at(2, 4)
    );
    assert_eq!(eval("f(\n1 2)").unwrap_err().location, at(2, 3));
}

#[test]
fn eval_text_is_returned_as_it_is() {
    for code in [
        "1 + 1",
        "",
        "  x",
        "// c",
        "var a = 1; a",
        "let \u{fc} = '😀'",
        "<!-- c\nx",
    ] {
        assert_eq!(eval(code).unwrap(), code);
        let indirect = prepare_dynamic(DynamicKind::IndirectEval, None, code, &options());
        assert_eq!(indirect.unwrap(), code);
    }
}

#[test]
fn direct_eval_may_use_what_its_place_allows() {
    for code in [
        "new.target",
        "super.x",
        "super()",
        "arguments[0]",
        "this.#x",
        "#x in this",
        "with (a) b",
        "010",
        "await",
        "yield",
    ] {
        assert!(eval(code).is_ok(), "{code}: {:?}", eval(code));
    }
}

#[test]
fn eval_is_still_a_script() {
    for code in [
        "return 1",
        "if (x) return",
        "await f()",
        "}",
        "f(",
        "a b",
        "let x: number = 1",
        "x as any",
        "class A { private x = 1 }",
        "enum A {}",
    ] {
        assert_eq!(eval(code).expect_err(code).rule, "syntax_valid", "{code}");
    }
    assert!(eval("(function () { return 1 })()").is_ok());
}

#[test]
fn reserved_names_are_refused_everywhere() {
    for (kind, params, body) in [
        (DynamicKind::DirectEval, "", "__smol_x = 1"),
        (DynamicKind::IndirectEval, "", "f(__smol_x)"),
        (DynamicKind::Function, "__smol_x", ""),
        (DynamicKind::Function, "a = __smol_x", ""),
        (DynamicKind::Function, "", "\\u005f_smol_x()"),
        (DynamicKind::Module, "", "export const __smol_x = 1"),
    ] {
        assert_eq!(
            run(kind, params, body).unwrap_err().rule,
            "reserved_identifier",
            "{body}"
        );
    }
}

#[test]
fn imports_are_checked_as_in_programs() {
    let mut options = options();
    options.authorized_imports = vec!["ok".into()];
    let run = |kind, body: &str| prepare_dynamic(kind, None, body, &options);
    for kind in FUNCTIONS
        .into_iter()
        .chain([DynamicKind::DirectEval, DynamicKind::IndirectEval])
    {
        assert!(run(kind, "import(\"ok\")").is_ok());
        assert!(run(kind, "import(name)").is_ok());
        let found = run(kind, "import(\"fs\")").unwrap_err();
        assert_eq!(
            (found.rule.as_ref(), found.module.as_deref()),
            ("import_allowed", Some("fs"))
        );
        assert!(run(kind, "import x from \"ok\"").is_err());
        assert!(run(kind, "export const a = 1").is_err());
        assert!(run(kind, "import.meta").is_err());
    }
    let found = prepare_dynamic(
        DynamicKind::Function,
        Some("a = import(\"fs\")"),
        "",
        &options,
    );
    assert_eq!(found.unwrap_err().rule, "import_allowed");
}

#[test]
fn modules_may_import_what_is_authorised() {
    let mut options = options();
    options.authorized_imports = vec!["ok".into()];
    let run = |body: &str| prepare_dynamic(DynamicKind::Module, None, body, &options);
    let source = "import a, { b } from \"ok\";\nexport * from \"ok\";\nexport default await import.meta.url;";
    assert_eq!(run(source).unwrap(), source);
    for body in [
        "import \"fs\"",
        "export * from \"fs\"",
        "export { a } from \"fs\"",
        "await import(\"fs\")",
    ] {
        assert_eq!(
            run(body).unwrap_err().module.as_deref(),
            Some("fs"),
            "{body}"
        );
    }
    for body in [
        "return 1",
        "with (a) {}",
        "let a; let a;",
        "let a: number",
        "export { missing }",
    ] {
        assert_eq!(run(body).unwrap_err().rule, "syntax_valid", "{body}");
    }
}

#[test]
fn size_and_depth_are_limited() {
    let mut options = options();
    options.max_code_bytes = 8;
    let found = prepare_dynamic(DynamicKind::Function, Some("aaaa"), "bbbbb", &options);
    assert_eq!(found.unwrap_err().rule, "code_too_large");
    let deep = "(".repeat(100_000);
    assert_eq!(eval(&deep).unwrap_err().rule, "code_too_deep");
    for kind in FUNCTIONS {
        assert_eq!(run(kind, "", &deep).unwrap_err().rule, "code_too_deep");
        assert_eq!(
            run(kind, &format!("a = {deep}"), "").unwrap_err().rule,
            "code_too_deep"
        );
    }
}
