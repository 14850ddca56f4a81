use hotcell_prepare::{Language, Location};

use crate::corpus::{ERASED, LOWERED};
use crate::{assert_clean, at, diagnose, only, prepare};

#[test]
fn types_are_blanked_and_nothing_moves() {
    for &(name, typescript, javascript) in ERASED {
        let program = prepare(typescript);
        assert!(!program.has_errors(), "{name}: {:?}", program.diagnostics);
        assert_eq!(program.language, Some(Language::TypeScript), "{name}");
        assert_eq!(&*program.transformed, javascript, "{name}");
        assert!(program.map.is_identity(), "{name}");
        let width = |text: &str| {
            text.lines()
                .map(|line| line.encode_utf16().count())
                .collect::<Vec<_>>()
        };
        assert_eq!(width(&program.transformed), width(typescript), "{name}");
    }
}

#[test]
fn enums_namespaces_and_parameter_properties_are_lowered() {
    for &(name, typescript, javascript) in LOWERED {
        let program = prepare(typescript);
        assert!(!program.has_errors(), "{name}: {:?}", program.diagnostics);
        assert_eq!(program.language, Some(Language::TypeScript), "{name}");
        assert_eq!(&*program.transformed, javascript, "{name}");
    }
}

#[test]
fn the_corpus_is_large_enough_to_mean_something() {
    assert!(ERASED.len() + LOWERED.len() >= 80);
}

#[test]
fn what_comes_out_is_javascript_and_stays_as_it_is() {
    for &(name, typescript, _) in ERASED.iter().chain(LOWERED) {
        let once = prepare(typescript);
        let twice = prepare(&once.transformed);
        assert_eq!(twice.language, Some(Language::JavaScript), "{name}");
        assert_eq!(once.transformed, twice.transformed, "{name}");
    }
}

#[test]
fn valid_javascript_is_never_taken_for_typescript() {
    for code in [
        "a < b > (c)",
        "f(a < b, c > (d))",
        "const type = 1; type\nfoo = 2",
        "let as = 1, satisfies = 2; as; satisfies",
        "var declare, module, namespace, abstract; declare\nmodule\nnamespace\nabstract",
        "x = a ? (b) : c => d",
        "class A { readonly; declare; abstract() {} static; get; set; async }",
        "label: { break label }",
        "async\n(x)\n{ y }",
    ] {
        let program = prepare(code);
        assert_eq!(program.language, Some(Language::JavaScript), "{code}");
        assert_eq!(&*program.transformed, code);
    }
}

#[test]
fn modifiers_alone_make_it_typescript() {
    for code in [
        "class A { public a = 1 }",
        "abstract class A {}",
        "class A { override m() {} }",
    ] {
        assert_eq!(prepare(code).language, Some(Language::TypeScript), "{code}");
    }
}

#[test]
fn errors_after_blanked_types_are_where_they_were() {
    let found = only("const a: Map<string, number> = new Map(); process.exit()");
    assert_eq!(found.location, at(1, 43));
}

#[test]
fn positions_lead_back_from_lowered_code() {
    let code = "enum Color { Red, Green }\n\nconst c: Color = Color.Red;\n  process.exit();";
    let program = prepare(code);
    assert!(!program.map.is_identity());
    assert_eq!(program.diagnostics[0].rule, "forbidden_global_access");
    assert_eq!(program.diagnostics[0].location, at(4, 3));

    let line = program
        .transformed
        .lines()
        .position(|line| line.contains("process"))
        .unwrap();
    let place = Location {
        line: u32::try_from(line).unwrap() + 1,
        column: 1,
    };
    assert_eq!(Some(program.original_location(place)), at(4, 3));
}

#[test]
fn errors_in_typescript_are_those_of_typescript() {
    let found = only("let a: number = 1;\nlet b: string = ;");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("syntax_valid", at(2, 17))
    );
}

#[test]
fn jsx_is_refused_by_name() {
    for code in [
        "const a = <div>hi</div>;",
        "const a: any = <p class=\"x\">{b}</p>;",
    ] {
        let found = only(code);
        assert!(found.message.contains("JSX"), "{found}");
        assert!(found.fix.is_some());
    }
}

#[test]
fn decorators_are_refused() {
    for code in ["@dec class A {}", "class A { @dec m(): void {} }"] {
        assert!(
            diagnose(code)
                .iter()
                .any(|one| one.message.contains("decorators")),
            "{code}"
        );
    }
}

#[test]
fn a_call_with_type_arguments_in_javascript_is_pointed_out() {
    let found = only("const a = search<string>(\"x\");");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("ambiguous_type_arguments", at(1, 11))
    );
    assert_clean("const a: string = search<string>(\"x\");");
    assert_clean("const a = (1 < 2) > (3);");
}

#[test]
fn type_imports_are_erased_and_value_imports_are_not() {
    assert_clean("import type { A } from \"a\"; const a: A = 1;");
    let found = only("import { type A, b } from \"a\"; const a: A = b;");
    assert_eq!(found.rule, "static_import_in_script_mode");
    assert_eq!(found.module.as_deref(), Some("a"));
}

#[test]
fn an_enum_counts_as_a_declaration() {
    let program = prepare("enum Color { Red }");
    assert_eq!(program.declarations[0].name, "Color");
    assert_eq!(only("enum final_answer { A }").rule, "tool_shadowed");
}

#[test]
fn the_imports_and_exports_of_typescript_are_refused() {
    let found = only("import fs = require(\"fs\"); fs.x");
    assert_eq!(
        (found.rule.as_ref(), found.module.as_deref()),
        ("static_import_in_script_mode", Some("fs"))
    );
    assert_eq!(found.location, at(1, 1));
    let found = only("f();\nexport = g;");
    assert_eq!(
        (found.rule.as_ref(), found.location),
        ("static_import_in_script_mode", at(2, 1))
    );
    assert_clean("import type fs = require(\"fs\"); f()");
}

#[test]
fn lowering_deep_code_does_not_drown_it_in_indentation() {
    let code = format!(
        "enum E {{ A }}\n{}{}{}",
        "{".repeat(400),
        "a;".repeat(10_000),
        "}".repeat(400)
    );
    let program = prepare(&code);
    assert!(!program.has_errors());
    assert!(program.transformed.len() < 2 * code.len());
}
