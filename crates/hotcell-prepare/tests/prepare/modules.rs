//! `import` declarations of modules that are there, and code that is nothing but a function.

use hotcell_meter::Unwatched;
use hotcell_prepare::{KnownModule, Location, PrepareOptions, PreparedProgram, prepare_program};

fn with_modules() -> PrepareOptions {
    let mut options = PrepareOptions::default();
    options.authorized_imports = vec!["sums".into(), "shop".into(), "nowhere".into()];
    let sums = "export const twice = (n: number): number => 2 * n; export default 1;";
    options
        .modules
        .insert("sums".into(), KnownModule::source(sums));
    options
        .modules
        .insert("shop".into(), KnownModule::host(["price", "default"]));
    options
}

fn runs(code: &str) -> PreparedProgram {
    let program = prepare_program(code, &with_modules());
    assert!(!program.has_errors(), "{code}\n{:#?}", program.diagnostics);
    program
}

#[test]
fn an_import_of_a_module_that_is_there_runs_in_its_place() {
    for (code, expected) in [
        (
            "import { twice } from 'sums'; twice(2)",
            "const { twice } = await import(\"sums\"); twice(2)",
        ),
        (
            "import one, { twice as t } from \"sums\"\nt(one)",
            "const { default: one, twice: t } = await import(\"sums\");\nt(one)",
        ),
        (
            "import * as shop from 'shop';\nshop.price()",
            "const shop = await import(\"shop\");\nshop.price()",
        ),
        ("import 'shop'; 1", "await import(\"shop\"); 1"),
    ] {
        assert_eq!(&*runs(code).transformed, expected);
    }
}

#[test]
fn an_import_comes_before_everything_else() {
    let program = runs("const a = twice(2);\nimport { twice } from 'sums';\na");
    assert_eq!(
        &*program.transformed,
        "const { twice } = await import(\"sums\"); const a = twice(2);\n\na"
    );
    assert_eq!(
        program.original_location(Location {
            line: 1,
            column: 41 + 10
        }),
        Location {
            line: 1,
            column: 11
        }
    );
}

#[test]
fn places_stay_where_they_were() {
    let code = "import {\n  twice,\n} from 'sums'; null.x;\nnull.y";
    let program = runs(code);
    let engine = program.transformed.find("null.x").unwrap();
    let line = program.transformed[..engine].matches('\n').count() + 1;
    let start = program.transformed[..engine]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let place = Location {
        line: u32::try_from(line).unwrap(),
        column: u32::try_from(engine - start + 1).unwrap(),
    };
    assert_eq!(
        program.original_location(place),
        Location {
            line: 3,
            column: 16
        }
    );
    let next = Location { line: 4, column: 1 };
    assert_eq!(program.original_location(next), next);
}

#[test]
fn types_and_fences_go_along() {
    let program =
        runs("```ts\nimport { type Money, price } from 'shop';\nconst a: number = price(1);\n```");
    assert!(
        program
            .transformed
            .contains("const { price } = await import(\"shop\")"),
        "{}",
        program.transformed
    );
    let program =
        runs("import { price } from 'shop';\nenum Size { Small, Large }\nprice(Size.Large)");
    assert!(
        program.transformed.contains("await import(\"shop\")"),
        "{}",
        program.transformed
    );
}

#[test]
fn what_a_module_does_not_export_is_an_error() {
    let program = prepare_program("import { pricce } from 'shop';", &with_modules());
    let found = &program.diagnostics[0];
    assert_eq!(
        (&*found.rule, &*found.message, found.fix.as_deref()),
        (
            "syntax_valid",
            "the module \"shop\" does not export `pricce`",
            Some("it exports default, price")
        )
    );
}

#[test]
fn a_module_that_is_not_there_or_not_authorised_is_refused() {
    for code in ["import x from 'nowhere';", "import x from 'other';"] {
        let program = prepare_program(code, &with_modules());
        assert_eq!(
            program.diagnostics[0].rule, "static_import_in_script_mode",
            "{code}"
        );
    }
    let mut options = with_modules();
    options.authorized_imports.clear();
    let program = prepare_program("import { twice } from 'sums';", &options);
    assert_eq!(program.diagnostics[0].rule, "static_import_in_script_mode");
}

#[test]
fn the_source_of_a_module_loses_its_types() {
    let options = PrepareOptions::default();
    let program = |text: &str| {
        let module = KnownModule::source(text);
        let program = module.program(&options, &Unwatched).unwrap().unwrap();
        program
            .map(|one| one.transformed.to_string())
            .map_err(Clone::clone)
    };
    assert_eq!(
        program("export const a: number = 1;\nexport type B = string;").unwrap(),
        "export const a         = 1;\n;                      "
    );
    let lowered = program("export enum Size { Small }").unwrap();
    assert!(
        lowered.contains("export") && lowered.contains("\"Small\""),
        "{lowered}"
    );
    let plain = "import x from 'y'; export * from 'z'; export default x;";
    assert_eq!(program(plain).unwrap(), plain);
    let error = program("export const = 1").unwrap_err();
    assert_eq!(
        error.location,
        Some(Location {
            line: 1,
            column: 14
        })
    );
}

#[test]
fn the_names_that_a_module_exports_are_known_unless_it_exports_those_of_others() {
    let options = PrepareOptions::default();
    let exports = |text: &str| {
        let module = KnownModule::source(text);
        let names = module.exports(&options, &Unwatched).unwrap().cloned();
        names.map(|names| names.into_iter().collect::<Vec<_>>().join(" "))
    };
    let all = "export const a = 1, { b, c: [d] } = x; export function e() {} export class F {} \
        export { g as h }; export * as i from 'y'; export { j } from 'z'; export default 1; let g;";
    assert_eq!(exports(all).as_deref(), Some("F a b d default e h i j"));
    assert_eq!(exports("export * from 'y'"), None);
    assert_eq!(exports("export const ="), None);
}

#[test]
fn code_that_is_a_function_is_called_if_the_host_wants_it_so() {
    let mut options = PrepareOptions::default();
    options.call_function = true;
    for (code, expected) in [
        (
            "async () => { return 1 }",
            "await (async () => { return 1 })()",
        ),
        ("async () => 1;", "await (async () => 1)();"),
        ("() => 1", "(() => 1)()"),
        (
            "(async function () {});",
            "await ((async function () {}))();",
        ),
        (
            "async function main() { }",
            "await (async function main() { })()",
        ),
        ("const f = () => 1; f()", "const f = () => 1; f()"),
        ("1 + 1", "1 + 1"),
    ] {
        let program = prepare_program(code, &options);
        assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
        assert_eq!(&*program.transformed, expected);
    }
    let program = prepare_program("async () => null.x", &options);
    assert_eq!(
        program.engine_location(1, 20),
        Location {
            line: 1,
            column: 13
        }
    );
}
