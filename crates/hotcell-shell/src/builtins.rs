//! The commands that are part of the shell.
//!
//! Each is a [`Builtin`] in a file here; [`ALL`] is the table. To add one, write the file and put it into the table, where
//! the order of names counts.

mod alias;
pub(crate) mod arguments;
mod break_;
mod builtin;
mod caller;
mod cd;
mod complete;
mod declare;
mod directories;
mod echo;
mod eval;
mod exec;
mod exit;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod kill;
mod let_;
mod mapfile;
mod printf;
mod read;
mod return_;
mod set;
mod shift;
mod simple;
mod source;
mod test;
mod times;
mod trap;
mod type_;
mod umask;
mod unset;
mod wait;

use bstr::BString;
use hotcell_process::Process;

pub(crate) use set::{list_set_options, list_shopt_options};

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
    /// For fields, of which the first is its own name.
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

/// Takes the options of a builtin off its fields, or returns from it with the status of a wrong one.
macro_rules! parse {
    ($builtin:expr, $shell:expr, $process:expr, $fields:expr, $letters:expr) => {
        match $builtin.parse($shell, $process, $fields, $letters) {
            Ok(parsed) => parsed,
            Err(status) => return Ok(status),
        }
    };
}
use parse;

/// All builtins, sorted by name.
const ALL: &[&Builtin] = &[
    &source::DOT,
    &simple::COLON,
    &test::BRACKET,
    &alias::ALIAS,
    &jobs::BG,
    &history::BIND,
    &break_::BREAK,
    &builtin::BUILTIN,
    &caller::CALLER,
    &cd::CD,
    &type_::COMMAND,
    &complete::COMPGEN,
    &complete::COMPLETE,
    &complete::COMPOPT,
    &break_::CONTINUE,
    &declare::DECLARE,
    &directories::DIRS,
    &jobs::DISOWN,
    &echo::ECHO,
    &builtin::ENABLE,
    &eval::EVAL,
    &exec::EXEC,
    &exit::EXIT,
    &declare::EXPORT,
    &simple::FALSE,
    &history::FC,
    &jobs::FG,
    &getopts::GETOPTS,
    &hash::HASH,
    &help::HELP,
    &history::HISTORY,
    &jobs::JOBS,
    &kill::KILL,
    &let_::LET,
    &declare::LOCAL,
    &exit::LOGOUT,
    &mapfile::MAPFILE,
    &directories::POPD,
    &printf::PRINTF,
    &directories::PUSHD,
    &cd::PWD,
    &read::READ,
    &mapfile::READARRAY,
    &declare::READONLY,
    &return_::RETURN,
    &set::SET,
    &shift::SHIFT,
    &set::SHOPT,
    &source::SOURCE,
    &jobs::SUSPEND,
    &test::TEST,
    &times::TIMES,
    &trap::TRAP,
    &simple::TRUE,
    &type_::TYPE,
    &declare::TYPESET,
    &times::ULIMIT,
    &umask::UMASK,
    &alias::UNALIAS,
    &unset::UNSET,
    &wait::WAIT,
];

/// The builtin of this name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    let index = ALL.binary_search_by(|builtin| builtin.name.as_bytes().cmp(name));
    ALL.get(index.ok()?).copied()
}
