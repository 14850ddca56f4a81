//! Compound commands.

use std::sync::Arc;

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Reserved};
use crate::ast::{Command, CompoundCommand, CompoundKind, If, IfBranch, List, Loop};

impl Grammar<'_> {
    /// A compound command with its redirections.
    #[inline(never)]
    pub(super) fn compound_command(&mut self) -> Result<Command> {
        Ok(Command::Compound(self.nested(Self::compound)?))
    }

    #[inline(never)]
    pub(super) fn compound(&mut self) -> Result<Arc<CompoundCommand>> {
        self.charge(size_of::<CompoundCommand>() + 64)?;
        let start = self.token_line();
        let kind = self.compound_kind()?;
        let line = match &kind {
            CompoundKind::For(_)
            | CompoundKind::ArithmeticFor(_)
            | CompoundKind::Select(_)
            | CompoundKind::Case(_) => start,
            _ => self.token_line(),
        };
        let redirects = self.redirects()?.into();
        Ok(Arc::new(CompoundCommand {
            kind,
            redirects,
            line,
        }))
    }

    fn compound_kind(&mut self) -> Result<CompoundKind> {
        if self.peek(Mode::Command)?.is(Operator::Open) {
            return self.parenthesis();
        }
        let reserved = self.peek_reserved()?;
        if !reserved.is_some_and(Reserved::opens) {
            return Err(self.unexpected());
        }
        self.advance();
        match reserved {
            Some(Reserved::If) => self.if_(),
            Some(Reserved::While) => Ok(CompoundKind::While(self.loop_()?)),
            Some(Reserved::Until) => Ok(CompoundKind::Until(self.loop_()?)),
            Some(Reserved::For) => self.for_(),
            Some(Reserved::Select) => self.select(),
            Some(Reserved::Case) => self.case(),
            Some(Reserved::OpenCondition) => self.condition(),
            _ => {
                let list = self.compound_list()?;
                self.expect_reserved(Reserved::CloseBrace)?;
                Ok(CompoundKind::Group(list))
            }
        }
    }

    /// `((` or `(`.
    #[inline(never)]
    fn parenthesis(&mut self) -> Result<CompoundKind> {
        let line = self.token_line();
        self.advance();
        if self.input.peek() == Some(b'(')
            && let Some(expression) = self.double_parenthesis(line)?
        {
            self.mark_token(self.input.line(), self.input.position());
            return Ok(CompoundKind::Arithmetic(expression));
        }
        self.subshell()
    }

    /// After `(`.
    pub(super) fn subshell(&mut self) -> Result<CompoundKind> {
        let list = self.compound_list()?;
        self.expect_operator(Operator::Close)?;
        Ok(CompoundKind::Subshell(list))
    }

    #[inline(never)]
    fn if_(&mut self) -> Result<CompoundKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.compound_list()?;
            self.expect_reserved(Reserved::Then)?;
            let body = self.compound_list()?;
            self.charge(size_of::<IfBranch>())?;
            branches.push(IfBranch { condition, body });
            if !self.take_reserved(Reserved::Elif)? {
                break;
            }
        }
        let otherwise = if self.take_reserved(Reserved::Else)? {
            Some(self.compound_list()?)
        } else {
            None
        };
        self.expect_reserved(Reserved::Fi)?;
        Ok(CompoundKind::If(If {
            branches: branches.into(),
            otherwise,
        }))
    }

    #[inline(never)]
    fn loop_(&mut self) -> Result<Loop> {
        let condition = self.compound_list()?;
        let body = self.do_group()?;
        Ok(Loop { condition, body })
    }

    /// `do … done`
    pub(super) fn do_group(&mut self) -> Result<List> {
        self.expect_reserved(Reserved::Do)?;
        let list = self.compound_list()?;
        self.expect_reserved(Reserved::Done)?;
        Ok(list)
    }
}
