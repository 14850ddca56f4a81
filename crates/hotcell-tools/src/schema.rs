//! What the tools take and give, as JSON Schema.

use serde_json::{Map, Value, json};

use crate::catalog::{EDIT_PARAMS, Entry, Kind, Param, Tool};

/// The schema of a tool's one object of arguments.
pub(crate) fn arguments(entry: &Entry) -> Value {
    object(entry.params)
}

fn object(params: &[Param]) -> Value {
    let properties: Map<String, Value> = params
        .iter()
        .map(|param| (param.name.to_owned(), property(param)))
        .collect();
    let required: Vec<&str> = params
        .iter()
        .filter(|param| param.required)
        .map(|param| param.name)
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(param: &Param) -> Value {
    let mut schema = match param.kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean", "default": false }),
        Kind::Count {
            least,
            default: None,
        } => json!({ "type": "integer", "minimum": least }),
        Kind::Count {
            least,
            default: Some(default),
        } => json!({ "type": "integer", "minimum": least, "default": default }),
        Kind::Edits => json!({ "type": "array", "minItems": 1, "items": object(EDIT_PARAMS) }),
    };
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), param.description.into());
    }
    schema
}

/// The schema of a tool's result.
pub(crate) fn result(entry: &Entry) -> Value {
    let text = json!({
        "type": "object",
        "properties": { "type": { "const": "text" }, "text": { "type": "string" } },
        "required": ["type", "text"],
    });
    let image = json!({
        "type": "object",
        "properties": {
            "type": { "const": "image" },
            "mimeType": { "type": "string" },
            "data": { "type": "string", "contentEncoding": "base64" },
        },
        "required": ["type", "mimeType", "data"],
    });
    let items = match entry.tool {
        Tool::Read => json!({ "oneOf": [text, image] }),
        _ => text,
    };
    let mut properties = json!({ "content": { "type": "array", "items": items } });
    let details = match entry.tool {
        Tool::Write => None,
        Tool::Edit => Some(edit_details()),
        Tool::Read => Some(truncation(true)),
        Tool::Grep | Tool::Find | Tool::Ls => Some(truncation(false)),
    };
    if let (Some(details), Value::Object(properties)) = (details, &mut properties) {
        properties.insert("details".to_owned(), details);
    }
    let required: &[&str] = match entry.tool {
        Tool::Edit => &["content", "details"],
        _ => &["content"],
    };
    json!({ "type": "object", "properties": properties, "required": required })
}

fn truncation(of_file: bool) -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let mut properties = json!({
        "truncated": { "const": true },
        "truncatedBy": { "enum": ["lines", "bytes"] },
        "outputLines": count(),
        "outputBytes": count(),
        "lastLinePartial": { "type": "boolean" },
        "firstLineExceedsLimit": { "type": "boolean" },
        "maxBytes": count(),
    });
    if let (true, Value::Object(properties)) = (of_file, &mut properties) {
        for name in ["totalLines", "totalBytes", "maxLines"] {
            properties.insert(name.to_owned(), count());
        }
    }
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .collect();
    json!({
        "type": "object",
        "description": "Only there if not everything is shown",
        "properties": {
            "truncation": { "type": "object", "properties": &properties, "required": required },
        },
        "required": ["truncation"],
    })
}

fn edit_details() -> Value {
    json!({
        "type": "object",
        "properties": {
            "diff": { "type": "string", "description": "Changed lines with their numbers" },
            "firstChangedLine": { "type": "integer", "minimum": 1 },
            "patch": { "type": "string", "description": "Unified patch; not there if the file is not UTF-8" },
        },
        "required": ["diff", "firstChangedLine"],
    })
}
