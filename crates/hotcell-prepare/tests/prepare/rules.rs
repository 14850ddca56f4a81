use hotcell_prepare::{Diagnostic, PrepareOptions, Severity, validate_code};

use crate::{assert_clean, at, diagnose, only, options, prepare, rules_of};

fn with(change: impl FnOnce(&mut PrepareOptions)) -> Vec<Diagnostic> {
    let mut options = options();
    change(&mut options);
    validate_code("1", &options)
}

#[track_caller]
fn assert_option_rule(found: &[Diagnostic], rule: &str) {
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].rule.as_ref(), found[0].severity),
        (rule, Severity::Error)
    );
    assert!(found[0].location.is_none());
}

#[test]
fn ordinary_code_has_nothing_to_be_said_about() {
    assert_clean("const text = await read(\"a.txt\");\nfinal_answer(text + \":ok\");");
    assert_clean("let n = 0; for (const x of [1, 2]) n += x; n");
    assert_clean("return Math.max(...question.map((x) => x.length))");
}

#[test]
fn empty_code_is_refused() {
    for code in ["", " ", "\n\t \r\n", "\u{feff}", "\u{a0}\u{2028}"] {
        let found = only(code);
        assert_eq!(
            (found.rule.as_ref(), found.severity),
            ("code_non_empty", Severity::Error)
        );
    }
}

#[test]
fn code_of_comments_alone_runs() {
    assert_clean("// nothing to do");
    assert_clean(";");
}

#[test]
fn too_large_code_is_refused() {
    let mut options = options();
    options.max_code_bytes = 10;
    let found = validate_code("12345678901", &options);
    assert_eq!(found[0].rule, "code_too_large");
    assert!(validate_code("1234567890", &options).is_empty());
}

#[test]
fn max_operations_must_be_a_whole_number_of_at_least_one() {
    for value in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY, 1e300] {
        assert_option_rule(&with(|o| o.max_operations = value), "max_operations_valid");
    }
    assert!(with(|o| o.max_operations = 1.0).is_empty());
}

#[test]
fn timeout_must_be_at_least_one() {
    for value in [0.0, 0.5, -1.0, f64::NAN, f64::INFINITY] {
        assert_option_rule(&with(|o| o.timeout_ms = value), "timeout_valid");
    }
    assert!(with(|o| o.timeout_ms = 1.5).is_empty());
}

#[test]
fn other_options_are_checked_too() {
    assert_option_rule(
        &with(|o| o.run_concurrency = "parallel".into()),
        "run_concurrency_valid",
    );
    assert_option_rule(&with(|o| o.max_queued_runs = -1.0), "max_queued_runs_valid");
    assert_option_rule(
        &with(|o| o.authorized_imports = vec![" ".into()]),
        "authorized_imports_valid",
    );
    assert_option_rule(&with(|o| o.max_log_bytes = 1023.0), "max_log_bytes_valid");
    assert_option_rule(
        &with(|o| o.collect_console_levels = vec!["debug".into()]),
        "console_levels_valid",
    );
    assert!(with(|o| o.run_concurrency = "queue".into()).is_empty());
}

#[test]
fn a_small_log_budget_is_only_remarked_upon() {
    let found = with(|o| o.max_log_bytes = 1024.0);
    assert_eq!(
        (found[0].rule.as_ref(), found[0].severity),
        ("log_budget_too_small", Severity::Info)
    );
    assert!(with(|o| o.max_log_bytes = 262_144.0).is_empty());
}

#[test]
fn option_errors_and_code_errors_are_reported_together() {
    let mut options = options();
    options.max_operations = 0.0;
    let found = validate_code("let = ;", &options);
    let rules: Vec<_> = found.iter().map(|one| one.rule.as_ref()).collect();
    assert_eq!(rules, ["max_operations_valid", "syntax_valid"]);
}

#[test]
fn syntax_errors_have_a_place() {
    let found = only("let a = 1;\nlet b = a +;\n");
    assert_eq!(
        (found.rule.as_ref(), found.severity),
        ("syntax_valid", Severity::Error)
    );
    assert_eq!(found.location, at(2, 12));
}

#[test]
fn await_in_a_plain_function_says_what_to_do() {
    let found = only("[1].forEach((x) => { await read(x) })");
    assert_eq!(found.location, at(1, 22));
    assert!(found.message.contains("async"), "{found}");
    assert!(
        found
            .fix
            .as_deref()
            .is_some_and(|fix| fix.contains("async"))
    );
}

#[test]
fn imports_outside_the_list_are_refused() {
    let found = only("const fs = await import(\"fs\");");
    assert_eq!(
        (found.rule.as_ref(), found.severity),
        ("import_allowed", Severity::Error)
    );
    assert_eq!(found.module.as_deref(), Some("fs"));
    assert_eq!(found.location, at(1, 18));
    assert_eq!(only("import(`fs`)").module.as_deref(), Some("fs"));
    assert_eq!(
        only("const f = () => import((\"fs\"))").module.as_deref(),
        Some("fs")
    );
}

#[test]
fn imports_match_the_list_exactly() {
    let mut options = options();
    options.authorized_imports = vec!["x-ok".into()];
    assert!(validate_code("await import(\"x-ok\")", &options).is_empty());
    for name in ["x-denied", "x-ok/sub", "X-OK", " x-ok", ""] {
        let found = validate_code(&format!("await import({name:?})"), &options);
        assert_eq!(found[0].rule, "import_allowed", "{name}");
        assert!(found[0].fix.as_deref().unwrap().contains("x-ok"));
    }
}

#[test]
fn computed_specifiers_are_left_to_the_run() {
    assert_clean("const name = \"fs\"; await import(name)");
    assert_clean("await import(\"f\" + \"s\")");
    assert_clean("await import(`${question}`)");
}

#[test]
fn static_imports_are_refused_even_if_authorised() {
    let mut options = options();
    options.authorized_imports = vec!["node:fs".into()];
    let cases = [
        (
            "import fs from \"node:fs\";",
            "const { default: fs } = await import(\"node:fs\");",
        ),
        (
            "import * as fs from \"node:fs\";",
            "const fs = await import(\"node:fs\");",
        ),
        (
            "import { a, b as c } from \"node:fs\";",
            "const { a, b: c } = await import(\"node:fs\");",
        ),
        ("import \"node:fs\";", "await import(\"node:fs\");"),
        (
            "import fs, * as all from \"node:fs\";",
            "const all = await import(\"node:fs\"); const { default: fs } = all;",
        ),
    ];
    for (code, fix) in cases {
        let found = validate_code(code, &options);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].rule, "static_import_in_script_mode");
        assert_eq!(found[0].severity, Severity::Error);
        assert_eq!(found[0].module.as_deref(), Some("node:fs"));
        assert_eq!(found[0].fix.as_deref(), Some(fix));
        assert!(
            validate_code(fix, &options).is_empty(),
            "the fix is valid: {fix}"
        );
    }
}

#[test]
fn exports_are_refused_like_static_imports() {
    for code in [
        "export const a = 1;",
        "export default 1;",
        "export default function f() {}",
        "const a = 1; export { a };",
        "export * from \"m\";",
        "export { a } from \"m\";",
        "export class A {}",
    ] {
        let found = only(code);
        assert_eq!(
            (found.rule.as_ref(), found.severity),
            ("static_import_in_script_mode", Severity::Error)
        );
        assert_eq!(found.module.is_some(), code.contains("\"m\""), "{code}");
    }
}

#[test]
fn import_meta_and_import_phases_are_refused() {
    assert_eq!(rules_of("import.meta.url"), ["syntax_valid"]);
    assert!(rules_of("import.defer(\"x\")").contains(&"syntax_valid".to_owned()));
}

#[test]
fn globals_of_other_hosts_are_warned_about() {
    for name in [
        "process",
        "require",
        "module",
        "global",
        "fetch",
        "window",
        "document",
        "Deno",
        "Bun",
        "setTimeout",
        "setInterval",
        "XMLHttpRequest",
        "Buffer",
        "localStorage",
        "__dirname",
    ] {
        let found = only(&format!("f({name})"));
        assert_eq!(found.rule, "forbidden_global_access", "{name}");
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(found.location, at(1, 3));
        assert!(found.fix.is_some());
    }
}

#[test]
fn a_global_is_reported_once() {
    assert_eq!(rules_of("process.a; process.b; fetch(1)").len(), 2);
}

#[test]
fn names_that_the_code_has_are_no_foreign_globals() {
    assert_clean("const process = 1; process");
    assert_clean("function f(require) { return require(\"x\") }");
    assert_clean("({ process: 1 }).process; question.window; x.fetch()");
    assert_clean("try { f() } catch (document) { document }");
    assert_clean("typeof process !== \"undefined\"");
    assert_clean("if (typeof window === \"undefined\") f()");
}

#[test]
fn a_tool_named_like_a_foreign_global_is_known() {
    let mut options = options();
    options.tools.insert("fetch".into());
    options.globals.insert("document".into());
    assert!(validate_code("fetch(document)", &options).is_empty());
}

#[test]
fn reserved_names_are_refused_wherever_they_bind_or_refer() {
    for code in [
        "let __smol_a = 1",
        "function __smol_f() {}",
        "class __smol_C {}",
        "f((__smol_p) => 1)",
        "f(__smol_guard())",
        "__smol_op_counter = 0",
        "({ __smol_x } = f())",
        "const { a: __smol_y } = f()",
        "f({ __smol_z })",
        "__smol_l: for (;;) break __smol_l",
        "\\u005f_smol_e",
        "try {} catch (__smol_c) {}",
    ] {
        let found = diagnose(code);
        assert_eq!(found[0].rule, "reserved_identifier", "{code}: {found:?}");
        assert_eq!(found[0].severity, Severity::Error);
    }
    assert_clean(
        "question.__smol_x; ({ __smol_x: 1 }); \"__smol_x\"; let _smol_ = 1, my__smol_ = 2",
    );
}

#[test]
fn tools_cannot_be_declared_at_the_top_level() {
    for code in [
        "const search = 1",
        "let final_answer = 2",
        "var read",
        "function search() {}",
        "class final_answer {}",
        "const { search } = f()",
        "if (x) { var search = 1 }",
        "for (var read of []) {}",
    ] {
        let found = only(code);
        assert_eq!(
            (found.rule.as_ref(), found.severity),
            ("tool_shadowed", Severity::Error),
            "{code}"
        );
        assert!(found.fix.is_some());
    }
}

#[test]
fn tools_cannot_be_assigned_to() {
    for code in [
        "search = 1",
        "final_answer += 2",
        "({ read } = f())",
        "[search] = f()",
        "function g() { final_answer = h }",
        "for (search of []) {}",
        "search++",
    ] {
        assert_eq!(only(code).rule, "tool_shadowed", "{code}");
    }
}

#[test]
fn tools_may_be_shadowed_in_inner_scopes() {
    assert_clean("function f(search) { search = 1; return search }");
    assert_clean("{ const search = 1; f(search) }");
    assert_clean("for (const read of []) f(read)");
    assert_clean("(() => { let final_answer = 1; final_answer = 2 })()");
    assert_clean("question.search = 1; ({ search: 1 })");
}

#[test]
fn promises_of_async_tools_must_be_awaited() {
    let cases = [
        ("read(\"a\"); f()", (1, 1)),
        ("if (x) { read(\"a\") }\nf()", (1, 10)),
        ("console.log(read(\"a\")); f()", (1, 13)),
        ("f(`text: ${read(\"a\")}`)", (1, 12)),
        ("f(\"text: \" + read(\"a\"))", (1, 14)),
        ("f(read(\"a\").length)", (1, 3)),
        ("f(read(\"a\")[0])", (1, 3)),
    ];
    for (code, (line, column)) in cases {
        let found = only(code);
        assert_eq!(
            (found.rule.as_ref(), found.severity),
            ("floating_promise", Severity::Warning),
            "{code}"
        );
        assert_eq!(found.location, at(line, column), "{code}");
        assert!(found.fix.as_deref().unwrap().contains("await read"));
    }
}

#[test]
fn arrays_of_promises_are_no_arrays_of_results() {
    let cases = [
        (
            "const all = f.map((n) => read(n)); f(all.map((one) => one.size))",
            (1, 55),
            "`one` is a promise",
        ),
        (
            "const all = f.map(async (n) => { return await read(n) }); f(all.map(({ size }) => size))",
            (1, 70),
            "`all` holds promises",
        ),
        (
            "f(f.map((n) => read(n)).reduce((sum, one) => sum + one, 0))",
            (1, 52),
            "`one` is a promise",
        ),
        (
            "const all = f.map((n) => read(n)); for (const one of all) f(one.size)",
            (1, 61),
            "`one` is a promise",
        ),
        (
            "const all = f.map((n) => read(n)); f(all[0].size)",
            (1, 38),
            "`all` holds promises",
        ),
        (
            "const all = f.map((n) => read(n)); console.log(all)",
            (1, 48),
            "`all` holds promises",
        ),
    ];
    for (code, (line, column), message) in cases {
        let found = only(code);
        assert_eq!(found.rule, "floating_promise", "{code}");
        assert_eq!(found.location, at(line, column), "{code}");
        assert!(
            found.message.starts_with(message),
            "{code}\n{}",
            found.message
        );
        assert!(found.fix.as_deref().unwrap().contains("Promise.all"));
    }
}

#[test]
fn promises_that_somebody_handles_are_fine() {
    for code in [
        "const all = f.map((n) => read(n)); f(await Promise.all(all)); f(all.length)",
        "const all = await Promise.all(f.map((n) => read(n))); f(all.map((one) => one.size), all[0].size)",
        "const all = f.map((n) => read(n)); for (const one of all) f(await one)",
        "const all = f.map((n) => read(n)); for await (const one of all) f(one.size)",
        "f(f.map((n) => read(n)).map((one) => one.then(f)))",
        "f(f.map((n) => read(n)).map(async (one) => (await one).size))",
        "const all = f.map((n) => search(n)); f(all.map((one) => one.size))",
        "await read(\"a\"); f()",
        "f(read(\"a\"))",
        "const p = read(\"a\"); await p",
        "read(\"a\").then(f); f()",
        "await Promise.all([read(\"a\"), read(\"b\")])",
        "f(); read(\"a\")",
        "f(); if (x) read(\"a\")",
        "void read(\"a\"); f()",
        "const g = () => { read(\"a\") }; g()",
        "function h(read) { console.log(read()) } h(f)",
        "return read(\"a\")",
        "search(\"a\"); f()",
        "html`${read(\"a\")}`; f()",
    ] {
        assert_clean(code);
    }
}

#[test]
fn a_function_that_nobody_calls_is_pointed_out() {
    for code in [
        "async () => { await f() }",
        "(function () { f() })",
        "() => 1;",
    ] {
        let found = only(code);
        assert_eq!(
            (found.rule.as_ref(), found.severity),
            ("function_not_called", Severity::Warning)
        );
        assert!(found.fix.is_some());
    }
    assert_clean("(async () => { await f() })()");
    assert_clean("function f() {}");
    assert_clean("const f = () => 1");
}

#[test]
fn a_flood_of_findings_is_cut() {
    let code = (0..5000)
        .map(|n| format!("import(\"m{n}\");"))
        .collect::<Vec<_>>()
        .join("\n");
    let found = diagnose(&code);
    assert!(found.len() <= 50 && found.iter().all(|one| one.rule == "import_allowed"));
    assert_eq!(found[0].location, at(1, 1));
}

#[test]
fn a_flood_of_warnings_cannot_wash_an_error_away() {
    let code = "read(1);\n".repeat(500) + "import(\"fs\");\n" + &"read(2);\n".repeat(500);
    let program = prepare(&code);
    assert!(program.has_errors());
    assert!(
        program
            .diagnostics
            .iter()
            .any(|one| one.rule == "import_allowed")
    );
}

#[test]
fn diagnostics_serialise_as_the_contract_says() {
    let found = only("await import(\"fs\")");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["rule"], "import_allowed");
    assert_eq!(json["severity"], "ERROR");
    assert_eq!(
        json["location"],
        serde_json::json!({ "line": 1, "column": 7 })
    );
    assert_eq!(json["module"], "fs");
    assert_eq!(
        found.to_string(),
        "1:7 ERROR import_allowed: import of \"fs\" is not allowed (fix: no module can be imported here: use the \
         language's own functions and the tools; there is no file system: take inputs from variables)"
    );
}
