//! From places in the transformed code back to the original.

use crate::diagnostic::Location;
use crate::lines::{LineIndex, count};

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
    /// Stretches of text, sorted by where they are now.
    Segments(Vec<Segment>),
    /// An edit of which only the text before and after is known.
    Edit {
        same_before: u32,
        changed: u32,
        changed_to: u32,
    },
}

/// A stretch of the transformed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Where it begins.
    pub(crate) transformed: Location,
    /// Where it comes from, or what it stands for.
    pub(crate) original: Location,
    /// Whether it is original text, so that every place in it has one of its own.
    pub(crate) is_kept: bool,
}

impl Segment {
    fn original(&self, place: Location) -> Location {
        let (from, to) = (self.transformed, self.original);
        if !self.is_kept {
            return to;
        }
        if place.line == from.line {
            return Location {
                line: to.line,
                column: to.column + (place.column - from.column),
            };
        }
        Location {
            line: to.line.saturating_add(place.line - from.line),
            column: place.column,
        }
    }
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
                Layer::Segments(segments) => size_of_val(segments.as_slice()),
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

    /// Adds a transform that put some text in the place of other text.
    pub(crate) fn push_segments(&mut self, segments: Vec<Segment>) {
        self.layers.insert(0, Layer::Segments(segments));
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
            Self::Segments(segments) => {
                let after = segments.partition_point(|one| one.transformed <= place);
                let segment = after.checked_sub(1).and_then(|index| segments.get(index));
                segment.map_or(place, |segment| segment.original(place))
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
                        line: (place.line - changed_to).saturating_add(changed),
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
