//! The change as a unified patch, for tools that apply one.

use std::fmt::Write;

use similar::DiffOp;

use super::Piece;
use super::changed_lines::ChangedLines;
use crate::limits::DIFF_CONTEXT_LINES;
use crate::shown::shown;

/// A patch that `patch -p1` and `git apply` take; none if the files are not UTF-8.
pub(super) fn unified(
    before: &[u8],
    after: &[u8],
    pieces: &[Piece],
    path: &[u8],
) -> Option<String> {
    std::str::from_utf8(before).ok()?;
    std::str::from_utf8(after).ok()?;
    let sides = ChangedLines::new(before, after, pieces);
    let ops = sides.compare(&sides.old, &sides.new);
    let mut out = String::new();
    let named = |side: &str| shown(&[side.as_bytes(), path].concat());
    let _ = write!(out, "--- {}\n+++ {}\n", named("a/"), named("b/"));
    for group in similar::group_diff_ops(ops, DIFF_CONTEXT_LINES) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let _ = writeln!(
            out,
            "@@ -{} +{} @@",
            range(sides.skipped, first.old_range().start, last.old_range().end),
            range(sides.skipped, first.new_range().start, last.new_range().end)
        );
        for op in &group {
            if let DiffOp::Equal { .. } = op {
                push(&mut out, ' ', &sides.old, op.old_range());
            } else {
                push(&mut out, '-', &sides.old, op.old_range());
                push(&mut out, '+', &sides.new, op.new_range());
            }
        }
    }
    Some(out)
}

/// First line and number of lines; of no lines, the line before them.
fn range(skipped: usize, start: usize, end: usize) -> String {
    let count = end - start;
    let first = skipped + start + usize::from(count > 0);
    format!("{first},{count}")
}

fn push(out: &mut String, sign: char, lines: &[&[u8]], range: std::ops::Range<usize>) {
    for line in lines.get(range).unwrap_or_default() {
        out.push(sign);
        out.push_str(std::str::from_utf8(line).unwrap_or_default());
        if !line.ends_with(b"\n") {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}
