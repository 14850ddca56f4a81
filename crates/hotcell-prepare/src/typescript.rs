//! From TypeScript to JavaScript.
//!
//! Syntax that only describes types is blanked out and everything else stays where it is ([`blank`]). What means
//! something at run time (enums, namespaces, parameter properties) is lowered by oxc's transformer, and a map leads back
//! ([`lower`]).

mod blank;
mod lower;
mod modules;
mod trivia;

use oxc_ast::ast::Program;

pub(crate) use blank::blank;
pub(crate) use lower::lower;
pub(crate) use modules::{ModuleStatement, module_statements};

/// Whether there is TypeScript in a tree that a parser for JavaScript made.
pub(crate) fn is_typed(program: &Program<'_>) -> bool {
    crate::collect::collect(program, None, crate::collect::Wanted::default()).typed
}
