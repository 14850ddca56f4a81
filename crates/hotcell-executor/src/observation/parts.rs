//! An observation before it is put together.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{ObservationOptions, cut::cut};
use crate::shorten::shorten;

/// So many findings are told, and so many calls.
const MAX_LISTED: usize = 10;

/// What there is to tell, the most important first.
pub(super) struct Parts {
    /// The error and its place.
    pub(super) head: Vec<String>,
    /// What stands above the findings.
    pub(super) label: &'static str,
    pub(super) warnings: Vec<String>,
    pub(super) logs: Option<(&'static str, String)>,
    /// What the code showed, with notes for what no text can hold.
    pub(super) shown: Option<(&'static str, String)>,
    pub(super) value: Option<(&'static str, String)>,
    pub(super) calls: Vec<String>,
    pub(super) tail: Vec<String>,
}

impl Parts {
    pub(super) fn render(self, options: ObservationOptions) -> String {
        let room = options.max_characters;
        let mut sections = Vec::new();
        let head = self.head.join("\n");
        if !head.is_empty() {
            sections.push(cut(&head, room / 2, 30, "the error"));
        }
        sections.extend(list(self.label, &self.warnings, room / 5));
        sections.extend(list(
            "Calls that were made before the error, and are not undone:",
            &self.calls,
            room / 5,
        ));
        let shown = self.shown.map(|(label, text)| {
            format!("{label}:\n{}", cut(&text, room / 3, 50, "what was shown"))
        });
        let used: usize = sections
            .iter()
            .chain(&shown)
            .map(|section| section.chars().count() + 1)
            .sum();
        let left = room.saturating_sub(used);
        // Whoever needs less than half leaves the rest to the other.
        let of_value = self
            .value
            .as_ref()
            .map_or(0, |(_, text)| text.chars().count());
        let of_logs = self
            .logs
            .as_ref()
            .map_or(0, |(_, text)| text.chars().count());
        let labels = 40;
        let half = left.saturating_sub(labels) / 2;
        let for_logs = half.max(left.saturating_sub(labels + of_value));
        let for_value = half.max(left.saturating_sub(labels + of_logs));
        let logs = self
            .logs
            .map(|(label, text)| format!("{label}:\n{}", cut(&text, for_logs, 50, "logs")));
        let value = self.value.map(|(label, text)| {
            let text = cut(
                &text,
                for_value,
                20,
                "the value: print a part, or a summary",
            );
            let between = if text.contains('\n') { '\n' } else { ' ' };
            format!("{label}:{between}{text}")
        });
        if head.is_empty() {
            // The result stands at the end, where it is read best.
            let mut all: Vec<String> = logs.into_iter().chain(shown).chain(value).collect();
            all.extend(sections);
            all.extend(self.tail);
            return all.join("\n");
        }
        sections.extend(logs);
        sections.extend(shown);
        sections.extend(self.tail);
        sections.join("\n")
    }
}

fn list(label: &str, items: &[String], room: usize) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let mut text = label.to_owned();
    for item in items.iter().take(MAX_LISTED) {
        text.push_str("\n- ");
        text.push_str(item);
    }
    if items.len() > MAX_LISTED {
        let _ = write!(text, "\n- and {} more", items.len() - MAX_LISTED);
    }
    Some(cut(&text, room.max(100), 0, "this list"))
}

/// So many errors behind an error are told, and so much of each.
const MAX_CAUSES: usize = 5;
const MAX_CAUSE: usize = 300;

/// The errors behind the one that was thrown, as lines: why it was, and those that it is made of.
pub(super) fn causes(thrown: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    let mut error = thrown;
    while let Some(cause) = error.get("cause")
        && lines.len() < MAX_CAUSES
        && !is_reference(cause)
    {
        lines.push(format!("Caused by: {}", in_a_line(cause)));
        error = cause;
    }
    if let Some(Json::Array(errors)) = thrown.get("errors") {
        let told = errors.iter().filter(|error| !is_reference(error));
        let told = told.take(MAX_CAUSES);
        lines.extend(told.map(|error| format!("One of its errors: {}", in_a_line(error))));
    }
    lines
}

/// An error may be behind itself; then it was told already.
fn is_reference(error: &Json) -> bool {
    error.get("$").is_some() && error.get("message").is_none()
}

/// An error in JSON, or whatever was thrown in its place.
fn in_a_line(error: &Json) -> String {
    let text = |key: &str| error.get(key).and_then(Json::as_str);
    let told = match (text("name"), text("message"), error) {
        (Some(name), Some(""), _) => name.to_owned(),
        (Some(name), Some(message), _) => format!("{name}: {message}"),
        (_, _, Json::String(text)) => text.clone(),
        _ => error.to_string(),
    };
    shorten(&told.replace('\n', " "), MAX_CAUSE).into_owned()
}

/// Findings as lines: what, where, and what to do.
pub(super) fn warnings(diagnostics: &Json) -> Vec<String> {
    let diagnostics = diagnostics
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let told = diagnostics.iter().filter(|one| one["severity"] != "INFO");
    told.map(|one| {
        let mut text = one["message"].as_str().unwrap_or_default().to_owned();
        if let (Some(line), Some(column)) = (
            one["location"]["line"].as_u64(),
            one["location"]["column"].as_u64(),
        ) {
            let _ = write!(text, " (line {line}, column {column})");
        }
        if let Some(fix) = one["fix"].as_str() {
            text.push_str("; fix: ");
            text.push_str(fix);
        }
        text
    })
    .collect()
}
