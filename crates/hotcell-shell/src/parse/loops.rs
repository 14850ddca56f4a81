//! `for` and `select`

use super::builder::Builder;
use super::error::{ErrorKind, Message, SyntaxError};
use super::grammar::{Grammar, Result};
use super::lexer::Mode;
use super::token::{Operator, Reserved, Token};
use crate::ast::{Arithmetic, ArithmeticFor, CompoundKind, For, List, Part, Word};
use crate::print;

impl Grammar<'_> {
    /// After `for`.
    #[inline(never)]
    pub(super) fn for_(&mut self) -> Result<CompoundKind> {
        let line = self.token_line();
        if self.peek(Mode::Argument)?.is(Operator::Open) && self.input.peek() == Some(b'(') {
            self.advance();
            return self.arithmetic_for(line);
        }
        Ok(CompoundKind::For(self.over_words()?))
    }

    /// After `select`.
    pub(super) fn select(&mut self) -> Result<CompoundKind> {
        Ok(CompoundKind::Select(self.over_words()?))
    }

    #[inline(never)]
    fn over_words(&mut self) -> Result<For> {
        let variable = self.expect_word()?;
        if self.take_operator(Operator::Semicolon)? {
            let body = self.loop_body()?;
            return Ok(For {
                variable,
                words: None,
                body,
            });
        }
        // On the same line `in` and `do` are recognised, but a brace is not.
        if self.peek_reserved()? == Some(Reserved::OpenBrace) {
            return Err(self.unexpected());
        }
        self.skip_newlines()?;
        let words = if self.take_reserved(Reserved::In)? {
            Some(self.word_list()?)
        } else {
            None
        };
        let body = self.loop_body()?;
        Ok(For {
            variable,
            words,
            body,
        })
    }

    /// After `in`: words, and what ends them.
    #[inline(never)]
    fn word_list(&mut self) -> Result<Box<[Word]>> {
        let mut words = Vec::new();
        loop {
            match self.peek(Mode::Argument)? {
                Token::Word(_) => {}
                Token::Newline | Token::Operator(Operator::Semicolon) => {
                    self.advance();
                    return Ok(words.into());
                }
                _ => return Err(self.unexpected()),
            }
            if let Token::Word(word) = self.advance() {
                self.charge(size_of::<Word>())?;
                words.push(word);
            }
        }
    }

    /// `do … done` or `{ … }`
    fn loop_body(&mut self) -> Result<List> {
        self.skip_newlines()?;
        if self.take_reserved(Reserved::OpenBrace)? {
            let list = self.compound_list()?;
            self.expect_reserved(Reserved::CloseBrace)?;
            return Ok(list);
        }
        self.do_group()
    }

    /// After `for (`, at the second parenthesis.
    #[inline(never)]
    fn arithmetic_for(&mut self, line: u32) -> Result<CompoundKind> {
        let expressions = self.three_expressions(line)?;
        self.take_operator(Operator::Semicolon)?;
        let body = self.loop_body()?;
        let [initial, condition, step] = *expressions;
        Ok(CompoundKind::ArithmeticFor(Box::new(ArithmeticFor {
            initial,
            condition,
            step,
            body,
        })))
    }

    #[inline(never)]
    fn three_expressions(&mut self, line: u32) -> Result<Box<[Arithmetic; 3]>> {
        let Some(all) = self.double_parenthesis(line)? else {
            // bash gives up the whole script without a word here. That helps nobody.
            self.mark_token(self.input.line(), self.input.position());
            let message = Message::new(line, "syntax error: `for ((' without `))'");
            return Err(SyntaxError::new(ErrorKind::Invalid, [message]));
        };
        self.mark_token(self.input.line(), self.input.position());
        let expressions = split_at_semicolons(&all);
        let expressions = match <Box<[Arithmetic; 3]>>::try_from(expressions) {
            Ok(expressions) => return Ok(expressions),
            Err(expressions) => expressions,
        };
        let problem = if expressions.len() < 3 {
            "syntax error: arithmetic expression required"
        } else {
            "syntax error: `;' unexpected"
        };
        let line = self.token_line();
        let text = [&b"(("[..], &print::arithmetic_text(&all), b"))"].concat();
        let shown = Message::quoting(line, "syntax error: ", &text, "");
        Err(SyntaxError::new(
            ErrorKind::Invalid,
            [Message::new(line, problem), shown],
        ))
    }
}

/// The expressions between the semicolons that are not quoted, without the blanks in front of them.
fn split_at_semicolons(all: &Arithmetic) -> Vec<Arithmetic> {
    let parts = match all.word.parts() {
        [Part::DoubleQuoted(parts)] => parts,
        _ => &[][..],
    };
    let mut expressions = Vec::new();
    let mut builder = Builder::default();
    for part in parts {
        let Part::Literal(text) = part else {
            builder.push(part.clone());
            continue;
        };
        for &byte in text.iter() {
            match byte {
                b';' => {
                    let done = std::mem::take(&mut builder);
                    expressions.push(Arithmetic {
                        word: done.into_quoted_word(),
                    });
                }
                b' ' | b'\t' | b'\n' if builder.is_empty() => {}
                _ => builder.byte(byte),
            }
        }
    }
    expressions.push(Arithmetic {
        word: builder.into_quoted_word(),
    });
    expressions
}
