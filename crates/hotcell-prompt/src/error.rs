//! Why a prompt or a declaration could not be made.

use crate::names::NameKind;

/// Why a prompt or a declaration could not be made. Always a mistake of the host, never of the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// Code could not call the thing by this name.
    #[error("{kind} name {name:?} is not a JavaScript identifier; use for example {suggestion:?}")]
    InvalidName {
        /// What was to be named.
        kind: NameKind,
        /// The name as given.
        name: String,
        /// The nearest name that would do.
        suggestion: String,
    },
    /// The name is taken by the language or the runtime.
    #[error("{kind} name {name:?} cannot be used: {reason}")]
    ReservedName {
        /// What was to be named.
        kind: NameKind,
        /// The name as given.
        name: String,
        /// Who has it.
        reason: &'static str,
    },
    /// Two things in one prompt have one name; code could reach only one of them.
    #[error("the name {name:?} is given to more than one tool or variable")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name in `authorized_imports` is empty.
    #[error(
        "authorized import number {position} is an empty string; every import needs a module name"
    )]
    EmptyImport {
        /// Place in the list, from 1.
        position: usize,
    },
    /// A code tag is empty, so that no block could be told from the text around it.
    #[error("the {which} code tag is empty; use for example `<code>` and `</code>`")]
    EmptyTag {
        /// `opening` or `closing`.
        which: &'static str,
    },
    /// The template asks for a value that a prompt does not have.
    #[error("unknown placeholder {name:?} in the template; the known ones are {}", .known.join(", "))]
    UnknownPlaceholder {
        /// The placeholder as written.
        name: String,
        /// Every placeholder there is.
        known: &'static [&'static str],
    },
    /// The template is not valid Handlebars.
    #[error("the template is not valid{}: {message}", position(*.line, *.column))]
    TemplateSyntax {
        /// What is wrong.
        message: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// Column in the template, from 1.
        column: Option<usize>,
    },
    /// The template is valid but cannot be filled in.
    #[error("the template cannot be rendered{}: {message}", position(*.line, *.column))]
    Render {
        /// What is wrong.
        message: String,
        /// Line in the template, from 1.
        line: Option<usize>,
        /// Column in the template, from 1.
        column: Option<usize>,
    },
}

fn position(line: Option<usize>, column: Option<usize>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        (Some(line), None) => format!(" (line {line})"),
        _ => String::new(),
    }
}
