//! Text put in the place of other text, with the way back.

use crate::lines::{LineIndex, push_blank};
use crate::position::{PositionMap, Segment};

/// Replaces a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// What stands there instead. The line breaks of the range follow it, so that no line moves.
    pub(crate) text: String,
}

impl Splice {
    /// Puts text before an offset.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            start: at,
            end: at,
            text: text.into(),
        }
    }
}

/// The text with these ranges replaced, which are in order and do not overlap; `map` learns the way back.
pub(crate) fn splice(text: &str, splices: &[Splice], map: &mut PositionMap) -> String {
    let mut out = String::with_capacity(text.len());
    // Offsets where a stretch begins: in the new text, in the old one, and whether it was there before.
    let mut stretches = vec![(0, 0, true)];
    let mut at = 0;
    for Splice {
        start,
        end,
        text: new,
    } in splices
    {
        out.push_str(text.get(at..*start).unwrap_or(""));
        stretches.push((out.len(), *start, false));
        out.push_str(new);
        let mut rest = String::new();
        push_blank(&mut rest, text.get(*start..*end).unwrap_or(""));
        out.extend(rest.chars().filter(|c| *c != ' '));
        stretches.push((out.len(), *end, true));
        at = *end;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    let (old, new) = (LineIndex::new(text), LineIndex::new(&*out));
    let segments = stretches.into_iter().map(|(to, from, is_kept)| Segment {
        transformed: new.locate(to),
        original: old.locate(from),
        is_kept,
    });
    map.push_segments(segments.collect());
    out
}
