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

/// The variables of a shell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables;
