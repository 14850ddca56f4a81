//! `$`, and what follows it.

use super::builder::Builder;
use super::bytes::{ByteSet, is_name_byte, is_name_start};
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::quotes::Quoting;
use crate::ast::{
    CommandSubstitution, Parameter, ParameterExpansion, ParameterOperation, Part, Special,
};

const NAME_END: ByteSet =
    ByteSet::except(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

impl Grammar<'_> {
    /// At the dollar.
    pub(super) fn dollar(&mut self, builder: &mut Builder, quoting: Quoting) -> Result<()> {
        let start = self.input.place();
        let line = self.input.line();
        self.input.advance();
        let part = match self.input.peek() {
            Some(b'{') => {
                self.input.advance();
                self.nested(|grammar| grammar.braced_parameter(quoting, start, line))?
            }
            Some(b'(') => {
                self.input.advance();
                self.nested(|grammar| grammar.dollar_parenthesis(line))?
            }
            Some(b'[') => {
                let expression = self.nested(|grammar| grammar.brackets(line))?;
                Part::Arithmetic {
                    expression: Box::new(expression),
                    brackets: true,
                }
            }
            Some(b'\'') if quoting == Quoting::Plain => {
                Part::AnsiQuoted(self.ansi_quoted(line)?.into())
            }
            Some(b'\'') if quoting == Quoting::Braced => {
                let value = self.ansi_quoted(line)?;
                builder.literal().extend(value);
                return Ok(());
            }
            Some(b'"') if quoting == Quoting::Plain => {
                Part::Translated(self.nested(Self::double_quoted)?)
            }
            Some(byte) => {
                if let Some(parameter) = self.bare_parameter(byte)? {
                    parameter_part(parameter)
                } else {
                    builder.byte(b'$');
                    return Ok(());
                }
            }
            None => {
                builder.byte(b'$');
                return Ok(());
            }
        };
        self.charge(size_of::<ParameterExpansion>() + 32)?;
        builder.push(part);
        Ok(())
    }

    /// After `$`: a parameter without braces.
    fn bare_parameter(&mut self, byte: u8) -> Result<Option<Parameter>> {
        if is_name_start(byte) {
            let name = self.name()?;
            return Ok(Some(Parameter::Variable(name.into())));
        }
        let parameter = match byte {
            b'1'..=b'9' => Parameter::Positional(u32::from(byte - b'0')),
            _ => match Special::from_byte(byte) {
                Some(special) => Parameter::Special(special),
                None => return Ok(None),
            },
        };
        self.input.advance();
        Ok(Some(parameter))
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
    fn dollar_parenthesis(&mut self, line: u32) -> Result<Part> {
        let is_double = self.input.peek() == Some(b'(');
        if is_double && let Some(expression) = self.double_parenthesis(line)? {
            return Ok(Part::Arithmetic {
                expression: Box::new(expression),
                brackets: false,
            });
        }
        let list = self.substituted_list().map_err(|error| {
            // Looking for the end of an expression, bash did not find that of the substitution either.
            let line_of_end = error.messages.first().map_or(line, |message| message.line);
            let is_unclosed = error == SyntaxError::unmatched(line_of_end, b')');
            if is_double && is_unclosed {
                SyntaxError::unmatched(line, b')')
            } else {
                error
            }
        })?;
        Ok(Part::Command(CommandSubstitution::Dollar(list).into()))
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

fn parameter_part(parameter: Parameter) -> Part {
    Part::Parameter(Box::new(ParameterExpansion {
        parameter,
        indirect: false,
        braced: false,
        operation: ParameterOperation::None,
    }))
}
