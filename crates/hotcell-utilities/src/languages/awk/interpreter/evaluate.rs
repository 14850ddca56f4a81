//! Expressions.

use super::{
    super::{
        number,
        record::Field,
        syntax::{Builtin, Expr, Regex, Special, Variable},
        text::Text,
        value::{Value, input_is_true},
    },
    Interpreter, Result, STACK_RESERVE,
    arithmetic::compute,
    execute::Flow,
};

impl<'a> Interpreter<'a> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, expr: &'a Expr) -> Result<Value> {
        match expr {
            Expr::Number(number) => Ok(Value::Number(*number)),
            Expr::Text(text) => Ok(Value::Text(text.clone())),
            Expr::Variable(variable) => self.variable(*variable),
            Expr::FieldAt(number) => self.field(*number),
            Expr::Field(number) => {
                let number = self.field_number(number)?;
                self.field(number)
            }
            Expr::Group(inner) => self.evaluate(inner),
            Expr::Element(element) => self.element(&element.0, &element.1),
            Expr::Assign(it) => {
                let value = self.evaluate(&it.1)?;
                self.assign(&it.0, value.clone())?;
                Ok(value)
            }
            Expr::Append(variable, more) => {
                self.append(*variable, more)?;
                self.variable(*variable)
            }
            Expr::Concat(_) => {
                let mut buffer = self.take_scratch();
                self.put(expr, &mut buffer)?;
                let text = Text::new(&self.budget, &buffer)?;
                self.give_scratch(buffer);
                Ok(Value::Text(text))
            }
            Expr::Matches(_)
            | Expr::Compare(..)
            | Expr::Match { .. }
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Not(_)
            | Expr::In(..) => Ok(Value::truth(self.truth(expr)?)),
            Expr::Conditional(it) => {
                if self.truth(&it.0)? {
                    self.evaluate(&it.1)
                } else {
                    self.evaluate(&it.2)
                }
            }
            Expr::Call(callee, arguments) => self.call(*callee, arguments),
            Expr::CallNamed(variable, arguments) => self.call_named(*variable, arguments),
            Expr::Builtin(builtin, arguments) => self.builtin(*builtin, arguments),
            Expr::Getline(it) => self.getline(it.0.as_ref(), &it.1),
            Expr::Update(..)
            | Expr::Step { .. }
            | Expr::Arithmetic(..)
            | Expr::Negate(_)
            | Expr::Plus(_) => Ok(Value::Number(self.number(expr)?)),
        }
    }

    /// Evaluates an expression for what it does.
    pub(super) fn discard(&mut self, expr: &'a Expr) -> Result<()> {
        match expr {
            Expr::Assign(it) => {
                let value = self.evaluate(&it.1)?;
                self.assign(&it.0, value)
            }
            Expr::Append(variable, more) => self.append(*variable, more),
            Expr::Update(..) | Expr::Step { .. } => self.number(expr).map(|_| ()),
            _ => self.evaluate(expr).map(|_| ()),
        }
    }

    /// The value of an expression as a number.
    pub(super) fn number(&mut self, expr: &'a Expr) -> Result<f64> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Variable(Variable::Global(number)) => match self.globals.get(*number) {
                Some(Value::Array(_)) => Err(self.is_array(Variable::Global(*number))),
                Some(value) => Ok(value.number()),
                None => Ok(0.0),
            },
            Expr::Variable(Variable::Special(Special::Nf)) =>
            {
                #[expect(clippy::cast_precision_loss, reason = "fields fit into memory")]
                Ok(self.record.count(&self.regexes)? as f64)
            }
            Expr::FieldAt(number) => self.field_as_number(*number),
            Expr::Field(number) => {
                let number = self.field_number(number)?;
                self.field_as_number(number)
            }
            Expr::Arithmetic(operator, sides) => {
                let left = self.number(&sides.0)?;
                let right = self.number(&sides.1)?;
                compute(*operator, left, right)
            }
            Expr::Update(operator, it) => self.update(*operator, &it.0, &it.1),
            Expr::Step {
                target,
                by,
                is_prefix,
            } => self.step(target, *by, *is_prefix),
            Expr::Negate(inner) => Ok(-self.number(inner)?),
            Expr::Plus(inner) | Expr::Group(inner) => self.number(inner),
            Expr::Conditional(it) => {
                if self.truth(&it.0)? {
                    self.number(&it.1)
                } else {
                    self.number(&it.2)
                }
            }
            _ => Ok(self.evaluate(expr)?.number()),
        }
    }

    /// Whether an expression is true.
    pub(super) fn truth(&mut self, expr: &'a Expr) -> Result<bool> {
        match expr {
            Expr::Matches(constant) => {
                self.refresh_record()?;
                let regex = self.regexes.constant(constant)?;
                Ok(self.regexes.is_match(&regex, self.record.text())?)
            }
            Expr::Compare(relation, sides) => self.compare(*relation, &sides.0, &sides.1),
            Expr::Match {
                text,
                regex,
                is_negated,
            } => Ok(self.matches(text, regex)? != *is_negated),
            Expr::And(sides) => Ok(self.truth(&sides.0)? && self.truth(&sides.1)?),
            Expr::Or(sides) => Ok(self.truth(&sides.0)? || self.truth(&sides.1)?),
            Expr::Not(inner) => Ok(!self.truth(inner)?),
            Expr::In(subscript, array) => self.contains(array, subscript),
            Expr::Number(number) => Ok(*number != 0.0),
            Expr::Arithmetic(..) | Expr::Update(..) | Expr::Step { .. } | Expr::Negate(_) => {
                Ok(self.number(expr)? != 0.0)
            }
            Expr::FieldAt(number) => self.field_is_true(*number),
            Expr::Group(inner) => self.truth(inner),
            _ => Ok(self.evaluate(expr)?.is_true()),
        }
    }

    /// Puts the string of an expression at the end of `out`.
    pub(super) fn put(&mut self, expr: &'a Expr, out: &mut Vec<u8>) -> Result<()> {
        self.put_as(expr, out, false)
    }

    /// As [`Interpreter::put`], for `print`: numbers have a format of their own there.
    pub(super) fn put_for_print(&mut self, expr: &'a Expr, out: &mut Vec<u8>) -> Result<()> {
        self.put_as(expr, out, true)
    }

    fn put_as(&mut self, expr: &'a Expr, out: &mut Vec<u8>, is_print: bool) -> Result<()> {
        match expr {
            Expr::Text(text) => out.extend_from_slice(text.as_bytes()),
            Expr::FieldAt(number) => self.put_field(*number, out, is_print)?,
            Expr::Field(number) => {
                let number = self.field_number(number)?;
                self.put_field(number, out, is_print)?;
            }
            Expr::Concat(parts) => {
                for part in parts {
                    self.put_as(part, out, false)?;
                }
            }
            Expr::Group(inner) => self.put_as(inner, out, is_print)?,
            Expr::Variable(Variable::Global(number)) => match self.globals.get(*number) {
                Some(Value::Text(text) | Value::Input(text)) => {
                    out.extend_from_slice(text.as_bytes());
                }
                Some(Value::Number(number)) => {
                    let number = *number;
                    self.put_number(number, out, is_print)?;
                }
                Some(Value::Nothing) | None => {}
                Some(Value::Array(_)) => return Err(self.is_array(Variable::Global(*number))),
            },
            _ => {
                let value = self.evaluate(expr)?;
                self.put_value(&value, out, is_print)?;
            }
        }
        Ok(())
    }

    /// Puts the string of a value at the end of `out`.
    pub(super) fn put_value(
        &mut self,
        value: &Value,
        out: &mut Vec<u8>,
        is_print: bool,
    ) -> Result<()> {
        match value {
            Value::Text(text) | Value::Input(text) => out.extend_from_slice(text.as_bytes()),
            Value::Number(number) => self.put_number(*number, out, is_print)?,
            Value::Nothing => {}
            Value::Array(_) => {
                return Err("attempt to use an array in a scalar context"
                    .to_owned()
                    .into());
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn put_number(
        &mut self,
        number: f64,
        out: &mut Vec<u8>,
        is_print: bool,
    ) -> Result<()> {
        if number::put_whole(out, number) {
            return Ok(());
        }
        let format = if is_print {
            &self.settings.ofmt
        } else {
            &self.settings.convfmt
        };
        if format.as_bytes() == b"%.6g" {
            number::put_default(out, number);
            return Ok(());
        }
        let format = format.clone();
        self.format_values(format.as_bytes(), &[Value::Number(number)], out)
    }

    /// A string as a value.
    pub(super) fn text(&self, bytes: &[u8]) -> Result<Value> {
        Ok(Value::Text(Text::new(&self.budget, bytes)?))
    }

    /// The string of an expression, in a buffer to be given back.
    pub(super) fn string(&mut self, expr: &'a Expr) -> Result<Vec<u8>> {
        let mut buffer = self.take_scratch();
        self.put(expr, &mut buffer)?;
        Ok(buffer)
    }

    /// The number of a field that an expression asks for.
    pub(super) fn field_number(&mut self, expr: &'a Expr) -> Result<usize> {
        let number = self.number(expr)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked below"
        )]
        if number >= 0.0 && number < f64::from(i32::MAX) {
            Ok(number as usize)
        } else if number > -1.0 {
            Err(format!("field number {number} is too large").into())
        } else {
            Err(format!("attempt to access field {}", number.trunc()).into())
        }
    }

    pub(super) fn field(&mut self, number: usize) -> Result<Value> {
        if number == 0 {
            self.refresh_record()?;
            return Ok(Value::Input(Text::new(&self.budget, self.record.text())?));
        }
        let field = self.record.field(number, &self.regexes)?;
        Ok(field.value(&self.budget)?)
    }

    #[inline]
    fn field_as_number(&mut self, number: usize) -> Result<f64> {
        if number == 0 {
            self.refresh_record()?;
            return Ok(number::leading(self.record.text()));
        }
        Ok(match self.record.field(number, &self.regexes)? {
            Field::Read(text) => number::leading(text),
            Field::Assigned(value) => value.number(),
            Field::Missing => 0.0,
        })
    }

    fn field_is_true(&mut self, number: usize) -> Result<bool> {
        if number == 0 {
            self.refresh_record()?;
            return Ok(input_is_true(self.record.text()));
        }
        Ok(match self.record.field(number, &self.regexes)? {
            Field::Read(text) => input_is_true(text),
            Field::Assigned(value) => value.is_true(),
            Field::Missing => false,
        })
    }

    #[inline]
    fn put_field(&mut self, number: usize, out: &mut Vec<u8>, is_print: bool) -> Result<()> {
        if number == 0 {
            self.refresh_record()?;
            out.extend_from_slice(self.record.text());
            return Ok(());
        }
        match self.record.field(number, &self.regexes)? {
            Field::Read(text) => out.extend_from_slice(text),
            Field::Missing => {}
            Field::Assigned(value) => {
                let value = value.clone();
                self.put_value(&value, out, is_print)?;
            }
        }
        Ok(())
    }

    /// Makes the text of the record again, if a field was assigned to.
    #[inline]
    pub(super) fn refresh_record(&mut self) -> Result<()> {
        if self.record.is_stale() {
            self.rebuild_record()?;
        }
        Ok(())
    }

    #[cold]
    fn rebuild_record(&mut self) -> Result<()> {
        let separator = self.settings.ofs.clone();
        let count = self.record.count(&self.regexes)?;
        let size = self.record.rebuilt_size(separator.as_bytes());
        self.process.spend(count.saturating_add(size / 16));
        let format = self.settings.convfmt.clone();
        let is_default = format.as_bytes() == b"%.6g";
        let mut numbers = Vec::new();
        if !is_default {
            // Formats need the interpreter, which the record is a part of: first the numbers, then the record.
            for number in 1..=count {
                let field = self.record.field(number, &self.regexes)?;
                if let Field::Assigned(Value::Number(value)) = field {
                    let value = *value;
                    let mut text = Vec::new();
                    self.put_number(value, &mut text, false)?;
                    numbers.push(text);
                }
            }
        }
        let mut numbers = numbers.into_iter();
        self.record
            .rebuild(separator.as_bytes(), |value, out| match value {
                Value::Text(text) | Value::Input(text) => out.extend_from_slice(text.as_bytes()),
                Value::Number(number) if is_default => {
                    if !number::put_whole(out, *number) {
                        number::put_default(out, *number);
                    }
                }
                Value::Number(_) => out.extend(numbers.next().unwrap_or_default()),
                Value::Nothing | Value::Array(_) => {}
            })?;
        Ok(())
    }

    /// The value of a scalar variable.
    pub(super) fn variable(&mut self, variable: Variable) -> Result<Value> {
        let value = match variable {
            Variable::Global(number) => self.globals.get(number),
            Variable::Local(number) => self.locals.get(self.base + number),
            Variable::Special(special) => return self.special(special),
        };
        match value {
            Some(Value::Array(_)) => Err(self.is_array(variable)),
            Some(value) => Ok(value.clone()),
            None => Ok(Value::Nothing),
        }
    }

    #[cold]
    pub(super) fn is_array(&self, variable: Variable) -> Box<super::Halt> {
        let name = self.name_of(variable);
        format!("attempt to use array `{name}' in a scalar context").into()
    }

    pub(super) fn name_of(&self, variable: Variable) -> String {
        match variable {
            Variable::Global(number) => self.program.globals.get(number).cloned(),
            Variable::Special(special) => Some(special.name().to_owned()),
            Variable::Local(_) => None,
        }
        .unwrap_or_else(|| "a parameter".to_owned())
    }

    fn matches(&mut self, text: &'a Expr, regex: &'a Regex) -> Result<bool> {
        // Where nothing has to be evaluated that could change it, the text is looked at where it is.
        if let (Expr::FieldAt(number), Regex::Constant(constant)) = (text, regex) {
            let regex = self.regexes.constant(constant)?;
            if *number == 0 {
                self.refresh_record()?;
                return Ok(self.regexes.is_match(&regex, self.record.text())?);
            }
            if let Field::Read(text) = self.record.field(*number, &self.regexes)? {
                return Ok(self.regexes.is_match(&regex, text)?);
            }
        }
        let text = self.string(text)?;
        let regex = self.compile(regex)?;
        let is_match = self.regexes.is_match(&regex, &text)?;
        self.give_scratch(text);
        Ok(is_match)
    }

    /// A regular expression, ready to be searched for.
    pub(super) fn compile(&mut self, regex: &'a Regex) -> Result<hotcell_regex::Regex> {
        match regex {
            Regex::Constant(constant) => Ok(self.regexes.constant(constant)?),
            Regex::Dynamic(expr) => {
                let source = self.string(expr)?;
                let regex = self.regexes.dynamic(&source)?;
                self.give_scratch(source);
                Ok(regex)
            }
        }
    }

    #[inline(never)]
    fn call_named(&mut self, variable: Variable, arguments: &'a [Expr]) -> Result<Value> {
        let name = self.variable(variable)?;
        let mut text = self.take_scratch();
        self.put_value(&name, &mut text, false)?;
        let found = self
            .program
            .functions
            .iter()
            .position(|function| function.name.as_bytes() == text.as_slice());
        if let Some(callee) = found {
            self.give_scratch(text);
            return self.call(callee, arguments);
        }
        let name = String::from_utf8_lossy(&text).into_owned();
        match Builtin::named(&text) {
            Some(builtin) => self.call_builtin_by_name(builtin, arguments),
            None => Err(format!("indirect call: function `{name}' not defined").into()),
        }
    }

    fn call(&mut self, callee: usize, arguments: &'a [Expr]) -> Result<Value> {
        let program = self.program;
        let Some(function) = program.functions.get(callee) else {
            return Ok(Value::Nothing);
        };
        if self.process.stack_left() < STACK_RESERVE {
            return Err(format!("function `{}' calls itself too deeply", function.name).into());
        }
        self.process.spend(4);
        let base = self.locals.len();
        for (number, argument) in arguments.iter().enumerate() {
            let wants_array = function
                .parameters
                .get(number)
                .is_some_and(|parameter| parameter.is_array);
            let value = self.argument(argument, wants_array)?;
            self.locals.push(value);
        }
        // What is passed too much is evaluated and forgotten; what is missing is a local variable.
        self.locals
            .resize(base + function.parameters.len(), Value::Nothing);
        let before = std::mem::replace(&mut self.base, base);
        let place = self.place;
        let flow = self.execute(&function.body);
        self.place = place;
        self.base = before;
        self.locals.truncate(base);
        match flow? {
            Flow::Return => Ok(std::mem::take(&mut self.returned)),
            _ => Ok(Value::Nothing),
        }
    }

    /// An argument of a function: arrays are passed as they are, also those that are yet to become one.
    fn argument(&mut self, expr: &'a Expr, wants_array: bool) -> Result<Value> {
        match expr {
            Expr::Variable(variable @ (Variable::Global(_) | Variable::Local(_))) => {
                match self.slot(*variable) {
                    Some(Value::Array(array)) => return Ok(Value::Array(array.clone())),
                    Some(Value::Nothing) | None if wants_array => {
                        let array = self.array_of(*variable)?;
                        return Ok(Value::Array(array));
                    }
                    _ => {}
                }
            }
            Expr::Element(element) => {
                let value = self.element_or_array(&element.0, &element.1)?;
                return match value {
                    Value::Nothing if wants_array => {
                        self.sub_array(&element.0, &element.1).map(Value::Array)
                    }
                    value => Ok(value),
                };
            }
            _ => {}
        }
        self.evaluate(expr)
    }

    /// Where a variable is kept.
    pub(super) fn slot(&mut self, variable: Variable) -> Option<&mut Value> {
        match variable {
            Variable::Global(number) => self.globals.get_mut(number),
            Variable::Local(number) => self.locals.get_mut(self.base + number),
            Variable::Special(_) => None,
        }
    }
}
