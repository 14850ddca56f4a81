//! Code that a script cannot have, as code that it can.
//!
//! An `import` declaration of a module that is there becomes an `await import()`: it runs before everything else, as the
//! declaration would. Code that is nothing but a function is called, if the host wants it so.

use crate::options::PrepareOptions;
use crate::splice::Splice;
use crate::view::{Facts, ImportKind};

/// What has to be put in the place of what, in the order of the code.
pub(crate) fn rewrites(facts: &Facts<'_>, options: &PrepareOptions) -> Vec<Splice> {
    let mut splices = imports(facts);
    if options.call_function
        && let Some(function) = facts.lone_function
    {
        let before = if function.is_async { "await (" } else { "(" };
        splices.push(Splice::insert(function.start as usize, before));
        splices.push(Splice::insert(function.end as usize, ")()"));
    }
    splices
}

fn imports(facts: &Facts<'_>) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut late = String::new();
    let first = facts.first_statement.unwrap_or(u32::MAX);
    for import in &facts.imports {
        let ImportKind::Static { instead, .. } = &import.kind else {
            continue;
        };
        let is_late = import.offset > first;
        if is_late {
            late.push_str(instead);
            late.push(' ');
        }
        splices.push(Splice {
            start: import.offset as usize,
            end: import.end as usize,
            text: if is_late {
                String::new()
            } else {
                instead.clone()
            },
        });
    }
    if !late.is_empty() {
        let at = splices.partition_point(|one| one.start < first as usize);
        splices.insert(at, Splice::insert(first as usize, late));
    }
    splices
}
