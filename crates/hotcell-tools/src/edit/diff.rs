//! What changed, line by line.

use std::borrow::Cow;
use std::ops::Range;

use similar::DiffOp;

use super::changed_lines::{ChangedLines, LineCounter};
use super::{BOM, Piece, into_text, normal};
use crate::charged::Charged;
use crate::error::FileToolError;
use crate::limits::DIFF_CONTEXT_LINES;
use crate::tools::{FileTools, LOOK};

/// The changes with line numbers.
pub(super) struct Numbered {
    pub(super) text: String,
    pub(super) first_changed_line: u64,
}

/// Shows the changed lines with those around them.
pub(super) fn numbered(
    tools: &FileTools,
    before: &[u8],
    sides: &ChangedLines<'_>,
    pieces: &[Piece],
) -> Result<Numbered, FileToolError> {
    let per_old = size_of::<Cow<'_, [u8]>>() + size_of::<&[u8]>();
    tools.take(sides.old.len() * per_old + sides.new.len() * size_of::<&[u8]>())?;
    let compared = as_compared(tools, before, sides, pieces)?;
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
    Ok(Numbered {
        text: render(tools, sides, &old, &new, &ops)?,
        first_changed_line: (sides.skipped + first + 1) as u64,
    })
}

fn render(
    tools: &FileTools,
    sides: &ChangedLines<'_>,
    old: &[&[u8]],
    new: &[&[u8]],
    ops: &[DiffOp],
) -> Result<String, FileToolError> {
    let most = sides.total.max(sides.skipped + new.len()).max(1);
    let mut out = Rendered {
        tools,
        width: most.ilog10() as usize + 1,
        skipped: sides.skipped,
        text: Charged::new(tools),
    };
    let mut shown = 0;
    for group in similar::group_diff_ops(ops.to_vec(), DIFF_CONTEXT_LINES) {
        tools.check_cancelled()?;
        let start = group.first().map_or(0, |op| op.old_range().start);
        if sides.skipped + start > shown {
            out.gap()?;
        }
        for op in group {
            shown = sides.skipped + op.old_range().end;
            if is_change(&op) {
                out.lines('-', old, op.old_range())?;
                out.lines('+', new, op.new_range())?;
            } else {
                out.lines(' ', old, op.old_range())?;
            }
        }
    }
    if shown < sides.total {
        out.gap()?;
    }
    Ok(into_text(out.text.into_vec()))
}

struct Rendered<'a> {
    tools: &'a FileTools,
    text: Charged<'a>,
    /// Digits of the highest line number.
    width: usize,
    /// Lines of the file before the first one that is here.
    skipped: usize,
}

impl Rendered<'_> {
    fn lines(
        &mut self,
        sign: char,
        lines: &[&[u8]],
        range: Range<usize>,
    ) -> Result<(), FileToolError> {
        for index in range {
            if index.is_multiple_of(LOOK) {
                self.tools.check_cancelled()?;
            }
            let line = lines.get(index).copied().unwrap_or_default();
            let width = self.width;
            let number = self.skipped + index + 1;
            self.separate()?;
            self.text
                .push(format!("{sign}{number:>width$} ").as_bytes())?;
            for chunk in line.utf8_chunks() {
                self.text.push(chunk.valid().as_bytes())?;
                if !chunk.invalid().is_empty() {
                    self.text.push("\u{fffd}".as_bytes())?;
                }
            }
        }
        Ok(())
    }

    fn gap(&mut self) -> Result<(), FileToolError> {
        let width = self.width;
        self.separate()?;
        self.text.push(format!(" {:>width$} ...", "").as_bytes())
    }

    fn separate(&mut self) -> Result<(), FileToolError> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.text.push(b"\n")
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
    tools: &FileTools,
    before: &[u8],
    sides: &ChangedLines<'a>,
    pieces: &[Piece],
) -> Result<Vec<Cow<'a, [u8]>>, FileToolError> {
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
            tools.check_cancelled()?;
            // One that was compared already is what it is.
            if let Cow::Borrowed(plain) = *line
                && let Ok(text) = std::str::from_utf8(content(plain))
            {
                let compared = normal::line(text);
                tools.take(compared.len())?;
                *line = Cow::Owned(compared.into_owned().into_bytes());
            }
        }
    }
    Ok(out)
}

fn is_change(op: &DiffOp) -> bool {
    !matches!(op, DiffOp::Equal { .. })
}
