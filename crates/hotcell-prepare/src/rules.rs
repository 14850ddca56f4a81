//! The built-in rules on code that parses.

mod globals;
mod imports;
mod names;
mod options;
mod promises;

pub use globals::is_foreign_global;

pub(crate) use imports::{export, is_allowed as import_is_allowed, static_import};
pub(crate) use names::{RESERVED_PREFIX, reserved};
pub(crate) use options::check as check_options;

use crate::diagnostic::{Diagnostic, Severity};
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::ProgramView;

pub(crate) fn check(view: &ProgramView<'_>, options: &PrepareOptions) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    unsupported(view, &mut found);
    imports::check(view, options, &mut found);
    names::check_reserved(view, &mut found);
    names::check_tools(view, options, &mut found);
    globals::check(view, options, &mut found);
    promises::check(view, options, &mut found);
    lone_function(view, &mut found);
    type_arguments(view, &mut found);
    for rule in &options.rules {
        found.extend(rule.check(view));
    }
    found
}

/// Syntax that parses and that the engine does not have.
fn unsupported(view: &ProgramView<'_>, found: &mut Vec<Diagnostic>) {
    for &(offset, what) in &view.facts.unsupported {
        found.push(view.diagnostic(rule::SYNTAX_VALID, Severity::Error, offset, what));
    }
}

fn lone_function(view: &ProgramView<'_>, found: &mut Vec<Diagnostic>) {
    let Some((offset, is_async)) = view.facts.lone_function else {
        return;
    };
    let message = "the code is a function that is never called: its body does not run";
    let call = if is_async {
        "await (…)();"
    } else {
        "(…)();"
    };
    found.push(
        view.diagnostic(rule::FUNCTION_NOT_CALLED, Severity::Warning, offset, message).with_fix(
            format!("write the body at the top level (`await` and `return` work there), or call the function: `{call}`"),
        ),
    );
}

fn type_arguments(view: &ProgramView<'_>, found: &mut Vec<Diagnostic>) {
    for &offset in &view.facts.like_type_arguments {
        let message = "`f<T>(x)` means two comparisons here, because the code is valid JavaScript";
        found.push(
            view.diagnostic(
                rule::AMBIGUOUS_TYPE_ARGUMENTS,
                Severity::Warning,
                offset,
                message,
            )
            .with_fix("remove the type arguments"),
        );
    }
}
