//! What a script is: strict, with `await` and `return` at its top level.

use hotcell_prepare::DeclarationKind::{Class, Const, Function, Let, Var};
use hotcell_prepare::Language;

use crate::{assert_clean, at, diagnose, only, prepare};

#[test]
fn scripts_are_taken_as_they_are() {
    for code in [
        "await f(); return 1",
        "for await (const x of f()) g(x)",
        "const a = await f() ?? await g();",
        "\"use strict\"; 1",
        "function f() {} function f() {} var f;",
        "var a; var a; a",
        "if (x) return; f()",
        "x --> 0",
        "a = b\n++c",
        "`a${`b${c}`}`",
        "label: for (;;) { continue label }",
        "class A { #x = 1; static { this.#y } static #y; has(o) { return #x in o } }",
        "/(?<year>\\d{4})-\\k<year>/u.test(x)",
        "/[\\p{L}--[a-z]]/v",
        "a?.b?.[c]?.(d) ?? e",
        "1_000n ** 2n",
        "({ __proto__: null, async *[x]() {}, get y() { return 1 } })",
        "async function* g() { yield* await f() }",
        "new.target === undefined || function () { new.target }",
        "let undefined_ = 1; // trailing comment",
        "/* only */ 1 /* and */",
        "{ using x = f(); }",
        "function f(await) { return await }",
        "<!-- comment",
        "debugger",
    ] {
        if code.starts_with("new.target") {
            assert_eq!(only(code).rule, "syntax_valid");
            continue;
        }
        let program = prepare(code);
        assert!(
            program.diagnostics.is_empty(),
            "{code}: {:?}",
            program.diagnostics
        );
        assert_eq!(program.language, Some(Language::JavaScript));
        if !code.starts_with('<') {
            assert_eq!(&*program.transformed, code);
            assert!(program.map.is_identity());
        }
    }
}

#[test]
fn early_errors_of_strict_mode_are_found() {
    let cases = [
        ("with (a) {}", (1, 1)),
        ("f(010)", (1, 3)),
        ("f(\"\\01\")", (1, 3)),
        ("delete x", (1, 8)),
        ("function f(a, a) {}", (1, 15)),
        ("let a;\nlet a;", (2, 5)),
        ("let b; var b;", (1, 12)),
        ("const c = 1; function c() {}", (1, 23)),
        ("eval = 1", (1, 1)),
        ("let arguments = 1", (1, 5)),
        ("let interface = 1", (1, 5)),
        ("break", (1, 1)),
        ("for (;;) { continue missing }", (1, 21)),
        ("x: x: 1", (1, 4)),
        ("class A { constructor() {} constructor() {} }", (1, 11)),
        ("class A { m() { this.#x } }", (1, 22)),
        ("class A extends B { m() { super() } }", (1, 27)),
        ("super.x", (1, 1)),
        ("if (1) function f() {}", (1, 8)),
        ("/(/", (1, 2)),
        ("/a/gg", (1, 1)),
        ("/(?<a>.)(?<a>.)/", (1, 5)),
        ("const d;", (1, 7)),
        ("new.target", (1, 1)),
        ("f(a => { \"use strict\"; 010 })", (1, 24)),
        ("({ a: 1, a: 2, __proto__: 1, __proto__: 2 })", (1, 30)),
        ("1 = 2", (1, 1)),
        ("for (let x = 1 of y) {}", (1, 6)),
        ("`${a", (1, 5)),
        ("\"abc", (1, 1)),
        ("yield 1", (1, 1)),
        ("using x = f()", (1, 1)),
    ];
    for (code, (line, column)) in cases {
        let found = diagnose(code);
        assert!(!found.is_empty(), "{code} is accepted");
        assert_eq!(found[0].rule, "syntax_valid", "{code}: {found:?}");
        assert_eq!(found[0].location, at(line, column), "{code}: {found:?}");
    }
}

#[test]
fn a_redeclaration_is_reported_where_it_happens() {
    assert_eq!(only("let a;\nlet a;").location, at(2, 5));
}

#[test]
fn syntax_errors_are_few() {
    let code = "let a = ;\n".repeat(100);
    assert!(diagnose(&code).len() <= 3);
}

#[test]
fn hashbang_and_html_comments_are_blanked() {
    let program = prepare("#!/usr/bin/env node\nf()");
    assert!(program.diagnostics.is_empty());
    assert_eq!(&*program.transformed, "                   \nf()");

    let program = prepare("<!-- a\nf() <!-- b ü😀\n/* c */ --> d\nx-->0");
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
    assert_eq!(
        &*program.transformed,
        "      \nf()           \n/* c */      \nx-->0"
    );
}

#[test]
fn html_comments_inside_strings_stay() {
    for code in [
        "f(\"<!-- x\")",
        "f(`\n--> x`)",
        "/<!--/.test(x)",
        "// <!-- x\nf()",
    ] {
        let program = prepare(code);
        assert!(
            program.diagnostics.is_empty(),
            "{code}: {:?}",
            program.diagnostics
        );
        assert_eq!(&*program.transformed, code);
    }
}

#[test]
fn declarations_are_listed_with_their_kinds() {
    let program = prepare(
        "const a = 1; let { b, c: [d] } = f(); var e; function g() { let inner }\nasync function* h() {}\nclass I {}\n\
         if (a) { var j; let k; function l() {} }\nfor (var m of []) {}",
    );
    let found: Vec<_> = program
        .declarations
        .iter()
        .map(|one| (one.name.as_str(), one.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("a", Const),
            ("b", Let),
            ("d", Let),
            ("e", Var),
            ("g", Function),
            ("h", Function),
            ("I", Class),
            ("j", Var),
            ("m", Var),
        ]
    );
}

#[test]
fn directives_do_not_count_as_code_to_change() {
    assert_clean("\"use strict\";\n'other';\nf()");
}

#[test]
fn errors_say_what_to_do() {
    let cases = [
        ("var x = “hello”;", "invalid character", "straight quotes"),
        ("f(\"a\nb\")", "unterminated string", "template literal"),
        ("if (x) {\n  f();\n", "opened at 1:8", ""),
        ("const x = { a: 1,, b: 2 }", "unexpected `,`", ""),
        ("function f() {} }", "unexpected `}`", ""),
        ("let x = class", "the end of the code", ""),
    ];
    for (code, message, fix) in cases {
        let found = diagnose(code);
        assert!(found[0].message.contains(message), "{code}: {found:?}");
        assert!(
            found[0].fix.as_deref().unwrap_or("").contains(fix),
            "{code}: {found:?}"
        );
    }
}
