//! Calls of tools that cannot be what they take, and tools that there are not.

use hotcell_meter::{Pace, Stopped};

use crate::diagnostic::Severity;
use crate::findings::Findings;
use crate::nearest::nearest_name;
use crate::options::PrepareOptions;
use crate::rule;
use crate::view::ProgramView;

pub(crate) fn check(
    view: &ProgramView<'_>,
    options: &PrepareOptions,
    found: &mut Findings,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    let severity = Severity::Warning;
    for call in view.facts.calls.iter().filter(|call| call.global) {
        pace.spend(1)?;
        let tool = &*call.callee;
        if let Some(signature) = options.signatures.get(tool) {
            let problems = signature.problems(&call.arguments);
            if !problems.is_empty() {
                found.add(severity, || {
                    let problems = problems.join("; ");
                    let message = format!("wrong arguments for `{tool}`: {problems}");
                    view.diagnostic(rule::TOOL_ARGUMENTS, severity, call.offset, message)
                        .with_fix(format!("call it as {}", signature.form(tool)))
                });
            }
        } else if is_missing(tool, options) {
            pace.spend(options.tools.len())?;
            found.add(severity, || {
                let nearest = nearest_name(tool, options.tools.iter().map(String::as_str));
                let fix = match nearest {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("the tools there are: {}", members(tool, options)),
                };
                let message = format!("there is no tool `{tool}`");
                view.diagnostic(rule::UNKNOWN_NAME, severity, call.offset, message)
                    .with_fix(fix)
            });
        }
    }
    Ok(())
}

/// Whether this is a path into a namespace of tools that leads nowhere.
fn is_missing(path: &str, options: &PrepareOptions) -> bool {
    let Some((root, _)) = path.split_once('.') else {
        return false;
    };
    let inside = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    // The names in a set are sorted: those in a namespace stand together.
    let mut members = options
        .tools
        .range(format!("{root}.")..)
        .take_while(|tool| inside(root, tool))
        .peekable();
    // A method of a tool (`Host.readDoc.call()`) is not the namespace's matter.
    members.peek().is_some() && !members.any(|tool| inside(tool, path) || inside(path, tool))
}

fn members(path: &str, options: &PrepareOptions) -> String {
    const SHOWN: usize = 20;
    let root = path.split('.').next().unwrap_or_default();
    let prefix = format!("{root}.");
    let members = options
        .tools
        .iter()
        .filter(|tool| tool.starts_with(&prefix));
    let members: Vec<&str> = members.take(SHOWN).map(String::as_str).collect();
    members.join(", ")
}
