//! Promises of asynchronous tools that are taken for results.

use crate::diagnostic::{Diagnostic, Severity};
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{CallResult, ProgramView};

pub(crate) fn check(view: &ProgramView<'_>, options: &PrepareOptions, found: &mut Vec<Diagnostic>) {
    if options.async_tools.is_empty() {
        return;
    }
    for call in &view.facts.calls {
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
        let name = &call.callee;
        let message = format!("`{name}` returns a promise that is not awaited: {consequence}");
        let fix = match call.result {
            CallResult::Member(_) => format!("(await {name}(…))"),
            _ => format!("await {name}(…)"),
        };
        found.push(
            view.diagnostic(
                rule::FLOATING_PROMISE,
                Severity::Warning,
                call.offset,
                message,
            )
            .with_fix(fix),
        );
    }
}
