//! Strings of a program: short ones in place, long ones shared.

use std::{io, rc::Rc};

use crate::languages::budget::Budget;

/// How long a string may be to be kept in place.
const SHORT: usize = 14;

/// A string. Cheap to clone.
#[derive(Clone)]
pub(crate) enum Text {
    /// In place.
    Short(u8, [u8; SHORT]),
    /// Shared.
    Long(Rc<Long>),
}

/// A string on the heap, with the room that was taken for it.
pub(crate) struct Long {
    bytes: Vec<u8>,
    room: usize,
    budget: Budget,
}

impl Drop for Long {
    fn drop(&mut self) {
        self.budget.give_back(self.room);
    }
}

impl Text {
    pub(crate) const EMPTY: Self = Self::Short(0, [0; SHORT]);

    #[inline]
    pub(crate) fn new(budget: &Budget, bytes: &[u8]) -> io::Result<Self> {
        match Self::short(bytes) {
            Some(short) => Ok(short),
            None => {
                // Before the copy is made.
                let room = bytes.len() + size_of::<Long>();
                budget.take(room)?;
                Ok(Self::long(budget, bytes.to_vec(), room))
            }
        }
    }

    /// As [`Text::new`], of bytes that are in a vector already.
    pub(crate) fn from_vec(budget: &Budget, bytes: Vec<u8>) -> io::Result<Self> {
        match Self::short(&bytes) {
            Some(short) => Ok(short),
            None => {
                let room = bytes.capacity() + size_of::<Long>();
                budget.take(room)?;
                Ok(Self::long(budget, bytes, room))
            }
        }
    }

    #[inline]
    fn short(bytes: &[u8]) -> Option<Self> {
        let mut place = [0; SHORT];
        place.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Self::Short(u8::try_from(bytes.len()).ok()?, place))
    }

    fn long(budget: &Budget, bytes: Vec<u8>, room: usize) -> Self {
        Self::Long(Rc::new(Long {
            bytes,
            room,
            budget: budget.clone(),
        }))
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short(length, place) => place.get(..usize::from(*length)).unwrap_or_default(),
            Self::Long(long) => &long.bytes,
        }
    }

    /// Adds to the end; in place if nobody else holds the string, so that a loop that appends is linear.
    pub(crate) fn append(&mut self, budget: &Budget, more: &[u8]) -> io::Result<()> {
        if let Self::Long(long) = self
            && let Some(long) = Rc::get_mut(long)
        {
            let needed = long.bytes.len().saturating_add(more.len());
            if needed > long.bytes.capacity() {
                let capacity = needed.max(long.bytes.capacity().saturating_mul(2));
                let more_room = capacity - long.bytes.capacity();
                budget.take(more_room)?;
                long.room += more_room;
                long.bytes.reserve_exact(capacity - long.bytes.len());
            }
            long.bytes.extend_from_slice(more);
            return Ok(());
        }
        let mut bytes = Vec::with_capacity((self.as_bytes().len() + more.len()).max(32));
        bytes.extend_from_slice(self.as_bytes());
        bytes.extend_from_slice(more);
        *self = Self::from_vec(budget, bytes)?;
        Ok(())
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::EMPTY
    }
}
