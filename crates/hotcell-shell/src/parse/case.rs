//! `case`

use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Reserved, Token};
use crate::ast::{Case, CaseClause, CaseTerminator, CompoundKind, List, Word};

impl Grammar<'_> {
    /// After `case`.
    #[inline(never)]
    pub(super) fn case(&mut self) -> Result<CompoundKind> {
        let word = self.expect_word()?;
        self.skip_newlines()?;
        self.expect_reserved(Reserved::In)?;
        let mut clauses = Vec::new();
        loop {
            self.skip_newlines_before_pattern()?;
            if self.peek(Mode::CasePattern)?.reserved() == Some(Reserved::Esac) {
                break;
            }
            self.charge(size_of::<CaseClause>())?;
            let (clause, is_last) = self.clause()?;
            clauses.push(clause);
            if is_last {
                break;
            }
        }
        self.expect_reserved(Reserved::Esac)?;
        Ok(CompoundKind::Case(Case {
            word,
            clauses: clauses.into(),
        }))
    }

    /// A clause, and whether nothing but `esac` can follow it.
    #[inline(never)]
    fn clause(&mut self) -> Result<(CaseClause, bool)> {
        if self.peek(Mode::CasePattern)?.is(Operator::Open) {
            self.advance();
        }
        let mut patterns = vec![self.pattern()?];
        while self.peek(Mode::CasePattern)?.is(Operator::Bar) {
            self.advance();
            patterns.push(self.pattern()?);
        }
        self.expect_operator(Operator::Close)?;
        self.skip_newlines()?;
        let body = if self.is_at_end_of_clause()? {
            List { items: [].into() }
        } else {
            self.compound_list()?
        };
        let terminator = match self.peek(Mode::Command)? {
            Token::Operator(Operator::DoubleSemicolon) => Some(CaseTerminator::Break),
            Token::Operator(Operator::SemicolonAmpersand) => Some(CaseTerminator::FallThrough),
            Token::Operator(Operator::DoubleSemicolonAmpersand) => Some(CaseTerminator::Continue),
            _ => None,
        };
        if terminator.is_some() {
            self.advance();
        }
        let is_last = terminator.is_none();
        let terminator = terminator.unwrap_or(CaseTerminator::Break);
        Ok((
            CaseClause {
                patterns: patterns.into(),
                body,
                terminator,
            },
            is_last,
        ))
    }

    fn pattern(&mut self) -> Result<Word> {
        self.charge(size_of::<Word>())?;
        match self.peek(Mode::CasePattern)? {
            Token::Word(_) => {}
            _ => return Err(self.unexpected()),
        }
        self.expect_word()
    }

    fn is_at_end_of_clause(&mut self) -> Result<bool> {
        let token = self.peek(Mode::Command)?;
        Ok(match token {
            Token::Operator(operator) => matches!(
                operator,
                Operator::DoubleSemicolon
                    | Operator::SemicolonAmpersand
                    | Operator::DoubleSemicolonAmpersand
            ),
            _ => token.reserved() == Some(Reserved::Esac),
        })
    }

    fn skip_newlines_before_pattern(&mut self) -> Result<()> {
        while matches!(self.peek(Mode::CasePattern)?, Token::Newline) {
            self.advance();
        }
        Ok(())
    }
}
