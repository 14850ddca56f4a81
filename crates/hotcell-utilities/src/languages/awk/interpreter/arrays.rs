//! Arrays and their elements.

use std::{cell::RefCell, rc::Rc};

use bstr::BString;

use super::{
    super::{
        array::{Array, Key, Sought},
        record::Field,
        syntax::{ARGC, ARGV, ArrayExpr, ENVIRON, Expr, PROCINFO, Subscript, Variable},
        text::Text,
        value::{ArrayRef, Value},
    },
    Interpreter, Result,
};
use crate::languages::budget::Held;

/// A key that was evaluated.
pub(super) enum Evaluated {
    Number(i64),
    Text(Text),
    /// In a buffer that is to be given back.
    Buffer(Vec<u8>),
}

impl Evaluated {
    pub(super) fn sought(&self) -> Sought<'_> {
        match self {
            Self::Number(number) => Sought::Number(*number),
            Self::Text(text) => Sought::of(text.as_bytes()),
            Self::Buffer(buffer) => Sought::of(buffer),
        }
    }
}

impl<'a> Interpreter<'a> {
    /// What is there before the program begins.
    pub(super) fn fill_arrays(&mut self, arguments: &[BString]) -> Result<()> {
        for (number, argument) in arguments.iter().enumerate() {
            let value = Value::Input(Text::new(&self.budget, argument)?);
            let key = Sought::Number(i64::try_from(number).unwrap_or(i64::MAX));
            self.array_of(Variable::Global(ARGV))?
                .borrow_mut()
                .insert(key, value)?;
        }
        if let Some(count) = self.globals.get_mut(ARGC) {
            *count = Value::count(arguments.len());
        }
        let environ = self.array_of(Variable::Global(ENVIRON))?;
        for (name, value) in self.process.environment().iter() {
            let value = Value::Input(Text::new(&self.budget, value)?);
            environ.borrow_mut().insert(Sought::of(name), value)?;
        }
        let procinfo = self.array_of(Variable::Global(PROCINFO))?;
        let mut procinfo = procinfo.borrow_mut();
        let pid = f64::from(self.process.pid().0);
        let parent = f64::from(self.process.parent().0);
        for (name, number) in [("pid", pid), ("ppid", parent)] {
            procinfo.insert(Sought::of(name.as_bytes()), Value::Number(number))?;
        }
        for (name, text) in [
            ("FS", "FS"),
            ("platform", "posix"),
            ("strftime", "%a %b %e %H:%M:%S %Z %Y"),
            ("version", "5.2.1"),
        ] {
            let value = Value::Text(Text::new(&self.budget, text.as_bytes())?);
            procinfo.insert(Sought::of(name.as_bytes()), value)?;
        }
        Ok(())
    }

    /// The array that an expression stands for.
    pub(super) fn array(&mut self, array: &'a ArrayExpr) -> Result<ArrayRef> {
        match array {
            ArrayExpr::Variable(variable) => self.array_of(*variable),
            ArrayExpr::Element(element) => self.sub_array(&element.0, &element.1),
        }
    }

    /// The array of this name, which is made if there is nothing yet.
    pub(super) fn array_of(&mut self, variable: Variable) -> Result<ArrayRef> {
        let budget = self.budget.clone();
        match self.slot(variable) {
            Some(Value::Array(array)) => Ok(Rc::clone(array)),
            Some(place @ Value::Nothing) => {
                let array = Rc::new(RefCell::new(Array::new(&budget)));
                *place = Value::Array(Rc::clone(&array));
                Ok(array)
            }
            _ => {
                let name = self.name_of(variable);
                Err(format!("attempt to use scalar `{name}' as an array").into())
            }
        }
    }

    /// An element that is an array.
    pub(super) fn sub_array(
        &mut self,
        array: &'a ArrayExpr,
        subscript: &'a Subscript,
    ) -> Result<ArrayRef> {
        let array = self.array(array)?;
        let key = self.key(subscript)?;
        let mut array = array.borrow_mut();
        let place = array.entry(key.sought())?;
        let inner = match place {
            Value::Array(inner) => Rc::clone(inner),
            Value::Nothing => {
                let inner = Rc::new(RefCell::new(Array::new(&self.budget)));
                *place = Value::Array(Rc::clone(&inner));
                inner
            }
            _ => {
                return Err("attempt to use a scalar element as an array"
                    .to_owned()
                    .into());
            }
        };
        drop(array);
        self.give_key(key);
        Ok(inner)
    }

    /// An element, which is there from now on.
    pub(super) fn element(
        &mut self,
        array: &'a ArrayExpr,
        subscript: &'a Subscript,
    ) -> Result<Value> {
        match self.element_or_array(array, subscript)? {
            Value::Array(_) => Err("attempt to use an array in a scalar context"
                .to_owned()
                .into()),
            value => Ok(value),
        }
    }

    pub(super) fn element_or_array(
        &mut self,
        array: &'a ArrayExpr,
        subscript: &'a Subscript,
    ) -> Result<Value> {
        let array = self.array(array)?;
        let key = self.key(subscript)?;
        let value = array.borrow_mut().entry(key.sought())?.clone();
        self.give_key(key);
        Ok(value)
    }

    pub(super) fn contains(
        &mut self,
        array: &'a ArrayExpr,
        subscript: &'a Subscript,
    ) -> Result<bool> {
        let array = self.array(array)?;
        let key = self.key(subscript)?;
        let is_there = array.borrow().contains(key.sought());
        self.give_key(key);
        Ok(is_there)
    }

    #[inline(never)]
    pub(super) fn delete(
        &mut self,
        array: &'a ArrayExpr,
        subscript: Option<&'a Subscript>,
    ) -> Result<()> {
        let array = self.array(array)?;
        match subscript {
            None => array.borrow_mut().clear(),
            Some(subscript) => {
                let key = self.key(subscript)?;
                array.borrow_mut().remove(key.sought());
                self.give_key(key);
            }
        }
        Ok(())
    }

    /// What stands between brackets.
    pub(super) fn key(&mut self, subscript: &'a Subscript) -> Result<Evaluated> {
        if let [only] = subscript.as_slice() {
            return self.single_key(only);
        }
        let mut buffer = self.take_scratch();
        for (number, part) in subscript.iter().enumerate() {
            if number > 0 {
                buffer.extend_from_slice(self.settings.subsep.as_bytes());
            }
            self.put(part, &mut buffer)?;
        }
        Ok(Evaluated::Buffer(buffer))
    }

    #[inline]
    fn single_key(&mut self, expr: &'a Expr) -> Result<Evaluated> {
        if let Expr::FieldAt(number @ 1..) = expr
            && let Field::Read(text) = self.record.field(*number, &self.regexes)?
        {
            let text = Text::new(&self.budget, text)?;
            return Ok(Evaluated::Text(text));
        }
        if let Expr::Concat(_) = expr {
            return Ok(Evaluated::Buffer(self.string(expr)?));
        }
        match self.evaluate(expr)? {
            Value::Text(text) | Value::Input(text) => Ok(Evaluated::Text(text)),
            Value::Nothing => Ok(Evaluated::Text(Text::EMPTY)),
            value => {
                if let Value::Number(number) = value
                    && let Some(Sought::Number(number)) = Sought::of_number(number)
                {
                    return Ok(Evaluated::Number(number));
                }
                let mut buffer = self.take_scratch();
                self.put_value(&value, &mut buffer, false)?;
                Ok(Evaluated::Buffer(buffer))
            }
        }
    }

    #[inline]
    pub(super) fn give_key(&mut self, key: Evaluated) {
        if let Evaluated::Buffer(buffer) = key {
            self.give_scratch(buffer);
        }
    }

    /// The keys that a loop goes through, as they are when it begins, and the room they take.
    pub(super) fn keys_for_loop(&mut self, array: &ArrayRef) -> Result<(Vec<Value>, Held)> {
        let count = array.borrow().len();
        let room = self
            .budget
            .hold(count.saturating_mul(size_of::<Value>() + size_of::<Key>()))?;
        self.process.spend(count);
        let order = self.loop_order()?;
        let keys: Vec<Value> = match order {
            None => {
                let array = array.borrow();
                let keys = array.iter().map(|(key, _)| key.value(&self.budget));
                keys.collect::<std::io::Result<_>>()?
            }
            Some(order) => self.sorted_keys(array, &order)?,
        };
        Ok((keys, room))
    }

    /// What `PROCINFO["sorted_in"]` says.
    fn loop_order(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(Value::Array(procinfo)) = self.globals.get(PROCINFO) else {
            return Ok(None);
        };
        let procinfo = Rc::clone(procinfo);
        let order = procinfo.borrow().get(Sought::of(b"sorted_in")).cloned();
        let Some(order) = order else { return Ok(None) };
        let mut text = Vec::new();
        self.put_value(&order, &mut text, false)?;
        Ok((!text.is_empty() && text != b"@unsorted").then_some(text))
    }
}
