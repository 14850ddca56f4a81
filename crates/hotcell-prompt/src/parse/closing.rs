//! Where a block ends.

use std::ops::Range;

use super::bare::looks_like_code;
use super::script::{Kind, Scanner};
use super::text::{is_observation, line_end, run_length};

/// What closes a block.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark<'o> {
    /// A tag, anywhere in code.
    Tag { opening: &'o str, closing: &'o str },
    /// A Markdown fence: so many of one character, alone on a line.
    Fence { mark: u8, count: usize },
}

/// How a block ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// Where the code ends.
    pub(crate) code: usize,
    /// Where the text after the block goes on.
    pub(crate) after: usize,
    pub(crate) closed: bool,
}

enum Seen {
    Close(usize),
    /// Another block opens, or an observation begins, so that this block's end was missed or left out.
    Interrupted,
}

/// Finds the end of a block whose code starts at `start`. A mark inside a string, a template literal, a comment or a
/// regular expression does not close it, as long as the code around it is sound. `fuel` bounds the work over a whole
/// answer; when it is used up, the next mark closes.
pub(crate) fn find(
    text: &str,
    start: usize,
    mark: Mark<'_>,
    observations: bool,
    fuel: &mut usize,
) -> End {
    if *fuel == 0 {
        return first_mark(text, start, mark);
    }
    let mut scanner = Scanner::new(text, start);
    let mut doubtful: Vec<Range<usize>> = Vec::new();
    let mut limit = text.len();
    loop {
        if let Some(at) = scanner.at_code() {
            match look(text, at, start, mark, observations, scanner.at_line_start()) {
                Some(Seen::Close(length)) => {
                    return End {
                        code: at,
                        after: at + length,
                        closed: true,
                    };
                }
                Some(Seen::Interrupted) => {
                    limit = at;
                    break;
                }
                None => {}
            }
            // `<code>` around a fence: the fence is not part of the script and must not open a template literal.
            if let Mark::Tag { closing, .. } = mark
                && (scanner.at_line_start() || at == start)
            {
                let backticks = run_length(text, at, b'`');
                if backticks >= 3 {
                    let end = line_end(text, at);
                    let is_last = text.get(at..end).is_some_and(|line| line.contains(closing));
                    scanner.skip_to(if is_last { at + backticks } else { end });
                    continue;
                }
            }
        }
        let Some(token) = scanner.next_token() else {
            break;
        };
        *fuel = fuel.saturating_sub(token.end - token.start + 1);
        if *fuel == 0 {
            return first_mark(text, start, mark);
        }
        match token.kind {
            Kind::LineComment
            | Kind::Text { closed: false }
            | Kind::Template { closed: false }
            | Kind::BlockComment { closed: false } => doubtful.push(token.start..token.end),
            _ => {}
        }
    }
    guess(text, mark, &doubtful, limit)
}

fn look(
    text: &str,
    at: usize,
    start: usize,
    mark: Mark<'_>,
    observations: bool,
    line_start: bool,
) -> Option<Seen> {
    let rest = text.get(at..)?;
    match mark {
        Mark::Tag { opening, closing } => {
            if rest.starts_with(closing) {
                return Some(Seen::Close(closing.len()));
            }
            if line_start && at > start && rest.starts_with(opening) {
                return Some(Seen::Interrupted);
            }
        }
        Mark::Fence { mark, count } if line_start => {
            if let Some(length) = closing_fence(text, at, mark, count) {
                return Some(Seen::Close(length));
            }
            if run_length(text, at, mark) >= count {
                return Some(Seen::Interrupted);
            }
        }
        // Behind the last statement: `f(1)```` and the end of the line.
        Mark::Fence { mark: b'`', count } if at > start => {
            if let Some(length) = closing_fence(text, at, b'`', count) {
                return Some(Seen::Close(length));
            }
        }
        Mark::Fence { .. } => {}
    }
    (line_start && observations && is_observation(rest)).then_some(Seen::Interrupted)
}

/// The length of a closing fence at `at`, if one is there with nothing else on its line.
pub(crate) fn closing_fence(text: &str, at: usize, mark: u8, count: usize) -> Option<usize> {
    let run = run_length(text, at, mark);
    if run < count {
        return None;
    }
    let end = line_end(text, at);
    let rest = text.get(at + run..end)?.trim();
    // `<end_code>` is the stop word of older agent prompts; models still write it.
    matches!(rest, "" | "<end_code>").then_some(end - at)
}

/// The end of a block that no mark closes in sound code. Marks at the end of a line count where the scanner may have been
/// led astray: in a comment (`done() // ok</code>`), and in whatever was never closed. Otherwise the block is open: the
/// model stopped at its stop sequence.
fn guess(text: &str, mark: Mark<'_>, doubtful: &[Range<usize>], mut limit: usize) -> End {
    let mut at_line_end: Option<End> = None;
    for range in doubtful {
        limit = next_opening(text, range.start, range.end.min(limit), mark).unwrap_or(limit);
        let mut from = range.start;
        let mut first = None;
        while let Some((at, length)) = next_mark(text, from, range.end.min(limit), mark) {
            let after = at + length;
            if ends_line(text, after) {
                let end = End {
                    code: at,
                    after,
                    closed: true,
                };
                if begins_line(text, at) {
                    return end;
                }
                first = first.or(Some(end));
            }
            from = after;
        }
        at_line_end = first.or(at_line_end);
    }
    // If code goes on after it, the mark was part of the comment.
    at_line_end
        .filter(|end| !looks_like_code(text.get(end.after..limit).unwrap_or_default()))
        .unwrap_or(End {
            code: limit,
            after: limit,
            closed: false,
        })
}

/// The next opening tag that begins a line.
fn next_opening(text: &str, mut from: usize, to: usize, mark: Mark<'_>) -> Option<usize> {
    let Mark::Tag { opening, .. } = mark else {
        return None;
    };
    loop {
        let at = from + text.get(from..to)?.find(opening)?;
        if begins_line(text, at) {
            return Some(at);
        }
        from = at + opening.len();
    }
}

/// The next closing mark, wherever it stands.
fn next_mark(text: &str, from: usize, to: usize, mark: Mark<'_>) -> Option<(usize, usize)> {
    match mark {
        Mark::Tag { closing, .. } => {
            let at = from + text.get(from..to)?.find(closing)?;
            Some((at, closing.len()))
        }
        Mark::Fence { mark, count } => {
            let mut at = from;
            while at < to {
                let line = text.get(at..line_end(text, at))?;
                let indent = line.len() - line.trim_start().len();
                let whole_line = at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
                if whole_line && let Some(length) = closing_fence(text, at + indent, mark, count) {
                    return Some((at + indent, length));
                }
                at = line_end(text, at) + 1;
            }
            None
        }
    }
}

/// The end at the nearest mark, for when looking closer would take too long.
fn first_mark(text: &str, start: usize, mark: Mark<'_>) -> End {
    let found = next_mark(text, start, text.len(), mark);
    let (code, length) = found.unwrap_or((text.len(), 0));
    End {
        code,
        after: code + length,
        closed: found.is_some(),
    }
}

fn begins_line(text: &str, at: usize) -> bool {
    let before = text
        .get(..at)
        .unwrap_or_default()
        .trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

fn ends_line(text: &str, at: usize) -> bool {
    let after = text
        .get(at..)
        .unwrap_or_default()
        .trim_start_matches([' ', '\t']);
    after.is_empty() || after.starts_with('\n')
}
