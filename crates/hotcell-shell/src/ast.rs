//! What a script means: the tree that the parser makes and the interpreter walks.
//!
//! A [`CompleteCommand`] is a [`List`] of [`AndOr`] lists of [`Pipeline`]s of [`Command`]s, which are made of [`Word`]s
//! and [`Redirect`]s.
//!
//! - The tree is made once and walked many times. A [`Command`] is behind an [`Arc`], and so are the items of a list: what
//!   outlives its command (a job, a function, a substitution) takes a clone, which copies nothing.
//! - [`Word::constant`] tells which words mean the same whatever the state of the shell, so that nothing is left to do for
//!   them at run time.
//! - Words keep every quote and brace that was written: [`crate::print`] makes the text of a function from the tree, as
//!   `declare -f` does.
//! - Nothing is nested but what the script nests: lists, pipelines, `&&` chains and `elif` chains are slices. So the
//!   depth of the tree, and of any recursion over it, is at most [`crate::parse::Options::max_depth`].

use std::sync::Arc;

mod compound;
mod condition;
mod parameter;
mod redirect;
mod simple;
mod word;

pub use compound::{
    ArithmeticFor, Case, CaseClause, CaseTerminator, CompoundCommand, CompoundKind, Coproc, For,
    FunctionDefinition, If, IfBranch, Loop, Weight,
};
pub use condition::{BinaryOperator, Condition};
pub use parameter::{
    CaseChange, Fallback, Parameter, ParameterExpansion, ParameterOperation, ReplaceScope, Special,
    Subscript,
};
pub use redirect::{HereDocument, Redirect, RedirectDescriptor, RedirectOperator, RedirectTarget};
pub use simple::{Argument, ArrayElement, Assignment, AssignmentValue, SimpleCommand};
pub use word::{Arithmetic, CommandSubstitution, Part, ProcessSubstitution, Word};

/// A piece of a script: bytes, not necessarily UTF-8, that are shared instead of copied.
pub type Text = Arc<[u8]>;

/// What the shell reads before it runs anything: the commands up to the end of a line that completes them, together with
/// the here-documents after that line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteCommand {
    /// The commands; empty for a line that holds none.
    pub list: List,
    /// What bash would warn of before it runs them (a here-document that the end of the file ended).
    pub warnings: Box<[crate::parse::Message]>,
    /// How many bytes the tree takes, roughly, for whoever has to account for them.
    pub memory: usize,
}

/// Commands one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// In the order in which they run.
    pub items: Arc<[ListItem]>,
}

/// An [`AndOr`] list and what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    /// What to run.
    pub command: AndOr,
    /// How it ends. Only [`Separator::Background`] makes a difference to its execution.
    pub separator: Separator,
}

/// What ends an item of a [`List`]. The last item of a list without any has [`Separator::Semicolon`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `;`
    Semicolon,
    /// A newline.
    Newline,
    /// `&`: it runs in the background.
    Background,
}

/// Pipelines joined by `&&` and `||`, which bind equally and to the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AndOr {
    /// What always runs.
    pub first: Pipeline,
    /// What runs depending on the status before it.
    pub rest: Box<[(AndOrOperator, Pipeline)]>,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AndOrOperator {
    /// `&&`: the next one runs if this one succeeds.
    And,
    /// `||`: the next one runs if this one fails.
    Or,
}

/// Commands joined by `|`.
///
/// `a |& b` is `a 2>&1 | b`: the redirection is appended to those of the command, as bash does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The first command. A lone `!` or `time` has a simple command without words.
    pub first: Command,
    /// The commands that it is piped through.
    pub rest: Box<[Command]>,
    /// An odd number of `!`: the status is inverted.
    pub negated: bool,
    /// Whether `time` reports on it.
    pub timed: Timed,
}

/// Whether and how a pipeline is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Timed {
    /// Not at all.
    #[default]
    No,
    /// `time`
    Yes,
    /// `time -p`: in POSIX's format.
    Posix,
}

/// A command. A clone is cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Words, assignments, redirections.
    Simple(Arc<SimpleCommand>),
    /// A loop, a group, a condition…
    Compound(Arc<CompoundCommand>),
    /// The definition of a function.
    Function(Arc<FunctionDefinition>),
    /// `coproc`
    Coproc(Arc<Coproc>),
}

impl Pipeline {
    /// The only command, if the pipeline is nothing but that: not piped, not negated, not timed.
    pub fn only(&self) -> Option<&Command> {
        let plain = self.rest.is_empty() && !self.negated && self.timed == Timed::No;
        plain.then_some(&self.first)
    }

    /// The commands, first to last.
    pub fn commands(&self) -> impl ExactSizeIterator<Item = &Command> + DoubleEndedIterator {
        Stages {
            first: Some(&self.first),
            rest: self.rest.iter(),
        }
    }
}

impl Command {
    /// The line that bash says the command is on, from 1: what `LINENO` is while it runs.
    ///
    /// bash notes it when it has read the token behind the first word, so a command whose first line is continued has the
    /// number of the second. Lines inside of `$(…)` are those of the script; bash counts from the line of the command
    /// around it.
    pub fn line(&self) -> u32 {
        match self {
            Self::Simple(command) => command.line,
            Self::Compound(command) => command.line,
            Self::Function(function) => function.line,
            Self::Coproc(coproc) => coproc.line,
        }
    }
}

impl List {
    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

struct Stages<'a> {
    first: Option<&'a Command>,
    rest: std::slice::Iter<'a, Command>,
}

impl<'a> Iterator for Stages<'a> {
    type Item = &'a Command;

    fn next(&mut self) -> Option<&'a Command> {
        self.first.take().or_else(|| self.rest.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = usize::from(self.first.is_some()) + self.rest.len();
        (length, Some(length))
    }
}

impl DoubleEndedIterator for Stages<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.rest.next_back().or_else(|| self.first.take())
    }
}

impl ExactSizeIterator for Stages<'_> {}
