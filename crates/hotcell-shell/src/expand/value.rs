//! Reading variables and their elements.

use bstr::{BString, ByteVec};
use hotcell_process::Process;

use super::tilde::TildeAt;
use crate::{
    arithmetic::closing_bracket,
    ast::{Part, Subscript, Word},
    flow::Flow,
    parse::{Options, parse_quoted},
    settings::Setting,
    shell::Shell,
    variables::{Attributes, Referred, Value},
};

/// A subscript as it was written, or as text that something else came to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Written<'a> {
    Word(&'a Word),
    Text(&'a [u8]),
    /// It was evaluated already; the text is for messages.
    Known(i64, &'a [u8]),
}

impl Shell {
    /// The value of a variable as `$name` has it, dynamic ones (`RANDOM`, `LINENO`, `FUNCNAME`…) included.
    pub(crate) fn variable(&mut self, process: &Process, name: &[u8]) -> Option<BString> {
        if let Some(value) = self.variables.plain_string(name) {
            return Some(value.clone());
        }
        self.variable_through_references(process, name)
            .ok()
            .flatten()
    }

    /// The same for a name that may be a reference, even to an element of an array.
    fn variable_through_references(
        &mut self,
        process: &Process,
        name: &[u8],
    ) -> Result<Option<BString>, Flow> {
        match self.followed(process, name) {
            Some(target) if target.contains(&b'[') => self.value_by_text(process, &target),
            Some(target) => Ok(self.scalar_of(process, &target)),
            None => Ok(None),
        }
    }

    /// The name that a name stands for. `None` if it leads nowhere; a circle is complained about.
    pub(crate) fn followed(&self, process: &Process, name: &[u8]) -> Option<BString> {
        match self.variables.follow(name) {
            Referred::Itself => Some(name.into()),
            Referred::Other(target) => Some(target),
            Referred::Nothing => None,
            Referred::Circular => {
                let message = [b"warning: ", name, b": circular name reference"].concat();
                self.complain(process, message);
                None
            }
        }
    }

    /// What a variable that is no reference has as its scalar value.
    fn scalar_of(&mut self, process: &Process, name: &[u8]) -> Option<BString> {
        let variable = self.variables.get_reference(name)?;
        match &variable.value {
            Value::Dynamic(dynamic) => {
                let dynamic = *dynamic;
                match self.dynamic_value(process, dynamic) {
                    Value::Scalar(value) => Some(value),
                    Value::Indexed(array) => array.get(0).cloned(),
                    Value::Associative(array) => array.get(b"0").cloned(),
                    Value::Unset | Value::Dynamic(_) => None,
                }
            }
            _ => variable.scalar().cloned(),
        }
    }

    /// The whole value of a variable. Arrays are shared, not copied.
    pub(crate) fn whole_value(&mut self, process: &Process, name: &[u8]) -> Value {
        self.with_value(process, name, Value::clone)
    }

    /// Looks at the value of a variable, which may be an array, without a copy of it.
    pub(crate) fn with_value<R>(
        &mut self,
        process: &Process,
        name: &[u8],
        look: impl FnOnce(&Value) -> R,
    ) -> R {
        let Some(name) = self.followed(process, name) else {
            return look(&Value::Unset);
        };
        if name.contains(&b'[') {
            let element = self.value_by_text(process, &name).ok().flatten();
            return look(&element.map_or(Value::Unset, Value::Scalar));
        }
        match self
            .variables
            .get_reference(&name)
            .map(|found| &found.value)
        {
            None => look(&Value::Unset),
            Some(Value::Dynamic(dynamic)) => {
                let dynamic = *dynamic;
                look(&self.dynamic_value(process, dynamic))
            }
            Some(value) => look(value),
        }
    }

    /// The value of `name` or `name[subscript]`, given as text. `a[@]` has none here.
    pub(crate) fn value_by_text(
        &mut self,
        process: &Process,
        text: &[u8],
    ) -> Result<Option<BString>, Flow> {
        let Some((name, subscript)) = split_element(text) else {
            return Ok(self.variable(process, text));
        };
        if matches!(subscript, b"@" | b"*") && !self.is_associative(name) {
            self.complain(process, [text, b": bad array subscript"].concat());
            return Ok(None);
        }
        self.element(process, name, Written::Text(subscript))
    }

    pub(crate) fn is_associative(&self, name: &[u8]) -> bool {
        let variable = self.variables.get(name);
        variable.is_some_and(|variable| variable.has(Attributes::ASSOCIATIVE))
    }

    /// The index that stands in the text `name[subscript]`; `None` if there is none, or one of an associative array.
    pub(crate) fn index_in_text(
        &mut self,
        process: &Process,
        text: &[u8],
    ) -> Result<Option<i64>, Flow> {
        match split_element(text) {
            Some((_, b"@" | b"*")) | None => Ok(None),
            Some((name, _)) if self.is_associative(name) => Ok(None),
            Some((_, subscript)) => self.index(process, Written::Text(subscript)).map(Some),
        }
    }

    /// An element of an array. A scalar is an array of one.
    pub(crate) fn element(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: Written<'_>,
    ) -> Result<Option<BString>, Flow> {
        if self.is_associative(name) {
            let key = self.text_key(process, subscript)?;
            if key.is_empty() {
                self.complain(process, [name, b": bad array subscript"].concat());
                return Ok(None);
            }
            return Ok(match self.whole_value(process, name) {
                Value::Associative(array) => array.get(&key).cloned(),
                _ => None,
            });
        }
        let index = self.index(process, subscript)?;
        let value = self.whole_value(process, name);
        let end = match &value {
            Value::Indexed(array) => array.end(),
            Value::Scalar(_) => 1,
            _ => 0,
        };
        let Some(index) = from_end(index, end) else {
            self.complain(process, [name, b": bad array subscript"].concat());
            return Ok(None);
        };
        Ok(match value {
            Value::Indexed(array) => array.get(index).cloned(),
            Value::Scalar(value) if index == 0 => Some(value),
            _ => None,
        })
    }

    /// The key of an associative array.
    pub(crate) fn text_key(
        &mut self,
        process: &Process,
        subscript: Written<'_>,
    ) -> Result<BString, Flow> {
        match subscript {
            Written::Word(word) => match word.constant() {
                Some(text) => Ok(BString::from(&**text)),
                None => Ok(self.expand_joined(process, word, TildeAt::NOWHERE)?.text),
            },
            Written::Text(text) | Written::Known(_, text) => {
                let text = unquoted(text);
                self.expand_text(process, &text)
            }
        }
    }

    /// The index of an indexed array, negative if it counts from the end.
    pub(crate) fn index(&mut self, process: &Process, subscript: Written<'_>) -> Result<i64, Flow> {
        // An error is nobody's in particular.
        self.evaluating(b"", |shell| shell.evaluate_subscript(process, subscript))
    }

    fn evaluate_subscript(
        &mut self,
        process: &Process,
        subscript: Written<'_>,
    ) -> Result<i64, Flow> {
        match subscript {
            Written::Word(word) => {
                if let Some(text) = word.literal() {
                    self.evaluate_inside(process, text)
                } else {
                    let text = self.arithmetic_subscript(process, word)?;
                    self.evaluate_inside(process, &text)
                }
            }
            Written::Text(text) => {
                let text = self.expand_text(process, text)?;
                self.evaluate_inside(process, &text)
            }
            Written::Known(index, _) => Ok(index),
        }
    }

    /// Evaluates a subscript or the value of an integer variable. What is wrong there ends a shell that was given its
    /// commands as an argument.
    pub(crate) fn evaluate_inside(&mut self, process: &Process, text: &[u8]) -> Result<i64, Flow> {
        self.evaluate_text(process, text).map_err(Flow::aborting)
    }

    /// A subscript that is an expression: single quotes mean nothing in it.
    fn arithmetic_subscript(&mut self, process: &Process, word: &Word) -> Result<BString, Flow> {
        let has_single = |part: &Part| matches!(part, Part::SingleQuoted(_));
        if word.parts().iter().any(has_single) {
            return Ok(crate::print::word_text(word).into());
        }
        Ok(self.expand_joined(process, word, TildeAt::NOWHERE)?.text)
    }

    /// Expands text that has not been parsed yet as if in double quotes: subscripts and the like that came out of values.
    pub(crate) fn expand_text(&mut self, process: &Process, text: &[u8]) -> Result<BString, Flow> {
        if memchr::memchr2(b'$', b'`', text).is_none() {
            return Ok(text.into());
        }
        let options = Options {
            first_line: self.line,
            ..Options::default()
        };
        match parse_quoted(text, &options, process.stop_token()) {
            Ok(word) => Ok(self.expand_joined(process, &word, TildeAt::NOWHERE)?.text),
            Err(error) => {
                self.report_syntax_error(process, &error, crate::text::Origin::Substitution);
                Err(Flow::Discard(1))
            }
        }
    }

    /// The value of `name` or `name[subscript]`: for `{name[1]}>&-`.
    pub(crate) fn variable_or_element(
        &mut self,
        process: &Process,
        name: &[u8],
        subscript: Option<&Subscript>,
    ) -> Result<Option<BString>, Flow> {
        match subscript {
            None => Ok(self.variable(process, name)),
            Some(Subscript::Index(word)) => self.element(process, name, Written::Word(word)),
            Some(Subscript::All | Subscript::Joined) => Ok(None),
        }
    }

    /// `-v name` of `test` and `[[`; `name` may have a subscript.
    pub(crate) fn is_set(&mut self, process: &Process, name: &[u8]) -> bool {
        if let Some((array, subscript)) = split_element(name) {
            return match subscript {
                b"@" | b"*" => match self.whole_value(process, array) {
                    Value::Unset | Value::Dynamic(_) => false,
                    Value::Scalar(_) => true,
                    Value::Indexed(array) => !array.is_empty(),
                    Value::Associative(array) => !array.is_empty(),
                },
                _ => matches!(
                    self.element(process, array, Written::Text(subscript)),
                    Ok(Some(_))
                ),
            };
        }
        if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
            let number = std::str::from_utf8(name)
                .ok()
                .and_then(|text| text.parse().ok());
            return match number {
                Some(0usize) => true,
                Some(number) => number <= self.arguments.len(),
                None => false,
            };
        }
        self.variable(process, name).is_some()
    }

    /// `-R name`
    pub(crate) fn is_reference(&self, name: &[u8]) -> bool {
        self.variables.get_reference(name).is_some_and(|variable| {
            variable.has(Attributes::NAMEREF) && variable.scalar().is_some()
        })
    }

    /// Whether a variable cannot be assigned to.
    pub(crate) fn is_readonly(&self, name: &[u8]) -> bool {
        let name = crate::variables::base_name(name);
        let variable = self.variables.get(name);
        variable.is_some_and(|variable| variable.has(Attributes::READONLY))
    }

    /// Says that a variable has no value, under `set -u`.
    pub(crate) fn unbound(&self, process: &Process, name: &[u8]) -> Flow {
        self.complain(process, [name, b": unbound variable"].concat());
        self.fatal()
    }

    /// The end of a shell that cannot go on. What it was started with, and `set -e`, make a difference to the status in bash.
    pub(crate) fn fatal(&self) -> Flow {
        if self.is_interactive && !self.is_subshell {
            return Flow::Discard(1);
        }
        let is_argument = self.execution_string.is_some()
            && (!self.is_subshell || self.is_bare_stage)
            && !self.has(Setting::ErrExit);
        Flow::Exit(if is_argument { 127 } else { 1 })
    }
}

/// The parts of `name[subscript]`, if a text is such.
pub(crate) fn split_element(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr::memchr(b'[', text)?;
    let name = text.get(..open)?;
    let rest = text.get(open..)?;
    let close = closing_bracket(rest)?;
    if !crate::names::is_name(name) || close + 1 != rest.len() {
        return None;
    }
    Some((name, rest.get(1..close)?))
}

/// An index that counts from the end if it is negative; `None` if that is before the start.
pub(crate) fn from_end(index: i64, end: u64) -> Option<u64> {
    match u64::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => end.checked_sub(index.unsigned_abs()),
    }
}

/// Text without the quotes in it.
fn unquoted(text: &[u8]) -> BString {
    if memchr::memchr3(b'\'', b'"', b'\\', text).is_none() {
        return text.into();
    }
    let mut plain = BString::default();
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), byte) if byte == open => quote = None,
            (None | Some(b'"'), b'\\') => plain.push_byte(bytes.next().unwrap_or(b'\\')),
            _ => plain.push_byte(byte),
        }
    }
    plain
}
