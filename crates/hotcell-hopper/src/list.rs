//! Lists: a count, and so many items.

use core::{fmt, marker::PhantomData};

use crate::field::{Malformed, Reader};

/// An item of a [`List`].
pub trait Item<'a>: Sized {
    /// The least number of bytes that one takes. Counts are held against it before anything is read.
    const LEAST: usize;

    /// Reads one.
    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed>;
}

/// `HBYTES`.
impl<'a> Item<'a> for &'a [u8] {
    const LEAST: usize = 4;

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        reader.bytes()
    }
}

/// Two times `HBYTES`: a key and its value.
impl<'a> Item<'a> for (&'a [u8], &'a [u8]) {
    const LEAST: usize = 8;

    fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok((reader.bytes()?, reader.bytes()?))
    }
}

/// A list that was walked through once, so that its items are known to be there. It stays where it was read.
pub struct List<'a, T> {
    count: usize,
    items: &'a [u8],
    kind: PhantomData<fn() -> T>,
}

impl<'a, T: Item<'a>> List<'a, T> {
    /// Reads a count and so many items.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let count = usize::try_from(reader.h4()?).map_err(|_| Malformed::Short)?;
        let items = reader.rest();
        if count > items.len() / T::LEAST {
            return Err(Malformed::Short);
        }
        for _ in 0..count {
            T::read(reader)?;
        }
        let length = items.len() - reader.rest().len();
        Ok(Self {
            count,
            items: items.get(..length).unwrap_or(items),
            kind: PhantomData,
        })
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The items, in their order.
    pub fn iter(&self) -> impl Iterator<Item = T> + 'a {
        let mut reader = Reader::new(self.items);
        // Reading ends at the count: there may be nothing but empty items behind it otherwise.
        (0..self.count).map_while(move |_| T::read(&mut reader).ok())
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<T> fmt::Debug for List<'_, T> {
    /// The count alone: what is inside may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List({} items)", self.count)
    }
}
