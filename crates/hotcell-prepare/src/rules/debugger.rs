//! `debugger` statements.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::rule;
use crate::view::ProgramView;

pub(crate) fn check(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    for &offset in &view.facts.debuggers {
        pace.spend(1)?;
        let severity = Severity::Warning;
        found.add(severity, || {
            let message = "there is no debugger: nothing stops at this statement";
            view.diagnostic(rule::DEBUGGER_STATEMENT, severity, offset, message)
                .with_fix("remove it, and print what you want to see")
        });
    }
    Ok(())
}
