//! How an answer is taken apart.

use serde::{Deserialize, Serialize};

use crate::CodeTags;

/// How [`parse_code`](crate::parse_code) takes an answer apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ParseOptions {
    /// The marks the prompt asked for.
    pub tags: CodeTags,
    /// Which blocks become the code if there are several.
    pub take: Take,
    /// Accept Markdown fences where the prompt's marks are not found.
    pub fences: bool,
    /// Accept an answer without any block if all of it is code.
    pub bare_code: bool,
    /// Ignore everything from a line `Observation:` on that follows a block. Models that do not stop in time make the
    /// observation up and go on with steps that build on it.
    pub stop_at_observation: bool,
    /// Answers longer than this are refused.
    pub max_bytes: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            tags: CodeTags::default(),
            take: Take::All,
            fences: true,
            bare_code: true,
            stop_at_observation: true,
            max_bytes: 4 << 20,
        }
    }
}

/// Which blocks become the code if there are several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Take {
    /// All of them in order, a blank line between them.
    #[default]
    All,
    /// The first.
    First,
}
