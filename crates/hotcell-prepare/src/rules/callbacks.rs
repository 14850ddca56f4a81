//! Functions given to methods of arrays that do not do there what they look like.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::rule;
use crate::view::{CallbackFault, ProgramView};

pub(crate) fn check(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for callback in &view.facts.callbacks {
        pace.spend(1)?;
        let method = callback.method;
        let severity = Severity::Warning;
        found.add(severity, || {
            let (rule, message, fix) = match callback.fault {
                CallbackFault::NotAwaited => (
                    rule::FLOATING_PROMISE,
                    format!("`{method}` does not wait for an async function: the code goes on before it is done, and its errors are lost"),
                    "for (const item of items) { await … }, or await Promise.all(items.map(async (item) => …))",
                ),
                CallbackFault::AlwaysTrue => (
                    rule::FLOATING_PROMISE,
                    format!("an async function gives `{method}` a promise, which always counts as true"),
                    "await the values first: const values = await Promise.all(items.map(…)), then use them in a function that is not async",
                ),
                CallbackFault::NoValue => (
                    rule::CALLBACK_RETURNS_NOTHING,
                    format!("the function given to `{method}` returns nothing: what stands in its {{ }} are statements"),
                    "write `=> value`, `=> ({ … })` for an object, or `return value;`",
                ),
            };
            view.diagnostic(rule, severity, callback.offset, message)
                .with_fix(fix)
        });
    }
    Ok(())
}
