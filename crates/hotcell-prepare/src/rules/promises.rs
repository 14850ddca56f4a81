//! Promises of asynchronous tools that are taken for results.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{CallResult, ProgramView};

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    if options.async_tools.is_empty() {
        return Ok(());
    }
    for call in &view.facts.calls {
        pace.spend(1)?;
        if !call.global || !options.async_tools.contains(&call.callee) {
            continue;
        }
        let consequence = match call.result {
            CallResult::Discarded => "the code goes on before it is done, and its errors are lost",
            CallResult::Used
            | CallResult::Awaited
            | CallResult::Completion
            | CallResult::Member("then" | "catch" | "finally") => continue,
            CallResult::Member(_) => "the property is read from the promise, not from the result",
            CallResult::Printed => "the text shows the promise, not the result",
        };
        let severity = Severity::Warning;
        found.add(severity, || {
            let name = &call.callee;
            let message = format!("`{name}` returns a promise that is not awaited: {consequence}");
            let fix = match call.result {
                CallResult::Member(_) => format!("(await {name}(…))"),
                _ => format!("await {name}(…)"),
            };
            view.diagnostic(rule::FLOATING_PROMISE, severity, call.offset, message)
                .with_fix(fix)
        });
    }
    Ok(())
}
