//! An answer as a row of blocks with text around them.

use std::ops::Range;

use super::ParseOptions;
use super::closing::{self, End, Mark};
use super::text::{is_observation, line_end, run_length};

/// What a block was marked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Marked {
    /// The tags of the prompt.
    Tag,
    /// A fence for JavaScript, or for the language the prompt's own fence names.
    Script,
    /// A fence without a language.
    Plain,
    /// A fence for another language.
    Other,
}

/// A block where it was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) marked: Marked,
    pub(crate) language: Option<String>,
    /// From the opening mark on.
    pub(crate) start: usize,
    pub(crate) code: Range<usize>,
    pub(crate) closed: bool,
    /// Within a line of text, as in "call <code>f()</code> first".
    pub(crate) inline: bool,
}

/// What an answer is made of.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) blocks: Vec<Found>,
    /// Where the answer proper begins: after reasoning that was closed but never opened.
    pub(crate) start: usize,
    /// Where it ends: the end, or an observation that the model made up.
    pub(crate) end: usize,
    /// Reasoning between `<think>` and `</think>`.
    pub(crate) thinking: Vec<Range<usize>>,
    /// `<think>` was opened and never closed.
    pub(crate) unfinished_thinking: bool,
}

const THINK: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Names of JavaScript and its kin in a fence.
const SCRIPT: &[&str] = &[
    "cjs",
    "cts",
    "ecmascript",
    "javascript",
    "js",
    "jsx",
    "mjs",
    "mts",
    "node",
    "nodejs",
    "ts",
    "tsx",
    "typescript",
];

/// Takes an answer (with plain line ends) apart.
pub(crate) fn read(text: &str, options: &ParseOptions) -> Answer {
    let mut reader = Reader {
        text,
        options,
        answer: Answer {
            end: text.len(),
            ..Answer::default()
        },
        // Enough for any honest answer, in which every byte is scanned once or twice.
        fuel: text.len().saturating_mul(8).saturating_add(4096),
        line: 0..line_end(text, 0),
        unclosed: [false; 2],
        tags: options.tags.are_tags(),
        any_script: false,
    };
    let mut pos = 0;
    while let Some(next) = reader.step(pos) {
        pos = next.max(pos + 1);
    }
    reader.answer
}

struct Reader<'t> {
    text: &'t str,
    options: &'t ParseOptions,
    answer: Answer,
    /// The prompt's marks are tags; fences are recognised in any case.
    tags: bool,
    /// A block that may be run was found.
    any_script: bool,
    /// What is left of the work that may be spent on telling code from text inside code.
    fuel: usize,
    /// The line being read. Kept, as to look for it again at every mark would take quadratic time on one long line.
    line: Range<usize>,
    /// Kinds of [`THINK`] of which no closing mark is left.
    unclosed: [bool; 2],
}

impl Reader<'_> {
    /// Goes on from `pos`, outside of any block; the offset after what was found, or none at the end.
    fn step(&mut self, pos: usize) -> Option<usize> {
        if pos >= self.text.len() {
            return None;
        }
        if pos > self.line.end {
            let newline = self.text.get(self.line.end..pos)?.rfind('\n');
            let start = newline.map_or(self.line.start, |newline| self.line.end + newline + 1);
            self.line = start..line_end(self.text, pos);
        }
        if pos == self.line.start && self.is_invented_observation(pos) {
            self.answer.end = pos;
            return None;
        }
        match (pos..self.line.end).find(|at| self.is_candidate(*at)) {
            Some(at) => Some(self.candidate(at).unwrap_or(at + 1)),
            None => Some(self.line.end + 1),
        }
    }

    fn is_invented_observation(&self, pos: usize) -> bool {
        self.options.stop_at_observation
            && self.text.get(pos..).is_some_and(is_observation)
            && self.any_script
    }

    fn is_candidate(&self, at: usize) -> bool {
        let Some(rest) = self.text.as_bytes().get(at..) else {
            return false;
        };
        let starts = |mark: &str| rest.starts_with(mark.as_bytes());
        (self.tags && starts(&self.options.tags.opening))
            || starts("```")
            || starts("~~~")
            || THINK
                .iter()
                .any(|(open, close)| starts(open) || starts(close))
    }

    fn candidate(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        for (kind, (open, close)) in THINK.iter().enumerate() {
            if rest.starts_with(close) && !self.is_mention(at, close.len()) {
                // Closed but not opened: the chat template opened it, and all up to here was reasoning.
                self.answer.blocks.clear();
                self.answer.thinking.clear();
                self.answer.start = at + close.len();
                return Some(self.answer.start);
            }
            if rest.starts_with(open) && !self.is_mention(at, open.len()) && !self.unclosed[kind] {
                let Some(length) = rest.find(close) else {
                    self.unclosed[kind] = true;
                    self.answer.unfinished_thinking = true;
                    return Some(at + open.len());
                };
                let after = at + length + close.len();
                self.answer.thinking.push(at..after);
                return Some(after);
            }
        }
        let tags = &self.options.tags;
        if self.tags && rest.starts_with(tags.opening.as_str()) {
            return if self.is_mention(at, tags.opening.len()) {
                Some(at + tags.opening.len())
            } else {
                Some(self.tag(at))
            };
        }
        self.fence(at)
    }

    /// Whether the mark is only spoken of: "put it in a `<code>` block".
    fn is_mention(&self, at: usize, length: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_some_and(|quote| b"`'\"".contains(quote)) && before == bytes.get(at + length)
    }

    fn tag(&mut self, at: usize) -> usize {
        let tags = &self.options.tags;
        let start = at + tags.opening.len();
        let mark = Mark::Tag {
            opening: &tags.opening,
            closing: &tags.closing,
        };
        let end = closing::find(
            self.text,
            start,
            mark,
            self.options.stop_at_observation,
            &mut self.fuel,
        );
        let code = self.text.get(start..end.code).unwrap_or_default();
        let inline = !self.label_before(at).is_empty() && !code.trim().contains('\n');
        self.add(Marked::Tag, None, at, start, end, inline)
    }

    fn fence(&mut self, at: usize) -> Option<usize> {
        let mark = *self.text.as_bytes().get(at)?;
        let count = run_length(self.text, at, mark);
        if count < 3 {
            return None;
        }
        let end = self.line.end;
        let info = self.text.get(at + count..end)?.trim();
        let begins_line = matches!(self.label_before(at), "" | "-" | "*" | ">");
        // At the end of a sentence, only a language tells a fence from other uses of backticks.
        if !begins_line && !SCRIPT.contains(&info) {
            return Some(at + count);
        }
        let close: String = std::iter::repeat_n(char::from(mark), count).collect();
        if let Some(inner) = info.strip_suffix(close.as_str()) {
            return Some(self.one_line_fence(at, at + count, inner, end));
        }
        let language = language(info);
        let marked = self.classify(language.as_deref());
        let start = (end + 1).min(self.text.len());
        let found = if marked == Marked::Other {
            raw_fence_end(self.text, start, mark, count)
        } else {
            let observations = self.options.stop_at_observation;
            closing::find(
                self.text,
                start,
                Mark::Fence { mark, count },
                observations,
                &mut self.fuel,
            )
        };
        if self.is_wrapper(language.as_deref(), at, start..found.code) {
            return Some(start);
        }
        Some(self.add(marked, language, at, start, found, false))
    }

    /// Whether a fence is only put around an answer, or around the prompt's own tags: what counts is inside it.
    fn is_wrapper(&mut self, language: Option<&str>, at: usize, inside: Range<usize>) -> bool {
        let is_markdown = matches!(language, Some("markdown" | "md"));
        if is_markdown
            && self
                .text
                .get(self.answer.start..at)
                .is_some_and(|text| text.trim().is_empty())
        {
            return true;
        }
        let is_text =
            is_markdown || matches!(language, None | Some("text" | "txt" | "plaintext" | "xml"));
        if !self.tags || !is_text || self.fuel == 0 {
            return false;
        }
        self.fuel = self.fuel.saturating_sub(inside.len());
        let mut lines = self.text.get(inside).unwrap_or_default().lines();
        lines.any(|line| {
            line.trim_start()
                .starts_with(self.options.tags.opening.as_str())
        })
    }

    /// A fence that opens and closes on one line.
    fn one_line_fence(&mut self, at: usize, start: usize, inner: &str, end: usize) -> usize {
        let word = inner.split_whitespace().next().unwrap_or_default();
        let named =
            self.classify(Some(&word.to_lowercase())) == Marked::Script && inner.trim() != word;
        let skip = self
            .text
            .get(start..end)
            .and_then(|rest| rest.find(inner))
            .unwrap_or_default();
        let start = start + skip + if named { word.len() } else { 0 };
        let language = named.then(|| word.to_lowercase());
        let marked = self.classify(language.as_deref());
        let found = End {
            code: self.text.get(..end).map_or(end, |text| {
                text.trim_end_matches([' ', '\t', '`', '~']).len()
            }),
            after: end,
            closed: true,
        };
        self.add(marked, language, at, start, found, true)
    }

    fn classify(&self, language: Option<&str>) -> Marked {
        let wanted = self.options.tags.fence_info().and_then(self::language);
        match language {
            _ if self.options.tags.fence_info().is_some() && wanted.as_deref() == language => {
                Marked::Script
            }
            Some(name) if SCRIPT.contains(&name) => Marked::Script,
            Some(_) => Marked::Other,
            None => Marked::Plain,
        }
    }

    /// The text before `at` on its line, without a label such as `Code:`.
    fn label_before(&self, at: usize) -> &str {
        let line = self
            .text
            .get(self.line.start..at)
            .unwrap_or_default()
            .trim();
        if line.trim_end_matches(['*', '_']).ends_with(':') {
            ""
        } else {
            line
        }
    }

    fn add(
        &mut self,
        marked: Marked,
        language: Option<String>,
        start: usize,
        code: usize,
        end: End,
        inline: bool,
    ) -> usize {
        self.any_script |= marked != Marked::Other;
        self.answer.blocks.push(Found {
            marked,
            language,
            start,
            code: code.min(end.code)..end.code,
            closed: end.closed,
            inline,
        });
        end.after
    }
}

/// The first word of a fence's info string: `js title="x"`, `js:main.js` and `{js}` all mean `js`.
fn language(info: &str) -> Option<String> {
    let word: String = info
        .trim_start_matches(['{', '.', ' '])
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '_'))
        .collect();
    (!word.is_empty()).then(|| word.to_lowercase())
}

fn raw_fence_end(text: &str, start: usize, mark: u8, count: usize) -> End {
    let mut at = start;
    while at < text.len() {
        let line = text.get(at..line_end(text, at)).unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        if let Some(length) = closing::closing_fence(text, at + indent, mark, count) {
            return End {
                code: at,
                after: at + indent + length,
                closed: true,
            };
        }
        at = line_end(text, at) + 1;
    }
    End {
        code: text.len(),
        after: text.len(),
        closed: false,
    }
}
