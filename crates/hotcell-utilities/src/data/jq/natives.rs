//! Functions on values.

mod arithmetic;
mod collections;
mod dates;
mod formats;
mod math;
mod patterns;
mod strings;
mod system;

use super::{eval::Machine, prelude, print, stop::Stop, value::Value};

pub(crate) use arithmetic::{binary, negate};
pub(crate) use collections::indices;
pub(crate) use formats::{format, is_format};
pub(crate) use patterns::State;

type Call = for<'a, 't, 'p> fn(&'a Machine<'t, 'p>, Value, &'a [Value]) -> Result<Value, Stop>;

/// A function, with the number of its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Native(Call);

impl Native {
    pub(crate) fn call(
        self,
        machine: &Machine<'_, '_>,
        value: Value,
        args: &[Value],
    ) -> Result<Value, Stop> {
        (self.0)(machine, value, args)
    }
}

type Table = &'static [(&'static str, usize, Call)];

const TABLES: [Table; 6] = [
    collections::TABLE,
    dates::TABLE,
    math::TABLE,
    patterns::TABLE,
    strings::TABLE,
    system::TABLE,
];

/// The function of this name that takes so many arguments.
pub(crate) fn find(name: &str, arity: usize) -> Option<Native> {
    let mut all = TABLES.iter().copied().flatten();
    all.find(|(known, count, _)| *known == name && *count == arity)
        .map(|(_, _, call)| Native(*call))
}

/// All functions, as `name/arity`.
fn builtins(machine: &Machine<'_, '_>, _: Value, _: &[Value]) -> Result<Value, Stop> {
    let mut items = Vec::new();
    let ours = TABLES
        .iter()
        .copied()
        .flatten()
        .map(|(name, arity, _)| (*name, *arity));
    for (name, arity) in ours.chain(prelude::names()) {
        if !name.starts_with('_') {
            items.push(machine.heap.string(format!("{name}/{arity}"))?);
        }
    }
    machine.heap.array(items)
}

/// An argument; there are as many as the table says.
fn arg(args: &[Value], index: usize) -> &Value {
    args.get(index).unwrap_or(&Value::Null)
}

/// The text of a value for messages, cut as jq cuts it.
pub(crate) fn shown(value: &Value) -> String {
    let text = print::beginning(value);
    let mut end = 11.min(text.len());
    if text.len() <= 11 {
        return text;
    }
    end = end.min(10);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

/// `number (1)`; null is only that.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        _ => format!("{} ({})", value.type_name(), shown(value)),
    }
}

fn wrong(value: &Value, what: &str) -> Stop {
    Stop::message(format!("{} ({}) {what}", value.type_name(), shown(value)))
}
