//! The lines that are edited.

use std::{collections::BTreeMap, io, rc::Rc};

use crate::{
    languages::budget::{Budget, Held},
    list::room_of,
};

/// The text of a line, without its newline, with the room that was taken for it.
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    _held: Held,
}

/// A line. Clones are the same line.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) text: Rc<Text>,
    /// Tells it from other lines with the same text.
    id: u64,
    /// A global command is to be applied to it.
    is_marked: bool,
}

/// What can be brought back by `u`.
#[derive(Clone, Default)]
struct State {
    lines: Vec<Line>,
    current: usize,
    marks: BTreeMap<u8, u64>,
    is_modified: bool,
}

pub(super) struct Buffer {
    state: State,
    undo: Option<State>,
    budget: Budget,
    next_id: u64,
}

impl Buffer {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            state: State::default(),
            undo: None,
            budget,
            next_id: 0,
        }
    }

    /// A new line that is not in the buffer yet.
    pub(super) fn line(&mut self, bytes: Vec<u8>) -> io::Result<Line> {
        let held = self
            .budget
            .hold(room_of(&bytes) + size_of::<Text>() + 2 * size_of::<Line>())?;
        self.next_id += 1;
        Ok(Line {
            text: Rc::new(Text { bytes, _held: held }),
            id: self.next_id,
            is_marked: false,
        })
    }

    /// Whether there are changes that were not written.
    pub(super) fn is_modified(&self) -> bool {
        self.state.is_modified
    }

    pub(super) fn set_modified(&mut self, is_modified: bool) {
        self.state.is_modified = is_modified;
    }

    pub(super) fn last(&self) -> usize {
        self.state.lines.len()
    }

    pub(super) fn current(&self) -> usize {
        self.state.current
    }

    pub(super) fn set_current(&mut self, number: usize) {
        self.state.current = number.min(self.last());
    }

    /// The text of a line by its number, from 1.
    pub(super) fn text(&self, number: usize) -> Rc<Text> {
        match self.state.lines.get(number.wrapping_sub(1)) {
            Some(line) => Rc::clone(&line.text),
            None => Rc::new(Text {
                bytes: Vec::new(),
                _held: Held::nothing(&self.budget),
            }),
        }
    }

    /// Lines from one to another, as copies that are lines of their own.
    pub(super) fn copies(&mut self, first: usize, last: usize) -> Vec<Line> {
        let part = self
            .state
            .lines
            .get(first.saturating_sub(1)..last)
            .unwrap_or_default();
        let mut copies = part.to_vec();
        for copy in &mut copies {
            self.next_id += 1;
            copy.id = self.next_id;
            copy.is_marked = false;
        }
        copies
    }

    /// Remembers how things are, for `u`.
    pub(super) fn checkpoint(&mut self) {
        self.undo = Some(self.state.clone());
    }

    /// Nothing before this is brought back.
    pub(super) fn forget(&mut self) {
        self.undo = None;
    }

    /// Goes back to the last checkpoint, and there again by the same command. False if there is none.
    pub(super) fn undo(&mut self) -> bool {
        match self.undo.take() {
            Some(before) => {
                self.undo = Some(std::mem::replace(&mut self.state, before));
                true
            }
            None => false,
        }
    }

    /// Puts lines behind the one of this number.
    pub(super) fn insert(&mut self, after: usize, lines: Vec<Line>) {
        let count = lines.len();
        let after = after.min(self.last());
        self.state.lines.splice(after..after, lines);
        if count > 0 {
            self.state.current = after + count;
            self.state.is_modified = true;
        }
    }

    /// Takes lines out.
    pub(super) fn remove(&mut self, first: usize, last: usize) -> Vec<Line> {
        let range = first.saturating_sub(1).min(self.last())..last.min(self.last());
        self.state.is_modified = true;
        self.state.lines.drain(range).collect()
    }

    /// Puts lines that were taken out back elsewhere.
    pub(super) fn put_back(&mut self, after: usize, lines: Vec<Line>) {
        self.insert(after, lines);
    }

    pub(super) fn set_mark(&mut self, letter: u8, number: usize) {
        if let Some(line) = self.state.lines.get(number.wrapping_sub(1)) {
            self.state.marks.insert(letter, line.id);
        }
    }

    /// The number of the line that a letter marks.
    pub(super) fn mark(&self, letter: u8) -> Option<usize> {
        let id = self.state.marks.get(&letter)?;
        let place = self.state.lines.iter().position(|line| line.id == *id)?;
        Some(place + 1)
    }

    /// Marks a line for a global command.
    pub(super) fn select(&mut self, number: usize) {
        if let Some(line) = self.state.lines.get_mut(number.wrapping_sub(1)) {
            line.is_marked = true;
        }
    }

    /// The next line that is marked so, from this one on and then from the first. It is not any more.
    pub(super) fn take_selected(&mut self, from: usize) -> Option<usize> {
        let lines = &mut self.state.lines;
        let from = from.min(lines.len());
        let place = (from..lines.len())
            .chain(0..from)
            .find(|place| lines.get(*place).is_some_and(|line| line.is_marked))?;
        lines.get_mut(place)?.is_marked = false;
        Some(place + 1)
    }

    pub(super) fn unselect_all(&mut self) {
        for line in &mut self.state.lines {
            line.is_marked = false;
        }
    }
}
