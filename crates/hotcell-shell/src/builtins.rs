//! The commands that are part of the shell.
//!
//! Each is a file with a [`Builtin`] in it; [`ALL`] is the table. A builtin is given its fields, its own name first.

use bstr::BString;
use hotcell_process::Process;

use crate::{ast::Assignment, flow::Outcome, shell::Shell};

/// A command that is part of the shell.
pub(crate) struct Builtin {
    /// Its name.
    pub(crate) name: &'static str,
    /// What `help` and `usage:` say of its arguments.
    pub(crate) synopsis: &'static str,
    /// What it does, for `help`.
    pub(crate) help: &'static str,
    /// Whether POSIX calls it special.
    pub(crate) is_special: bool,
    /// What it does.
    pub(crate) run: Run,
}

/// The function of a [`Builtin`].
pub(crate) enum Run {
    /// For fields.
    Fields(fn(&mut Shell, &Process, &[BString]) -> Outcome),
    /// For fields and arrays: `declare` and its kin.
    Operands(fn(&mut Shell, &Process, &[Operand<'_>]) -> Outcome),
}

/// An argument of `declare` and its kin.
pub(crate) enum Operand<'a> {
    /// A field, which may be `name=value`.
    Field(BString),
    /// `name=(…)`, unexpanded.
    Array(&'a Assignment),
}

/// All builtins, sorted by name.
const ALL: &[&Builtin] = &[];

/// The builtin of this name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    let index = ALL.binary_search_by(|builtin| builtin.name.as_bytes().cmp(name));
    ALL.get(index.ok()?).copied()
}
