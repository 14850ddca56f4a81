//! What a schema says of a tool's parameters, in the form that code is checked against before it runs.

use std::collections::BTreeSet;

use hotcell_prepare::{Kind, Parameter, Signature};
use hotcell_prompt::ToolSpec;
use serde_json::Value as Json;

/// The signature of a tool, if its schema is a plain object of properties.
pub fn signature(spec: &ToolSpec) -> Option<Signature> {
    let schema = spec.parameters.as_ref()?.as_object()?;
    // What is said by these is more than a list of properties.
    let others = [
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "patternProperties",
    ];
    if others.iter().any(|key| schema.contains_key(*key)) {
        return None;
    }
    let properties = schema.get("properties")?.as_object()?;
    let required = schema.get("required").and_then(Json::as_array);
    let is_required = |name: &str| {
        let mut names = required.into_iter().flatten();
        names.any(|one| one.as_str() == Some(name))
    };
    Some(Signature {
        parameters: properties
            .iter()
            .map(|(name, schema)| Parameter {
                name: name.clone(),
                required: is_required(name),
                kinds: kinds(schema),
            })
            .collect(),
        is_open: schema.get("additionalProperties") != Some(&Json::Bool(false)),
        positional: spec.positional,
    })
}

/// What a property may be; empty if anything, or if it is not easily said.
fn kinds(schema: &Json) -> BTreeSet<Kind> {
    let names: Vec<&str> = match schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => return BTreeSet::new(),
    };
    let kinds: Option<BTreeSet<Kind>> = names.iter().map(|name| Kind::from_schema(name)).collect();
    kinds.unwrap_or_default()
}
