//! From offsets to lines and columns, and from the transformed code back to the original.

use crate::diagnostic::Location;

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut at = 0;
        while at < bytes.len() {
            if let Some(length) = line_break(bytes, at) {
                at += length;
                starts.push(at);
            } else {
                at += 1;
            }
        }
        Self { text, starts }
    }

    /// The place of a byte offset; an offset past the end or inside a character counts as the nearest place before it.
    pub(crate) fn locate(&self, offset: usize) -> Location {
        let offset = floor_boundary(self.text, offset);
        let line = self
            .starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        Location {
            line: count(line + 1),
            column: count(utf16_len(before) + 1),
        }
    }

    /// The text of a line without its terminator; lines count from 1.
    pub(crate) fn line(&self, line: u32) -> Option<&'t str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = self.text.get(start..end)?;
        Some(line.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']))
    }

    pub(crate) fn lines(&self) -> u32 {
        count(self.starts.len())
    }
}

/// The length of the line terminator at `at`, if one is there.
fn line_break(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'\r' if bytes.get(at + 1) == Some(&b'\n') => Some(2),
        b'\n' | b'\r' => Some(1),
        0xE2 if bytes.get(at + 1) == Some(&0x80)
            && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) =>
        {
            Some(3)
        }
        _ => None,
    }
}

pub(crate) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char::len_utf16).sum()
    }
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The code with a range of it blanked out: every UTF-16 unit becomes a space, line terminators stay, so that nothing
/// after the range moves to another line or column.
pub(crate) fn push_blank(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(c),
            _ => (0..c.len_utf16()).for_each(|_| out.push(' ')),
        }
    }
}

/// Leads from a place in the transformed code to the place in the original that it came from.
///
/// Most transforms only blank text out; then the map is the identity and costs nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionMap {
    /// From the last transform to the first.
    layers: Vec<Layer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Layer {
    /// Pairs of (transformed, original), sorted by the first.
    Tokens(Vec<(Location, Location)>),
    /// An edit of which only the text before and after is known.
    Edit {
        same_before: u32,
        changed: u32,
        changed_to: u32,
    },
}

impl PositionMap {
    /// Whether every place maps to itself.
    pub fn is_identity(&self) -> bool {
        self.layers.is_empty()
    }

    /// Where the code at this place of the transformed text was in the original.
    ///
    /// Text that a transform added maps to the nearest original text before it.
    pub fn original(&self, place: Location) -> Location {
        self.layers
            .iter()
            .fold(place, |place, layer| layer.original(place))
    }

    /// Bytes of memory, about.
    pub(crate) fn weight(&self) -> usize {
        self.layers
            .iter()
            .map(|layer| match layer {
                Layer::Tokens(pairs) => size_of_val(pairs.as_slice()),
                Layer::Edit { .. } => 16,
            })
            .sum()
    }

    pub(crate) fn tokens(mut pairs: Vec<(Location, Location)>) -> Self {
        pairs.sort_unstable();
        Self {
            layers: vec![Layer::Tokens(pairs)],
        }
    }

    /// Adds a transform about which nothing is known but its input and output.
    pub(crate) fn push_edit(&mut self, before: &str, after: &str) {
        let (old, new) = (LineIndex::new(before), LineIndex::new(after));
        let shortest = old.lines().min(new.lines());
        let same_before = (1..=shortest)
            .take_while(|&line| old.line(line) == new.line(line))
            .count();
        let same_before = count(same_before);
        let same_after = (0..shortest - same_before)
            .take_while(|&back| old.line(old.lines() - back) == new.line(new.lines() - back))
            .count();
        let same_after = count(same_after);
        let changed = old.lines() - same_before - same_after;
        let changed_to = new.lines() - same_before - same_after;
        if changed != changed_to {
            self.layers.insert(
                0,
                Layer::Edit {
                    same_before,
                    changed,
                    changed_to,
                },
            );
        }
    }
}

impl Layer {
    fn original(&self, place: Location) -> Location {
        match self {
            Self::Tokens(pairs) => {
                let after = pairs.partition_point(|(from, _)| *from <= place);
                let nearest = after.checked_sub(1).and_then(|index| pairs.get(index));
                nearest
                    .or_else(|| pairs.first())
                    .map_or(Location { line: 1, column: 1 }, |&(_, to)| to)
            }
            &Self::Edit {
                same_before,
                changed,
                changed_to,
            } => {
                if place.line <= same_before {
                    place
                } else if place.line > same_before + changed_to {
                    Location {
                        line: place.line - changed_to + changed,
                        ..place
                    }
                } else {
                    let line = place.line.min(same_before + changed.max(1));
                    Location {
                        line,
                        column: if line == place.line { place.column } else { 1 },
                    }
                }
            }
        }
    }
}

/// The UTF-16 column of a byte column (both from 1) in the given line of `text`.
pub(crate) fn column_of_byte(text: &str, line: u32, byte_column: u32) -> u32 {
    let index = LineIndex::new(text);
    let Some(line) = index.line(line) else {
        return byte_column;
    };
    let bytes = usize::try_from(byte_column.saturating_sub(1)).unwrap_or(usize::MAX);
    let end = floor_boundary(line, bytes);
    count(utf16_len(line.get(..end).unwrap_or("")) + 1)
}
