//! Taking a model's answer apart.

mod answer;
mod bare;
mod choose;
mod closing;
mod error;
mod options;
mod script;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::error::ParseError;
pub use self::options::{ParseOptions, Take};

use self::answer::{Answer, Found, Marked};
use self::choose::Placed;
use self::text::after_label;

/// What an answer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParsedCode {
    /// The code to run.
    pub code: String,
    /// The text before the code, without its label and without reasoning in `<think>`.
    pub thought: Option<String>,
    /// The blocks that `code` is made of.
    pub blocks: Vec<CodeBlock>,
    /// Languages of the blocks that were left out because they cannot be run, each once, at most eight.
    pub ignored_languages: Vec<String>,
    /// The model went on past its code and made an observation up; what followed was left out.
    pub invented_observation: bool,
}

/// One block of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeBlock {
    /// Its code, without blank lines around it.
    pub code: String,
    /// What marked it.
    pub kind: BlockKind,
    /// The language a fence named, in lower case.
    pub language: Option<String>,
    /// Whether its end was marked; not so if the model stopped there.
    pub closed: bool,
    /// The line of the answer on which its code begins, from 1.
    pub line: usize,
}

/// What marked a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BlockKind {
    /// The tags of the prompt.
    Tag,
    /// A Markdown fence.
    Fence,
    /// Nothing: the whole answer is code.
    Bare,
}

/// Takes a model's answer apart.
///
/// ```
/// use hotcell_prompt::{ParseOptions, parse_code};
///
/// let answer = "Thought: I add.\n<code>\nfinal_answer(\"no </code> here\".length + 1)\n</code>";
/// let parsed = parse_code(answer, &ParseOptions::default())?;
/// assert_eq!(parsed.code, "final_answer(\"no </code> here\".length + 1)");
/// assert_eq!(parsed.thought.as_deref(), Some("I add."));
/// # Ok::<(), hotcell_prompt::ParseError>(())
/// ```
pub fn parse_code(text: &str, options: &ParseOptions) -> Result<ParsedCode, ParseError> {
    if text.len() > options.max_bytes {
        return Err(ParseError::TooLong {
            bytes: text.len(),
            limit: options.max_bytes,
        });
    }
    let text = plain_lines(text);
    let answer = answer::read(&text, options);
    let mut found = choose::chosen(&text, &answer, options);
    if found.is_empty() {
        found.extend(choose::whole_answer(&text, &answer, options));
    }
    if options.take == Take::First {
        found.truncate(1);
    }
    let Some(first) = found.first() else {
        return Err(no_code(&text, &answer, options));
    };
    let thought = thought(&visible(&text, answer.start..first.mark, &answer));
    let (mut line, mut counted) = (1, 0);
    let mut blocks = Vec::with_capacity(found.len());
    for Placed { code, block, .. } in found {
        line += text
            .get(counted..code)
            .unwrap_or_default()
            .matches('\n')
            .count();
        counted = code;
        blocks.push(CodeBlock { line, ..block });
    }
    let code: Vec<&str> = blocks.iter().map(|block| block.code.as_str()).collect();
    Ok(ParsedCode {
        code: code.join("\n\n"),
        thought,
        ignored_languages: ignored_languages(&answer),
        invented_observation: answer.end < text.len(),
        blocks,
    })
}

/// No byte order mark, and `\n` at the end of every line.
fn plain_lines(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

fn no_code(text: &str, answer: &Answer, options: &ParseOptions) -> ParseError {
    let tags = options.tags.clone();
    let languages = ignored_languages(answer);
    let is_empty_block = |found: &Found| match found.marked {
        Marked::Tag => true,
        Marked::Script => choose::accepts_fences(options),
        Marked::Plain | Marked::Other => false,
    };
    if visible(text, answer.start..answer.end, answer)
        .trim()
        .is_empty()
    {
        ParseError::Empty { tags }
    } else if answer.blocks.iter().any(is_empty_block) {
        ParseError::EmptyBlock { tags }
    } else if !languages.is_empty() {
        ParseError::OtherLanguages { languages, tags }
    } else if answer.unfinished_thinking {
        ParseError::UnfinishedThinking { tags }
    } else {
        ParseError::NoCode { tags }
    }
}

/// How many languages are named; an answer with more than that is noise.
const MAX_LANGUAGES: usize = 8;

fn ignored_languages(answer: &Answer) -> Vec<String> {
    let mut languages: Vec<String> = Vec::new();
    for found in answer
        .blocks
        .iter()
        .filter(|found| found.marked == Marked::Other)
    {
        if let Some(language) = &found.language
            && languages.len() < MAX_LANGUAGES
            && !languages.contains(language)
        {
            languages.push(language.clone());
        }
    }
    languages
}

/// A stretch of the answer without the reasoning in it.
fn visible(text: &str, range: Range<usize>, answer: &Answer) -> String {
    let mut out = String::new();
    let mut from = range.start;
    for thinking in answer
        .thinking
        .iter()
        .filter(|thinking| thinking.end <= range.end)
    {
        out.push_str(text.get(from..thinking.start).unwrap_or_default());
        from = thinking.end;
    }
    out.push_str(text.get(from..range.end).unwrap_or_default());
    out
}

/// The model's own words, without the label before them and the label of the code after them.
fn thought(text: &str) -> Option<String> {
    let text = text.trim();
    let text = after_label(text, &["thought", "thoughts"])
        .unwrap_or(text)
        .trim();
    let (rest, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let text = match after_label(last.trim(), &["code"]) {
        Some("") => rest.trim_end(),
        _ => text,
    };
    (!text.is_empty()).then(|| text.to_owned())
}
