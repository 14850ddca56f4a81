//! JSON Schema to TypeScript types.

use serde_json::{Map, Value};

use super::object;
use super::refs::Refs;
use super::ty::{Member, TupleItem, Ty};

/// Nesting beyond this is written as `unknown`: no model reads it, and recursion stays bounded on hostile schemas.
const MAX_DEPTH: usize = 24;

/// Schemas visited for one tool before the rest is written as `unknown`; references could otherwise make a small schema
/// ask for a huge text.
const MAX_NODES: usize = 20_000;

const TOO_DEEP: &str = "unknown /* nested too deep to show */";
const TOO_LARGE: &str = "unknown /* schema too large to show */";

/// Where in the schema tree the converter stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    depth: usize,
    /// Nothing that TypeScript resolves lazily (a property, an item) lies between here and the declared type's name, so
    /// that naming the type again would be an error in TypeScript.
    direct: bool,
}

impl At {
    pub(crate) const ROOT: Self = Self {
        depth: 0,
        direct: true,
    };

    /// One level down, still part of the same type (a branch of a union).
    fn branch(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// One level down, inside a property or an item.
    pub(crate) fn inside(self) -> Self {
        Self {
            depth: self.depth + 1,
            direct: false,
        }
    }
}

/// Turns the schemas of one document (a tool's parameters, say) into types.
pub(crate) struct Converter<'a> {
    pub(crate) refs: Refs<'a>,
    nodes: usize,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(refs: Refs<'a>) -> Self {
        Self { refs, nodes: 0 }
    }

    pub(crate) fn convert(&mut self, schema: &'a Value, at: At) -> Ty {
        if at.depth > MAX_DEPTH {
            return Ty::word(TOO_DEEP);
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Ty::word(TOO_LARGE);
        }
        match schema {
            Value::Object(map) => self.convert_map(map, at),
            Value::Bool(false) => Ty::never(),
            // `true` allows anything; every other value is no schema at all.
            _ => Ty::unknown(),
        }
    }

    fn convert_map(&mut self, map: &'a Map<String, Value>, at: At) -> Ty {
        let mut parts = Vec::new();
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            parts.push(self.refs.name(reference, at.direct));
        }
        let (own, bare) = self.convert_own(map, at);
        let mut refined = false;
        for key in ["allOf", "anyOf", "oneOf"] {
            let Some(branches) = map.get(key).and_then(Value::as_array) else {
                continue;
            };
            let types: Vec<Ty> = branches
                .iter()
                .map(|branch| self.convert(branch, at.branch()))
                .collect();
            let part = if key == "allOf" {
                Ty::both(types)
            } else {
                Ty::union(types)
            };
            refined |= !part.is_word("unknown");
            parts.push(part);
        }
        // `type: "object"` beside `oneOf` only repeats what the branches say in detail.
        if !(bare && refined) {
            parts.insert(0, own);
        }
        let ty = Ty::both(parts);
        if map.get("nullable") == Some(&Value::Bool(true)) {
            Ty::union([ty, Ty::word("null")])
        } else {
            ty
        }
    }

    /// What the schema says by itself, without its branches; and whether that is no more than a type's name.
    fn convert_own(&mut self, map: &'a Map<String, Value>, at: At) -> (Ty, bool) {
        if let Some(value) = map.get("const") {
            return (literal(value, at.depth), false);
        }
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            self.nodes += values.len();
            if self.nodes > MAX_NODES {
                return (Ty::word(TOO_LARGE), false);
            }
            let literals = values.iter().map(|value| literal(value, at.depth));
            return (Ty::union(literals), false);
        }
        let types = stated_types(map).unwrap_or_else(|| implied_type(map).into_iter().collect());
        if types.is_empty() {
            return (Ty::unknown(), false);
        }
        let bare = !map.keys().any(|key| STRUCTURE.contains(&key.as_str()));
        let ty = Ty::union(
            types
                .into_iter()
                .map(|name| self.convert_type(name, map, at)),
        );
        (ty, bare)
    }

    fn convert_type(&mut self, name: &str, map: &'a Map<String, Value>, at: At) -> Ty {
        match name {
            // What code gets of bytes; JSON has no word for them.
            "string" if map.get("format").and_then(Value::as_str) == Some("binary") => {
                Ty::word("Uint8Array")
            }
            "string" | "boolean" | "null" | "number" => Ty::word(name),
            "integer" => Ty::word("number"),
            "array" => self.convert_array(map, at),
            "object" => object::convert(self, map, at),
            _ => Ty::unknown(),
        }
    }

    fn convert_array(&mut self, map: &'a Map<String, Value>, at: At) -> Ty {
        let items = map.get("items");
        // Before draft 2020-12 a tuple was an array under `items`, and `additionalItems` came after it.
        let (prefix, rest) = match (map.get("prefixItems").and_then(Value::as_array), items) {
            (Some(prefix), rest) => (Some(prefix), rest),
            (None, Some(Value::Array(prefix))) => (Some(prefix), map.get("additionalItems")),
            (None, _) => (None, None),
        };
        let Some(prefix) = prefix.filter(|prefix| !prefix.is_empty()) else {
            let item = match items {
                Some(Value::Array(_)) | None => Ty::unknown(),
                Some(item) => self.convert(item, at.inside()),
            };
            return Ty::array(item);
        };
        let required = map
            .get("minItems")
            .and_then(Value::as_u64)
            .map_or(usize::MAX, |min| usize::try_from(min).unwrap_or(usize::MAX));
        let items = prefix
            .iter()
            .enumerate()
            .map(|(index, item)| TupleItem {
                ty: self.convert(item, at.inside()),
                optional: index >= required,
            })
            .collect();
        let rest = rest
            .filter(|rest| !matches!(rest, Value::Bool(false)))
            .map(|rest| Box::new(self.convert(rest, at.inside())));
        Ty::Tuple { items, rest }
    }
}

/// Keywords that say more than a type's name does.
const STRUCTURE: &[&str] = &[
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "items",
    "prefixItems",
];

/// The names under `type`; none if the keyword is not there.
fn stated_types(map: &Map<String, Value>) -> Option<Vec<&str>> {
    match map.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(
            names
                .iter()
                .map(|name| name.as_str().unwrap_or_default())
                .collect(),
        ),
        _ => Some(vec![""]),
    }
}

/// The type that a schema without `type` is evidently about. JSON Schema itself would allow any other type as well, but
/// nobody who writes `properties` means that.
fn implied_type(map: &Map<String, Value>) -> Option<&'static str> {
    const SIGNS: &[(&str, &[&str])] = &[
        (
            "object",
            &[
                "properties",
                "required",
                "additionalProperties",
                "patternProperties",
                "propertyNames",
            ],
        ),
        (
            "array",
            &[
                "items",
                "prefixItems",
                "minItems",
                "maxItems",
                "uniqueItems",
            ],
        ),
        (
            "number",
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
            ],
        ),
        (
            "string",
            &[
                "pattern",
                "minLength",
                "maxLength",
                "format",
                "contentEncoding",
            ],
        ),
    ];
    SIGNS
        .iter()
        .find(|(_, keys)| keys.iter().any(|key| map.contains_key(*key)))
        .map(|(name, _)| *name)
}

/// The type that only `value` has.
fn literal(value: &Value, depth: usize) -> Ty {
    if depth > MAX_DEPTH {
        return Ty::word(TOO_DEEP);
    }
    match value {
        Value::Array(items) => Ty::Tuple {
            items: items
                .iter()
                .map(|item| TupleItem {
                    ty: literal(item, depth + 1),
                    optional: false,
                })
                .collect(),
            rest: None,
        },
        Value::Object(map) if map.is_empty() => object::empty(),
        Value::Object(map) => Ty::Object(
            map.iter()
                .map(|(key, value)| Member {
                    doc: super::doc::Doc::default(),
                    key: object::key(key, false),
                    ty: literal(value, depth + 1),
                })
                .collect(),
        ),
        scalar => Ty::word(scalar.to_string()),
    }
}
