//! The lines of a file before and after its edits, as far as a diff can show them.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::Piece;
use crate::error::FileToolError;
use crate::limits::DIFF_CONTEXT_LINES;
use crate::tools::FileTools;

/// So many pairs of lines, over all of a file's changes, are compared in search of common ones: that takes time in proportion to
/// it.
const PAIRS_MAX: usize = 4_000_000;
/// Where a change has more lines than this, on both sides together, none are looked for: that takes memory in proportion.
const LINES_MAX: usize = 50_000;

/// The lines from a little before the first edit to a little after the last one, with their line breaks. All others are the
/// same on both sides.
pub(super) struct ChangedLines<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
    /// Lines before these.
    pub(super) skipped: usize,
    /// Lines of the whole old file.
    pub(super) total: usize,
    regions: Vec<Region>,
}

/// Lines of the old side, and those of the new side that stand for them.
struct Region {
    old: Range<usize>,
    new: Range<usize>,
}

/// The same in bytes: whole lines of both files.
struct Extent {
    old: Range<usize>,
    new: Range<usize>,
}

impl<'a> ChangedLines<'a> {
    pub(super) fn new(
        tools: &FileTools,
        before: &'a [u8],
        after: &'a [u8],
        pieces: &[Piece],
    ) -> Result<Self, FileToolError> {
        tools.take(pieces.len() * (size_of::<Extent>() + size_of::<Region>()))?;
        let extents = extents(before, after, pieces);
        let start = extents.first().map_or(0, |first| first.old.start);
        let (tail_old, tail_new) = extents.last().map_or((before.len(), after.len()), |last| {
            (last.old.end, last.new.end)
        });
        // Everything before the first and after the last extent is the same, so that one measure fits both files.
        let start = back(before, start, DIFF_CONTEXT_LINES);
        let more = ahead(before, tail_old, DIFF_CONTEXT_LINES) - tail_old;
        let head = before.get(..start).unwrap_or_default();
        let skipped = memchr_iter(b'\n', head).count();
        let old = lines(
            tools,
            before.get(start..tail_old + more).unwrap_or_default(),
        )?;
        let new = lines(tools, after.get(start..tail_new + more).unwrap_or_default())?;
        let rest = before.get(tail_old + more..).unwrap_or_default();
        let mut old_lines = LineCounter::from(before, start);
        let mut new_lines = LineCounter::from(after, start);
        let regions = extents
            .into_iter()
            .map(|extent| Region {
                old: old_lines.range(&extent.old),
                new: new_lines.range(&extent.new),
            })
            .collect();
        Ok(Self {
            total: skipped + old.len() + count_lines(rest),
            old,
            new,
            skipped,
            regions,
        })
    }

    /// The difference of the two sides, given as they are to be compared.
    pub(super) fn compare(&self, old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
        let mut pairs = PAIRS_MAX;
        let mut ops = Vec::new();
        let mut old_at = 0;
        let mut new_at = 0;
        for region in &self.regions {
            push_equal(&mut ops, old_at, new_at, region.old.start - old_at);
            push_region(&mut ops, region, old, new, &mut pairs);
            old_at = region.old.end;
            new_at = region.new.end;
        }
        push_equal(&mut ops, old_at, new_at, old.len().saturating_sub(old_at));
        ops
    }
}

fn push_equal(ops: &mut Vec<DiffOp>, old_index: usize, new_index: usize, len: usize) {
    if len > 0 {
        ops.push(DiffOp::Equal {
            old_index,
            new_index,
            len,
        });
    }
}

fn push_region(
    ops: &mut Vec<DiffOp>,
    region: &Region,
    old: &[&[u8]],
    new: &[&[u8]],
    pairs: &mut usize,
) {
    let a = old.get(region.old.clone()).unwrap_or_default();
    let b = new.get(region.new.clone()).unwrap_or_default();
    let left = pairs.checked_sub(a.len().saturating_mul(b.len()));
    let (Some(left), true) = (left, a.len() + b.len() <= LINES_MAX) else {
        ops.push(DiffOp::Replace {
            old_index: region.old.start,
            old_len: a.len(),
            new_index: region.new.start,
            new_len: b.len(),
        });
        return;
    };
    *pairs = left;
    for mut op in capture_diff_slices(Algorithm::Myers, a, b) {
        let (DiffOp::Equal {
            old_index,
            new_index,
            ..
        }
        | DiffOp::Delete {
            old_index,
            new_index,
            ..
        }
        | DiffOp::Insert {
            old_index,
            new_index,
            ..
        }
        | DiffOp::Replace {
            old_index,
            new_index,
            ..
        }) = &mut op;
        *old_index += region.old.start;
        *new_index += region.new.start;
        ops.push(op);
    }
}

/// The lines the pieces touch; pieces that share a line are in one extent.
fn extents(before: &[u8], after: &[u8], pieces: &[Piece]) -> Vec<Extent> {
    let begins_line = |at: usize, start: usize, text: &[u8]| {
        at == start || at.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'\n')
    };
    let mut out: Vec<Extent> = Vec::new();
    for piece in pieces {
        let head = before.get(..piece.old.start).unwrap_or_default();
        let start = memrchr(b'\n', head).map_or(0, |at| at + 1);
        let new_start = piece.new.start.saturating_sub(piece.old.start - start);
        let whole = begins_line(piece.old.end, start, before)
            && begins_line(piece.new.end, new_start, after);
        let more = if whole {
            0
        } else {
            ahead(before, piece.old.end, 1) - piece.old.end
        };
        let ends = (piece.old.end + more, piece.new.end + more);
        match out.last_mut() {
            Some(last) if start < last.old.end => (last.old.end, last.new.end) = ends,
            _ => out.push(Extent {
                old: start..ends.0,
                new: new_start..ends.1,
            }),
        }
    }
    out
}

/// Where the line begins that is this many lines before `at`, which is the beginning of a line.
fn back(text: &[u8], mut at: usize, lines: usize) -> usize {
    for _ in 0..lines {
        let before = text.get(..at.saturating_sub(1)).unwrap_or_default();
        at = memrchr(b'\n', before).map_or(0, |found| found + 1);
    }
    at
}

/// Where the line ends that is this many line ends after `at`.
fn ahead(text: &[u8], mut at: usize, lines: usize) -> usize {
    for _ in 0..lines {
        let after = text.get(at..).unwrap_or_default();
        at += memchr(b'\n', after).map_or(after.len(), |found| found + 1);
    }
    at
}

/// The lines with their line breaks.
fn lines<'a>(tools: &FileTools, text: &'a [u8]) -> Result<Vec<&'a [u8]>, FileToolError> {
    let count = count_lines(text);
    tools.take(count * size_of::<&[u8]>())?;
    let mut out = Vec::with_capacity(count);
    let mut start = 0;
    for at in memchr_iter(b'\n', text) {
        out.extend(text.get(start..=at));
        start = at + 1;
    }
    out.extend(text.get(start..).filter(|last| !last.is_empty()));
    Ok(out)
}

fn count_lines(text: &[u8]) -> usize {
    let is_open = text.last().is_some_and(|last| *last != b'\n');
    memchr_iter(b'\n', text).count() + usize::from(is_open)
}

/// Which line a position is in; positions come in order.
pub(super) struct LineCounter<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    /// Counts from the line that begins at `start`.
    pub(super) const fn from(text: &'a [u8], start: usize) -> Self {
        Self {
            text,
            at: start,
            line: 0,
        }
    }

    pub(super) fn line_of(&mut self, at: usize) -> usize {
        let passed = self.text.get(self.at..at).unwrap_or_default();
        self.line += memchr_iter(b'\n', passed).count();
        self.at = self.at.max(at);
        self.line
    }

    fn range(&mut self, bytes: &Range<usize>) -> Range<usize> {
        let first = self.line_of(bytes.start);
        let last = self.line_of(bytes.end);
        // The last line of a file may have no line break to count.
        let open =
            !bytes.is_empty() && bytes.end == self.text.len() && self.text.last() != Some(&b'\n');
        first..last + usize::from(open)
    }
}
