//! Everything through the public API.

mod cache;
mod corpus;
mod dynamic;
mod extend;
mod fences;
mod hostile;
mod modules;
mod positions;
mod properties;
mod rules;
mod script;
mod typescript;

use hotcell_prepare::{
    Diagnostic, Location, PrepareOptions, PreparedProgram, prepare_program, validate_code,
};

/// Options with a few tools.
fn options() -> PrepareOptions {
    let mut options = PrepareOptions::default();
    options.tools.insert("search".into());
    options.async_tools.insert("read".into());
    options.globals.insert("question".into());
    options
}

fn prepare(code: &str) -> PreparedProgram {
    prepare_program(code, &options())
}

fn diagnose(code: &str) -> Vec<Diagnostic> {
    validate_code(code, &options())
}

/// The rules that code breaks, in order.
fn rules_of(code: &str) -> Vec<String> {
    diagnose(code)
        .into_iter()
        .map(|one| one.rule.into_owned())
        .collect()
}

/// A location as diagnostics have it.
#[expect(clippy::unnecessary_wraps, reason = "that is how it is compared")]
fn at(line: u32, column: u32) -> Option<Location> {
    Some(Location { line, column })
}

#[track_caller]
fn assert_clean(code: &str) {
    let found = diagnose(code);
    assert!(found.is_empty(), "{code}\n{found:#?}");
}

/// The only diagnostic of some code.
#[track_caller]
fn only(code: &str) -> Diagnostic {
    let mut found = diagnose(code);
    assert_eq!(found.len(), 1, "{code}\n{found:#?}");
    found.remove(0)
}
