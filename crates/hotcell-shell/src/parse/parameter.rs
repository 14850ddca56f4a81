//! `${…}`

use super::builder::Builder;
use super::bytes::{ByteSet, is_name_start};
use super::error::SyntaxError;
use super::grammar::{Grammar, Result};
use super::input::Place;
use super::quotes::Quoting;
use super::word::subscript;
use crate::ast::{
    Arithmetic, CaseChange, Fallback, Parameter, ParameterExpansion, ParameterOperation, Part,
    ReplaceScope, Special, Subscript, Word,
};

/// What has to be looked at in what follows an operator.
static BRACED: ByteSet = ByteSet::new(b"\n}<>'\"`$\\/");
static OFFSET: ByteSet = ByteSet::new(b"\n}'\"`$\\:?()");
static SUBSCRIPT: ByteSet = ByteSet::new(b"\n}[]'\"`$\\");
static CLOSE: ByteSet = ByteSet::new(b"\n}'\"`$\\");

/// What follows `${`.
struct Braced {
    /// The quotes around the expansion.
    quoting: Quoting,
    /// The line of the dollar.
    line: u32,
}

impl Grammar<'_> {
    /// After `${`, which stands at `start`. What is no expansion is only an error when it is expanded.
    #[inline(never)]
    pub(super) fn braced_parameter(
        &mut self,
        builder: &mut Builder,
        quoting: Quoting,
        start: Place,
        line: u32,
    ) -> Result<()> {
        self.charge(size_of::<ParameterExpansion>() + 32)?;
        let braced = Braced { quoting, line };
        let part = match self.expansion(&braced)? {
            Some(expansion) if self.input.take(b'}') => Part::Parameter(expansion),
            _ => self.bad_substitution(&braced, start)?,
        };
        builder.push(part);
        Ok(())
    }

    #[inline(never)]
    fn expansion(&mut self, braced: &Braced) -> Result<Option<Box<ParameterExpansion>>> {
        let Some(mut expansion) = self.expanded(braced)? else {
            return Ok(None);
        };
        if expansion.indirect
            && let Some(operation) = self.names_or_keys(&expansion.parameter)
        {
            expansion.indirect = false;
            expansion.operation = operation;
        } else if expansion.operation == ParameterOperation::None {
            let Some(operation) = self.operation(braced, &expansion.parameter)? else {
                return Ok(None);
            };
            expansion.operation = operation;
        }
        Ok(Some(expansion))
    }

    /// What is expanded, and what is in front of it: `#` or `!`.
    #[inline(never)]
    fn expanded(&mut self, braced: &Braced) -> Result<Option<Box<ParameterExpansion>>> {
        let (first, second) = (self.input.peek(), self.input.peek_second());
        let length = first == Some(b'#') && self.is_length(second);
        let indirect = first == Some(b'!') && second.is_some_and(may_be_indirect);
        if length || indirect {
            self.input.advance();
        }
        let operation = if length {
            ParameterOperation::Length
        } else {
            ParameterOperation::None
        };
        let Some(parameter) = self.parameter(braced)? else {
            return Ok(None);
        };
        Ok(Some(Box::new(ParameterExpansion {
            parameter,
            indirect,
            braced: true,
            operation,
        })))
    }

    /// Whether `${#` asks for a length; `second` is what follows it. If not, `#` is the parameter.
    fn is_length(&mut self, second: Option<u8>) -> bool {
        match second {
            Some(b'@' | b'*' | b'#' | b'?' | b'-') => self.input.peek_third() == Some(b'}'),
            Some(byte) => {
                is_name_start(byte) || byte.is_ascii_digit() || matches!(byte, b'!' | b'$')
            }
            None => false,
        }
    }

    fn parameter(&mut self, braced: &Braced) -> Result<Option<Parameter>> {
        let Some(byte) = self.input.peek() else {
            return Ok(None);
        };
        if is_name_start(byte) {
            let name = self.name()?;
            if self.input.peek() != Some(b'[') {
                return Ok(Some(Parameter::Variable(name.into())));
            }
            self.input.advance();
            let found = self.nested(|grammar| grammar.subscript(braced))?;
            return Ok(found.map(|subscript| Parameter::Element {
                name: name.into(),
                subscript,
            }));
        }
        if byte.is_ascii_digit() {
            return Ok(Some(self.positional()));
        }
        let Some(special) = Special::from_byte(byte) else {
            return Ok(None);
        };
        self.input.advance();
        Ok(Some(Parameter::Special(special)))
    }

    fn positional(&mut self) -> Parameter {
        let mut number = 0_u32;
        while let Some(digit) = self.input.peek().filter(u8::is_ascii_digit) {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            self.input.advance();
        }
        match number {
            0 => Parameter::Special(Special::Zero),
            _ => Parameter::Positional(number),
        }
    }

    /// After `name[`. `None` if the bracket is not closed before the brace.
    #[inline(never)]
    fn subscript(&mut self, braced: &Braced) -> Result<Option<Subscript>> {
        let mut builder = Builder::default();
        let mut depth = 1_usize;
        loop {
            let byte = self.run(&SUBSCRIPT, &mut builder, braced)?;
            match byte {
                b'}' => return Ok(None),
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.input.advance();
                        self.charge(builder.memory())?;
                        return Ok((!builder.is_empty()).then(|| subscript(builder)));
                    }
                }
                b'\n' => {}
                _ => {
                    self.special(byte, &mut builder, Quoting::Plain)?;
                    continue;
                }
            }
            builder.byte(byte);
            self.input.advance();
        }
    }

    /// `${!prefix*}`, `${!prefix@}`, `${!array[@]}`: up to the brace.
    fn names_or_keys(&mut self, parameter: &Parameter) -> Option<ParameterOperation> {
        match parameter {
            Parameter::Element {
                subscript: Subscript::All | Subscript::Joined,
                ..
            } => (self.input.peek() == Some(b'}')).then_some(ParameterOperation::Keys),
            Parameter::Variable(_) => {
                let byte = self
                    .input
                    .peek()
                    .filter(|byte| matches!(byte, b'@' | b'*'))?;
                if self.input.peek_second() != Some(b'}') {
                    return None;
                }
                self.input.advance();
                Some(ParameterOperation::Names {
                    joined: byte == b'*',
                })
            }
            _ => None,
        }
    }

    /// After the parameter: the operator and its operands, up to the brace.
    #[inline(never)]
    fn operation(
        &mut self,
        braced: &Braced,
        parameter: &Parameter,
    ) -> Result<Option<ParameterOperation>> {
        let Some(byte) = self.input.peek() else {
            return Err(SyntaxError::unmatched(braced.line, b'}'));
        };
        if byte == b'}' {
            return Ok(Some(ParameterOperation::None));
        }
        let is_count = *parameter == Parameter::Special(Special::Count);
        if is_count
            && matches!(byte, b'%' | b':' | b'=' | b'+' | b'/')
            && self.input.peek_second() == Some(b'}')
        {
            return Ok(None);
        }
        let operation = match byte {
            b'-' | b'=' | b'?' | b'+' => self.fallback(braced, false)?,
            b':' => return self.colon(braced),
            b'#' | b'%' => self.removal(braced)?,
            b'/' => self.replacement(braced)?,
            b'^' | b',' | b'~' => self.case_change(braced)?,
            b'@' => {
                self.input.advance();
                let text = self.text_to_brace(braced)?;
                ParameterOperation::Transform(text.into())
            }
            _ => return Ok(None),
        };
        Ok(Some(operation))
    }

    #[inline(never)]
    fn colon(&mut self, braced: &Braced) -> Result<Option<ParameterOperation>> {
        self.input.advance();
        match self.input.peek() {
            Some(b'}') | None => Ok(None),
            Some(b'-' | b'=' | b'?' | b'+') => self.fallback(braced, true).map(Some),
            Some(_) => {
                let offset = self.offset(braced)?;
                let length = if self.input.take(b':') {
                    Some(self.offset_to_brace(braced)?)
                } else {
                    None
                };
                Ok(Some(ParameterOperation::Substring { offset, length }))
            }
        }
    }

    #[inline(never)]
    fn fallback(&mut self, braced: &Braced, or_empty: bool) -> Result<ParameterOperation> {
        let kind = match self.input.peek() {
            Some(b'=') => Fallback::Assign,
            Some(b'?') => Fallback::Error,
            Some(b'+') => Fallback::Alternative,
            _ => Fallback::Default,
        };
        self.input.advance();
        let quoting = if braced.quoting.is_double() {
            Quoting::Braced
        } else {
            Quoting::Plain
        };
        let word = self.operand(braced, quoting, None)?;
        Ok(ParameterOperation::Fallback {
            kind,
            or_empty,
            word,
        })
    }

    #[inline(never)]
    fn removal(&mut self, braced: &Braced) -> Result<ParameterOperation> {
        let prefix = self.input.peek() == Some(b'#');
        self.input.advance();
        let longest = self.input.take(if prefix { b'#' } else { b'%' });
        let pattern = self.operand(braced, Quoting::Plain, None)?;
        Ok(if prefix {
            ParameterOperation::RemovePrefix { longest, pattern }
        } else {
            ParameterOperation::RemoveSuffix { longest, pattern }
        })
    }

    #[inline(never)]
    fn replacement(&mut self, braced: &Braced) -> Result<ParameterOperation> {
        self.input.advance();
        let scope = match self.input.peek() {
            Some(b'/') => ReplaceScope::All,
            Some(b'#') => ReplaceScope::Prefix,
            Some(b'%') => ReplaceScope::Suffix,
            _ => ReplaceScope::First,
        };
        if scope != ReplaceScope::First {
            self.input.advance();
        }
        let pattern = self.operand(braced, Quoting::Plain, Some(scope))?;
        let replacement = if self.input.take(b'/') {
            Some(self.operand(braced, Quoting::Plain, None)?)
        } else {
            None
        };
        Ok(ParameterOperation::Replace {
            scope,
            pattern,
            replacement,
        })
    }

    #[inline(never)]
    fn case_change(&mut self, braced: &Braced) -> Result<ParameterOperation> {
        let byte = self.input.peek().unwrap_or_default();
        self.input.advance();
        let change = match byte {
            b'^' => CaseChange::Upper,
            b',' => CaseChange::Lower,
            _ => CaseChange::Toggle,
        };
        let all = self.input.take(byte);
        let pattern = if self.input.peek() == Some(b'}') {
            None
        } else {
            Some(self.operand(braced, Quoting::Plain, None)?)
        };
        Ok(ParameterOperation::Case {
            change,
            all,
            pattern,
        })
    }

    /// A word up to the brace; up to a slash, too, if it is the pattern of a replacement.
    #[inline(never)]
    fn operand(
        &mut self,
        braced: &Braced,
        quoting: Quoting,
        pattern: Option<ReplaceScope>,
    ) -> Result<Word> {
        let mut builder = Builder::default();
        // `${x////}`: a slash right behind `//` belongs to the pattern.
        if pattern == Some(ReplaceScope::All) && self.input.take(b'/') {
            builder.byte(b'/');
        }
        loop {
            let byte = self.run(&BRACED, &mut builder, braced)?;
            match byte {
                b'}' => break,
                b'/' if pattern.is_some() => break,
                b'<' | b'>'
                    if quoting == Quoting::Plain && self.input.peek_second() == Some(b'(') =>
                {
                    self.process_substitution(&mut builder)?;
                    continue;
                }
                b'\'' | b'"' | b'`' | b'$' | b'\\' => {
                    self.special(byte, &mut builder, quoting)?;
                    continue;
                }
                _ => {}
            }
            builder.byte(byte);
            self.input.advance();
        }
        self.finish(builder)
    }

    /// The offset of a substring, up to the colon that is not part of it, or the brace.
    fn offset(&mut self, braced: &Braced) -> Result<Arithmetic> {
        self.arithmetic_operand(braced, true)
    }

    fn offset_to_brace(&mut self, braced: &Braced) -> Result<Arithmetic> {
        self.arithmetic_operand(braced, false)
    }

    #[inline(never)]
    fn arithmetic_operand(&mut self, braced: &Braced, ends_at_colon: bool) -> Result<Arithmetic> {
        let mut builder = Builder::default();
        let (mut conditions, mut parentheses) = (0_usize, 0_usize);
        loop {
            let byte = self.run(&OFFSET, &mut builder, braced)?;
            match byte {
                b'}' => break,
                b'?' => conditions += 1,
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                b':' if parentheses > 0 => {}
                b':' if conditions > 0 => conditions -= 1,
                b':' if ends_at_colon => break,
                b':' | b'\n' => {}
                _ => {
                    self.special(byte, &mut builder, Quoting::Arithmetic)?;
                    continue;
                }
            }
            builder.byte(byte);
            self.input.advance();
        }
        self.charge(builder.memory())?;
        Ok(Arithmetic {
            word: builder.into_quoted_word(),
        })
    }

    /// Skips to the brace; the text, from `start` on, is what is reported when it is expanded.
    #[inline(never)]
    fn bad_substitution(&mut self, braced: &Braced, start: Place) -> Result<Part> {
        let outermost = !std::mem::replace(&mut self.discarding, true);
        let result = self.skip_to_brace(braced);
        if !outermost {
            // Nobody will see it.
            result?;
            return Ok(Part::BadSubstitution([][..].into()));
        }
        self.discarding = false;
        result?;
        let text = self.input.since(start);
        self.charge(text.len() + 32)?;
        Ok(Part::BadSubstitution(text.into()))
    }

    fn skip_to_brace(&mut self, braced: &Braced) -> Result<()> {
        let mut builder = Builder::default();
        loop {
            let byte = self.run(&CLOSE, &mut builder, braced)?;
            match byte {
                b'}' => {
                    self.input.advance();
                    return Ok(());
                }
                b'\n' => self.input.advance(),
                _ => self.special(byte, &mut builder, Quoting::Plain)?,
            }
        }
    }

    /// What is between `@` and the brace.
    #[inline(never)]
    fn text_to_brace(&mut self, braced: &Braced) -> Result<Vec<u8>> {
        let start = self.input.place();
        let mut builder = Builder::default();
        loop {
            let byte = self.run(&CLOSE, &mut builder, braced)?;
            match byte {
                b'}' => return Ok(self.input.since(start)),
                b'\n' => self.input.advance(),
                _ => self.special(byte, &mut builder, Quoting::Plain)?,
            }
        }
    }

    /// Takes ordinary text up to a byte of `stop`, which is looked at only.
    fn run(&mut self, stop: &ByteSet, builder: &mut Builder, braced: &Braced) -> Result<u8> {
        loop {
            let taken = self.input.take_until(stop, builder.literal());
            self.spend(taken + 1)?;
            match self.input.peek() {
                None => return Err(SyntaxError::unmatched(braced.line, b'}')),
                Some(byte) if stop.contains(byte) => return Ok(byte),
                Some(_) => {}
            }
        }
    }
}

/// Whether `!` in front of it means indirection; else it is `$!`.
fn may_be_indirect(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || matches!(byte, b'#' | b'?' | b'@' | b'*')
}
