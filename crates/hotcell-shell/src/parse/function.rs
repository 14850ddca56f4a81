//! Functions.

use std::sync::Arc;

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::simple::Simple;
use super::token::{Operator, Reserved, Token};
use crate::ast::{Command, CompoundCommand, FunctionDefinition, Weight, Word};

impl Grammar<'_> {
    /// At `function`.
    #[inline(never)]
    pub(super) fn function(&mut self) -> Result<Command> {
        self.advance();
        let name = self.expect_word()?;
        let line = self.token_line();
        let before = self.memory();
        let body = match self.take_parenthesis_after_name()? {
            Some(body) => body,
            None => self.function_body()?,
        };
        Ok(definition(name, body, line, self.memory() - before))
    }

    /// After `function name`: `()`, or the subshell that is the body.
    #[inline(never)]
    fn take_parenthesis_after_name(&mut self) -> Result<Option<Arc<CompoundCommand>>> {
        if !self.peek(Mode::Command)?.is(Operator::Open) || self.input.peek() == Some(b'(') {
            return Ok(None);
        }
        self.advance();
        if self.take_operator(Operator::Close)? {
            return Ok(None);
        }
        let kind = self.subshell()?;
        let line = self.token_line();
        let redirects = self.redirects()?.into();
        Ok(Some(Arc::new(CompoundCommand {
            kind,
            redirects,
            line,
        })))
    }

    /// After `name ()`.
    #[inline(never)]
    pub(super) fn named_function(&mut self, simple: Simple) -> Result<Command> {
        let Some((name, line)) = simple.into_name() else {
            return Err(self.unexpected());
        };
        let before = self.memory();
        let body = self.function_body()?;
        Ok(definition(name, body, line, self.memory() - before))
    }

    fn function_body(&mut self) -> Result<Arc<CompoundCommand>> {
        self.charge(size_of::<FunctionDefinition>() + 32)?;
        self.skip_newlines()?;
        self.nested(Self::compound)
    }

    /// Whether a compound command comes next.
    pub(super) fn is_at_compound(&mut self) -> Result<bool> {
        let token = self.peek(Mode::Command)?;
        Ok(match token {
            Token::Operator(operator) => *operator == Operator::Open,
            _ => token.reserved().is_some_and(Reserved::opens),
        })
    }
}

fn definition(name: Word, body: Arc<CompoundCommand>, line: u32, bytes: usize) -> Command {
    Command::Function(Arc::new(FunctionDefinition {
        name,
        body,
        line,
        weight: Weight(bytes),
    }))
}
