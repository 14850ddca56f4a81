//! `${x:offset:length}`

use bstr::BString;
use hotcell_process::Process;

use super::parameter::{Found, characters, name_in_messages};
use crate::{
    ast::{Arithmetic, Parameter, Special, Subscript},
    flow::Flow,
    pattern::unit_at,
    settings::Setting,
    shell::Shell,
    variables::Value,
};

/// A length, and how it was written, for messages.
#[derive(Clone, Copy)]
struct Length<'a> {
    value: i64,
    written: &'a Arithmetic,
}

impl Shell {
    pub(crate) fn substring(
        &mut self,
        process: &Process,
        parameter: &Parameter,
        offset: &Arithmetic,
        length: Option<&Arithmetic>,
    ) -> Result<Found, Flow> {
        // Without a value the expressions do not matter.
        let is_list = matches!(
            parameter,
            Parameter::Special(Special::At | Special::Star)
                | Parameter::Element {
                    subscript: Subscript::All | Subscript::Joined,
                    ..
                }
        );
        let scalar = if is_list {
            BString::default()
        } else {
            match self.find(process, parameter)? {
                Found::Scalar(value) => value,
                _ if self.has(Setting::NoUnset) => {
                    let name = name_in_messages(parameter, true);
                    return Err(self.unbound(process, &name));
                }
                _ => return Ok(Found::Unset),
            }
        };
        // Errors in the expressions name the parameter.
        let name = name_in_messages(parameter, true);
        let evaluator = std::mem::replace(&mut self.evaluator, name.into());
        let bounds = self.evaluate(process, offset).and_then(|offset| {
            let length = length.map(|written| {
                let value = self.evaluate(process, written)?;
                Ok(Length { value, written })
            });
            Ok((offset, length.transpose()?))
        });
        self.evaluator = evaluator;
        let (offset, length) = bounds?;
        match parameter {
            Parameter::Special(special @ (Special::At | Special::Star)) => {
                let values = self.slice_of_arguments(process, offset, length)?;
                Ok(Found::List {
                    values,
                    is_star: *special == Special::Star,
                })
            }
            Parameter::Element {
                name,
                subscript: subscript @ (Subscript::All | Subscript::Joined),
            } => {
                let values = self.slice_of_array(process, name, offset, length)?;
                Ok(Found::List {
                    values,
                    is_star: *subscript == Subscript::Joined,
                })
            }
            _ => {
                process.spend(scalar.len() / 8);
                self.slice_of_text(process, &scalar, offset, length)
            }
        }
    }

    fn slice_of_text(
        &self,
        process: &Process,
        value: &BString,
        offset: i64,
        length: Option<Length<'_>>,
    ) -> Result<Found, Flow> {
        let count = i64::try_from(characters(value)).unwrap_or(i64::MAX);
        let start = if offset < 0 {
            count.saturating_add(offset)
        } else {
            offset
        };
        if start < 0 || start > count {
            return Ok(Found::Scalar(BString::default()));
        }
        let end = match length {
            None => count,
            Some(length) if length.value < 0 => {
                let end = count.saturating_add(length.value);
                if end < start {
                    return Err(self.negative_length(process, length));
                }
                end
            }
            Some(length) => start.saturating_add(length.value).min(count),
        };
        let from = byte_of(value, start);
        let to = byte_of(value, end);
        let slice = value.get(from..to).unwrap_or_default();
        Ok(Found::Scalar(slice.into()))
    }

    fn negative_length(&self, process: &Process, length: Length<'_>) -> Flow {
        let written = crate::print::arithmetic_text(length.written);
        self.complain(
            process,
            [&written, &b": substring expression < 0"[..]].concat(),
        );
        Flow::Discard(1)
    }

    /// `${@:offset:length}`: the name of the shell is at 0.
    fn slice_of_arguments(
        &self,
        process: &Process,
        offset: i64,
        length: Option<Length<'_>>,
    ) -> Result<Vec<BString>, Flow> {
        let count = self.arguments.len() + 1;
        let Some(start) = super::value::from_end(offset, count as u64) else {
            return Ok(Vec::new());
        };
        let take = self.count_of(process, length)?;
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let all = std::iter::once(&self.name).chain(self.arguments.iter());
        Ok(all.skip(start).take(take).cloned().collect())
    }

    fn slice_of_array(
        &mut self,
        process: &Process,
        name: &[u8],
        offset: i64,
        length: Option<Length<'_>>,
    ) -> Result<Vec<BString>, Flow> {
        let end = self.with_value(process, name, |value| match value {
            Value::Indexed(array) => array.end(),
            Value::Associative(array) => array.len() as u64 + 1,
            Value::Scalar(_) => 1,
            _ => 0,
        });
        let start = super::value::from_end(offset, end).filter(|start| *start < end);
        let Some(start) = start else {
            return Ok(Vec::new());
        };
        let take = self.count_of(process, length)?;
        Ok(self.with_value(process, name, |value| match value {
            Value::Indexed(array) => array.slice(start, take),
            Value::Associative(array) => {
                // Counted from 1, as if the name of the shell were at 0.
                let skip = usize::try_from(start.max(1) - 1).unwrap_or(usize::MAX);
                let values = array.iter().map(|(_, value)| value.clone());
                // bash takes one at least.
                values.skip(skip).take(take.max(1)).collect()
            }
            Value::Scalar(value) if start == 0 && take > 0 => vec![value.clone()],
            _ => Vec::new(),
        }))
    }

    fn count_of(&self, process: &Process, length: Option<Length<'_>>) -> Result<usize, Flow> {
        match length {
            None => Ok(usize::MAX),
            Some(length) => {
                usize::try_from(length.value).map_err(|_| self.negative_length(process, length))
            }
        }
    }
}

/// Where the character of this number begins.
fn byte_of(text: &[u8], number: i64) -> usize {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    if text.is_ascii() {
        return number.min(text.len());
    }
    let mut at = 0;
    for _ in 0..number {
        match unit_at(text, at) {
            Some((_, length)) => at += length,
            None => break,
        }
    }
    at
}
