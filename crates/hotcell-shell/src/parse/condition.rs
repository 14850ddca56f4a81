//! `[[ … ]]`

use super::error::{ErrorKind, Message, SyntaxError};
use super::grammar::{Grammar, Result, token_text};
use super::lexer::Mode;
use super::token::{Operator, Reserved, Token};
use crate::ast::{BinaryOperator, CompoundKind, Condition, RedirectOperator, Word};

/// bash gives up the whole script without a word here. That helps nobody.
const MISSING_EXPRESSION: &[u8] = b"syntax error near `]]'";

impl Grammar<'_> {
    /// After `[[`.
    #[inline(never)]
    pub(super) fn condition(&mut self) -> Result<CompoundKind> {
        let condition = self.alternatives()?;
        if self.peek(Mode::Argument)?.reserved() == Some(Reserved::CloseCondition) {
            self.advance();
            return Ok(CompoundKind::Condition(condition));
        }
        Err(match self.peek(Mode::Argument)? {
            Token::End => {
                let line = self.token_line().saturating_sub(1);
                let text = "unexpected EOF while looking for `]]'";
                SyntaxError::new(ErrorKind::Incomplete, [Message::new(line, text)])
            }
            Token::Word(_) => self.wrong("syntax error in conditional expression"),
            _ => self.wrong_token(
                "syntax error in conditional expression: unexpected token ",
                "",
            ),
        })
    }

    #[inline(never)]
    fn alternatives(&mut self) -> Result<Condition> {
        let mut conditions = vec![self.conjunction()?];
        while self.peek(Mode::Argument)?.is(Operator::Or) {
            self.advance();
            self.charge(size_of::<Condition>())?;
            conditions.push(self.conjunction()?);
        }
        Ok(joined(conditions, Condition::Or))
    }

    fn conjunction(&mut self) -> Result<Condition> {
        let mut conditions = vec![self.term()?];
        while self.peek(Mode::Argument)?.is(Operator::And) {
            self.advance();
            self.charge(size_of::<Condition>())?;
            conditions.push(self.term()?);
        }
        Ok(joined(conditions, Condition::And))
    }

    fn term(&mut self) -> Result<Condition> {
        self.charge(size_of::<Condition>() + 32)?;
        let mut negated = false;
        loop {
            self.skip_condition_newlines()?;
            let token = self.peek(Mode::Argument)?;
            if token.reserved() != Some(Reserved::Bang) {
                break;
            }
            self.advance();
            negated = !negated;
        }
        let condition = self.positive_term()?;
        Ok(if negated {
            Condition::Not(Box::new(condition))
        } else {
            condition
        })
    }

    fn positive_term(&mut self) -> Result<Condition> {
        let condition = match self.peek(Mode::Argument)? {
            Token::Operator(Operator::Open) => {
                self.advance();
                let inner = self.nested(Self::alternatives);
                let inner = inner.map_err(|error| self.expected_close(error))?;
                if !self.peek(Mode::Argument)?.is(Operator::Close) {
                    return Err(self.wrong_token("unexpected token ", ", expected `)'"));
                }
                self.advance();
                Condition::Group(Box::new(inner))
            }
            Token::Word(word) => match word.literal().map_or(&[][..], |text| &**text) {
                b"]]" => {
                    let text = MISSING_EXPRESSION.into();
                    let message = Message {
                        line: self.token_line(),
                        text,
                    };
                    return Err(SyntaxError::new(ErrorKind::Invalid, [message]));
                }
                [b'-', letter] if is_unary(*letter) => {
                    let letter = *letter;
                    self.advance();
                    Condition::Unary(letter, self.condition_operand(Mode::Argument, "unary")?)
                }
                _ => return self.comparison(),
            },
            Token::Descriptor(_) => {
                return Err(self.wrong("unexpected token 284 in conditional command"));
            }
            _ => return Err(self.wrong_token("unexpected token ", " in conditional command")),
        };
        self.skip_condition_newlines()?;
        Ok(condition)
    }

    /// A word alone, or two with an operator between them.
    #[inline(never)]
    fn comparison(&mut self) -> Result<Condition> {
        let Token::Word(left) = self.advance() else {
            return Err(self.unexpected());
        };
        let operator = match self.peek(Mode::Argument)? {
            Token::Redirect(RedirectOperator::Read) => Some(BinaryOperator::Less),
            Token::Redirect(RedirectOperator::Write) => Some(BinaryOperator::Greater),
            Token::Operator(Operator::And | Operator::Or | Operator::Close) => None,
            Token::Word(word) => {
                let text = word.literal().map_or(&[][..], |text| &**text);
                match BinaryOperator::from_text(text) {
                    Some(operator) => Some(operator),
                    None if text == b"]]" => None,
                    None => return Err(self.wrong("conditional binary operator expected")),
                }
            }
            _ => {
                let after = ", conditional binary operator expected";
                return Err(self.wrong_token("unexpected token ", after));
            }
        };
        let Some(operator) = operator else {
            return Ok(Condition::Word(left));
        };
        self.advance();
        let mode = match operator {
            BinaryOperator::Equal | BinaryOperator::DoubleEqual | BinaryOperator::NotEqual => {
                Mode::Pattern
            }
            BinaryOperator::Matches => Mode::Regex,
            _ => Mode::Argument,
        };
        let right = self.condition_operand(mode, "binary")?;
        self.skip_condition_newlines()?;
        Ok(Condition::Binary {
            operator,
            left,
            right,
        })
    }

    /// The word behind an operator.
    fn condition_operand(&mut self, mode: Mode, kind: &str) -> Result<Word> {
        let found = match self.peek(mode) {
            Ok(Token::Word(word)) => word.literal().is_none_or(|text| **text != *b"]]"),
            Ok(_) => false,
            Err(error) if error.is_incomplete() => {
                let text = format!("unexpected argument to conditional {kind} operator");
                return Err(error.and(Message::new(self.input.line(), &text)));
            }
            Err(error) => return Err(error),
        };
        if !found {
            let after = format!(" to conditional {kind} operator");
            return Err(self.wrong_token("unexpected argument ", &after));
        }
        match self.advance() {
            Token::Word(word) => Ok(word),
            _ => Err(self.unexpected()),
        }
    }

    fn skip_condition_newlines(&mut self) -> Result<()> {
        while matches!(self.peek(Mode::Argument)?, Token::Newline) {
            self.advance();
        }
        Ok(())
    }

    fn wrong(&self, text: &str) -> SyntaxError {
        SyntaxError::new(ErrorKind::Invalid, [Message::new(self.token_line(), text)])
    }

    /// An error about the token that was looked at.
    fn wrong_token(&mut self, before: &str, after: &str) -> SyntaxError {
        let (text, kind) = match self.peek(Mode::Argument) {
            Ok(token @ Token::End) => (token_text(token), ErrorKind::Incomplete),
            Ok(token) => (token_text(token), ErrorKind::Invalid),
            Err(error) => return error,
        };
        let message = Message::quoting(self.token_line(), before, &text, after);
        SyntaxError::new(kind, [message])
    }

    /// bash also says that what was opened is still to be closed.
    fn expected_close(&self, error: SyntaxError) -> SyntaxError {
        let expected = Message::new(self.token_line(), "expected `)'");
        match &*error.messages {
            _ if !error.is_about_the_text() => error,
            [only] if *only.text == *MISSING_EXPRESSION => {
                SyntaxError::new(ErrorKind::Invalid, [expected])
            }
            _ => error.and(expected),
        }
    }
}

fn joined(
    mut conditions: Vec<Condition>,
    join: impl FnOnce(Box<[Condition]>) -> Condition,
) -> Condition {
    if conditions.len() == 1
        && let Some(only) = conditions.pop()
    {
        return only;
    }
    join(conditions.into())
}

fn is_unary(letter: u8) -> bool {
    b"abcdefghknoprstuvwxzGLNORS".contains(&letter)
}

impl BinaryOperator {
    fn from_text(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"=" => Self::Equal,
            b"==" => Self::DoubleEqual,
            b"!=" => Self::NotEqual,
            b"=~" => Self::Matches,
            b"-eq" => Self::NumberEqual,
            b"-ne" => Self::NumberNotEqual,
            b"-lt" => Self::NumberLess,
            b"-le" => Self::NumberLessOrEqual,
            b"-gt" => Self::NumberGreater,
            b"-ge" => Self::NumberGreaterOrEqual,
            b"-nt" => Self::NewerThan,
            b"-ot" => Self::OlderThan,
            b"-ef" => Self::SameFile,
            _ => return None,
        })
    }
}
