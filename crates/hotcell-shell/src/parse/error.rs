//! What is wrong with a script, in bash's own words.

use std::fmt;

use crate::ast::Text;

/// A script that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", Lines(.messages))]
pub struct SyntaxError {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// What bash prints, in order: each message is a line of its own, which the shell begins with its name
    /// (`bash: line 3: `).
    pub messages: Box<[Message]>,
}

/// The kinds of [`SyntaxError`] that a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No text that follows could make it right.
    Invalid,
    /// The script ended in the middle of a command: an interactive shell asks for the next line.
    Incomplete,
    /// Commands, words or expressions are nested more deeply than the parser allows.
    TooDeep,
}

/// One line of what bash says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The line of the script that the message is about, from 1.
    pub line: u32,
    /// The message, without the name of the shell, the line and the newline: ``syntax error near unexpected token `fi'``.
    /// Bytes, because it may quote the script.
    pub text: Text,
}

impl SyntaxError {
    /// Whether more text could make it right, so that an interactive shell should ask for another line.
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }
}

struct Lines<'a>(&'a [Message]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, message) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            let text = String::from_utf8_lossy(&message.text);
            write!(f, "{separator}line {}: {text}", message.line)?;
        }
        Ok(())
    }
}
