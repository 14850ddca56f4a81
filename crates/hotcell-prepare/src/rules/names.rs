//! Names that code may not take.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::{Diagnostic, Severity};
use crate::findings::Findings;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{ProgramView, Role};

/// Names that begin so are the executor's own.
pub const RESERVED_PREFIX: &str = "__smol_";

/// Names reported at most: whoever has more of them will find the rest.
const MAX_REPORTED: usize = 10;

pub(crate) fn check_reserved(
    view: &ProgramView<'_>,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    let mut reported: Vec<&str> = Vec::new();
    for identifier in &view.facts.identifiers {
        pace.spend(1)?;
        let name = identifier.name;
        if reported.len() < MAX_REPORTED
            && name.starts_with(RESERVED_PREFIX)
            && !reported.contains(&name)
        {
            reported.push(name);
            found.push(reserved(name).with_location(view.locate(identifier.offset)));
        }
    }
    Ok(())
}

/// The diagnostic for a reserved name.
pub(crate) fn reserved(name: &str) -> Diagnostic {
    let message = format!("`{name}` is reserved: names must not start with `{RESERVED_PREFIX}`");
    Diagnostic::error(rule::RESERVED_IDENTIFIER, message).with_fix("use another name")
}

pub(crate) fn check_tools(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    let mut refuse = |name: &str, offset: u32, what: &str| {
        let severity = Severity::Error;
        found.add(severity, || {
            let message = format!("`{name}` is a tool, the code must not {what} it");
            let fix = if name == "final_answer" && what == "assign to" {
                format!("call it: `{name}(value)`")
            } else {
                format!("use another name, such as `{name}_result`")
            };
            view.diagnostic(rule::TOOL_SHADOWED, severity, offset, message)
                .with_fix(fix)
        });
    };
    for declaration in &view.facts.declarations {
        pace.spend(1)?;
        if options.is_fixed_tool(&declaration.name) {
            refuse(&declaration.name, declaration.offset, "declare");
        }
    }
    for identifier in &view.facts.identifiers {
        pace.spend(1)?;
        if let Role::Reference {
            global: true,
            write: true,
            ..
        } = identifier.role
            && options.is_fixed_tool(identifier.name)
        {
            refuse(identifier.name, identifier.offset, "assign to");
        }
    }
    Ok(())
}
