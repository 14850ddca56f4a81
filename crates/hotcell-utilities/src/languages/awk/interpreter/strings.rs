//! Functions on strings.

use bstr::ByteSlice;

use super::{
    super::{
        syntax::{Argument, ArrayExpr},
        value::Value,
    },
    Interpreter, Result,
};
use crate::characters;

impl<'a> Interpreter<'a> {
    fn count_characters(&self, text: &[u8]) -> usize {
        self.process.spend(text.len() / 16);
        if self.is_bytes {
            text.len()
        } else {
            characters::count(text)
        }
    }

    fn offset_of(&self, text: &[u8], count: usize) -> usize {
        self.process.spend(count.min(text.len()) / 8);
        if self.is_bytes || text.is_ascii() {
            count.min(text.len())
        } else {
            characters::offset(text, count)
        }
    }

    pub(super) fn length(&mut self, argument: Option<&'a Argument>) -> Result<Value> {
        match argument {
            None => {
                self.refresh_record()?;
                Ok(Value::count(self.count_characters(self.record.text())))
            }
            Some(Argument::Array(array)) => match self.value_or_array(array)? {
                Value::Array(array) => {
                    let count = array.borrow().len();
                    Ok(Value::count(count))
                }
                value => {
                    let mut text = self.take_scratch();
                    self.put_value(&value, &mut text, false)?;
                    let count = self.count_characters(&text);
                    self.give_scratch(text);
                    Ok(Value::count(count))
                }
            },
            Some(Argument::Value(expr)) => {
                let text = self.string(expr)?;
                let count = self.count_characters(&text);
                self.give_scratch(text);
                Ok(Value::count(count))
            }
            Some(_) => Ok(Value::Number(0.0)),
        }
    }

    /// What a name stands for, whatever it is.
    pub(super) fn value_or_array(&mut self, name: &'a ArrayExpr) -> Result<Value> {
        match name {
            ArrayExpr::Variable(variable) => match self.slot(*variable) {
                Some(value) => Ok(value.clone()),
                None => self.variable(*variable),
            },
            ArrayExpr::Element(element) => self.element_or_array(&element.0, &element.1),
        }
    }

    pub(super) fn index(&mut self, text: &[u8], sought: &[u8]) -> Value {
        self.process.spend(text.len() / 16 + sought.len() / 16);
        let found = if self.regexes.ignores_case {
            let text = lower(text, self.is_bytes);
            let at = text.find(lower(sought, self.is_bytes));
            at.map(|at| self.count_characters(text.get(..at).unwrap_or_default()))
        } else {
            let at = text.find(sought);
            at.map(|at| self.count_characters(text.get(..at).unwrap_or_default()))
        };
        Value::count(found.map_or(0, |before| before + 1))
    }

    pub(super) fn substr(&mut self, text: &[u8], start: f64, length: Option<f64>) -> Result<Value> {
        let start = if start.is_nan() { 0.0 } else { start.trunc() };
        let skipped = to_count(start - 1.0);
        let from = self.offset_of(text, skipped);
        let rest = text.get(from..).unwrap_or_default();
        let to = match length {
            None => rest.len(),
            Some(length) => self.offset_of(rest, to_count(length.trunc())),
        };
        self.text(rest.get(..to).unwrap_or(rest))
    }

    pub(super) fn change_case(&mut self, text: &[u8], is_upper: bool) -> Result<Value> {
        self.process.spend(text.len() / 4);
        let changed = if is_upper {
            upper(text, self.is_bytes)
        } else {
            lower(text, self.is_bytes)
        };
        self.text(&changed)
    }
}

/// A number of characters: nothing below zero, nothing for what is no number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "conversions saturate, which is meant"
)]
fn to_count(number: f64) -> usize {
    number.max(0.0) as usize
}

/// Small letters in the place of capital ones.
pub(super) fn lower(text: &[u8], is_bytes: bool) -> Vec<u8> {
    if is_bytes || text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    map_characters(text, |character, out| {
        // One for one, as the C library does it.
        let mut lower = character.to_lowercase();
        out.push_char_if(lower.next().filter(|_| lower.next().is_none()), character);
    })
}

fn upper(text: &[u8], is_bytes: bool) -> Vec<u8> {
    if is_bytes || text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    map_characters(text, |character, out| {
        let mut upper = character.to_uppercase();
        out.push_char_if(upper.next().filter(|_| upper.next().is_none()), character);
    })
}

trait PushChar {
    fn push_char_if(&mut self, changed: Option<char>, original: char);
}

impl PushChar for Vec<u8> {
    fn push_char_if(&mut self, changed: Option<char>, original: char) {
        let mut place = [0; 4];
        let character = changed.unwrap_or(original);
        self.extend_from_slice(character.encode_utf8(&mut place).as_bytes());
    }
}

fn map_characters(text: &[u8], map: impl Fn(char, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (character, length) = bstr::decode_utf8(rest);
        let length = length.max(1);
        match character {
            Some(character) => map(character, &mut out),
            None => out.extend_from_slice(rest.get(..length).unwrap_or_default()),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}
