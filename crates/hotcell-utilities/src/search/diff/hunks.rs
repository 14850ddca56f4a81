//! Edits with the lines around them.

use std::ops::Range;

use super::edits::Edit;

/// Edits that are near each other, and the lines that are shown with them.
pub(super) struct Hunk<'e> {
    pub(super) edits: &'e [Edit],
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
}

/// Groups edits, with `context` lines around each.
pub(super) fn hunks(edits: &[Edit], context: usize, lines: [usize; 2]) -> Vec<Hunk<'_>> {
    let mut result = Vec::new();
    let mut start = 0;
    while start < edits.len() {
        let mut end = start + 1;
        while let (Some(last), Some(next)) = (edits.get(end - 1), edits.get(end)) {
            if next.left.start - last.left.end > context.saturating_mul(2) {
                break;
            }
            end += 1;
        }
        let group = edits.get(start..end).unwrap_or_default();
        if let (Some(first), Some(last)) = (group.first(), group.last()) {
            let before = context.min(first.left.start).min(first.right.start);
            let [left, right] = lines;
            let after = context
                .min(left - last.left.end)
                .min(right - last.right.end);
            result.push(Hunk {
                edits: group,
                left: first.left.start - before..last.left.end + after,
                right: first.right.start - before..last.right.end + after,
            });
        }
        start = end;
    }
    result
}
