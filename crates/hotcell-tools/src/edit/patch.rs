//! The change as a unified patch, for tools that apply one.

use std::ops::Range;

use similar::DiffOp;

use super::changed_lines::ChangedLines;
use super::into_text;
use crate::charged::Charged;
use crate::error::FileToolError;
use crate::limits::DIFF_CONTEXT_LINES;
use crate::shown::shown;
use crate::tools::{FileTools, LOOK};

/// A patch that `patch -p1` and `git apply` take, of files that are UTF-8.
pub(super) fn unified(
    tools: &FileTools,
    sides: &ChangedLines<'_>,
    path: &[u8],
) -> Result<String, FileToolError> {
    let ops = sides.compare(&sides.old, &sides.new);
    let mut out = Charged::new(tools);
    let named = |side: &str| shown(&[side.as_bytes(), path].concat());
    let header = format!("--- {}\n+++ {}\n", named("a/"), named("b/"));
    out.push(header.as_bytes())?;
    for group in similar::group_diff_ops(ops, DIFF_CONTEXT_LINES) {
        tools.check_cancelled()?;
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let places = format!(
            "@@ -{} +{} @@\n",
            range(sides.skipped, first.old_range().start, last.old_range().end),
            range(sides.skipped, first.new_range().start, last.new_range().end)
        );
        out.push(places.as_bytes())?;
        for op in &group {
            if let DiffOp::Equal { .. } = op {
                push(tools, &mut out, b" ", &sides.old, op.old_range())?;
            } else {
                push(tools, &mut out, b"-", &sides.old, op.old_range())?;
                push(tools, &mut out, b"+", &sides.new, op.new_range())?;
            }
        }
    }
    Ok(into_text(out.into_vec()))
}

/// First line and number of lines; of no lines, the line before them.
fn range(skipped: usize, start: usize, end: usize) -> String {
    let count = end - start;
    let first = skipped + start + usize::from(count > 0);
    format!("{first},{count}")
}

fn push(
    tools: &FileTools,
    out: &mut Charged<'_>,
    sign: &[u8],
    lines: &[&[u8]],
    range: Range<usize>,
) -> Result<(), FileToolError> {
    for (number, line) in lines.get(range).unwrap_or_default().iter().enumerate() {
        if number.is_multiple_of(LOOK) {
            tools.check_cancelled()?;
        }
        out.push(sign)?;
        out.push(line)?;
        if !line.ends_with(b"\n") {
            out.push(b"\n\\ No newline at end of file\n")?;
        }
    }
    Ok(())
}
