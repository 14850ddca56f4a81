//! Arithmetic expressions, as far as they concern the parser: where they end and what is expanded in them.

use super::builder::Builder;
use super::bytes::ByteSet;
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::input::Place;
use super::quotes::Quoting;
use crate::ast::{Arithmetic, Part};

static EXPRESSION: ByteSet = ByteSet::new(b"\n()[]'\"`$\\");

impl Grammar<'_> {
    /// At the second of two opening parentheses: the expression between them, if two closing ones end it.
    ///
    /// If not, `None`, and nothing is read.
    #[inline(never)]
    pub(super) fn double_parenthesis(&mut self, line: u32) -> Result<Option<Arithmetic>> {
        let place = self.input.place();
        if self.memo.closes_doubly.get(&place) == Some(&false) {
            return Ok(None);
        }
        let start = Box::new(self.input.clone());
        self.memo.trials += 1;
        let result = self.expression(line, b'(', b')');
        self.memo.trials -= 1;
        let builder = result?;
        if self.input.take(b')') {
            self.memo.forget();
            self.charge(builder.memory())?;
            return Ok(Some(Arithmetic {
                word: builder.into_quoted_word(),
            }));
        }
        self.memo.failed = true;
        self.memo.closes_doubly.insert(place, false);
        *self.input = *start;
        Ok(None)
    }

    /// After `$`, at `[`.
    #[inline(never)]
    pub(super) fn brackets(&mut self, builder: &mut Builder, line: u32) -> Result<()> {
        let inside = self.expression(line, b'[', b']')?;
        self.charge(inside.memory() + size_of::<Arithmetic>() + 32)?;
        let expression = Box::new(Arithmetic {
            word: inside.into_quoted_word(),
        });
        builder.push(Part::Arithmetic {
            expression,
            brackets: true,
        });
        Ok(())
    }

    /// At the opening bracket: what is up to the matching one, which is taken, too.
    pub(super) fn expression(&mut self, line: u32, open: u8, close: u8) -> Result<Builder> {
        let mut builder = Builder::default();
        let mut opened: Vec<Place> = Vec::new();
        loop {
            let taken = self.input.take_until(&EXPRESSION, builder.literal());
            self.spend(taken + 1)?;
            let Some(byte) = self.input.peek() else {
                return Err(SyntaxError::unmatched(line, close));
            };
            match byte {
                b'\'' => {
                    // They quote nothing but brackets; whoever evaluates the expression has to know of them.
                    let text = self.single_quoted()?;
                    builder.literal().extend([b"'", &*text, b"'"].concat());
                    continue;
                }
                b'"' | b'`' | b'$' | b'\\' => {
                    let result = self.special(byte, &mut builder, Quoting::Arithmetic);
                    result.map_err(|error| error.unless_braces(line, close))?;
                    continue;
                }
                _ => {}
            }
            if byte == open {
                opened.push(self.input.place());
                self.input.advance();
                if opened.len() == 1 {
                    continue;
                }
                builder.byte(byte);
            } else if byte == close {
                self.input.advance();
                let place = opened.pop();
                if opened.is_empty() {
                    return Ok(builder);
                }
                self.note_closed(place, close)?;
                builder.byte(byte);
            } else if EXPRESSION.contains(byte) {
                builder.byte(byte);
                self.input.advance();
            }
        }
    }

    /// Keeps what the next trial would find out again.
    fn note_closed(&mut self, opened: Option<Place>, close: u8) -> Result<()> {
        if let (Some(place), b')') = (opened, close) {
            self.charge(size_of::<(Place, bool)>() * 2)?;
            let doubly = self.input.peek() == Some(b')');
            self.memo.closes_doubly.insert(place, doubly);
        }
        Ok(())
    }
}
