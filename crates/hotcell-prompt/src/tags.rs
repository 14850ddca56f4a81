//! What marks code in a model's answer.

use serde::{Deserialize, Serialize};

use crate::PromptError;

/// The pair of marks around a code block. `<code>` and `</code>` unless told otherwise.
///
/// A pair of Markdown fences works too ([`CodeTags::fenced`]); it then follows the rules of fences: a mark counts only at
/// the start of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CodeTags {
    /// Opens a block.
    pub opening: String,
    /// Closes a block; also a good stop sequence for the model.
    pub closing: String,
}

impl Default for CodeTags {
    fn default() -> Self {
        Self::new("<code>", "</code>")
    }
}

impl CodeTags {
    /// Marks of your own choice.
    pub fn new(opening: impl Into<String>, closing: impl Into<String>) -> Self {
        Self {
            opening: opening.into(),
            closing: closing.into(),
        }
    }

    /// A Markdown fence for JavaScript.
    pub fn fenced() -> Self {
        Self::new("```js", "```")
    }

    /// Puts `code` between the marks, each on a line of its own.
    pub fn wrap(&self, code: &str) -> String {
        format!("{}\n{code}\n{}", self.opening, self.closing)
    }

    /// Checks that both marks can be seen.
    pub(crate) fn check(&self) -> Result<(), PromptError> {
        for (which, tag) in [("opening", &self.opening), ("closing", &self.closing)] {
            if tag.trim().is_empty() {
                return Err(PromptError::EmptyTag { which });
            }
        }
        Ok(())
    }

    /// Whether both marks can be seen in a text, and are not fences.
    pub(crate) fn are_tags(&self) -> bool {
        self.fence_info().is_none() && self.check().is_ok()
    }

    /// The info string if the opening mark is a Markdown fence.
    pub(crate) fn fence_info(&self) -> Option<&str> {
        let mark = self.opening.trim();
        ["```", "~~~"]
            .iter()
            .find(|fence| mark.starts_with(**fence))
            .map(|fence| mark.trim_start_matches(&fence[..1]).trim())
    }
}
