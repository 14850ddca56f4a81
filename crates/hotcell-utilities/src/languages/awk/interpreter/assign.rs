//! Assignments.

use super::{
    super::{
        syntax::{Arithmetic, Expr, Target, Variable},
        text::Text,
        value::Value,
    },
    Interpreter, Result,
    arithmetic::compute,
};

impl<'a> Interpreter<'a> {
    pub(super) fn assign(&mut self, target: &'a Target, value: Value) -> Result<()> {
        match target {
            Target::Variable(variable) => self.assign_variable(*variable, value),
            Target::Field(number) => {
                let number = self.field_number(number)?;
                self.assign_field(number, value)
            }
            Target::Element(element) => {
                let array = self.array(&element.0)?;
                let key = self.key(&element.1)?;
                let mut array = array.borrow_mut();
                let place = array.entry(key.sought())?;
                if matches!(place, Value::Array(_)) {
                    return Err("attempt to use an array in a scalar context"
                        .to_owned()
                        .into());
                }
                *place = value;
                drop(array);
                self.give_key(key);
                Ok(())
            }
        }
    }

    #[inline]
    pub(super) fn assign_variable(&mut self, variable: Variable, value: Value) -> Result<()> {
        if let Variable::Special(special) = variable {
            return self.set_special(special, value);
        }
        match self.slot(variable) {
            Some(Value::Array(_)) => Err(self.is_array(variable)),
            Some(place) => {
                *place = value;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(super) fn assign_field(&mut self, number: usize, value: Value) -> Result<()> {
        if number == 0 {
            let mut text = self.take_scratch();
            self.put_value(&value, &mut text, false)?;
            let before = self.record.exchange(text);
            self.give_scratch(before);
            return Ok(());
        }
        self.record.assign(number, value, &self.regexes)?;
        Ok(())
    }

    /// The value of a target.
    pub(super) fn target_value(&mut self, target: &'a Target) -> Result<Value> {
        match target {
            Target::Variable(variable) => self.variable(*variable),
            Target::Field(number) => {
                let number = self.field_number(number)?;
                self.field(number)
            }
            Target::Element(element) => self.element(&element.0, &element.1),
        }
    }

    /// `target operator= value`: the value is evaluated first.
    pub(super) fn update(
        &mut self,
        operator: Arithmetic,
        target: &'a Target,
        value: &'a Expr,
    ) -> Result<f64> {
        let right = self.number(value)?;
        let sign = match operator {
            Arithmetic::Divide => "/=",
            Arithmetic::Remainder => "%=",
            _ => "",
        };
        if right == 0.0 && !sign.is_empty() {
            return Err(format!("division by zero attempted in `{sign}'").into());
        }
        self.change(target, |left| compute(operator, left, right))
            .map(|(_, after)| after)
    }

    /// `++` and `--`.
    pub(super) fn step(&mut self, target: &'a Target, by: f64, is_prefix: bool) -> Result<f64> {
        let (before, after) = self.change(target, |before| Ok(before + by))?;
        Ok(if is_prefix { after } else { before })
    }

    /// Changes a number in its place. Returns what it was and what it is.
    #[inline]
    fn change(
        &mut self,
        target: &'a Target,
        make: impl FnOnce(f64) -> Result<f64>,
    ) -> Result<(f64, f64)> {
        match target {
            Target::Variable(variable @ (Variable::Global(_) | Variable::Local(_))) => {
                match self.slot(*variable) {
                    Some(Value::Array(_)) => Err(self.is_array(*variable)),
                    Some(place) => {
                        let before = place.number();
                        let after = make(before)?;
                        *place = Value::Number(after);
                        Ok((before, after))
                    }
                    None => Ok((0.0, make(0.0)?)),
                }
            }
            Target::Variable(variable) => {
                let before = self.variable(*variable)?.number();
                let after = make(before)?;
                self.assign_variable(*variable, Value::Number(after))?;
                Ok((before, after))
            }
            Target::Field(number) => {
                let number = self.field_number(number)?;
                let before = self.field(number)?.number();
                let after = make(before)?;
                self.assign_field(number, Value::Number(after))?;
                Ok((before, after))
            }
            Target::Element(element) => {
                let array = self.array(&element.0)?;
                let key = self.key(&element.1)?;
                let mut array = array.borrow_mut();
                let place = array.entry(key.sought())?;
                if matches!(place, Value::Array(_)) {
                    return Err("attempt to use an array in a scalar context"
                        .to_owned()
                        .into());
                }
                let before = place.number();
                let after = make(before)?;
                *place = Value::Number(after);
                drop(array);
                self.give_key(key);
                Ok((before, after))
            }
        }
    }

    /// Adds to the end of a variable.
    pub(super) fn append(&mut self, variable: Variable, more: &'a Expr) -> Result<()> {
        let mut buffer = self.take_scratch();
        self.put(more, &mut buffer)?;
        self.process.spend(buffer.len() / 16);
        let budget = self.budget.clone();
        let place = match self.slot(variable) {
            Some(Value::Array(_)) => return Err(self.is_array(variable)),
            Some(place) => place,
            None => return Ok(()),
        };
        let mut text = match std::mem::take(place) {
            Value::Text(text) | Value::Input(text) => text,
            Value::Nothing | Value::Array(_) => Text::EMPTY,
            Value::Number(number) => {
                let mut text = self.take_scratch();
                self.put_number(number, &mut text, false)?;
                let value = Text::new(&budget, &text)?;
                self.give_scratch(text);
                value
            }
        };
        text.append(&budget, &buffer)?;
        if let Some(place) = self.slot(variable) {
            *place = Value::Text(text);
        }
        self.give_scratch(buffer);
        Ok(())
    }
}
