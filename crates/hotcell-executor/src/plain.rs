//! Values as plain JSON, the way `JSON.stringify` has it, and back.
//!
//! For what speaks JSON and nothing else: the file tools. Everything that has to survive the way goes as
//! [`json`](crate::json).

use hotcell_cell::{Text, Value};
use serde_json::{Map, Number, Value as Json};

use crate::json::{date::to_iso, digits};

/// No file tool knows what to do with more, and each takes some hundred bytes as JSON.
const MAX_VALUES: usize = 10_000;

/// Why a value is no argument of a file tool.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotPlain {
    #[error("bytes are not taken here: make a text of them, as in new TextDecoder().decode(bytes)")]
    Bytes,
    #[error("an argument holds more than {MAX_VALUES} values")]
    TooMany,
}

/// What JSON would say of a value. `undefined` in an object is left out; elsewhere it is `null`, as is a number that JSON
/// does not have, and an object that occurs again.
pub(crate) fn to_plain(value: &Value) -> Result<Json, NotPlain> {
    Plain { left: MAX_VALUES }.value(value)
}

struct Plain {
    left: usize,
}

impl Plain {
    fn value(&mut self, value: &Value) -> Result<Json, NotPlain> {
        self.left = self.left.checked_sub(1).ok_or(NotPlain::TooMany)?;
        Ok(match value {
            Value::Bool(bool) => Json::Bool(*bool),
            Value::Number(number) => to_number(*number),
            Value::BigInt(number) => {
                i64::try_from(number).map_or_else(|_| Json::String(digits(number)), Into::into)
            }
            Value::String(text) => to_string(text),
            Value::Array(values) | Value::Set(values) => {
                let mut list = Vec::new();
                for value in values {
                    list.push(self.value(value)?);
                }
                Json::Array(list)
            }
            Value::Object(properties) => {
                self.object(properties.iter().map(|(key, value)| (key, value)))?
            }
            Value::Map(entries) => {
                self.object(entries.iter().filter_map(|(key, value)| match key {
                    Value::String(key) => Some((key, value)),
                    _ => None,
                }))?
            }
            Value::Date(time) => to_iso(*time).map_or(Json::Null, Json::String),
            Value::RegExp { source, flags } => Json::String(format!("/{source}/{flags}")),
            Value::Buffer(_) | Value::View(_) => return Err(NotPlain::Bytes),
            Value::Error(error) => Json::String(error.to_string()),
            Value::Boxed(value) => self.value(value)?,
            _ => Json::Null,
        })
    }

    fn object<'a>(
        &mut self,
        properties: impl Iterator<Item = (&'a Text, &'a Value)>,
    ) -> Result<Json, NotPlain> {
        let mut object = Map::new();
        for (key, value) in properties.filter(|(_, value)| !value.is_undefined()) {
            object.insert(key.to_str_lossy().into_owned(), self.value(value)?);
        }
        Ok(Json::Object(object))
    }
}

fn to_string(text: &Text) -> Json {
    Json::String(text.to_str_lossy().into_owned())
}

/// A whole number without a fraction.
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
pub(crate) fn from_plain(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(bool) => Value::Bool(bool),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::from(text),
        Json::Array(values) => Value::Array(values.into_iter().map(from_plain).collect()),
        Json::Object(object) => Value::object(
            object
                .into_iter()
                .map(|(key, json)| (key, from_plain(json))),
        ),
    }
}
