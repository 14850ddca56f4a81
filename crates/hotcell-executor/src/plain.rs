//! Values as plain JSON, the way `JSON.stringify` has it, and back.
//!
//! For what speaks JSON and nothing else: schemas, and the file tools. Everything that has to survive the way goes as
//! [`json`](crate::json).

use hotcell_cell::{Text, Value};
use serde_json::{Map, Number, Value as Json};

use crate::json::date::to_iso;

/// What JSON would say of a value. `undefined` in an object is left out; elsewhere it is `null`, as is a number that JSON
/// does not have. An object that occurs again is `null` too: schemas look at trees.
pub(crate) fn to_plain(value: &Value) -> Json {
    match value {
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Number(number) => to_number(*number),
        Value::BigInt(number) => number
            .to_string()
            .parse::<i64>()
            .map_or_else(|_| Json::String(number.to_string()), Into::into),
        Value::String(text) => to_string(text),
        Value::Array(values) | Value::Set(values) => values.iter().map(to_plain).collect(),
        Value::Object(properties) => to_object(properties.iter().map(|(key, value)| (key, value))),
        Value::Map(entries) => {
            let named = entries.iter().filter_map(|(key, value)| match key {
                Value::String(key) => Some((key, value)),
                _ => None,
            });
            to_object(named)
        }
        Value::Date(time) => to_iso(*time).map_or(Json::Null, Json::String),
        Value::RegExp { source, flags } => Json::String(format!("/{source}/{flags}")),
        Value::Buffer(bytes) => bytes.iter().map(|byte| Json::from(*byte)).collect(),
        Value::View(view) => to_plain(&view.buffer),
        Value::Error(error) => Json::String(error.to_string()),
        Value::Boxed(value) => to_plain(value),
        _ => Json::Null,
    }
}

fn to_object<'a>(properties: impl Iterator<Item = (&'a Text, &'a Value)>) -> Json {
    let present = properties.filter(|(_, value)| !value.is_undefined());
    let object: Map<_, _> = present
        .map(|(key, value)| (key.to_str_lossy().into_owned(), to_plain(value)))
        .collect();
    Json::Object(object)
}

fn to_string(text: &Text) -> Json {
    Json::String(text.to_str_lossy().into_owned())
}

/// A whole number is one for JSON Schema too.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and small"
)]
fn to_number(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
        return Json::from(number as i64);
    }
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// A value that says the same as a piece of JSON.
pub(crate) fn from_plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(*bool),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => Value::Array(values.iter().map(from_plain).collect()),
        Json::Object(object) => {
            Value::object(object.iter().map(|(key, json)| (&**key, from_plain(json))))
        }
    }
}
