//! Which blocks of an answer are its code, and what of them.

use std::ops::Range;

use super::answer::{Answer, Found, Marked};
use super::text::{after_label, is_observation, line_end, run_length};
use super::{BlockKind, CodeBlock, ParseOptions, bare};
use crate::CodeTags;

/// A block, and where its mark and its code begin in the answer.
pub(crate) struct Placed {
    pub(crate) mark: usize,
    pub(crate) code: usize,
    /// Its line is not known yet.
    pub(crate) block: CodeBlock,
}

/// The blocks that count: those in the prompt's tags, else those fenced as JavaScript, else those fenced without a
/// language that may be JavaScript.
pub(crate) fn chosen(text: &str, answer: &Answer, options: &ParseOptions) -> Vec<Placed> {
    let blocks = |wanted: Marked, inline: bool| -> Vec<Placed> {
        answer
            .blocks
            .iter()
            .filter(|found| found.marked == wanted && (inline || !found.inline))
            .filter_map(|found| block(text, found, options))
            .collect()
    };
    // With a block on lines of its own, `<code>name</code>` in a sentence is typography.
    let mut chosen = blocks(Marked::Tag, false);
    if chosen.is_empty() {
        chosen = blocks(Marked::Tag, true);
    }
    if chosen.is_empty() && accepts_fences(options) {
        chosen = blocks(Marked::Script, true);
        if chosen.is_empty() {
            chosen = blocks(Marked::Plain, true);
            chosen.retain(|placed| bare::may_be_code(&placed.block.code));
        }
    }
    chosen
}

pub(crate) fn accepts_fences(options: &ParseOptions) -> bool {
    options.fences || options.tags.fence_info().is_some()
}

/// The block's code without what else models put around it; none if nothing is left.
fn block(text: &str, found: &Found, options: &ParseOptions) -> Option<Placed> {
    let tagged = found.marked == Marked::Tag;
    let mut code = found.code.clone();
    if !found.closed {
        let closing = if tagged {
            options.tags.closing.as_str()
        } else {
            "```"
        };
        code.end = without_half_mark(text, &code, closing);
    }
    let code = if tagged {
        inside_fence(text, code)
    } else {
        inside_tags(text, code, &options.tags)
    };
    let raw = text.get(code.clone())?;
    let first = raw.find(|c: char| !c.is_whitespace())?;
    // Only whole blank lines go, so that the first line keeps its indentation; on the line of the mark, space goes, too.
    let on_line_of_mark = if tagged || found.inline { first } else { 0 };
    let newline = raw.get(..first)?.rfind('\n');
    let start = newline.map_or(on_line_of_mark, |newline| newline + 1);
    let block = CodeBlock {
        code: raw.get(start..)?.trim_end().to_owned(),
        kind: if tagged {
            BlockKind::Tag
        } else {
            BlockKind::Fence
        },
        language: found.language.clone(),
        closed: found.closed,
        line: 0,
    };
    Some(Placed {
        mark: found.start,
        code: code.start + start,
        block,
    })
}

/// The end without the beginning of a closing mark that was cut off with the answer.
fn without_half_mark(text: &str, code: &Range<usize>, closing: &str) -> usize {
    let tail = text.get(code.clone()).unwrap_or_default().trim_end();
    let half = closing
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| *at >= 2)
        .filter_map(|at| closing.get(..at))
        // Two backticks can end an expression; alone on a line they cannot.
        .rfind(|half| match tail.strip_suffix(half) {
            Some(rest) => !half.starts_with('`') || rest.trim_end_matches(' ').ends_with('\n'),
            None => false,
        });
    code.start + tail.len() - half.map_or(0, str::len)
}

/// Tags around a fence: only the inside of the fence is code.
fn inside_fence(text: &str, code: Range<usize>) -> Range<usize> {
    let raw = text.get(code.clone()).unwrap_or_default();
    let start = code.start + (raw.len() - raw.trim_start().len());
    let count = run_length(text, start, b'`');
    if count < 3 {
        return code;
    }
    let body = line_end(text, start);
    if body >= code.end {
        return code;
    }
    let inside = text.get(body..code.end).unwrap_or_default().trim_end();
    let unfenced = inside.trim_end_matches('`');
    let end = if inside.len() - unfenced.len() >= count {
        unfenced.len()
    } else {
        inside.len()
    };
    body..body + end
}

/// A fence around tags: only the inside of the tags is code.
fn inside_tags(text: &str, code: Range<usize>, tags: &CodeTags) -> Range<usize> {
    let raw = text.get(code.clone()).unwrap_or_default();
    let lead = raw.len() - raw.trim_start().len();
    match raw.trim().strip_prefix(tags.opening.as_str()) {
        Some(inner) if tags.are_tags() => {
            let start = code.start + lead + tags.opening.len();
            let inner = inner.strip_suffix(tags.closing.as_str()).unwrap_or(inner);
            start..start + inner.len()
        }
        _ => code,
    }
}

/// An answer that is code from beginning to end, or from a line `Code:` on.
pub(crate) fn whole_answer(text: &str, answer: &Answer, options: &ParseOptions) -> Option<Placed> {
    if !options.bare_code || !answer.blocks.is_empty() {
        return None;
    }
    let from = answer
        .thinking
        .last()
        .map_or(answer.start, |range| range.end);
    let (mut start, mut end, mut at) = (from, answer.end, from);
    for line in text.get(from..answer.end)?.split_inclusive('\n') {
        if options.stop_at_observation && is_observation(line) {
            end = at;
            break;
        }
        if start == from
            && let Some(after) = after_label(line, &["code"])
        {
            start = at + (line.len() - after.len());
        }
        at += line.len();
    }
    let raw = text.get(start..end)?;
    let code = raw.trim();
    let lead = raw.len() - raw.trim_start().len();
    bare::looks_like_code(code).then(|| Placed {
        mark: start,
        code: start + lead,
        block: CodeBlock {
            code: code.to_owned(),
            kind: BlockKind::Bare,
            language: None,
            closed: false,
            line: 0,
        },
    })
}
