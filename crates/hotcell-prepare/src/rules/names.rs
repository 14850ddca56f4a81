//! Names that code may not take.

use crate::diagnostic::{Diagnostic, Severity};
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::{ProgramView, Role};

/// The prefix of the executor's own names.
pub(crate) const RESERVED_PREFIX: &str = "__smol_";

pub(crate) fn check_reserved(view: &ProgramView<'_>, found: &mut Vec<Diagnostic>) {
    let mut reported: Vec<&str> = Vec::new();
    for identifier in &view.facts.identifiers {
        let name = identifier.name;
        if name.starts_with(RESERVED_PREFIX) && !reported.contains(&name) {
            reported.push(name);
            let message = format!("`{name}` is reserved: names must not start with `__smol_`");
            found.push(
                view.diagnostic(
                    rule::RESERVED_IDENTIFIER,
                    Severity::Error,
                    identifier.offset,
                    message,
                )
                .with_fix("use another name"),
            );
        }
    }
}

pub(crate) fn check_tools(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Vec<Diagnostic>,
) {
    let mut refuse = |name: &str, offset: u32, what: &str| {
        let message = format!("`{name}` is a tool, the code must not {what} it");
        found.push(
            view.diagnostic(rule::TOOL_SHADOWED, Severity::Error, offset, message)
                .with_fix(format!("use another name, such as `{name}_result`")),
        );
    };
    for declaration in &view.facts.declarations {
        if options.is_tool(&declaration.name) {
            refuse(&declaration.name, declaration.offset, "declare");
        }
    }
    for identifier in &view.facts.identifiers {
        if let Role::Reference { global: true, write: true, .. } = identifier.role
            && options.is_tool(identifier.name)
        {
            refuse(identifier.name, identifier.offset, "assign to");
        }
    }
}
