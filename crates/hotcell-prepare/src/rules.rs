//! The built-in rules on code that parses.

mod builtins;
mod callbacks;
mod globals;
mod imports;
mod locales;
mod names;
mod options;
mod promises;
mod tools;

pub use builtins::{BUILTIN_GLOBALS, TIMER_GLOBALS};
pub use globals::{instead_of_global, is_foreign_global};
pub use names::RESERVED_PREFIX;

pub(crate) use builtins::is_builtin;
pub(crate) use imports::{export, is_allowed as import_is_allowed, static_import};
pub(crate) use names::reserved;
pub(crate) use options::check as check_options;

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::ProgramView;

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    unsupported(view, found, pace)?;
    imports::check(view, options, found, pace)?;
    names::check_reserved(view, found, pace)?;
    names::check_tools(view, options, found, pace)?;
    globals::check(view, options, found, pace)?;
    promises::check(view, options, found, pace)?;
    callbacks::check(view, found, pace)?;
    locales::check(view, found, pace)?;
    tools::check(view, options, found, pace)?;
    if !options.call_function {
        lone_function(view, found);
    }
    type_arguments(view, found, pace)?;
    for rule in &options.rules {
        pace.watch().check()?;
        rule.check(view).into_iter().for_each(|one| found.push(one));
    }
    Ok(())
}

/// Syntax that parses and that the engine does not have.
fn unsupported(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for &(offset, what) in &view.facts.unsupported {
        pace.spend(1)?;
        let severity = Severity::Error;
        found.add(severity, || {
            view.diagnostic(rule::SYNTAX_VALID, severity, offset, what)
        });
    }
    Ok(())
}

fn lone_function(view: &ProgramView<'_>, found: &mut Findings) {
    let lone = view.facts.lone_function;
    let Some(function) = lone.filter(|function| !function.is_declaration) else {
        return;
    };
    let message = "the code is a function that is never called: its body does not run";
    let call = if function.is_async {
        "await (…)();"
    } else {
        "(…)();"
    };
    found.push(
        view.diagnostic(rule::FUNCTION_NOT_CALLED, Severity::Warning, function.start, message).with_fix(
            format!("write the body at the top level (`await` and `return` work there), or call the function: `{call}`"),
        ),
    );
}

fn type_arguments(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for &offset in &view.facts.like_type_arguments {
        pace.spend(1)?;
        let message = "`f<T>(x)` means two comparisons here, because the code is valid JavaScript";
        let severity = Severity::Warning;
        found.add(severity, || {
            view.diagnostic(rule::AMBIGUOUS_TYPE_ARGUMENTS, severity, offset, message)
                .with_fix("remove the type arguments")
        });
    }
    Ok(())
}
