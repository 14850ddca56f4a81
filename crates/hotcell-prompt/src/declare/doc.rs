//! Doc comments: what a schema says in words, and what TypeScript's types cannot say.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::ty::pad;

/// Longest value (a default, an example) quoted in a comment; longer ones would drown the description.
const QUOTED_CHARS: usize = 80;

/// How many examples are worth their tokens.
const EXAMPLES: usize = 3;

/// How deep notes are collected through `items` and single-branch unions.
const NOTE_DEPTH: usize = 4;

/// The lines of one doc comment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Doc {
    lines: Vec<String>,
}

impl Doc {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds text of any origin, made safe for a comment.
    pub(crate) fn push_text(&mut self, text: &str) {
        let clean = clean(text);
        let mut lines: Vec<&str> = clean.split('\n').map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let first = lines.iter().position(|line| !line.is_empty());
        let lines = lines.split_off(first.unwrap_or(lines.len()));
        self.lines.extend(lines.into_iter().map(str::to_owned));
    }

    /// Adds a tag such as `@param x` with its text; further lines of the text follow below.
    pub(crate) fn push_tag(&mut self, tag: &str, text: &Doc) {
        let mut lines = text.lines.iter();
        let head = lines.next().map_or("", String::as_str);
        self.lines
            .push(format!("{tag} {head}").trim_end().to_owned());
        self.lines
            .extend(lines.map(|line| format!("  {line}").trim_end().to_owned()));
    }

    /// An empty line between the description and the tags.
    pub(crate) fn push_gap(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }

    /// The comment with a line end after it, or nothing.
    pub(crate) fn write(&self, indent: usize) -> String {
        let pad = pad(indent);
        match self.lines.as_slice() {
            [] => String::new(),
            [line] => format!("{pad}/** {line} */\n"),
            lines => {
                let mut out = format!("{pad}/**\n");
                for line in lines {
                    let _ = writeln!(out, "{}", format!("{pad} * {line}").trim_end());
                }
                let _ = writeln!(out, "{pad} */");
                out
            }
        }
    }
}

/// The doc comment of a schema: its description, what its branches mean, and its constraints.
pub(crate) fn of_schema(schema: &Value) -> Doc {
    let mut doc = Doc::default();
    let Value::Object(map) = schema else {
        return doc;
    };
    if let Some(text) = description(map) {
        doc.push_text(text);
    }
    for line in branch_meanings(map) {
        doc.push_text(&line);
    }
    let mut notes = Vec::new();
    collect_notes(map, NOTE_DEPTH, &mut notes);
    if !notes.is_empty() {
        let notes = clean(&format!("({})", notes.join(", "))).replace('\n', " ");
        match doc.lines.as_mut_slice() {
            [only] if only.len() + notes.len() < 90 => {
                only.push(' ');
                only.push_str(&notes);
            }
            _ => doc.lines.push(notes),
        }
    }
    doc
}

/// The schema's own words, or those of the only branch that is not `null` (how optional fields are often written).
fn description(map: &Map<String, Value>) -> Option<&str> {
    let own = |map: &Map<String, Value>| -> bool {
        map.get("description")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.trim().is_empty())
    };
    let source = if own(map) { map } else { only_branch(map)? };
    source.get("description").and_then(Value::as_str)
}

/// One line per branch if the branches are constants with a meaning, the usual way to document an enumeration.
fn branch_meanings(map: &Map<String, Value>) -> Vec<String> {
    let branches = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| map.get(*key)?.as_array())
        .flatten();
    branches
        .filter_map(|branch| {
            let value = branch.get("const")?;
            let meaning = branch
                .get("description")
                .or_else(|| branch.get("title"))?
                .as_str()?;
            Some(format!("- `{}`: {}", quote(value), meaning.trim()))
        })
        .collect()
}

fn only_branch(map: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let branches = ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|key| map.get(*key)?.as_array())?;
    let mut real = branches
        .iter()
        .filter_map(Value::as_object)
        .filter(|branch| branch.get("type").and_then(Value::as_str) != Some("null"));
    let only = real.next()?;
    real.next().is_none().then_some(only)
}

fn collect_notes(map: &Map<String, Value>, depth: usize, notes: &mut Vec<String>) {
    if map.get("deprecated") == Some(&Value::Bool(true)) {
        notes.push("deprecated".to_owned());
    }
    if has_type(map, "integer") {
        notes.push("integer".to_owned());
    }
    for (key, label) in [
        ("minimum", "min"),
        ("maximum", "max"),
        ("exclusiveMinimum", "greater than"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "multiple of"),
        ("minLength", "min length"),
        ("maxLength", "max length"),
        ("minItems", "min items"),
        ("maxItems", "max items"),
        ("minProperties", "min properties"),
        ("maxProperties", "max properties"),
    ] {
        // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`; the word then qualifies the other bound.
        match map.get(key) {
            Some(Value::Number(number)) => notes.push(format!("{label} {number}")),
            Some(Value::Bool(true)) if key == "exclusiveMinimum" => {
                notes.push("min excluded".to_owned());
            }
            Some(Value::Bool(true)) if key == "exclusiveMaximum" => {
                notes.push("max excluded".to_owned());
            }
            _ => {}
        }
    }
    for (key, label) in [
        ("format", "format"),
        ("pattern", "pattern"),
        ("contentEncoding", "encoding"),
        ("contentMediaType", "media type"),
    ] {
        if let Some(text) = map.get(key).and_then(Value::as_str) {
            notes.push(format!("{label} {}", shorten(text)));
        }
    }
    if map.get("uniqueItems") == Some(&Value::Bool(true)) {
        notes.push("no duplicates".to_owned());
    }
    if let Some(pattern) = map
        .get("propertyNames")
        .and_then(|names| names.get("pattern")?.as_str())
    {
        notes.push(format!("keys match {}", shorten(pattern)));
    }
    if let Some(patterns) = map.get("patternProperties").and_then(Value::as_object) {
        for pattern in patterns.keys() {
            notes.push(format!("keys match {}", shorten(pattern)));
        }
    }
    if depth > 0 {
        collect_inner_notes(map, depth - 1, notes);
    }
    if let Some(default) = map.get("default") {
        notes.push(format!("default {}", quote(default)));
    }
    if let Some(examples) = map.get("examples").and_then(Value::as_array)
        && !examples.is_empty()
    {
        let shown: Vec<String> = examples.iter().take(EXAMPLES).map(quote).collect();
        notes.push(format!("for example {}", shown.join(", ")));
    }
    if [
        "not",
        "if",
        "contains",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
    ]
    .iter()
    .any(|key| map.contains_key(*key))
    {
        notes.push("more rules apply than shown".to_owned());
    }
}

/// Notes of what has no comment of its own: the items of an array, the branch of an optional value.
fn collect_inner_notes(map: &Map<String, Value>, depth: usize, notes: &mut Vec<String>) {
    if let Some(branch) = only_branch(map) {
        collect_notes(branch, depth, notes);
    }
    if let Some(items) = map.get("items").and_then(Value::as_object) {
        let mut inner = Vec::new();
        collect_notes(items, depth, &mut inner);
        if !inner.is_empty() {
            notes.push(format!("each: {}", inner.join(", ")));
        }
    }
}

fn has_type(map: &Map<String, Value>, wanted: &str) -> bool {
    match map.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        _ => false,
    }
}

fn quote(value: &Value) -> String {
    shorten(&value.to_string())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(QUOTED_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Keeps text inside its comment and its lines: `*/` is broken up, every kind of line end becomes one, control
/// characters (terminal escapes among them) become spaces.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace("*/", "*\\/");
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}' => '\n',
            '\t' => '\t',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
