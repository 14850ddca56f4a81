//! Lists whose items are many and small: charged by the room that they take, before they take it.

use std::{io, ops::Deref};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

/// How many items a list has room for when it gets its first.
const FIRST: usize = 16;

/// What the allocator takes for a small piece beside its bytes.
const ALLOCATION: usize = 24;

/// What a text takes in a list: a place, a piece of memory, and its bytes.
pub(crate) fn room_of(text: &[u8]) -> usize {
    size_of::<Vec<u8>>() + ALLOCATION + text.len()
}

/// A list.
#[derive(Debug)]
pub(crate) struct List<T> {
    items: Vec<T>,
    charge: Charge,
}

impl<T> List<T> {
    pub(crate) fn new(process: &Process) -> io::Result<Self> {
        Ok(Self {
            items: Vec::new(),
            charge: process.charge(0)?,
        })
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) -> io::Result<()> {
        if self.items.len() == self.items.capacity() {
            self.grow()?;
        }
        self.items.push(item);
        Ok(())
    }

    #[cold]
    fn grow(&mut self) -> io::Result<()> {
        let has = self.items.capacity();
        let mut more = has.max(FIRST);
        let mut taken = self.charge.grow(more.saturating_mul(size_of::<T>()));
        if taken.is_err() {
            // Near the limit twice as much may be too much, and some more may do.
            more = (has / 8).max(FIRST);
            taken = self.charge.grow(more.saturating_mul(size_of::<T>()));
        }
        taken.map_err(limit_error)?;
        self.items.reserve_exact(more);
        Ok(())
    }

    /// Charges what an item holds beside its place in the list.
    pub(crate) fn hold(&mut self, bytes: usize) -> io::Result<()> {
        self.charge.grow(bytes).map_err(limit_error)
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}
