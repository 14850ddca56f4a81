//! Values by parameter name, each taken as the type it has to have.

use serde_json::{Map, Value};

use super::bad;
use crate::catalog::{Kind, Param};
use crate::error::FileToolError;

/// How alike a name has to be to a parameter's to be taken for a misspelling of it.
const ALIKE: f64 = 0.6;
/// How much of a wrong value is shown.
const VALUE_CHARS: usize = 40;

pub(super) struct Named {
    tool: &'static str,
    /// What comes before the names in messages: `edits[1].`, or nothing.
    place: String,
    params: &'static [Param],
    values: Map<String, Value>,
}

impl Named {
    /// Takes names in camelCase and in `snake_case`. `null` is the same as nothing.
    pub(super) fn new(
        tool: &'static str,
        place: &str,
        params: &'static [Param],
        object: Map<String, Value>,
    ) -> Result<Self, FileToolError> {
        let mut named = Self {
            tool,
            place: place.to_owned(),
            params,
            values: Map::new(),
        };
        for (name, value) in object {
            let param = find(params, &name).ok_or_else(|| named.unknown(&name))?;
            named.put(param, value)?;
        }
        Ok(named)
    }

    pub(super) fn put(&mut self, param: &Param, value: Value) -> Result<(), FileToolError> {
        if value.is_null() {
            return Ok(());
        }
        if self.values.insert(param.name.to_owned(), value).is_some() {
            return Err(self.bad(format!("{}{} is given twice", self.place, param.name)));
        }
        Ok(())
    }

    pub(super) fn check_required(&self) -> Result<(), FileToolError> {
        for param in self.params {
            if param.required && !self.values.contains_key(param.name) {
                return Err(self.bad(format!(
                    "missing parameter {}{} ({})",
                    self.place,
                    param.name,
                    expected(param.kind)
                )));
            }
        }
        Ok(())
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, FileToolError> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.mistyped(name, &other)),
        }
    }

    pub(super) fn required_text(&mut self, name: &str) -> Result<String, FileToolError> {
        self.text(name)?
            .ok_or_else(|| self.bad(format!("missing parameter {}{name} (a string)", self.place)))
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, FileToolError> {
        match self.values.remove(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(self.mistyped(name, &other)),
        }
    }

    pub(super) fn array(&mut self, name: &str) -> Result<Option<Vec<Value>>, FileToolError> {
        match self.values.remove(name) {
            None => Ok(None),
            Some(Value::Array(values)) => Ok(Some(values)),
            Some(other) => Err(self.mistyped(name, &other)),
        }
    }

    pub(super) fn count(&mut self, name: &str) -> Result<Option<u64>, FileToolError> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let least = self.params.iter().find_map(|param| match param.kind {
            Kind::Count { least, .. } if param.name == name => Some(least),
            _ => None,
        });
        match whole(&value) {
            Some(count) if count >= least.unwrap_or(0) => Ok(Some(count)),
            _ => Err(self.mistyped(name, &value)),
        }
    }

    fn mistyped(&self, name: &str, value: &Value) -> FileToolError {
        let kind = self.params.iter().find(|param| param.name == name);
        let text_wanted = kind.is_some_and(|param| param.kind == Kind::Text);
        let expected = kind.map_or_else(String::new, |param| expected(param.kind));
        let hint = if text_wanted && (value.is_object() || value.is_array()) {
            "; JSON.stringify makes a string of it"
        } else {
            ""
        };
        self.bad(format!(
            "{}{name} must be {expected}, got {}{hint}",
            self.place,
            given(value)
        ))
    }

    fn unknown(&self, name: &str) -> FileToolError {
        let names: Vec<&str> = self.params.iter().map(|param| param.name).collect();
        let hint = self.nearest(name).map_or_else(String::new, |param| {
            format!("; did you mean {}?", param.name)
        });
        self.bad(format!(
            "unknown parameter {}{}{hint} (parameters: {})",
            self.place,
            cut(name),
            names.join(", ")
        ))
    }

    fn nearest(&self, name: &str) -> Option<&Param> {
        let name: String = name.chars().take(VALUE_CHARS).collect();
        let alike = |other: &str| {
            strsim::normalized_damerau_levenshtein(&squeezed(&name), &squeezed(other))
        };
        self.params
            .iter()
            .map(|param| {
                let also = param.also.iter().copied().map(alike).fold(0.0, f64::max);
                (alike(param.name).max(also), param)
            })
            .filter(|(alike, _)| *alike >= ALIKE)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, param)| param)
    }

    fn bad(&self, problem: String) -> FileToolError {
        bad(self.tool, problem)
    }
}

fn find<'a>(params: &'a [Param], name: &str) -> Option<&'a Param> {
    params
        .iter()
        .find(|param| param.name == name || snake_case(param.name) == name)
}

/// Whether a parameter has this name.
pub(super) fn knows(params: &[Param], name: &str) -> bool {
    find(params, name).is_some()
}

/// A number that is whole and not negative; JavaScript has no other numbers than floating ones. More than can be counted
/// is the most that can.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole and not negative, and the cast saturates"
)]
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| *number >= 0.0 && number.fract() == 0.0)
            .map(|number| number as u64)
    })
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::Text => "a string".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Count { least, .. } => format!("a whole number of at least {least}"),
        Kind::Edits => "an array of {oldText, newText}".to_owned(),
    }
}

/// A value as it is named in messages.
pub(super) fn given(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the string {:?}", cut(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// `oldText` as `old_text`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A name without what spellings differ in.
fn squeezed(name: &str) -> String {
    name.chars()
        .filter(|c| *c != '_' && *c != '-')
        .flat_map(char::to_lowercase)
        .collect()
}
