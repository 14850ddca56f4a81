//! Operands: numbers, variables, parentheses, and the operators in front of and behind them.

use bstr::BString;

use super::{
    Evaluated, Evaluator, Failure, MAX_DEPTH, Operator, STACK_RESERVE, Target, Token,
    number::parse_plain,
};
use crate::{
    expand::{Written, split_element},
    names::is_name,
    settings::Setting,
};

impl Evaluator<'_> {
    pub(super) fn unary(&mut self) -> Evaluated<i64> {
        let Token::Operator(operator) = self.token else {
            return self.primary();
        };
        if !matches!(
            operator,
            Operator::Not | Operator::Complement | Operator::Subtract | Operator::Add
        ) {
            return self.primary();
        }
        if self.process.stack_left() < STACK_RESERVE {
            return Err(Failure::Message("expression recursion level exceeded"));
        }
        self.advance()?;
        let value = self.unary()?;
        self.target = None;
        Ok(match operator {
            Operator::Not => i64::from(value == 0),
            Operator::Complement => !value,
            Operator::Subtract => value.wrapping_neg(),
            _ => value,
        })
    }

    fn primary(&mut self) -> Evaluated<i64> {
        self.target = None;
        match self.token {
            Token::Number(value) => {
                self.advance()?;
                Ok(value)
            }
            Token::Name(value) => self.variable(value),
            Token::Before(by) => {
                self.advance()?;
                let Token::Name(value) = self.token else {
                    return Err(Failure::Message(
                        "identifier expected after pre-increment or pre-decrement",
                    ));
                };
                let value = value.wrapping_add(by);
                let target = self.name_read(self.start, self.at);
                self.store(target, value)?;
                // So that `++x++` and `++x = 1` are seen to be wrong.
                self.previous = Token::Before(by);
                self.token = Token::Number(value);
                self.advance_after_change()?;
                Ok(value)
            }
            Token::Operator(Operator::Open) => {
                self.advance()?;
                let value = self.list()?;
                if self.token != Token::Operator(Operator::Close) {
                    return Err(Failure::Message("missing `)'"));
                }
                self.advance()?;
                self.target = None;
                Ok(value)
            }
            _ => Err(Failure::Message("syntax error: operand expected")),
        }
    }

    fn advance_after_change(&mut self) -> Evaluated<()> {
        self.advance()?;
        self.target = None;
        Ok(())
    }

    fn variable(&mut self, value: i64) -> Evaluated<i64> {
        let target = self.name_read(self.start, self.at);
        self.advance()?;
        if let Token::Behind(by) = self.token {
            self.store(target, value.wrapping_add(by))?;
            self.token = Token::Number(value);
            self.advance_after_change()?;
            return Ok(value);
        }
        self.target = Some(target);
        Ok(value)
    }

    /// What was read last, a name from `start` to `end`.
    fn name_read(&mut self, start: usize, end: usize) -> Target {
        Target {
            start,
            end,
            index: self.index.take(),
        }
    }

    /// The value of the variable or element that is written from `start` to `end`.
    pub(super) fn value_of(&mut self, start: usize, end: usize) -> Evaluated<i64> {
        self.index = None;
        if self.skipping > 0 {
            return Ok(0);
        }
        let name = self.text.get(start..end).unwrap_or_default();
        // The value of most variables is a number.
        if let Some(text) = self.shell.variables.plain(name) {
            if text.is_empty() {
                return Ok(0);
            }
            if let Some(value) = parse_plain(text) {
                return Ok(value);
            }
        }
        let Some(mut value) = self.text_at(name)? else {
            return Ok(0);
        };
        let mut depth = self.depth;
        // Names that stand for names are followed without nesting.
        while is_name(&value) {
            depth += 1;
            self.process.spend(1);
            if depth >= MAX_DEPTH {
                return Err(self.too_deep(&value));
            }
            value = match self.text_of(&value)? {
                Some(value) => value,
                None => return Ok(0),
            };
        }
        if let Some(value) = parse_plain(&value) {
            return Ok(value);
        }
        if depth >= MAX_DEPTH || self.process.stack_left() < STACK_RESERVE {
            return Err(Failure::Message("expression recursion level exceeded"));
        }
        Ok(self
            .shell
            .evaluate_nested(self.process, &value, depth + 1)?)
    }

    /// The message about names that stand for each other, which is about the last of them.
    fn too_deep(&mut self, name: &[u8]) -> Failure {
        let mut message = self.shell.evaluator.to_vec();
        if !message.is_empty() {
            message.extend_from_slice(b": ");
        }
        message.extend_from_slice(name);
        message.extend_from_slice(b": expression recursion level exceeded (error token is \"");
        message.extend_from_slice(name);
        message.extend_from_slice(b"\")");
        self.shell.complain(self.process, message);
        Failure::Flow(crate::flow::Flow::Discard(1))
    }

    /// As [`Evaluator::text_of`], and keeps the index.
    fn text_at(&mut self, name: &[u8]) -> Evaluated<Option<BString>> {
        self.index = self.shell.index_in_text(self.process, name)?;
        let Some((index, (array, subscript))) = self.index.zip(split_element(name)) else {
            return self.text_of(name);
        };
        let written = Written::Known(index, subscript);
        let value = self.shell.element(self.process, array, written)?;
        if value.is_none()
            && self.shell.has(Setting::NoUnset)
            && !self.shell.variables.has_value(array)
        {
            return Err(self.shell.unbound(self.process, array).into());
        }
        Ok(value.filter(|value| !value.is_empty()))
    }

    /// The text of a variable or element; `None` if it has no value or an empty one.
    fn text_of(&mut self, name: &[u8]) -> Evaluated<Option<BString>> {
        let value = self.shell.value_by_text(self.process, name)?;
        if value.is_none()
            && self.shell.has(Setting::NoUnset)
            && !name.contains(&b'[')
            && !self.shell.variables.has_value(name)
        {
            return Err(self.shell.unbound(self.process, name).into());
        }
        Ok(value.filter(|value| !value.is_empty()))
    }
}
