//! What changed, line by line.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use similar::DiffOp;

use super::changed_lines::{ChangedLines, LineCounter};
use super::{BOM, Piece, normal};
use crate::limits::DIFF_CONTEXT_LINES;

/// The changes with line numbers.
pub(super) struct Numbered {
    pub(super) text: String,
    pub(super) first_changed_line: u64,
}

/// Shows the changed lines with those around them.
pub(super) fn numbered(before: &[u8], after: &[u8], pieces: &[Piece]) -> Numbered {
    let sides = ChangedLines::new(before, after, pieces);
    let compared = as_compared(before, &sides, pieces);
    let old: Vec<&[u8]> = compared.iter().map(|line| content(line)).collect();
    let new: Vec<&[u8]> = sides.new.iter().map(|line| content(line)).collect();
    let mut ops = sides.compare(&old, &new);
    if !ops.iter().any(is_change) {
        // Only what is not shown has changed: a line ending, or what normalising takes away.
        ops = sides.compare(&sides.old, &sides.new);
    }
    let first = ops
        .iter()
        .find(|op| is_change(op))
        .map_or(0, |op| op.new_range().start);
    Numbered {
        text: render(&sides, &old, &new, &ops),
        first_changed_line: (sides.skipped + first + 1) as u64,
    }
}

fn render(sides: &ChangedLines<'_>, old: &[&[u8]], new: &[&[u8]], ops: &[DiffOp]) -> String {
    let most = sides.total.max(sides.skipped + new.len()).max(1);
    let mut out = Rendered {
        width: most.ilog10() as usize + 1,
        skipped: sides.skipped,
        text: String::new(),
    };
    let mut shown = 0;
    for group in similar::group_diff_ops(ops.to_vec(), DIFF_CONTEXT_LINES) {
        let start = group.first().map_or(0, |op| op.old_range().start);
        if sides.skipped + start > shown {
            out.gap();
        }
        for op in group {
            shown = sides.skipped + op.old_range().end;
            if is_change(&op) {
                out.lines('-', old, op.old_range());
                out.lines('+', new, op.new_range());
            } else {
                out.lines(' ', old, op.old_range());
            }
        }
    }
    if shown < sides.total {
        out.gap();
    }
    out.text
}

struct Rendered {
    text: String,
    /// Digits of the highest line number.
    width: usize,
    /// Lines of the file before the first one that is here.
    skipped: usize,
}

impl Rendered {
    fn lines(&mut self, sign: char, lines: &[&[u8]], range: Range<usize>) {
        for index in range {
            let line = lines.get(index).copied().unwrap_or_default();
            let line = String::from_utf8_lossy(line);
            let width = self.width;
            let number = self.skipped + index + 1;
            self.separate();
            let _ = write!(self.text, "{sign}{number:>width$} {line}");
        }
    }

    fn gap(&mut self) {
        let width = self.width;
        self.separate();
        let _ = write!(self.text, " {:>width$} ...", "");
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// A line without its line break and without the mark at the beginning of a file.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.strip_prefix(BOM).unwrap_or(line)
}

/// The old lines; those that matched only after normalising are shown as they were compared.
fn as_compared<'a>(
    before: &[u8],
    sides: &ChangedLines<'a>,
    pieces: &[Piece],
) -> Vec<Cow<'a, [u8]>> {
    let mut out: Vec<Cow<'a, [u8]>> = sides.old.iter().map(|line| Cow::Borrowed(*line)).collect();
    let mut counter = LineCounter::from(before, 0);
    for piece in pieces.iter().filter(|piece| piece.fuzzy) {
        let first = counter
            .line_of(piece.old.start)
            .saturating_sub(sides.skipped);
        // A place that ends at the beginning of a line does not touch that line.
        let last = piece.old.end.saturating_sub(1).max(piece.old.start);
        let last = counter.line_of(last).saturating_sub(sides.skipped);
        for line in out.get_mut(first..=last).unwrap_or_default() {
            if let Ok(text) = std::str::from_utf8(content(line)) {
                *line = Cow::Owned(normal::line(text).into_owned().into_bytes());
            }
        }
    }
    out
}

fn is_change(op: &DiffOp) -> bool {
    !matches!(op, DiffOp::Equal { .. })
}
