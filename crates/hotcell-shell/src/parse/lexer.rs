//! Tokens, one after the other.

use super::bytes::{ByteSet, is_blank};
use super::error::{ErrorKind, SyntaxError};
use super::grammar::{Grammar, Result};
use super::token::{Operator, Token};
use crate::ast::RedirectOperator;

/// Where a token stands, which decides what a word can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Where a command may begin: assignments and aliases are recognised.
    Command,
    /// Where a word is a word.
    Argument,
    /// After `declare` and its kin: assignments are recognised.
    Declaration,
    /// After `eval` and `let`: `name=(…)` is a word.
    AssignmentText,
    /// Between the parentheses of `name=(…)`: `[key]=value` is recognised.
    Element,
    /// A pattern of `case`.
    CasePattern,
    /// The right side of `==` in `[[`: a pattern in which `@(a|b)` is always recognised.
    Pattern,
    /// The right side of `=~`: parentheses and bars are part of it.
    Regex,
}

/// Aliases that stand for aliases that stand for aliases…
const MAX_ALIAS_DEPTH: usize = 1000;

static LINE_END: ByteSet = ByteSet::new(b"\n");

impl Grammar<'_> {
    pub(super) fn lex(&mut self, mode: Mode) -> Result<Token> {
        let mut may_be_alias = mode == Mode::Command;
        loop {
            self.skip_blanks()?;
            may_be_alias |= std::mem::take(&mut self.input.alias_may_follow);
            let token = self.token(mode)?;
            self.mark_after(&token);
            if !may_be_alias || mode == Mode::CasePattern || !self.expand_alias(&token)? {
                return Ok(token);
            }
        }
    }

    /// Blanks, continued lines and a comment.
    fn skip_blanks(&mut self) -> Result<()> {
        while let Some(byte) = self.input.peek() {
            if is_blank(byte) {
                self.input.advance();
                self.spend(1)?;
            } else if byte == b'#' {
                // It does not end with an alias that it begins in. There is no continued line in it.
                while self.input.peek_raw().is_some_and(|byte| byte != b'\n') {
                    let length = self.input.skip_until(&LINE_END);
                    self.spend(length)?;
                }
            } else {
                break;
            }
        }
        Ok(())
    }

    fn token(&mut self, mode: Mode) -> Result<Token> {
        let Some(byte) = self.input.peek() else {
            // A backslash may have taken away the newline that documents are read after.
            self.read_here_documents()?;
            return Ok(Token::End);
        };
        if mode == Mode::Regex && matches!(byte, b'(' | b'|') {
            return self.word(mode);
        }
        let operator = match byte {
            b'\n' => {
                let line = self.input.line();
                let end = self.input.position();
                self.input.advance();
                self.mark_token(line, end);
                self.read_here_documents()?;
                return Ok(Token::Newline);
            }
            b'<' | b'>' if self.input.peek_second() == Some(b'(') => return self.word(mode),
            b'<' => return Ok(self.less()),
            b'>' => return Ok(self.greater()),
            b'&' => match self.ampersand() {
                Some(redirect) => return Ok(Token::Redirect(redirect)),
                None if self.input.take(b'&') => Operator::And,
                None => Operator::Ampersand,
            },
            b'|' => self.bar(),
            b';' => self.semicolon(),
            b'(' => {
                self.input.advance();
                Operator::Open
            }
            b')' => {
                self.input.advance();
                Operator::Close
            }
            _ => return self.word(mode),
        };
        Ok(Token::Operator(operator))
    }

    /// A newline marks itself, because what it ends is the line before.
    fn mark_after(&mut self, token: &Token) {
        if !matches!(token, Token::Newline) {
            let end = self.input.position();
            self.mark_token(self.input.line(), end);
        }
    }

    fn less(&mut self) -> Token {
        self.input.advance();
        if self.input.take(b'<') {
            if self.input.take(b'<') {
                return Token::Redirect(RedirectOperator::HereString);
            }
            return Token::HereDocument {
                strip_tabs: self.input.take(b'-'),
            };
        }
        Token::Redirect(if self.input.take(b'&') {
            RedirectOperator::DuplicateInput
        } else if self.input.take(b'>') {
            RedirectOperator::ReadWrite
        } else {
            RedirectOperator::Read
        })
    }

    fn greater(&mut self) -> Token {
        self.input.advance();
        Token::Redirect(if self.input.take(b'>') {
            RedirectOperator::Append
        } else if self.input.take(b'&') {
            RedirectOperator::DuplicateOutput
        } else if self.input.take(b'|') {
            RedirectOperator::Clobber
        } else {
            RedirectOperator::Write
        })
    }

    /// After `&`: `>` and `>>`.
    fn ampersand(&mut self) -> Option<RedirectOperator> {
        self.input.advance();
        if !self.input.take(b'>') {
            return None;
        }
        let append = self.input.take(b'>');
        Some(if append {
            RedirectOperator::AppendBoth
        } else {
            RedirectOperator::WriteBoth
        })
    }

    fn bar(&mut self) -> Operator {
        self.input.advance();
        if self.input.take(b'|') {
            Operator::Or
        } else if self.input.take(b'&') {
            Operator::BarAmpersand
        } else {
            Operator::Bar
        }
    }

    fn semicolon(&mut self) -> Operator {
        self.input.advance();
        if self.input.take(b';') {
            if self.input.take(b'&') {
                return Operator::DoubleSemicolonAmpersand;
            }
            return Operator::DoubleSemicolon;
        }
        if self.input.take(b'&') {
            Operator::SemicolonAmpersand
        } else {
            Operator::Semicolon
        }
    }

    /// Puts the text of an alias in front of the input, if the token is one.
    #[inline(never)]
    fn expand_alias(&mut self, token: &Token) -> Result<bool> {
        let Token::Word(word) = token else {
            return Ok(false);
        };
        let Some(name) = word.literal() else {
            return Ok(false);
        };
        if self.options.posix && token.reserved().is_some() {
            return Ok(false);
        }
        // As bash: outside of POSIX mode, substitutions expand aliases when they run.
        if self.substitutions > 0 && !self.options.posix || self.input.is_in_alias(name) {
            return Ok(false);
        }
        let Some(text) = self.aliases.expansion(name) else {
            return Ok(false);
        };
        if self.input.alias_depth() >= MAX_ALIAS_DEPTH {
            let line = self.input.line();
            return Err(SyntaxError::new(
                ErrorKind::TooDeep,
                [super::Message::new(
                    line,
                    &format!(
                        "syntax error: more than {MAX_ALIAS_DEPTH} aliases stand for each other"
                    ),
                )],
            ));
        }
        self.spend(self.input.alias_depth() + text.len())?;
        self.charge(text.len() + 64)?;
        let id = self.next_id();
        self.input.push_alias(id, name.clone(), &text);
        Ok(true)
    }
}
