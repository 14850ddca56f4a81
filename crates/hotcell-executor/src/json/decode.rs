//! JSON into values. The JSON may be anything.

use std::collections::HashMap;

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use hotcell_cell::{ErrorValue, MAX_DEPTH, Text, Value, View, ViewKind};
use serde_json::{Map, Value as Json};

use super::{JsonValueError, date, digits, view};

type Decoded<T> = Result<T, JsonValueError>;
type Object = Map<String, Json>;

const KINDS: &str = "undefined, number, bigint, string, date, bytes, view, map, set, regexp, error, object, boxed, hole, \
                     def, ref";

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) fn decode(json: &Json) -> Decoded<Value> {
    Decoder::default().value(json)
}

#[derive(Default)]
struct Decoder {
    objects: u32,
    depth: u32,
    /// What the ids of `def` stand for.
    defined: HashMap<u64, u32>,
    /// How long each buffer is, for views of it.
    buffers: HashMap<u32, usize>,
}

impl Decoder {
    fn value(&mut self, json: &Json) -> Decoded<Value> {
        match json {
            Json::Null => Ok(Value::Null),
            Json::Bool(bool) => Ok(Value::Bool(*bool)),
            Json::Number(number) => Ok(Value::Number(number.as_f64().unwrap_or(f64::NAN))),
            Json::String(text) => Ok(Value::from(text.as_str())),
            Json::Array(elements) => {
                self.begin()?;
                let array = self.array(elements)?;
                self.depth -= 1;
                Ok(array)
            }
            Json::Object(object) => match object.get("$") {
                None => {
                    self.begin()?;
                    let properties = self.properties(object)?;
                    self.depth -= 1;
                    Ok(Value::Object(properties))
                }
                Some(kind) => self.tagged(kind, object),
            },
        }
    }

    /// Begins an object. It is counted before what is inside of it. An error ends everything, so only success ends it.
    fn begin(&mut self) -> Decoded<()> {
        if self.depth >= MAX_DEPTH {
            return Err(JsonValueError::new(format!(
                "nested more than {MAX_DEPTH} levels deep"
            )));
        }
        self.depth += 1;
        self.count()
    }

    fn count(&mut self) -> Decoded<()> {
        self.objects = self
            .objects
            .checked_add(1)
            .ok_or_else(|| JsonValueError::new("too many objects"))?;
        Ok(())
    }

    fn array(&mut self, elements: &[Json]) -> Decoded<Value> {
        let mut values = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let value = if is_hole(element) {
                Ok(Value::Hole)
            } else {
                self.value(element)
            };
            values.push(value.map_err(|error| error.at_index(index))?);
        }
        Ok(Value::Array(values))
    }

    // Loops, not iterator chains, wherever a value is inside another: without optimisation each link of a chain is a frame at
    // every level.

    fn properties(&mut self, object: &Object) -> Decoded<Vec<(Text, Value)>> {
        let mut properties = Vec::with_capacity(object.len());
        for (key, json) in object {
            let value = self.value(json).map_err(|error| error.in_key(key))?;
            properties.push((Text::from(key.as_str()), value));
        }
        Ok(properties)
    }

    fn tagged(&mut self, kind: &Json, object: &Object) -> Decoded<Value> {
        let Json::String(kind) = kind else {
            return Err(JsonValueError::new(
                "a kind is a string; an object with a key $ of its own is sent as \
                 {\"$\":\"object\",\"entries\":[[key,value]…]}",
            )
            .in_key("$"));
        };
        let members = Members { kind, object };
        match kind.as_str() {
            "ref" => self.reference(&members),
            "def" => self.definition(&members),
            "map" | "set" | "object" | "error" | "view" | "bytes" | "boxed" | "date" | "regexp" => {
                self.begin()?;
                let value = self.object(&members)?;
                self.depth -= 1;
                Ok(value)
            }
            _ => primitive(&members),
        }
    }

    fn object(&mut self, members: &Members<'_>) -> Decoded<Value> {
        match members.kind {
            "map" => self.map(members),
            "set" => self.set(members),
            "object" => self.entries(members),
            "error" => self.error(members),
            "view" => self.view(members),
            "bytes" => self.bytes(members),
            "boxed" => self.boxed(members),
            "date" => time(members),
            _ => regexp(members),
        }
    }

    fn reference(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["id"])?;
        let id = members.integer("id")?;
        match self.defined.get(&id) {
            Some(&index) if index < self.objects => Ok(Value::Reference(index)),
            _ => Err(JsonValueError::new(format!(
                "no object was marked with {{\"$\":\"def\",\"id\":{id}}} before"
            ))
            .in_key("id")),
        }
    }

    fn definition(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["id", "value"])?;
        let id = members.integer("id")?;
        if self.defined.insert(id, self.objects).is_some() {
            return Err(
                JsonValueError::new(format!("the id {id} marks another object already"))
                    .in_key("id"),
            );
        }
        let json = members.json("value")?;
        if json.get("$").is_some_and(|kind| kind == "def") {
            return Err(JsonValueError::new("an object is marked once").in_key("value"));
        }
        let value = at("value", self.value(json))?;
        if value.is_object() {
            Ok(value)
        } else {
            Err(JsonValueError::new("only an object can be marked").in_key("value"))
        }
    }

    fn boxed(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["value"])?;
        match at("value", self.value(members.json("value")?))? {
            value @ (Value::Bool(_) | Value::Number(_) | Value::BigInt(_) | Value::String(_)) => {
                Ok(Value::Boxed(Box::new(value)))
            }
            _ => Err(wrong("value", "a boolean, number, bigint or string")),
        }
    }

    fn map(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["entries"])?;
        let list = members.list("entries")?;
        let mut entries = Vec::with_capacity(list.len());
        for (index, entry) in list.iter().enumerate() {
            let (key, value) = pair(entry, index, "entries")?;
            let key = self
                .value(key)
                .map_err(|error| error.at_index(0).at_index(index).in_key("entries"))?;
            let value = self
                .value(value)
                .map_err(|error| error.at_index(1).at_index(index).in_key("entries"))?;
            entries.push((key, value));
        }
        Ok(Value::Map(entries))
    }

    fn entries(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["entries"])?;
        Ok(Value::Object(self.pairs(members, "entries")?))
    }

    /// A list of properties.
    fn pairs(&mut self, members: &Members<'_>, name: &str) -> Decoded<Vec<(Text, Value)>> {
        let list = members.list(name)?;
        let mut pairs = Vec::with_capacity(list.len());
        for (index, entry) in list.iter().enumerate() {
            let (key, value) = pair(entry, index, name)?;
            let key = text(key).map_err(|error| error.at_index(0).at_index(index).in_key(name))?;
            let value = self
                .value(value)
                .map_err(|error| error.at_index(1).at_index(index).in_key(name))?;
            pairs.push((key, value));
        }
        Ok(pairs)
    }

    fn set(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["values"])?;
        let list = members.list("values")?;
        let mut values = Vec::with_capacity(list.len());
        for (index, json) in list.iter().enumerate() {
            let value = self
                .value(json)
                .map_err(|error| error.at_index(index).in_key("values"))?;
            values.push(value);
        }
        Ok(Value::Set(values))
    }

    fn error(&mut self, members: &Members<'_>) -> Decoded<Value> {
        let mut error = error_texts(members)?;
        if let Some(cause) = members.object.get("cause") {
            error.cause = Some(at("cause", self.value(cause))?);
        }
        if let Some(json) = members.object.get("properties") {
            error.properties = self.error_properties(members, json)?;
        }
        Ok(Value::Error(error))
    }

    fn error_properties(
        &mut self,
        members: &Members<'_>,
        json: &Json,
    ) -> Decoded<Vec<(Text, Value)>> {
        match json {
            Json::Object(object) if !object.contains_key("$") => {
                at("properties", self.properties(object))
            }
            _ => self.pairs(members, "properties"),
        }
    }

    fn bytes(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["base64", "type"])?;
        let bytes = BASE64.decode(members.string("base64")?).map_err(|error| {
            JsonValueError::new(format!("not base64: {error}")).in_key("base64")
        })?;
        let name = match members.object.get("type") {
            None => view::BYTES,
            Some(_) => members.string("type")?,
        };
        if name == view::BUFFER {
            self.buffers.insert(self.objects - 1, bytes.len());
            return Ok(Value::Buffer(bytes));
        }
        let kind = view_kind(name)?;
        let size = kind.element_size();
        let length = u32::try_from(bytes.len()).map_err(|_| wrong("base64", "less than 4 GiB"))?;
        if length % size != 0 {
            return Err(JsonValueError::new(format!(
                "{length} bytes are no whole number of elements: those of a {name} have {size}"
            ))
            .in_key("base64"));
        }
        // The buffer is an object too.
        self.count()?;
        Ok(Value::View(Box::new(View {
            kind,
            offset: 0,
            length: length / size,
            buffer: Value::Buffer(bytes),
        })))
    }

    fn view(&mut self, members: &Members<'_>) -> Decoded<Value> {
        members.only(&["type", "offset", "length", "buffer"])?;
        let name = members.string("type")?;
        let kind = view_kind(name)?;
        let small = |name| {
            u32::try_from(members.integer(name)?).map_err(|_| wrong(name, "less than 4 GiB"))
        };
        let (offset, length) = (small("offset")?, small("length")?);
        let index = self.objects;
        let buffer = at("buffer", self.value(members.json("buffer")?))?;
        let whole = match &buffer {
            Value::Buffer(_) => self.buffers.get(&index),
            Value::Reference(index) => self.buffers.get(index),
            _ => None,
        };
        let whole =
            *whole.ok_or_else(|| wrong("buffer", "an ArrayBuffer, or a reference to one"))?;
        let end = u64::from(offset) + u64::from(length) * u64::from(kind.element_size());
        if end > whole as u64 {
            return Err(JsonValueError::new(format!(
                "a view that ends at byte {end} is outside of its buffer of {whole} bytes"
            )));
        }
        if offset % kind.element_size() != 0 {
            return Err(wrong(
                "offset",
                &format!("a multiple of {} in a {name}", kind.element_size()),
            ));
        }
        Ok(Value::View(Box::new(View {
            kind,
            offset,
            length,
            buffer,
        })))
    }
}

/// A tagged object, asked for its members.
struct Members<'a> {
    kind: &'a str,
    object: &'a Object,
}

impl<'a> Members<'a> {
    /// Members that would be ignored are mistakes.
    fn only(&self, names: &[&str]) -> Decoded<()> {
        match self
            .object
            .keys()
            .find(|key| *key != "$" && !names.contains(&key.as_str()))
        {
            None => Ok(()),
            Some(key) => Err(JsonValueError::new(format!(
                "unknown member of the kind {}",
                self.kind
            ))
            .in_key(key)),
        }
    }

    fn json(&self, name: &str) -> Decoded<&'a Json> {
        self.object.get(name).ok_or_else(|| {
            JsonValueError::new(format!("the kind {} needs the member {name}", self.kind))
        })
    }

    fn string(&self, name: &str) -> Decoded<&'a str> {
        self.json(name)?
            .as_str()
            .ok_or_else(|| wrong(name, "a string"))
    }

    fn list(&self, name: &str) -> Decoded<&'a [Json]> {
        self.json(name)?
            .as_array()
            .map(Vec::as_slice)
            .ok_or_else(|| wrong(name, "an array"))
    }

    fn integer(&self, name: &str) -> Decoded<u64> {
        self.json(name)?
            .as_u64()
            .ok_or_else(|| wrong(name, "an integer that is not negative"))
    }

    fn text(&self, name: &str) -> Decoded<Option<Text>> {
        self.object
            .get(name)
            .map(|json| at(name, text(json)))
            .transpose()
    }
}

fn at<T>(name: &str, result: Decoded<T>) -> Decoded<T> {
    result.map_err(|error| error.in_key(name))
}

fn wrong(name: &str, expected: &str) -> JsonValueError {
    JsonValueError::new(format!("expected {expected}")).in_key(name)
}

fn pair<'a>(entry: &'a Json, index: usize, name: &str) -> Decoded<(&'a Json, &'a Json)> {
    match entry.as_array().map(Vec::as_slice) {
        Some([key, value]) => Ok((key, value)),
        _ => Err(JsonValueError::new("expected a pair [key, value]")
            .at_index(index)
            .in_key(name)),
    }
}

fn is_hole(json: &Json) -> bool {
    json.as_object().is_some_and(|object| {
        object.len() == 1 && object.get("$").is_some_and(|kind| kind == "hole")
    })
}

/// A string, in either form.
fn text(json: &Json) -> Decoded<Text> {
    match json {
        Json::String(text) => Ok(Text::from(text.as_str())),
        Json::Object(object) if object.get("$").is_some_and(|kind| kind == "string") => {
            units(&Members {
                kind: "string",
                object,
            })
        }
        _ => Err(JsonValueError::new("expected a string")),
    }
}

fn primitive(members: &Members<'_>) -> Decoded<Value> {
    match members.kind {
        "undefined" => members.only(&[]).map(|()| Value::Undefined),
        "number" => number(members),
        "bigint" => bigint(members),
        "string" => Ok(Value::String(units(members)?)),
        "hole" => Err(JsonValueError::new("a hole can only stand inside an array")),
        "too-deep" => Err(JsonValueError::new(format!(
            "what was here is nested more than {MAX_DEPTH} levels deep"
        ))),
        kind => Err(
            JsonValueError::new(format!("unknown kind {kind:?}; the kinds are {KINDS}"))
                .in_key("$"),
        ),
    }
}

fn units(members: &Members<'_>) -> Decoded<Text> {
    members.only(&["units"])?;
    let units = members
        .list("units")?
        .iter()
        .enumerate()
        .map(|(index, unit)| {
            unit.as_u64()
                .and_then(|unit| u16::try_from(unit).ok())
                .ok_or_else(|| {
                    JsonValueError::new("expected an integer from 0 to 65535")
                        .at_index(index)
                        .in_key("units")
                })
        })
        .collect::<Decoded<Vec<u16>>>()?;
    Ok(Text::from_utf16(&units))
}

fn number(members: &Members<'_>) -> Decoded<Value> {
    members.only(&["value"])?;
    let number = match members.string("value")? {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        "-0" => -0.0,
        _ => {
            return Err(wrong(
                "value",
                "\"NaN\", \"Infinity\", \"-Infinity\" or \"-0\"; any other number is plain JSON",
            ));
        }
    };
    Ok(Value::Number(number))
}

fn bigint(members: &Members<'_>) -> Decoded<Value> {
    members.only(&["value"])?;
    digits::parse(members.string("value")?)
        .map(Value::BigInt)
        .map_err(|expected| wrong("value", &expected))
}

fn error_texts(members: &Members<'_>) -> Decoded<Box<ErrorValue>> {
    members.only(&["name", "message", "stack", "cause", "properties"])?;
    let mut error = ErrorValue::new(
        members.text("name")?.unwrap_or_else(|| "Error".into()),
        members.text("message")?.unwrap_or_default(),
    );
    error.stack = members.text("stack")?.unwrap_or_default();
    Ok(Box::new(error))
}

fn time(members: &Members<'_>) -> Decoded<Value> {
    members.only(&["value"])?;
    let time = match members.json("value")? {
        Json::Null => f64::NAN,
        Json::Number(number) => number.as_f64().unwrap_or(f64::NAN),
        Json::String(text) => date::from_iso(text).ok_or_else(|| {
            wrong(
                "value",
                "a time with its zone, such as 2026-01-01T00:00:00.000Z",
            )
        })?,
        Json::Object(object) if object.get("$").is_some_and(|kind| kind == "number") => {
            let number = at(
                "value",
                number(&Members {
                    kind: "number",
                    object,
                }),
            )?;
            number.as_f64().unwrap_or(f64::NAN)
        }
        _ => return Err(wrong("value", "a time as text, milliseconds, or null")),
    };
    Ok(Value::Date(time))
}

fn regexp(members: &Members<'_>) -> Decoded<Value> {
    members.only(&["source", "flags"])?;
    let source = at("source", text(members.json("source")?))?;
    Ok(Value::RegExp {
        source,
        flags: members.text("flags")?.unwrap_or_default(),
    })
}

fn view_kind(name: &str) -> Decoded<ViewKind> {
    ViewKind::from_name(name)
        .ok_or_else(|| JsonValueError::new(format!("unknown type of view {name:?}")).in_key("type"))
}
