//! `$`, and what follows it.

use super::builder::Builder;
use super::bytes::{ByteSet, is_name_byte, is_name_start};
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::input::Input;
use super::quotes::Quoting;
use crate::ast::{
    Arithmetic, CommandSubstitution, Parameter, ParameterExpansion, ParameterOperation, Part,
    Special,
};

static NAME_END: ByteSet =
    ByteSet::except(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

impl Grammar<'_> {
    /// At the dollar.
    #[inline(never)]
    pub(super) fn dollar(&mut self, builder: &mut Builder, quoting: Quoting) -> Result<()> {
        let start = self.input.place();
        let line = self.input.line();
        self.input.advance();
        match self.input.peek() {
            Some(b'{') => {
                self.input.advance();
                self.nested(|grammar| grammar.braced_parameter(builder, quoting, start, line))
            }
            Some(b'(') => {
                self.input.advance();
                self.nested(|grammar| grammar.dollar_parenthesis(builder, line))
            }
            Some(b'[') => self.nested(|grammar| grammar.brackets(builder, line)),
            Some(b'\'') if matches!(quoting, Quoting::Plain | Quoting::Braced) => {
                self.ansi_quoted(builder, quoting, line)
            }
            Some(b'"') if quoting == Quoting::Plain => {
                let parts = self.nested(Self::double_quoted)?;
                builder.push(Part::Translated(parts));
                Ok(())
            }
            _ => self.bare_parameter(builder),
        }
    }

    /// After `$`: a parameter without braces, or nothing that has a meaning.
    #[inline(never)]
    fn bare_parameter(&mut self, builder: &mut Builder) -> Result<()> {
        let byte = self.input.peek().unwrap_or_default();
        let parameter = if is_name_start(byte) {
            Parameter::Variable(self.name()?.into())
        } else {
            let parameter = match byte {
                b'1'..=b'9' => Some(Parameter::Positional(u32::from(byte - b'0'))),
                _ => Special::from_byte(byte).map(Parameter::Special),
            };
            let Some(parameter) = parameter else {
                builder.byte(b'$');
                return Ok(());
            };
            self.input.advance();
            parameter
        };
        self.charge(size_of::<ParameterExpansion>() + 32)?;
        builder.push(Part::Parameter(Box::new(ParameterExpansion {
            parameter,
            indirect: false,
            braced: false,
            operation: ParameterOperation::None,
        })));
        Ok(())
    }

    /// The longest name that comes next.
    pub(super) fn name(&mut self) -> Result<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            let taken = self.input.take_until(&NAME_END, &mut name);
            self.spend(taken + 1)?;
            // A continued line may stand in the middle of it.
            if !self.input.peek().is_some_and(is_name_byte) {
                return Ok(name);
            }
        }
    }

    /// After `$(`: an expression or commands.
    #[inline(never)]
    fn dollar_parenthesis(&mut self, builder: &mut Builder, line: u32) -> Result<()> {
        let is_double = self.input.peek() == Some(b'(');
        if is_double && let Some(expression) = self.double_parenthesis(line)? {
            self.charge(size_of::<Arithmetic>() + 32)?;
            let expression = Box::new(expression);
            builder.push(Part::Arithmetic {
                expression,
                brackets: false,
            });
            return Ok(());
        }
        let start = is_double.then(|| Box::new(self.input.clone()));
        let list = self.substituted_list();
        let list = match (list, start) {
            (Err(error), Some(start)) => return Err(self.unclosed_from(line, error, *start)),
            (list, _) => list?,
        };
        self.charge(size_of::<CommandSubstitution>() + 32)?;
        builder.push(Part::Command(CommandSubstitution::Dollar(list).into()));
        Ok(())
    }
}

impl Grammar<'_> {
    /// Looking for the end of an expression, bash may not have found that of the substitution, which begins at `start` behind
    /// `$(`: then that is what it complains about.
    #[cold]
    pub(super) fn unclosed_from(
        &mut self,
        line: u32,
        error: SyntaxError,
        start: Input,
    ) -> SyntaxError {
        let line_of_end = error.messages.first().map_or(line, |message| message.line);
        let is_unclosed = error == SyntaxError::unmatched(line_of_end, b')');
        if is_unclosed || error.is_about_the_text() && !self.closes(start) {
            return SyntaxError::unmatched(line, b')');
        }
        error
    }

    /// Whether a parenthesis that was opened before is closed.
    fn closes(&mut self, start: Input) -> bool {
        *self.input = start;
        let line = self.input.line();
        // The parentheses of what is inside close themselves; one more closes what is around.
        loop {
            match self.input.peek() {
                Some(b')') => return true,
                Some(b'(') if self.expression(line, b'(', b')').is_err() => return false,
                Some(b'(') => {}
                Some(_) => {
                    if self.spend(1).is_err() {
                        return true;
                    }
                    self.input.advance();
                }
                None => return false,
            }
        }
    }
}

impl Special {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'@' => Self::At,
            b'*' => Self::Star,
            b'#' => Self::Count,
            b'?' => Self::Status,
            b'-' => Self::Flags,
            b'$' => Self::ProcessId,
            b'!' => Self::BackgroundId,
            b'0' => Self::Zero,
            _ => return None,
        })
    }
}
