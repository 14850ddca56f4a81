//! Commands of words: assignments, a name, arguments, redirections.

use super::{Redirect, Subscript, Text, Word};

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// In front of the name. They change the shell if there is no name.
    pub assignments: Box<[Assignment]>,
    /// The name and its arguments; empty if there are only assignments or redirections.
    pub words: Box<[Argument]>,
    /// In order, wherever they stood.
    pub redirects: Box<[Redirect]>,
    /// See [`Command::line`](super::Command::line).
    pub line: u32,
}

/// A word of a simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A word.
    Word(Word),
    /// `name=value` after a command that takes such (`declare`, `typeset`, `local`, `export`, `readonly`, `alias`):
    /// expanded as an assignment, neither split nor matched against files.
    Assignment(Box<Assignment>),
}

/// `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: Text,
    /// Which element of it. [`Subscript::All`] and [`Subscript::Joined`] are for the interpreter to refuse.
    pub subscript: Option<Subscript>,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignmentValue,
}

/// The right side of an [`Assignment`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignmentValue {
    /// A word; empty for `name=`. Tildes are expanded at its start and after each unquoted `:`.
    Scalar(Word),
    /// `( … )`
    Array(Box<[ArrayElement]>),
}

/// An element of `name=( … )`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArrayElement {
    /// A word, which may expand to several elements.
    Word(Word),
    /// `[subscript]=value` or `[subscript]+=value`
    Keyed {
        /// What is between the brackets.
        subscript: Subscript,
        /// `+=`
        append: bool,
        /// What is assigned.
        value: Word,
    },
}

impl Argument {
    /// The word, if it is not an assignment.
    pub fn word(&self) -> Option<&Word> {
        match self {
            Self::Word(word) => Some(word),
            Self::Assignment(_) => None,
        }
    }
}
