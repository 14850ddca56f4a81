//! What is wrong with a script, in bash's own words.

use std::fmt;

use hotcell_meter::Stopped;

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
    /// What bash prints before that (about here-documents in front of what is wrong).
    pub warnings: Box<[Message]>,
}

/// The kinds of [`SyntaxError`] that a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No text that follows could make it right.
    Invalid,
    /// The script ended in the middle of a command: an interactive shell asks for the next line.
    Incomplete,
    /// Something is wrong between the parentheses of `name=(…)`: bash goes on with the next line, the status is 1.
    Assignment,
    /// Commands, words or expressions are nested more deeply than the parser allows.
    TooDeep,
    /// The tree would take more memory than the parser allows.
    TooLarge,
    /// The run that the script belongs to has to end.
    Stopped(Stopped),
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

impl Message {
    pub(super) fn new(line: u32, text: &str) -> Self {
        Self {
            line,
            text: text.as_bytes().into(),
        }
    }

    /// Quotes bytes of the script: ``{before}`{quoted}'{after}``.
    pub(super) fn quoting(line: u32, before: &str, quoted: &[u8], after: &str) -> Self {
        let text = [before.as_bytes(), b"`", quoted, b"'", after.as_bytes()].concat();
        Self {
            line,
            text: text.into(),
        }
    }
}

impl SyntaxError {
    /// Whether more text could make it right, so that an interactive shell should ask for another line.
    pub fn is_incomplete(&self) -> bool {
        self.kind == ErrorKind::Incomplete
    }

    /// Whether the text is what is wrong, and not that it takes too much.
    pub(super) fn is_about_the_text(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Invalid | ErrorKind::Incomplete | ErrorKind::Assignment
        )
    }

    pub(super) fn new(kind: ErrorKind, messages: impl Into<Box<[Message]>>) -> Self {
        Self {
            kind,
            messages: messages.into(),
            warnings: [].into(),
        }
    }

    pub(super) fn unexpected_token(line: u32, token: &[u8], source_line: &[u8]) -> Self {
        let what = Message::quoting(line, "syntax error near unexpected token ", token, "");
        Self::new(
            ErrorKind::Invalid,
            [what, Message::quoting(line, "", source_line, "")],
        )
    }

    pub(super) fn unexpected_end(line: u32) -> Self {
        let text = "syntax error: unexpected end of file";
        Self::new(ErrorKind::Incomplete, [Message::new(line, text)])
    }

    pub(super) fn unmatched(line: u32, delimiter: u8) -> Self {
        let text = "unexpected EOF while looking for matching ";
        Self::new(
            ErrorKind::Incomplete,
            [Message::quoting(line, text, &[delimiter], "")],
        )
    }

    pub(super) fn too_deep(line: u32, limit: u32) -> Self {
        let text = format!(
            "syntax error: nested too deeply: commands and expansions may be nested {limit} levels deep"
        );
        Self::new(ErrorKind::TooDeep, [Message::new(line, &text)])
    }

    pub(super) fn too_large(line: u32, limit: usize) -> Self {
        let text =
            format!("syntax error: command too large: parsing it takes more than {limit} bytes");
        Self::new(ErrorKind::TooLarge, [Message::new(line, &text)])
    }

    pub(super) fn stopped(line: u32, stopped: Stopped) -> Self {
        let text = format!("parsing was stopped: {stopped}");
        Self::new(ErrorKind::Stopped(stopped), [Message::new(line, &text)])
    }

    /// Braces in arithmetic expressions are not looked at before the expression has ended.
    pub(super) fn unless_braces(self, line: u32, delimiter: u8) -> Self {
        let line_of_brace = self.messages.first().map_or(0, |message| message.line);
        if self == Self::unmatched(line_of_brace, b'}') {
            return Self::unmatched(line, delimiter);
        }
        self
    }

    /// The same error with one more message.
    pub(super) fn and(self, message: Message) -> Self {
        let mut messages = self.messages.into_vec();
        messages.push(message);
        Self::new(self.kind, messages)
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
