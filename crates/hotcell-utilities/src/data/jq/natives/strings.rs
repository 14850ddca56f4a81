//! Functions on strings.

use super::{
    super::{eval::Machine, json, print, stop::Stop, value::Value},
    Table, arg, described, wrong,
};

pub(super) const TABLE: Table = &[
    ("tostring", 0, |machine, value, _| match value {
        Value::String(_) => Ok(value),
        other => machine.heap.string(text_of(machine, &other)?),
    }),
    ("tojson", 0, |machine, value, _| {
        let text = text_of(machine, &value)?;
        machine.heap.string(text)
    }),
    ("fromjson", 0, from_json),
    ("tonumber", 0, |machine, value, _| match &value {
        Value::Number(_) | Value::Literal(_) => Ok(value),
        Value::String(text) => machine
            .heap
            .literal(&text.text)?
            .ok_or_else(|| Stop::message(format!("Cannot parse '{}' as JSON", text.text))),
        other => Err(wrong(other, "cannot be parsed as a number")),
    }),
    ("ascii_downcase", 0, |machine, value, _| {
        case(machine, &value, "ascii_downcase", str::to_ascii_lowercase)
    }),
    ("ascii_upcase", 0, |machine, value, _| {
        case(machine, &value, "ascii_upcase", str::to_ascii_uppercase)
    }),
    ("explode", 0, |machine, value, _| match &value {
        Value::String(text) => {
            machine.process.spend(text.text.len());
            let _room = machine.heap.room_for(text.text.len())?;
            machine.heap.array(
                text.text
                    .chars()
                    .map(|c| Value::Number(f64::from(u32::from(c))))
                    .collect(),
            )
        }
        other => Err(wrong(other, "cannot be exploded")),
    }),
    ("implode", 0, implode),
    ("split", 1, split),
    ("join", 1, join),
    ("startswith", 1, |_, value, args| {
        match (&value, arg(args, 0)) {
            (Value::String(text), Value::String(part)) => {
                Ok(Value::Bool(text.text.starts_with(&part.text)))
            }
            _ => Err(Stop::message("startswith() requires string inputs")),
        }
    }),
    ("endswith", 1, |_, value, args| {
        match (&value, arg(args, 0)) {
            (Value::String(text), Value::String(part)) => {
                Ok(Value::Bool(text.text.ends_with(&part.text)))
            }
            _ => Err(Stop::message("endswith() requires string inputs")),
        }
    }),
    ("ltrimstr", 1, |machine, value, args| {
        match (value.as_str(), arg(args, 0).as_str()) {
            (Some(text), Some(part)) => match text.strip_prefix(part) {
                Some(rest) => machine.heap.string(rest),
                None => Ok(value),
            },
            _ => Ok(value),
        }
    }),
    ("rtrimstr", 1, |machine, value, args| {
        match (value.as_str(), arg(args, 0).as_str()) {
            (Some(text), Some(part)) => match text.strip_suffix(part) {
                Some(rest) => machine.heap.string(rest),
                None => Ok(value),
            },
            _ => Ok(value),
        }
    }),
    ("trim", 0, |machine, value, _| {
        trim(machine, &value, |text| text.trim_matches(is_space))
    }),
    ("ltrim", 0, |machine, value, _| {
        trim(machine, &value, |text| text.trim_start_matches(is_space))
    }),
    ("rtrim", 0, |machine, value, _| {
        trim(machine, &value, |text| text.trim_end_matches(is_space))
    }),
];

fn is_space(character: char) -> bool {
    character.is_ascii_whitespace() || character == '\u{b}'
}

/// The text of a value as JSON, charged by whoever keeps it.
pub(super) fn text_of(machine: &Machine<'_, '_>, value: &Value) -> Result<String, Stop> {
    Ok(print::compact(machine.process, &machine.heap, value)?)
}

fn from_json(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    let Value::String(text) = &value else {
        return Err(wrong(&value, "only strings can be parsed"));
    };
    match json::parse_one(machine.process, &machine.heap, text.text.as_bytes())? {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Ok(Value::Null),
        Err(wrong) => Err(Stop::message(format!(
            "{wrong} (while parsing '{}')",
            text.text
        ))),
    }
}

fn case(
    machine: &Machine<'_, '_>,
    value: &Value,
    name: &str,
    change: fn(&str) -> String,
) -> Result<Value, Stop> {
    match value {
        Value::String(text) => {
            machine.process.spend(text.text.len());
            machine.heap.string(change(&text.text))
        }
        _ => Err(Stop::message(format!("{name} input must be a string"))),
    }
}

fn trim(machine: &Machine<'_, '_>, value: &Value, change: fn(&str) -> &str) -> Result<Value, Stop> {
    match value {
        Value::String(text) => machine.heap.string(change(&text.text)),
        other => Err(wrong(other, "cannot be trimmed")),
    }
}

fn implode(machine: &Machine<'_, '_>, value: Value, _: &[Value]) -> Result<Value, Stop> {
    let Value::Array(array) = &value else {
        return Err(Stop::message(format!(
            "{} cannot be imploded",
            described(&value)
        )));
    };
    machine.process.spend(array.items.len());
    let mut text = String::new();
    for item in &array.items {
        let Some(code) = item.as_number() else {
            return Err(Stop::message("Unicode codepoint must be numeric"));
        };
        #[allow(clippy::cast_sign_loss, reason = "saturates, and is checked")]
        text.push(char::from_u32(code as u32).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    machine.heap.string(text)
}

pub(super) fn split(
    machine: &Machine<'_, '_>,
    value: Value,
    args: &[Value],
) -> Result<Value, Stop> {
    let (Value::String(text), Value::String(part)) = (&value, arg(args, 0)) else {
        return Err(Stop::message("split input and separator must be strings"));
    };
    machine.process.spend(text.text.len());
    let mut items = machine.heap.open_array()?;
    if text.text.is_empty() {
        return Ok(items.close());
    }
    if part.text.is_empty() {
        for character in text.text.chars() {
            machine.process.spend(16);
            items.push(machine.heap.string(character.to_string())?)?;
        }
    } else {
        for piece in text.text.split(part.text.as_str()) {
            machine.process.spend(16);
            items.push(machine.heap.string(piece)?)?;
        }
    }
    Ok(items.close())
}

fn join(machine: &Machine<'_, '_>, value: Value, args: &[Value]) -> Result<Value, Stop> {
    let (items, _room) = super::collections::children(machine, &value)?;
    let between = arg(args, 0);
    let mut joined = machine.heap.string("")?;
    for (number, item) in items.into_iter().enumerate() {
        machine.process.spend(8);
        if number > 0 {
            joined = super::arithmetic::add(machine, joined, between.clone())?;
        }
        let item = match item {
            Value::Null => machine.heap.string("")?,
            Value::Bool(_) | Value::Number(_) | Value::Literal(_) => {
                machine.heap.string(print::beginning(&item))?
            }
            other => other,
        };
        joined = super::arithmetic::add(machine, joined, item)?;
    }
    Ok(joined)
}
