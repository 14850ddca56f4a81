//! What a tool gives back.

use std::mem::take;

use serde::Serialize;
use serde_json::Value;

use crate::limits::MAX_BYTES;

/// The result of a tool: what the model sees, and what programs may want to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolResult {
    /// What the model sees: text, and an image where a file is one.
    pub content: Vec<Content>,
    /// What programs may want to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
}

/// A part of what the model sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its kind, such as `image/png`.
        mime_type: String,
        /// The file in base64.
        data: String,
    },
}

/// What programs may want to know about a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Details {
    /// Not everything was shown.
    Truncated {
        /// How much was.
        truncation: Truncation,
    },
    /// A file was edited.
    Edited(EditDetails),
}

/// How much of a text was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// Always true: a result that is whole has no such details.
    pub truncated: bool,
    /// The limit that was met.
    pub truncated_by: TruncatedBy,
    /// Lines in the file; not known for a search, which stops at its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// Bytes in the file; not known for a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Lines that were shown.
    pub output_lines: u64,
    /// Bytes that were shown.
    pub output_bytes: u64,
    /// Whether the last line shown is only the beginning of one.
    pub last_line_partial: bool,
    /// Whether already the first line is longer than the limit.
    pub first_line_exceeds_limit: bool,
    /// The limit of lines, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u64>,
    /// The limit of bytes.
    pub max_bytes: u64,
}

/// A limit on what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TruncatedBy {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
}

/// What an edit did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditDetails {
    /// The changed lines with four lines around them: a sign (`-`, `+`, space), the line's number, the line. Removed lines
    /// of a match that was not exact are shown as they were compared.
    pub diff: String,
    /// The number of the first changed line in the new file.
    pub first_changed_line: u64,
    /// The change as a unified patch; none if the file is not UTF-8, which a patch in a string cannot express.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
}

impl ToolResult {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![Content::Text { text: text.into() }],
            details: None,
        }
    }

    pub(crate) fn with_details(mut self, details: Option<Details>) -> Self {
        self.details = details;
        self
    }

    /// The text of all parts that are text, one below the other.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for part in &self.content {
            if let Content::Text { text } = part {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(text);
            }
        }
        out
    }

    /// The result as JSON: `{content: [...], details?: {...}}`. Long texts are moved there, not copied.
    pub(crate) fn into_value(mut self) -> Value {
        let mut texts: Vec<(String, String)> = Vec::new();
        for (index, part) in self.content.iter_mut().enumerate() {
            match part {
                Content::Text { text } => {
                    texts.push((format!("/content/{index}/text"), take(text)));
                }
                Content::Image { data, .. } => {
                    texts.push((format!("/content/{index}/data"), take(data)));
                }
            }
        }
        if let Some(Details::Edited(edited)) = &mut self.details {
            texts.push(("/details/diff".to_owned(), take(&mut edited.diff)));
            if let Some(patch) = &mut edited.patch {
                texts.push(("/details/patch".to_owned(), take(patch)));
            }
        }
        let mut value = self.to_value();
        for (place, text) in texts {
            if let Some(value) = value.pointer_mut(&place) {
                *value = Value::String(text);
            }
        }
        value
    }

    /// The result as JSON: `{content: [...], details?: {...}}`.
    pub fn to_value(&self) -> Value {
        // The types above have string keys only, so that this cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Truncation {
    pub(crate) const fn of_search(lines: u64, bytes: u64) -> Self {
        Self {
            truncated: true,
            truncated_by: TruncatedBy::Bytes,
            total_lines: None,
            total_bytes: None,
            output_lines: lines,
            output_bytes: bytes,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: None,
            max_bytes: MAX_BYTES as u64,
        }
    }
}
