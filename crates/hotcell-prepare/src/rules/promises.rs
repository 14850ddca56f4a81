//! Promises of asynchronous tools, and of async functions, that are taken for results.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{CallResult, Origin, ProgramView};

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for call in &view.facts.async_calls {
        pace.spend(1)?;
        if let Some(consequence) = consequence(call.result) {
            not_awaited(
                view,
                found,
                call.name,
                call.offset,
                call.result,
                consequence,
            );
        }
    }
    if options.async_tools.is_empty() {
        return Ok(());
    }
    for used in &view.facts.results_used {
        pace.spend(1)?;
        let (name, callee) = (used.name, &used.callee);
        let Some(consequence) = consequence(used.how) else {
            continue;
        };
        if !options.async_tools.contains(callee) || used.how == CallResult::Discarded {
            continue;
        }
        let severity = Severity::Warning;
        found.add(severity, || {
            let what = match used.origin {
                Origin::Call | Origin::Element => "is a promise",
                Origin::List => "holds promises",
            };
            let message =
                format!("`{name}` {what}, because `{callee}` was not awaited: {consequence}");
            let fix = match used.origin {
                Origin::Call => format!("{name} = await {callee}(…)"),
                Origin::Element | Origin::List => {
                    format!("await Promise.all(…) of what `map` makes of the calls of `{callee}`")
                }
            };
            view.diagnostic(rule::FLOATING_PROMISE, severity, used.offset, message)
                .with_fix(fix)
        });
    }
    for call in &view.facts.calls {
        pace.spend(1)?;
        if !call.global || !options.async_tools.contains(&call.callee) {
            continue;
        }
        let Some(consequence) = consequence(call.result) else {
            continue;
        };
        not_awaited(
            view,
            found,
            &call.callee,
            call.offset,
            call.result,
            consequence,
        );
    }
    Ok(())
}

/// A call whose promise is taken for its result.
fn not_awaited(
    view: &ProgramView<'_>,
    found: &mut Findings,
    name: &str,
    offset: u32,
    result: CallResult<'_>,
    consequence: &str,
) {
    let severity = Severity::Warning;
    found.add(severity, || {
        let message = format!("`{name}` returns a promise that is not awaited: {consequence}");
        let fix = match result {
            CallResult::Member(_) => format!("(await {name}(…))"),
            _ => format!("await {name}(…)"),
        };
        view.diagnostic(rule::FLOATING_PROMISE, severity, offset, message)
            .with_fix(fix)
    });
}

/// What comes of taking a promise for the result; `None` if nothing does.
fn consequence(result: CallResult<'_>) -> Option<&'static str> {
    Some(match result {
        CallResult::Discarded => "the code goes on before it is done, and its errors are lost",
        CallResult::Used
        | CallResult::Awaited
        | CallResult::Completion
        | CallResult::Member("then" | "catch" | "finally") => return None,
        CallResult::Member(_) => "the property is read from the promise, not from the result",
        CallResult::Printed => "the text shows the promise, not the result",
        CallResult::Operand => "the operator takes the promise, not the result",
        CallResult::Parts => "the promise is taken apart, not the result",
    })
}
