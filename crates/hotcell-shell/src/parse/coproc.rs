//! `coproc`

use std::sync::Arc;

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::simple::Simple;
use super::token::{Reserved, Token};
use crate::ast::{Command, Coproc, Text};
use crate::print;

impl Grammar<'_> {
    /// At `coproc`.
    #[inline(never)]
    pub(super) fn coproc(&mut self) -> Result<Command> {
        self.charge(size_of::<Coproc>() + 64)?;
        let line = self.token_line();
        self.advance();
        let mut name = Text::from(&b"COPROC"[..]);
        let command = if self.is_at_compound()? {
            self.compound_command()?
        } else if matches!(self.peek(Mode::Command)?, Token::Word(_)) {
            if !matches!(self.peek_reserved()?, None | Some(Reserved::Time)) {
                return Err(self.unexpected());
            }
            let Token::Word(word) = self.advance() else {
                return Err(self.unexpected());
            };
            // A word in front of a compound command is the name.
            let mut simple = Simple::default();
            if self.is_at_compound()? {
                name = print::word_text(&word).into();
                self.compound_command()?
            } else if self
                .peek_reserved()?
                .is_some_and(|_| !self.may_begin_command())
            {
                return Err(self.unexpected());
            } else {
                self.push_word(&mut simple, word)?;
                self.simple_command(simple)?
            }
        } else {
            self.simple_command_or_error()?
        };
        Ok(Command::Coproc(Arc::new(Coproc {
            name,
            command,
            line,
        })))
    }

    fn simple_command_or_error(&mut self) -> Result<Command> {
        match self.peek(Mode::Command)? {
            Token::Assignment(_)
            | Token::Descriptor(_)
            | Token::Redirect(_)
            | Token::HereDocument { .. } => self.simple_command(Simple::default()),
            _ => Err(self.unexpected()),
        }
    }
}
