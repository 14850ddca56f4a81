//! The handles of a guest.
//!
//! Numbers begin with 3, grow by one, and are never used again within a run. A handle that was read to its end is closed: it
//! takes no room but a bit, which says that reading it goes on to give the end.

use std::collections::BTreeMap;

use crate::stream::Handle;

/// The first number that is given out.
pub(crate) const FIRST: u32 = 3;

/// How many numbers are given out in one run: what is kept of them is a bit each.
const MAX_NUMBERS: u32 = 1 << 24;

/// There is no handle left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoHandle;

pub(crate) struct Handles {
    open: BTreeMap<u32, Handle>,
    /// How many may be open at once, beside the first three.
    max_open: usize,
    next: u32,
    /// Whether a number was readable, as bits.
    readable: Vec<u64>,
}

impl Handles {
    /// None but `first`, which have the numbers from 0 on.
    pub(crate) fn new(max_open: usize, first: impl IntoIterator<Item = Handle>) -> Self {
        let mut handles = Self {
            open: BTreeMap::new(),
            max_open,
            next: 0,
            readable: Vec::new(),
        };
        for handle in first {
            handles.push(handle);
        }
        handles
    }

    /// Whether so many more can be opened.
    pub(crate) fn has_room(&mut self, count: usize) -> bool {
        if self.open.len() + count > self.max_open {
            // What nobody reads any more is closed, also if the guest has not noticed.
            self.open.retain(|_, handle| !handle.is_gone());
        }
        let open = self.open.range(FIRST..).count();
        let numbers = MAX_NUMBERS - self.next.min(MAX_NUMBERS);
        open + count <= self.max_open && count <= numbers as usize
    }

    /// The number that the next one gets.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    pub(crate) fn open(&mut self, handle: Handle) -> Result<u32, NoHandle> {
        if !self.has_room(1) {
            return Err(NoHandle);
        }
        Ok(self.push(handle))
    }

    fn push(&mut self, handle: Handle) -> u32 {
        let number = self.next;
        self.next += 1;
        let (word, bit) = place(number);
        if self.readable.len() <= word {
            self.readable.resize(word + 1, 0);
        }
        if handle.is_readable()
            && let Some(word) = self.readable.get_mut(word)
        {
            *word |= bit;
        }
        self.open.insert(number, handle);
        number
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Handle> {
        self.open.get_mut(&number)
    }

    /// Whether it was readable, and was read to its end.
    pub(crate) fn is_at_end(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        let was_readable = self.readable.get(word).is_some_and(|word| word & bit != 0);
        was_readable && !self.open.contains_key(&number)
    }

    /// How many connections are open.
    pub(crate) fn sockets(&self) -> usize {
        let is_socket = |handle: &&Handle| matches!(handle, Handle::Socket(_));
        self.open.values().filter(is_socket).count()
    }

    pub(crate) fn close(&mut self, number: u32) {
        self.open.remove(&number);
    }
}

fn place(number: u32) -> (usize, u64) {
    (number as usize / 64, 1 << (number % 64))
}
