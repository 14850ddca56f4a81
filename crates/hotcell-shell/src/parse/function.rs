//! Functions.

use std::sync::Arc;

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::simple::Simple;
use super::token::{Operator, Reserved, Token};
use crate::ast::{Command, CompoundCommand, FunctionDefinition, Word};

impl Grammar<'_> {
    /// At `function`.
    pub(super) fn function(&mut self) -> Result<Command> {
        self.advance();
        let name = self.expect_word()?;
        let line = self.token_line();
        let mut body = None;
        if self.peek(Mode::Command)?.is(Operator::Open) && self.input.peek() != Some(b'(') {
            self.advance();
            if !self.take_operator(Operator::Close)? {
                let kind = self.subshell()?;
                let line = self.token_line();
                let redirects = self.redirects()?.into();
                body = Some(CompoundCommand {
                    kind,
                    redirects,
                    line,
                });
            }
        }
        let body = match body {
            Some(body) => body,
            None => self.function_body()?,
        };
        Ok(definition(name, body, line))
    }

    /// After `name ()`.
    pub(super) fn named_function(&mut self, simple: Simple) -> Result<Command> {
        let Some((name, line)) = simple.into_name() else {
            return Err(self.unexpected());
        };
        let body = self.function_body()?;
        Ok(definition(name, body, line))
    }

    fn function_body(&mut self) -> Result<CompoundCommand> {
        self.charge(size_of::<FunctionDefinition>() + 32)?;
        self.skip_newlines()?;
        self.compound()
    }

    /// Whether a compound command comes next.
    pub(super) fn is_at_compound(&mut self) -> Result<bool> {
        let token = self.peek(Mode::Command)?;
        Ok(match token {
            Token::Operator(operator) => *operator == Operator::Open,
            _ => matches!(
                token.reserved(),
                Some(
                    Reserved::OpenBrace
                        | Reserved::If
                        | Reserved::While
                        | Reserved::Until
                        | Reserved::For
                        | Reserved::Select
                        | Reserved::Case
                        | Reserved::OpenCondition
                )
            ),
        })
    }
}

fn definition(name: Word, body: CompoundCommand, line: u32) -> Command {
    Command::Function(Arc::new(FunctionDefinition {
        name,
        body: Arc::new(body),
        line,
    }))
}
