//! How much memory a value takes.

use super::{ErrorValue, Text, Value, View};
use crate::{held::allocation, wire::MAX_DEPTH};

impl Value {
    /// Bytes of memory that it takes beside itself, about. What is nested deeper than values may be that enter a cell is not
    /// counted.
    pub fn heap_size(&self) -> usize {
        heap_size(self, 0)
    }
}

fn heap_size(value: &Value, depth: u32) -> usize {
    if depth > MAX_DEPTH {
        return 0;
    }
    let inner = |value: &Value| heap_size(value, depth + 1);
    match value {
        Value::Undefined
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Hole
        | Value::Date(_)
        | Value::Reference(_) => 0,
        Value::BigInt(number) => {
            allocation(usize::try_from(number.bits() / 8 + 8).unwrap_or(usize::MAX))
        }
        Value::String(text) => text.heap_size(),
        Value::Array(values) | Value::Set(values) => {
            slots::<Value>(values.capacity()) + values.iter().map(inner).sum::<usize>()
        }
        Value::Object(properties) => properties_size(properties, depth),
        Value::RegExp { source, flags } => source.heap_size() + flags.heap_size(),
        Value::Map(entries) => {
            slots::<(Value, Value)>(entries.capacity())
                + entries
                    .iter()
                    .map(|(key, value)| inner(key) + inner(value))
                    .sum::<usize>()
        }
        Value::Buffer(bytes) => allocation(bytes.capacity()),
        Value::View(view) => slots::<View>(1) + inner(&view.buffer),
        Value::Error(error) => error_size(error, depth),
        Value::Boxed(primitive) => slots::<Value>(1) + inner(primitive),
    }
}

impl ErrorValue {
    /// Bytes of memory that it takes, itself included, as [`Value::heap_size`] says.
    pub(crate) fn size(&self) -> usize {
        error_size(self, 0)
    }
}

fn error_size(error: &ErrorValue, depth: u32) -> usize {
    slots::<ErrorValue>(1)
        + error.name.heap_size()
        + error.message.heap_size()
        + error.stack.heap_size()
        + error
            .cause
            .as_ref()
            .map_or(0, |cause| heap_size(cause, depth + 1))
        + properties_size(&error.properties, depth)
}

fn properties_size(properties: &Vec<(Text, Value)>, depth: u32) -> usize {
    slots::<(Text, Value)>(properties.capacity())
        + properties
            .iter()
            .map(|(key, value)| key.heap_size() + heap_size(value, depth + 1))
            .sum::<usize>()
}

fn slots<T>(count: usize) -> usize {
    allocation(count.saturating_mul(size_of::<T>()))
}
