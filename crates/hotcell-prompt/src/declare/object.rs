//! Object schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::doc;
use super::schema::{At, Converter};
use super::ty::{Member, Ty};

/// The schema of a property that is only named.
static ANYTHING: Value = Value::Bool(true);

/// One property of an object schema, in the order it is written.
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) schema: &'a Value,
    pub(crate) required: bool,
}

/// All properties, those included that are only named under `required`.
pub(crate) fn properties(map: &Map<String, Value>) -> Vec<Property<'_>> {
    let listed = map.get("properties").and_then(Value::as_object);
    let named = map.get("required").and_then(Value::as_array);
    let mut unlisted: Vec<&str> = Vec::new();
    let mut required = BTreeSet::new();
    for name in named.into_iter().flatten().filter_map(Value::as_str) {
        let is_new = required.insert(name);
        if is_new && !listed.is_some_and(|listed| listed.contains_key(name)) {
            unlisted.push(name);
        }
    }
    let listed = listed.into_iter().flatten().map(|(name, schema)| Property {
        name,
        schema,
        // Draft 3 and many hand-written schemas mark the property itself.
        required: required.contains(name.as_str())
            || schema.get("required") == Some(&Value::Bool(true)),
    });
    let unlisted = unlisted.into_iter().map(|name| Property {
        name,
        schema: &ANYTHING,
        required: true,
    });
    listed.chain(unlisted).collect()
}

pub(crate) fn convert<'a>(
    converter: &mut Converter<'a>,
    map: &'a Map<String, Value>,
    at: At,
) -> Ty {
    let mut members: Vec<Member> = properties(map)
        .into_iter()
        .map(|property| Member {
            doc: doc::of_schema(property.schema),
            key: key(property.name, !property.required),
            ty: converter.convert(property.schema, at.inside()),
        })
        .collect();
    let Some(rest) = rest(converter, map, at) else {
        if members.is_empty() {
            let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
            return if closed {
                empty()
            } else {
                Ty::word("Record<string, unknown>")
            };
        }
        return Ty::Object(members);
    };
    if members.is_empty() && rest.is_word("unknown") {
        return Ty::word("Record<string, unknown>");
    }
    let index = Member {
        doc: doc::Doc::default(),
        key: "[key: string]".to_owned(),
        ty: rest,
    };
    // TypeScript wants every named property to fit the index signature of the same object; of an intersection it does
    // not.
    if members.is_empty() || index.ty.is_word("unknown") {
        members.push(index);
        Ty::Object(members)
    } else {
        Ty::both([Ty::Object(members), Ty::Object(vec![index])])
    }
}

/// The object without any property.
pub(crate) fn empty() -> Ty {
    Ty::word("Record<string, never>")
}

/// What properties that are not named may hold; none if the schema does not speak of them.
fn rest<'a>(converter: &mut Converter<'a>, map: &'a Map<String, Value>, at: At) -> Option<Ty> {
    let patterns = map.get("patternProperties").and_then(Value::as_object);
    let additional = map
        .get("additionalProperties")
        .filter(|schema| !matches!(schema, Value::Bool(false)));
    let types: Vec<Ty> = patterns
        .into_iter()
        .flat_map(Map::values)
        .chain(additional)
        .map(|schema| converter.convert(schema, at.inside()))
        .collect();
    (!types.is_empty()).then(|| Ty::union(types))
}

/// A property name before its colon, quoted unless it is a plain identifier.
pub(crate) fn key(name: &str, optional: bool) -> String {
    let plain = crate::names::is_identifier(name) && name.is_ascii();
    let mut out = if plain {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    };
    if optional {
        out.push('?');
    }
    out
}
