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
            .flat_map(|found| parts(text, found))
            .filter_map(|found| block(text, &found, options))
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
        code
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

/// Tags around fences: only the insides of the fences are code, each a block of its own.
fn parts(text: &str, found: &Found) -> Vec<Found> {
    let whole = || vec![found.clone()];
    if found.marked != Marked::Tag {
        return whole();
    }
    let fences = fences(text, &found.code);
    let Some(first) = fences.first() else {
        return whole();
    };
    let before = text.get(found.code.start..first.0).unwrap_or_default();
    // What looks like a fence after code is a part of it, say of a template.
    if before.contains(['`', '(', '{', '=', ';', '/']) {
        return whole();
    }
    let inside = fences.into_iter().map(|(_, code)| Found {
        code,
        ..found.clone()
    });
    inside.collect()
}

/// The fences in a range: where each begins, and its code.
fn fences(text: &str, range: &Range<usize>) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let end = line_end(text, at).min(range.end);
        let line = text.get(at..end).unwrap_or_default();
        let mark = at + (line.len() - line.trim_start().len());
        let character = text.as_bytes().get(mark).copied().unwrap_or_default();
        let count = run_length(text, mark, character);
        if !matches!(character, b'`' | b'~') || count < 3 || end == range.end {
            at = end + 1;
            continue;
        }
        let start = end + 1;
        let close = closing_in(text, start..range.end, character, count);
        let (code_end, after) = close.unwrap_or((range.end, range.end));
        found.push((mark, start..code_end));
        at = after + 1;
    }
    found
}

/// The end of the code before a closing fence, and the end of the fence's line.
fn closing_in(text: &str, range: Range<usize>, mark: u8, count: usize) -> Option<(usize, usize)> {
    let mut at = range.start;
    while at < range.end {
        let end = line_end(text, at).min(range.end);
        let line = text.get(at..end)?.trim_end();
        let code = line.trim_end_matches(char::from(mark));
        if line.len() - code.len() >= count {
            return Some((at + code.len(), end));
        }
        at = end + 1;
    }
    None
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
