//! Finds tools by words, for hosts with more of them than a prompt has room for.

use std::collections::HashMap;

use crate::declare::signature;
use crate::{ToolSpec, declare_tool};

/// How much a word is worth by where it stands.
const IN_NAME: f64 = 4.0;
const IN_PARAMETERS: f64 = 1.5;
const IN_DESCRIPTION: f64 = 1.0;
/// How much less a word counts that only begins as the one that was asked for.
const BEGINS: f64 = 0.5;
/// Words of a query beyond this are not looked at.
const MAX_WORDS: usize = 32;
/// Of a description so much is looked at, and the first sentence of it is shown, if it is no longer than this.
const MAX_DESCRIPTION: usize = 4000;
const MAX_SUMMARY: usize = 200;

/// The words of some tools, to be searched again and again.
///
/// ```
/// use hotcell_prompt::{ToolIndex, ToolSpec};
///
/// let tools = [
///     ToolSpec::new("github.createIssue").description("Opens an issue in a repository. It needs a title."),
///     ToolSpec::new("mail.send").description("Sends a message"),
/// ];
/// let index = ToolIndex::new(&tools);
/// let found = index.search("open a new issue", 5);
/// assert_eq!(found[0].name, "github.createIssue");
/// assert_eq!(found[0].summary, "Opens an issue in a repository.");
/// assert_eq!(found[0].signature, "github.createIssue(...args: unknown[]): Promise<unknown>");
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolIndex {
    tools: Vec<ToolSpec>,
    /// For each word the tools that it stands in, with what it is worth there.
    words: HashMap<String, Vec<(usize, f64)>>,
}

/// A tool as a search shows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct FoundTool {
    /// What code calls it by.
    pub name: String,
    /// The first sentence of its description.
    pub summary: String,
    /// How it is called, on one line.
    pub signature: String,
}

impl ToolIndex {
    /// Reads the words of these tools.
    pub fn new(tools: &[ToolSpec]) -> Self {
        let mut index = Self {
            tools: tools.to_vec(),
            words: HashMap::new(),
        };
        for (at, tool) in tools.iter().enumerate() {
            let mut worth: HashMap<String, f64> = HashMap::new();
            let mut add = |text: &str, value: f64| {
                for word in words(text) {
                    let known = worth.entry(word).or_default();
                    *known = known.max(value);
                }
            };
            add(&tool.name, IN_NAME);
            if let Some(description) = &tool.description {
                let end = description.floor_char_boundary(MAX_DESCRIPTION);
                add(&description[..end], IN_DESCRIPTION);
            }
            let properties = tool.parameters.as_ref().and_then(|it| it.get("properties"));
            for (name, schema) in properties
                .and_then(|it| it.as_object())
                .into_iter()
                .flatten()
            {
                add(name, IN_PARAMETERS);
                if let Some(text) = schema.get("description").and_then(|it| it.as_str()) {
                    let end = text.floor_char_boundary(MAX_DESCRIPTION);
                    add(&text[..end], IN_DESCRIPTION);
                }
            }
            for (word, value) in worth {
                index.words.entry(word).or_default().push((at, value));
            }
        }
        index
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools that fit best, the best first. An empty query gives the first tools there are.
    pub fn search(&self, query: &str, limit: usize) -> Vec<FoundTool> {
        let mut scores = vec![0.0; self.tools.len()];
        let asked: Vec<String> = words(query).take(MAX_WORDS).collect();
        for word in &asked {
            for (known, tools) in &self.words {
                let how = if known == word {
                    1.0
                } else if is_beginning(known, word) {
                    BEGINS
                } else {
                    continue;
                };
                // A word that stands everywhere says little.
                let rarity = rarity(self.tools.len(), tools.len());
                for (at, value) in tools {
                    scores[*at] += how * value * rarity;
                }
            }
        }
        if let Some(exact) = self.tools.iter().position(|tool| tool.name == query.trim()) {
            scores[exact] = f64::MAX;
        }
        let mut order: Vec<usize> = (0..self.tools.len()).collect();
        if !asked.is_empty() {
            order.retain(|at| scores[*at] > 0.0);
        }
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let shown = order.into_iter().take(limit);
        shown.map(|at| found(&self.tools[at])).collect()
    }

    /// The whole declaration of a tool; `None` if there is none of that name.
    pub fn describe(&self, name: &str) -> Option<String> {
        let tool = self.tools.iter().find(|tool| tool.name == name)?;
        Some(declare_tool(tool).unwrap_or_else(|error| error.to_string()))
    }

    /// The names of all tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }
}

fn found(tool: &ToolSpec) -> FoundTool {
    FoundTool {
        name: tool.name.clone(),
        summary: summary(tool.description.as_deref().unwrap_or_default()),
        signature: signature(tool),
    }
}

#[expect(clippy::cast_precision_loss, reason = "only compared")]
fn rarity(all: usize, with: usize) -> f64 {
    (1.0 + all as f64 / with.max(1) as f64).ln()
}

/// Whether one of two words begins the other, and is long enough for that to mean something.
fn is_beginning(known: &str, word: &str) -> bool {
    known.len().min(word.len()) >= 3 && (known.starts_with(word) || word.starts_with(known))
}

/// The first sentence, or as much of it as there is room for.
fn summary(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = &line[..end];
    if sentence.len() <= MAX_SUMMARY {
        return sentence.to_owned();
    }
    format!(
        "{}…",
        &sentence[..sentence.floor_char_boundary(MAX_SUMMARY)]
    )
}

/// Words as they are compared: `createIssues` is `create` and `issue`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    words.push(word);
    words.into_iter().filter_map(|word| {
        let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        let end = word.len() - usize::from(is_plural);
        let word = word[..end].to_owned();
        (!word.is_empty() && !STOP_WORDS.contains(&&*word)).then_some(word)
    })
}

/// Words that say nothing of what is looked for.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "by", "for", "from", "in", "is", "it", "me", "my", "of", "on", "or", "that",
    "the", "this", "to", "with",
];
