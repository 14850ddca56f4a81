//! Orders of elements: `asort`, `asorti` and `PROCINFO["sorted_in"]`.

use std::{cell::RefCell, cmp::Ordering, rc::Rc};

use super::{
    super::{
        array::{Array, Sought},
        syntax::{Argument, Builtin},
        value::{ArrayRef, Value, compare_numbers},
    },
    Interpreter, Result, STACK_RESERVE,
    execute::Flow,
};

/// A key and its value.
type Element = (Value, Value);

/// What elements are ordered by.
enum Order {
    KeysAsText,
    KeysAsNumbers,
    ValuesByType,
    ValuesAsText,
    ValuesAsNumbers,
    /// A function of the program, by its number.
    Function(usize),
}

impl<'a> Interpreter<'a> {
    fn order_named(&self, name: &[u8]) -> Result<(Order, bool)> {
        let is_reversed = name.ends_with(b"_desc");
        let order = match name {
            b"@ind_str_asc" | b"@ind_str_desc" => Order::KeysAsText,
            b"@ind_num_asc" | b"@ind_num_desc" => Order::KeysAsNumbers,
            b"@val_type_asc" | b"@val_type_desc" => Order::ValuesByType,
            b"@val_str_asc" | b"@val_str_desc" => Order::ValuesAsText,
            b"@val_num_asc" | b"@val_num_desc" => Order::ValuesAsNumbers,
            _ => {
                let found = self
                    .program
                    .functions
                    .iter()
                    .position(|function| function.name.as_bytes() == name);
                let Some(function) = found else {
                    let name = String::from_utf8_lossy(name);
                    return Err(format!("sort comparison function `{name}' is not defined").into());
                };
                return Ok((Order::Function(function), false));
            }
        };
        Ok((order, is_reversed))
    }

    fn elements(&self, array: &ArrayRef) -> Result<Vec<Element>> {
        let array = array.borrow();
        let elements = array
            .iter()
            .map(|(key, value)| Ok((key.value(&self.budget)?, value.clone())));
        Ok(elements.collect::<std::io::Result<_>>()?)
    }

    pub(super) fn sorted_keys(&mut self, array: &ArrayRef, order: &[u8]) -> Result<Vec<Value>> {
        let elements = self.elements(array)?;
        let sorted = self.sort(elements, order)?;
        Ok(sorted.into_iter().map(|(key, _)| key).collect())
    }

    /// Sorts by merging, so that a comparison may fail, and the work be stopped, at any time.
    fn sort(&mut self, elements: Vec<Element>, order: &[u8]) -> Result<Vec<Element>> {
        let (order, is_reversed) = self.order_named(order)?;
        let mut runs: Vec<Vec<Element>> =
            elements.into_iter().map(|element| vec![element]).collect();
        while runs.len() > 1 {
            let mut merged = Vec::with_capacity(runs.len().div_ceil(2));
            let mut pairs = runs.into_iter();
            while let Some(left) = pairs.next() {
                merged.push(match pairs.next() {
                    Some(right) => self.merge(left, right, &order, is_reversed)?,
                    None => left,
                });
            }
            runs = merged;
        }
        Ok(runs.pop().unwrap_or_default())
    }

    fn merge(
        &mut self,
        left: Vec<Element>,
        right: Vec<Element>,
        order: &Order,
        is_reversed: bool,
    ) -> Result<Vec<Element>> {
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
            self.process.spend(8);
            let (first, second) = (first.clone(), second.clone());
            let mut ordering = self.order_elements(&first, &second, order)?;
            if is_reversed {
                ordering = ordering.reverse();
            }
            merged.extend(if ordering.is_gt() {
                right.next()
            } else {
                left.next()
            });
        }
        merged.extend(left);
        merged.extend(right);
        Ok(merged)
    }

    fn order_elements(
        &mut self,
        left: &Element,
        right: &Element,
        order: &Order,
    ) -> Result<Ordering> {
        match order {
            Order::KeysAsText => self.order_as_text(&left.0, &right.0),
            Order::KeysAsNumbers => {
                let ordering = compare_numbers(left.0.number(), right.0.number());
                Ok(ordering.then(self.order_as_text(&left.0, &right.0)?))
            }
            Order::ValuesByType => {
                let ordering = self.order_by_type(&left.1, &right.1)?;
                Ok(ordering.then(self.order_as_text(&left.0, &right.0)?))
            }
            Order::ValuesAsText => {
                let ordering = match (rank(&left.1), rank(&right.1)) {
                    (2, 2) => Ordering::Equal,
                    (2, _) => Ordering::Greater,
                    (_, 2) => Ordering::Less,
                    _ => self.order_as_text(&left.1, &right.1)?,
                };
                Ok(ordering.then(self.order_as_text(&left.0, &right.0)?))
            }
            Order::ValuesAsNumbers => {
                let ordering = match (rank(&left.1), rank(&right.1)) {
                    (2, 2) => Ordering::Equal,
                    (2, _) => Ordering::Greater,
                    (_, 2) => Ordering::Less,
                    _ => compare_numbers(left.1.number(), right.1.number()),
                };
                if ordering.is_ne() {
                    return Ok(ordering);
                }
                let by_text = match (rank(&left.1), rank(&right.1)) {
                    (2, _) | (_, 2) => Ordering::Equal,
                    _ => self.order_as_text(&left.1, &right.1)?,
                };
                Ok(by_text.then(self.order_as_text(&left.0, &right.0)?))
            }
            Order::Function(function) => self.order_by_function(*function, left, right),
        }
    }

    /// Numbers before strings before arrays.
    fn order_by_type(&mut self, left: &Value, right: &Value) -> Result<Ordering> {
        match (rank(left), rank(right)) {
            (0, 0) => Ok(compare_numbers(left.number(), right.number())),
            (1, 1) => self.order_as_text(left, right),
            (left, right) => Ok(left.cmp(&right)),
        }
    }

    fn order_by_function(
        &mut self,
        function: usize,
        left: &Element,
        right: &Element,
    ) -> Result<Ordering> {
        let program = self.program;
        let Some(function) = program.functions.get(function) else {
            return Ok(Ordering::Equal);
        };
        if self.process.stack_left() < STACK_RESERVE {
            return Err(format!("function `{}' calls itself too deeply", function.name).into());
        }
        let base = self.locals.len();
        for value in [&left.0, &left.1, &right.0, &right.1] {
            self.locals.push(value.clone());
        }
        self.locals
            .resize(base + function.parameters.len(), Value::Nothing);
        let before = std::mem::replace(&mut self.base, base);
        let flow = self.execute(&function.body);
        self.base = before;
        self.locals.truncate(base);
        let result = match flow? {
            Flow::Return => std::mem::take(&mut self.returned).number(),
            _ => 0.0,
        };
        Ok(compare_numbers(result, 0.0))
    }

    /// `asort` and `asorti`: how many elements.
    #[inline(never)]
    pub(super) fn sort_array(
        &mut self,
        builtin: Builtin,
        arguments: &'a [Argument],
    ) -> Result<Value> {
        let [Argument::Array(source), rest @ ..] = arguments else {
            return Ok(Value::Nothing);
        };
        let source = self.array(source)?;
        let target = match rest.first() {
            Some(Argument::Array(target)) => self.array(target)?,
            _ => Rc::clone(&source),
        };
        let by_keys = builtin == Builtin::Asorti;
        let order = match rest.get(1) {
            Some(argument) => self.argument_string(argument)?,
            None if by_keys => b"@ind_str_asc".to_vec(),
            None => b"@val_type_asc".to_vec(),
        };
        let count = source.borrow().len();
        self.process.spend(count);
        let _room = self
            .budget
            .hold(count.saturating_mul(2 * size_of::<Element>() + size_of::<Vec<Element>>()))?;
        let elements = self.elements(&source)?;
        let sorted = self.sort(elements, &order)?;
        let mut result = Array::new(&self.budget);
        for (number, (key, value)) in (1..).zip(sorted) {
            self.process.spend(1);
            result.insert(Sought::Number(number), if by_keys { key } else { value })?;
        }
        let before = target.replace(result);
        drop::<RefCell<Array>>(RefCell::new(before));
        Ok(Value::count(count))
    }
}

/// Numbers, strings, arrays.
fn rank(value: &Value) -> u8 {
    match value {
        Value::Array(_) => 2,
        value if value.as_numeric().is_some() => 0,
        _ => 1,
    }
}
