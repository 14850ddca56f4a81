//! Values into JSON.

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hotcell_cell::{ErrorValue, MAX_DEPTH, Text, Value, View};
use serde_json::{Map, Value as Json};

use super::{date, view};

pub(super) fn encode(value: &Value) -> Json {
    let mut referenced = HashSet::new();
    collect(value, MAX_DEPTH, &mut referenced);
    Encoder {
        referenced,
        objects: 0,
        depth: 0,
    }
    .value(value)
}

/// Finds the objects that come again. Those are the ones to be marked.
fn collect(value: &Value, depth: u32, referenced: &mut HashSet<u32>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let mut visit = |value: &Value| match value {
        Value::Reference(index) => {
            referenced.insert(*index);
        }
        value if value.is_object() => collect(value, depth, referenced),
        _ => {}
    };
    match value {
        Value::Array(values) | Value::Set(values) => values.iter().for_each(visit),
        Value::Object(properties) => properties.iter().for_each(|(_, value)| visit(value)),
        Value::Map(entries) => entries.iter().for_each(|(key, value)| {
            visit(key);
            visit(value);
        }),
        Value::View(view) => visit(&view.buffer),
        Value::Error(error) => {
            error.cause.iter().for_each(&mut visit);
            error.properties.iter().for_each(|(_, value)| visit(value));
        }
        _ => {}
    }
}

struct Encoder {
    referenced: HashSet<u32>,
    objects: u32,
    depth: u32,
}

impl Encoder {
    fn value(&mut self, value: &Value) -> Json {
        if !value.is_object() {
            return primitive(value);
        }
        if self.depth >= MAX_DEPTH {
            return tagged("too-deep", []);
        }
        let index = self.objects;
        self.objects = self.objects.saturating_add(1);
        self.depth += 1;
        let json = self.object(value);
        self.depth -= 1;
        if self.referenced.contains(&index) {
            tagged("def", [("id", Json::from(index)), ("value", json)])
        } else {
            json
        }
    }

    /// One function for each kind that holds others, so that this frame, which is there at every level, stays small.
    fn object(&mut self, value: &Value) -> Json {
        match value {
            Value::Array(elements) => self.values(elements),
            Value::Object(properties) => self.properties(properties),
            Value::Map(entries) => self.map(entries),
            Value::Set(values) => tagged("set", [("values", self.values(values))]),
            Value::View(view) => self.view(view),
            Value::Error(error) => self.error(error),
            _ => leaf(value),
        }
    }

    fn properties(&mut self, properties: &[(Text, Value)]) -> Json {
        match self.plain(properties) {
            Some(object) => Json::Object(object),
            None => tagged("object", [("entries", self.pairs(properties))]),
        }
    }

    // Loops, not iterator chains, wherever a value is inside another: without optimisation each link of a chain is a
    // frame at every level.

    fn map(&mut self, entries: &[(Value, Value)]) -> Json {
        let mut list = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let key = self.value(key);
            list.push(Json::Array(vec![key, self.value(value)]));
        }
        tagged("map", [("entries", Json::Array(list))])
    }

    fn values(&mut self, values: &[Value]) -> Json {
        let mut list = Vec::with_capacity(values.len());
        for value in values {
            list.push(self.value(value));
        }
        Json::Array(list)
    }

    /// The properties as a JSON object, if one can hold them.
    fn plain(&mut self, properties: &[(Text, Value)]) -> Option<Map<String, Json>> {
        if !can_be_plain(properties) {
            return None;
        }
        let mut object = Map::with_capacity(properties.len());
        for (key, value) in properties {
            let value = self.value(value);
            object.insert(key.to_string(), value);
        }
        Some(object)
    }

    fn pairs(&mut self, properties: &[(Text, Value)]) -> Json {
        let mut list = Vec::with_capacity(properties.len());
        for (key, value) in properties {
            let value = self.value(value);
            list.push(Json::Array(vec![text(key), value]));
        }
        Json::Array(list)
    }

    fn view(&mut self, view: &View) -> Json {
        let kind = view::name(view.kind);
        if let Value::Buffer(bytes) = &view.buffer
            && view.offset == 0
            && u64::from(view.length) * u64::from(view.kind.element_size()) == bytes.len() as u64
            && !self.referenced.contains(&self.objects)
        {
            // The buffer is an object too.
            self.objects = self.objects.saturating_add(1);
            return bytes_of(kind, bytes);
        }
        let buffer = self.value(&view.buffer);
        tagged(
            "view",
            [
                ("type", kind.into()),
                ("offset", view.offset.into()),
                ("length", view.length.into()),
                ("buffer", buffer),
            ],
        )
    }

    fn error(&mut self, error: &ErrorValue) -> Json {
        let mut json = error_texts(error);
        if let Some(cause) = &error.cause {
            json.insert("cause".into(), self.value(cause));
        }
        if !error.properties.is_empty() {
            let properties = match self.plain(&error.properties) {
                Some(object) => Json::Object(object),
                None => self.pairs(&error.properties),
            };
            json.insert("properties".into(), properties);
        }
        Json::Object(json)
    }
}

fn can_be_plain(properties: &[(Text, Value)]) -> bool {
    let mut seen = HashSet::with_capacity(properties.len());
    properties.iter().all(|(key, _)| {
        key.as_str()
            .is_some_and(|key| key != "$" && seen.insert(key))
    })
}

/// An object with no others inside.
fn leaf(value: &Value) -> Json {
    match value {
        Value::Date(time) => tagged("date", [("value", time_value(*time))]),
        Value::RegExp { source, flags } => {
            tagged("regexp", [("source", text(source)), ("flags", text(flags))])
        }
        Value::Buffer(bytes) => bytes_of(view::BUFFER, bytes),
        Value::Boxed(inner) => tagged("boxed", [("value", primitive(inner))]),
        _ => primitive(value),
    }
}

fn error_texts(error: &ErrorValue) -> Map<String, Json> {
    let mut json = Map::new();
    json.insert("$".into(), "error".into());
    json.insert("name".into(), text(&error.name));
    json.insert("message".into(), text(&error.message));
    if !error.stack.is_empty() {
        json.insert("stack".into(), text(&error.stack));
    }
    json
}

fn primitive(value: &Value) -> Json {
    match value {
        Value::Undefined => tagged("undefined", []),
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Number(value) => number(*value),
        Value::BigInt(value) => tagged("bigint", [("value", value.to_string().into())]),
        Value::String(value) => text(value),
        Value::Hole => tagged("hole", []),
        Value::Reference(index) => tagged("ref", [("id", (*index).into())]),
        // Objects do not come here, except inside of a box, where there can be none.
        _ => tagged("too-deep", []),
    }
}

fn tagged<const N: usize>(kind: &str, members: [(&str, Json); N]) -> Json {
    let mut object = Map::with_capacity(N + 1);
    object.insert("$".into(), kind.into());
    for (name, member) in members {
        object.insert(name.into(), member);
    }
    Json::Object(object)
}

fn bytes_of(kind: &str, bytes: &[u8]) -> Json {
    let base64 = Json::from(STANDARD.encode(bytes));
    if kind == view::BYTES {
        tagged("bytes", [("base64", base64)])
    } else {
        tagged("bytes", [("type", kind.into()), ("base64", base64)])
    }
}

fn number(value: f64) -> Json {
    // 2^63; below it an integer has an exact `i64`.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if value.fract() == 0.0 && value.abs() < LIMIT && (value != 0.0 || value.is_sign_positive()) {
        #[expect(clippy::cast_possible_truncation, reason = "an integer within range")]
        return Json::from(value as i64);
    }
    let name = match value {
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        0.0 => "-0",
        _ => return Json::from(value),
    };
    tagged("number", [("value", name.into())])
}

fn time_value(time: f64) -> Json {
    if time.is_nan() {
        return Json::Null;
    }
    date::to_iso(time).map_or_else(|| number(time), Json::String)
}

fn text(text: &Text) -> Json {
    match text.as_str() {
        Some(text) => Json::from(text),
        None => tagged("string", [("units", text.to_utf16().into())]),
    }
}
