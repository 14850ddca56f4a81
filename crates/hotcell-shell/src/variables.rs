//! Variables with attributes and scopes. (A place for them: they come with the expansions.)
//!
//! What execution and builtins need of them:
//!
//! - `Variables::default()`: cheap; `Clone` is cheap too (shared until changed).
//! - `push_scope(kind)` / `pop_scope()`: `Scope::Function` for a call, whose `local`s go there; `Scope::Temporary` for
//!   `x=1 builtin`. Assignments in front of a command are made with `Shell::assign(…, Target::Temporary)`, which puts
//!   exported variables into the topmost scope (for a function that is the scope of the call itself).
//! - `get(name) -> Option<&Variable>`: the visible one, namerefs followed or not (`get_reference`), with
//!   `value: Value { Unset, Scalar, Indexed, Associative }` and attributes
//!   (`-a -A -i -l -u -c -n -r -t -x`, local or not); `iter()` over all visible ones in order of names.
//! - `declare(name, scope, attributes to add and to remove)` for `declare`/`local`/`export`/`readonly`; `unset(name)`.
//! - `declaration(name, &Variable) -> BString`: the line of `declare -p`.
//! - `environment() -> Arc<Environment>`: what is exported, kept until something exported changes.

use std::sync::Arc;

use hotcell_process::Environment;

/// The variables of a shell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables;

/// What a scope is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A call of a function.
    Function,
    /// The assignments in front of a command.
    Temporary,
}

impl Variables {
    /// Begins a scope.
    pub(crate) fn push_scope(&mut self, scope: Scope) {
        let _ = scope;
    }

    /// Ends the innermost scope.
    pub(crate) fn pop_scope(&mut self) {}

    /// Whether there is a variable of this name that is not dynamic: quick.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        let _ = name;
        false
    }

    /// What is exported.
    pub(crate) fn environment(&mut self) -> Arc<Environment> {
        Arc::default()
    }
}
