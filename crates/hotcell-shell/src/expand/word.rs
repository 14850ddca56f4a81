//! Words, part by part.

use bstr::BString;
use hotcell_process::Process;

use super::{fields::Fields, ifs::Ifs, tilde::TildeAt};
use crate::{
    ast::{Parameter, ParameterOperation, Part, Word},
    flow::Flow,
    marked::Marked,
    shell::Shell,
};

/// Where a part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Around {
    /// Within double quotes, or where everything is as if.
    pub(crate) quoted: bool,
    /// Text is split even though it was written there: it is the word of `${x-word}`.
    pub(crate) splits_text: bool,
}

impl Around {
    pub(crate) const PLAIN: Self = Self {
        quoted: false,
        splits_text: false,
    };
    pub(crate) const QUOTED: Self = Self {
        quoted: true,
        splits_text: false,
    };
}

impl Shell {
    /// `IFS`, ready for splitting.
    pub(crate) fn ifs(&self) -> Ifs {
        let variable = self.variables.get(b"IFS");
        Ifs::new(variable.and_then(|variable| variable.scalar().map(|value| value.as_slice())))
    }

    /// Expands the parts of a word.
    pub(crate) fn expand_parts(
        &mut self,
        process: &Process,
        parts: &[Part],
        around: Around,
        tilde: TildeAt,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        for (index, part) in parts.iter().enumerate() {
            if let Part::Literal(text) = part {
                let is_last = index + 1 == parts.len();
                self.expand_literal(process, text, around, tilde.of(index, is_last), fields);
            } else {
                self.expand_part(process, part, around, fields)?;
            }
            self.settle_fields(process, fields)?;
        }
        Ok(())
    }

    pub(crate) fn settle_fields(
        &mut self,
        process: &Process,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        fields
            .settle(process)
            .map_err(|error| self.out_of_memory(process, &error))
    }

    /// Says that there is no room.
    pub(crate) fn out_of_memory(&mut self, process: &Process, error: &std::io::Error) -> Flow {
        self.variables.give_back_reserve();
        self.complain(process, hotcell_process::error_text(error));
        Flow::Discard(1)
    }

    /// Expands a part that is not a literal.
    pub(crate) fn expand_part(
        &mut self,
        process: &Process,
        part: &Part,
        around: Around,
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        match part {
            Part::Literal(text) => {
                self.expand_literal(process, text, around, TildeAt::NOWHERE.of(0, true), fields);
            }
            Part::Escaped(byte) => fields.push_quoted(&[*byte]),
            Part::SingleQuoted(text) | Part::AnsiQuoted(text) => {
                fields.push_quoted(text);
            }
            Part::DoubleQuoted(parts) | Part::Translated(parts) => {
                self.expand_double_quoted(process, parts, fields)?;
            }
            Part::Parameter(expansion) => {
                self.expand_parameter(process, expansion, around, fields)?;
            }
            Part::Command(substitution) => {
                let output = self.command_substitution(process, substitution)?;
                push_value(process, fields, &output, around)
                    .map_err(|error| self.out_of_memory(process, &error))?;
            }
            Part::Arithmetic { expression, .. } => {
                let value = self.evaluate(process, expression)?;
                let text = crate::arithmetic::Decimal::new(value);
                push_value(process, fields, text.as_bytes(), around)
                    .map_err(|error| self.out_of_memory(process, &error))?;
            }
            Part::Process(substitution) => {
                let name = self.process_substitution(process, substitution)?;
                push_value(process, fields, &name, around)
                    .map_err(|error| self.out_of_memory(process, &error))?;
            }
            Part::BadSubstitution(text) => {
                let message = [text, &b": bad substitution"[..]].concat();
                self.complain(process, message);
                return Err(Flow::Discard(1));
            }
            Part::Broken(broken) => {
                let (_, error) = &**broken;
                let origin = crate::text::Origin::Substitution;
                self.report_syntax_error(process, error, origin);
                return Err(Flow::Discard(1));
            }
        }
        Ok(())
    }

    fn expand_double_quoted(
        &mut self,
        process: &Process,
        parts: &[Part],
        fields: &mut Fields,
    ) -> Result<(), Flow> {
        let before = fields.mark();
        let outer = std::mem::take(&mut fields.saw_empty_list);
        self.expand_parts(process, parts, Around::QUOTED, TildeAt::NOWHERE, fields)?;
        let had_empty_list = std::mem::replace(&mut fields.saw_empty_list, outer);
        if fields.mark() == before && !had_empty_list {
            fields.push_quoted(b"");
        }
        Ok(())
    }

    /// Text that was written there.
    pub(crate) fn expand_literal(
        &mut self,
        process: &Process,
        text: &[u8],
        around: Around,
        tilde: TildeAt,
        fields: &mut Fields,
    ) {
        if around.quoted {
            if !text.is_empty() {
                fields.push_quoted(text);
            }
            return;
        }
        let push = |fields: &mut Fields, text: &[u8]| {
            if around.splits_text {
                fields.push_expansion(text);
            } else if !text.is_empty() {
                fields.push_literal(text);
            }
        };
        if !tilde.anywhere() || !text.contains(&b'~') {
            push(fields, text);
            return;
        }
        let mut at = 0;
        while let Some((start, end, home)) = self.next_tilde(process, text, at, tilde) {
            push(fields, text.get(at..start).unwrap_or_default());
            fields.push_quoted(&home);
            at = end;
        }
        push(fields, text.get(at..).unwrap_or_default());
    }

    /// A word that is one string: neither braces nor splitting nor file names.
    pub(crate) fn expand_joined(
        &mut self,
        process: &Process,
        word: &Word,
        tilde: TildeAt,
    ) -> Result<Marked, Flow> {
        let mut fields = if tilde == TildeAt::VALUE {
            Fields::assigned(self.ifs())
        } else {
            Fields::joined(self.ifs())
        };
        self.expand_parts(process, word.parts(), Around::PLAIN, tilde, &mut fields)?;
        Ok(fields.into_one())
    }

    /// The value of a word that is nothing but `$x` or `"$x"`, if that is a plain variable: the most common word.
    pub(crate) fn plain_value(&self, word: &Word) -> Option<(&BString, bool)> {
        let (part, is_quoted) = match word.parts() {
            [Part::DoubleQuoted(parts)] => match &**parts {
                [part] => (part, true),
                _ => return None,
            },
            [part] => (part, false),
            _ => return None,
        };
        let Part::Parameter(expansion) = part else {
            return None;
        };
        let is_simple = expansion.operation == ParameterOperation::None && !expansion.indirect;
        match &expansion.parameter {
            Parameter::Variable(name) if is_simple => {
                let value = self.variables.plain_string(name)?;
                Some((value, is_quoted))
            }
            _ => None,
        }
    }
}

/// What an expansion came to.
pub(crate) fn push_value(
    process: &Process,
    fields: &mut Fields,
    value: &[u8],
    around: Around,
) -> std::io::Result<()> {
    if around.quoted {
        if !value.is_empty() {
            fields.push_quoted(value);
        }
    } else {
        fields.foresee(process, value)?;
        fields.push_expansion(value);
    }
    Ok(())
}
