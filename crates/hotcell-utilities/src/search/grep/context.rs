//! Lines around those that match.

use std::collections::VecDeque;

use super::print::Place;

/// Lines that may have to be printed before the next match.
#[derive(Default)]
pub(super) struct Before {
    lines: VecDeque<(Place, Vec<u8>)>,
    most: usize,
}

impl Before {
    pub(super) fn new(most: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            most,
        }
    }

    /// Keeps a line, and lets go of the oldest. Returns by how many bytes it grew.
    pub(super) fn keep(&mut self, place: Place, line: &[u8]) -> isize {
        if self.most == 0 {
            return 0;
        }
        let mut grown = line.len().cast_signed();
        let mut buffer = Vec::new();
        if self.lines.len() >= self.most
            && let Some((_, old)) = self.lines.pop_front()
        {
            grown -= old.len().cast_signed();
            buffer = old;
        }
        buffer.clear();
        buffer.extend_from_slice(line);
        self.lines.push_back((place, buffer));
        grown
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Place, Vec<u8>)> {
        self.lines.drain(..)
    }

    pub(super) fn first_number(&self) -> Option<u64> {
        self.lines.front().map(|(place, _)| place.number)
    }
}
