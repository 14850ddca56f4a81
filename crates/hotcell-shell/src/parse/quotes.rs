//! Backslashes and quotes.

use super::builder::Builder;
use super::bytes::ByteSet;
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::input::Input;
use crate::ast::{Part, Word};

/// What quotes mean where a piece of text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// In an ordinary word: all quotes quote.
    Plain,
    /// Between double quotes.
    Double,
    /// In a here-document, where `"` is an ordinary character.
    Here,
    /// In `${x:-…}` between double quotes: double quotes may be nested; `'` is an ordinary character, except that bash
    /// looks for what ends the expansion behind the next one.
    Braced,
    /// In an arithmetic expression: like [`Self::Braced`], but nothing between two `'` is looked at.
    Arithmetic,
}

/// What is special between double quotes.
static DOUBLE: ByteSet = ByteSet::new(b"\n\"`$\\");

impl Quoting {
    /// Whether it is text between double quotes, or is treated so.
    pub(super) fn is_double(self) -> bool {
        self != Self::Plain
    }

    /// Whether a backslash in front of this byte takes its meaning.
    fn escapes(self, byte: u8) -> bool {
        match self {
            Self::Plain => true,
            Self::Double | Self::Arithmetic => matches!(byte, b'$' | b'`' | b'"' | b'\\'),
            Self::Here => matches!(byte, b'$' | b'`' | b'\\'),
            Self::Braced => matches!(byte, b'$' | b'`' | b'"' | b'\\' | b'}'),
        }
    }
}

impl Grammar<'_> {
    /// A backslash, a quote or a dollar that was seen, and what belongs to it.
    pub(super) fn special(
        &mut self,
        byte: u8,
        builder: &mut Builder,
        quoting: Quoting,
    ) -> Result<()> {
        match byte {
            b'\\' => self.backslash(builder, quoting),
            b'$' => return self.dollar(builder, quoting),
            b'`' => return self.backquotes(builder, quoting),
            b'"' if !matches!(quoting, Quoting::Double | Quoting::Here) => {
                let parts = self.nested(Self::double_quoted)?;
                builder.push(Part::DoubleQuoted(parts));
            }
            b'\'' if quoting == Quoting::Braced && !self.options.posix => {
                return self.braced_quote(builder);
            }
            b'\'' if quoting == Quoting::Plain => {
                let text = self.single_quoted()?;
                builder.push(Part::SingleQuoted(text.into()));
            }
            _ => {
                builder.byte(byte);
                self.input.advance();
            }
        }
        Ok(())
    }

    fn backslash(&mut self, builder: &mut Builder, quoting: Quoting) {
        self.input.advance();
        match self.input.peek_raw() {
            // It is followed by the newline that ends the script: everything else would be a continued line.
            None | Some(b'\n') => builder.byte(b'\\'),
            Some(byte) => {
                self.input.advance();
                if quoting.escapes(byte) {
                    builder.push(Part::Escaped(byte));
                } else {
                    builder.literal().extend_from_slice(&[b'\\', byte]);
                }
            }
        }
    }

    /// At the opening quote.
    #[inline(never)]
    pub(super) fn single_quoted(&mut self) -> Result<Vec<u8>> {
        let line = self.input.line();
        self.input.advance();
        self.input.open_quote();
        let mut text = Vec::new();
        let found = self.input.take_through(b'\'', &mut text);
        self.spend(text.len())?;
        self.charge(text.len() + 32)?;
        found.ok_or_else(|| SyntaxError::unmatched(line, b'\''))?;
        Ok(text)
    }

    /// At the opening quote.
    #[inline(never)]
    pub(super) fn double_quoted(&mut self) -> Result<Box<[Part]>> {
        let line = self.input.line();
        self.input.advance();
        self.input.open_quote();
        let mut builder = Builder::default();
        loop {
            let taken = self.input.take_until(&DOUBLE, builder.literal());
            self.spend(taken + 1)?;
            match self.input.peek() {
                None => return Err(SyntaxError::unmatched(line, b'"')),
                Some(b'"') => {
                    self.input.advance();
                    self.charge(builder.memory())?;
                    return Ok(builder.into_parts().into());
                }
                Some(byte) if DOUBLE.contains(byte) => {
                    self.special(byte, &mut builder, Quoting::Double)?;
                }
                Some(_) => {}
            }
        }
    }

    /// A text of its own, all of which is as if between double quotes, in which `"` is an ordinary character.
    ///
    /// What is wrong in it is only noticed when it is expanded.
    #[inline(never)]
    pub(super) fn quoted_text(&mut self, text: &[u8], line: u32) -> Result<Word> {
        let mut builder = Builder::default();
        self.add_quoted_text(&mut builder, text, line)?;
        self.charge(builder.memory())?;
        Ok(builder.into_quoted_word())
    }

    fn add_quoted_text(&mut self, builder: &mut Builder, text: &[u8], line: u32) -> Result<()> {
        let id = self.next_id();
        self.within(Input::verbatim(text, line, id), |grammar| {
            loop {
                let taken = grammar.input.take_until(&DOUBLE, builder.literal());
                grammar.spend(taken + 1)?;
                let Some(byte) = grammar.input.peek() else {
                    return Ok(());
                };
                if !DOUBLE.contains(byte) {
                    continue;
                }
                let here = grammar.input.clone();
                match grammar.special(byte, builder, Quoting::Here) {
                    Err(error) if error.is_about_the_text() => {
                        builder.push(broken(&here, error));
                        return Ok(());
                    }
                    result => result?,
                }
            }
        })
    }

    /// At a `'` in `"${x:-…}"`, where bash looks for the other one, only to take both for ordinary characters.
    #[inline(never)]
    pub(super) fn braced_quote(&mut self, builder: &mut Builder) -> Result<()> {
        let line = self.input.line();
        let text = self.single_quoted()?;
        builder.byte(b'\'');
        if text.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\')) {
            self.nested(|grammar| grammar.add_quoted_text(builder, &text, line))?;
        } else {
            builder.literal().extend(text);
        }
        builder.byte(b'\'');
        Ok(())
    }
}

/// What stands for the rest of a text, from an expansion on that does not parse.
fn broken(rest: &Input, error: SyntaxError) -> Part {
    let text = rest.rest();
    if text.starts_with(b"${") && error.is_incomplete() {
        return Part::BadSubstitution(text.into());
    }
    Part::Broken(Box::new((text.into(), error)))
}
