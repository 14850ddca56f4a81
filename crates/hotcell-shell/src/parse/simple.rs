//! Simple commands, and which kind of command comes next.

use std::sync::Arc;

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Reserved, Token};
use crate::ast::{Argument, Assignment, Command, Redirect, SimpleCommand, Word};

/// A simple command in the making.
#[derive(Default)]
pub(super) struct Simple {
    assignments: Vec<Assignment>,
    words: Vec<Argument>,
    redirects: Vec<Redirect>,
    line: Option<u32>,
    /// What is expected next; `None` before the name of the command.
    mode: Option<Mode>,
}

impl Grammar<'_> {
    /// A command; `first` if nothing is piped into it.
    pub(super) fn command(&mut self, first: bool) -> Result<Command> {
        let reserved = self.peek_reserved()?;
        match reserved {
            None => {}
            Some(Reserved::Time) if !first => {}
            Some(Reserved::Function) => return self.nested(Self::function),
            Some(Reserved::Coproc) => return self.nested(Self::coproc),
            Some(_) => return self.compound_command(),
        }
        match self.peek(Mode::Command)? {
            Token::Word(_)
            | Token::Assignment(_)
            | Token::Descriptor(_)
            | Token::Redirect(_)
            | Token::HereDocument { .. } => self.simple_command(Simple::default()),
            Token::Operator(Operator::Open) => self.compound_command(),
            _ => Err(self.unexpected()),
        }
    }

    /// A simple command, or a function if its name is followed by parentheses.
    #[inline(never)]
    pub(super) fn simple_command(&mut self, mut simple: Simple) -> Result<Command> {
        loop {
            let mode = simple.mode.unwrap_or(Mode::Command);
            match self.peek(mode)? {
                Token::Word(_) => {
                    let Token::Word(word) = self.advance() else {
                        break;
                    };
                    let is_first = simple.is_empty();
                    self.push_word(&mut simple, word)?;
                    if is_first && self.take_function_parentheses(&simple)? {
                        return self.nested(|grammar| grammar.named_function(simple));
                    }
                }
                Token::Assignment(_) => {
                    let Token::Assignment(assignment) = self.advance() else {
                        break;
                    };
                    self.charge(size_of::<Assignment>())?;
                    let line = self.token_line();
                    simple.line.get_or_insert(line);
                    if simple.mode.is_none() {
                        simple.assignments.push(*assignment);
                    } else {
                        simple.words.push(Argument::Assignment(assignment));
                    }
                }
                Token::Descriptor(_) | Token::Redirect(_) | Token::HereDocument { .. } => {
                    let redirect = self.redirect()?;
                    let line = self.token_line();
                    simple.line.get_or_insert(line);
                    simple.redirects.push(redirect);
                }
                _ => break,
            }
        }
        self.charge(size_of::<SimpleCommand>() + 64)?;
        Ok(simple.finish(self.token_line()))
    }

    #[inline(never)]
    pub(super) fn push_word(&mut self, simple: &mut Simple, word: Word) -> Result<()> {
        self.charge(size_of::<Argument>())?;
        if simple.mode.is_none() {
            simple.mode = self.mode_after(&word);
        }
        simple.words.push(Argument::Word(word));
        // bash looks at what follows the first word before it notes the line.
        if simple.line.is_none() {
            self.peek(simple.mode.unwrap_or(Mode::Command))?;
            simple.line = Some(self.token_line());
        }
        Ok(())
    }

    /// How the arguments of a command are read. `None` if the next word is the one that counts.
    fn mode_after(&self, name: &Word) -> Option<Mode> {
        Some(match name.literal().map_or(&[][..], |name| &**name) {
            b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"alias" => {
                Mode::Declaration
            }
            b"eval" | b"let" => Mode::AssignmentText,
            b"command" if self.options.posix => return None,
            _ => Mode::Argument,
        })
    }

    /// After the first word: `()`.
    fn take_function_parentheses(&mut self, simple: &Simple) -> Result<bool> {
        if !self
            .peek(simple.mode.unwrap_or(Mode::Command))?
            .is(Operator::Open)
        {
            return Ok(false);
        }
        self.advance();
        self.expect_operator(Operator::Close)?;
        Ok(true)
    }
}

impl Simple {
    fn is_empty(&self) -> bool {
        self.assignments.is_empty() && self.words.is_empty() && self.redirects.is_empty()
    }

    /// The first word, and the line that it is on.
    pub(super) fn into_name(self) -> Option<(Word, u32)> {
        match self.words.into_iter().next()? {
            Argument::Word(word) => Some((word, self.line.unwrap_or(1))),
            Argument::Assignment(_) => None,
        }
    }

    fn finish(self, line: u32) -> Command {
        Command::Simple(Arc::new(SimpleCommand {
            assignments: self.assignments.into(),
            words: self.words.into(),
            redirects: self.redirects.into(),
            line: self.line.unwrap_or(line),
        }))
    }
}
