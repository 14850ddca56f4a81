//! A tool's parameter list.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::doc::{self, Doc};
use super::object;
use super::schema::{At, Converter};
use super::ty::Ty;
use crate::names;

/// The parameter list of a tool that says nothing about its arguments.
pub(crate) const ANYTHING: &str = "...args: unknown[]";

/// What stands between the parentheses, and what is to be said about each parameter above them.
#[derive(Default)]
pub(crate) struct Parameters {
    pub(crate) list: String,
    pub(crate) docs: Vec<(String, Doc)>,
}

pub(crate) fn convert<'a>(
    converter: &mut Converter<'a>,
    schema: &'a Value,
    positional: bool,
) -> Parameters {
    let shape = converter.refs.follow(schema);
    if says_nothing(shape) {
        return Parameters {
            list: ANYTHING.to_owned(),
            ..Parameters::default()
        };
    }
    let found = if positional {
        one_by_one(converter, shape)
    } else {
        None
    };
    found.unwrap_or_else(|| one_object(converter, schema, shape))
}

fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map
            .keys()
            .all(|key| matches!(key.as_str(), "$schema" | "$id" | "title" | "description")),
        Value::Bool(true) => true,
        _ => false,
    }
}

fn one_object<'a>(
    converter: &mut Converter<'a>,
    schema: &'a Value,
    shape: &'a Value,
) -> Parameters {
    let is_object = shape.get("type").and_then(Value::as_str) == Some("object")
        || shape.get("properties").is_some();
    let own = shape
        .as_object()
        .map(object::properties)
        .unwrap_or_default();
    let open = [
        "additionalProperties",
        "patternProperties",
        "allOf",
        "anyOf",
        "oneOf",
    ]
    .iter()
    .any(|key| {
        shape
            .get(*key)
            .is_some_and(|value| *value != Value::Bool(false))
    });
    if is_object && own.is_empty() && !open {
        return Parameters::default();
    }
    let ty = converter.convert(schema, At::ROOT);
    let all_optional = is_object && !open && own.iter().all(|property| !property.required);
    let name = if is_object { "args" } else { "input" };
    let mark = if all_optional { "?" } else { "" };
    let mut docs = Vec::new();
    let doc = doc::of_schema(schema);
    if !doc.is_empty() {
        docs.push((name.to_owned(), doc));
    }
    Parameters {
        list: format!("{name}{mark}: {}", ty.write(0)),
        docs,
    }
}

/// One parameter per property, or per item of a tuple; none if the schema describes neither.
fn one_by_one<'a>(converter: &mut Converter<'a>, shape: &'a Value) -> Option<Parameters> {
    let map = shape.as_object()?;
    let properties = object::properties(map);
    if properties.is_empty() {
        return match converter.convert(shape, At::ROOT) {
            Ty::Array(item) => Some(Parameters {
                list: format!("...args: {}", Ty::Array(item).write(0)),
                ..Parameters::default()
            }),
            tuple @ Ty::Tuple { .. } => Some(Parameters {
                list: format!("...args: {}", tuple.write(0)),
                ..Parameters::default()
            }),
            _ => None,
        };
    }
    // A parameter can be left out only if all after it can.
    let last_required = properties.iter().rposition(|property| property.required);
    let mut used = BTreeSet::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = Vec::new();
    let mut docs = Vec::new();
    for (index, property) in properties.iter().enumerate() {
        let base = names::to_identifier(property.name);
        let mut name = base.clone();
        let mut number = numbers.get(&base).copied().unwrap_or(1);
        while !used.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        numbers.insert(base, number);
        let ty = converter.convert(property.schema, At::ROOT);
        let omittable = last_required.is_none_or(|last| index > last);
        list.push(if property.required {
            format!("{name}: {}", ty.write(0))
        } else if omittable {
            format!("{name}?: {}", ty.write(0))
        } else {
            let ty = Ty::union([ty, Ty::word("undefined")]);
            format!("{name}: {}", ty.write(0))
        });
        let doc = doc::of_schema(property.schema);
        if !doc.is_empty() {
            docs.push((name, doc));
        }
    }
    Some(Parameters {
        list: list.join(", "),
        docs,
    })
}
