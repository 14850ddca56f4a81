//! The entries of an object, in the order in which they were set.
//!
//! Most objects have few entries, and there are many such objects: these are a list that is searched, which takes half of the
//! memory that a table takes. What has more entries is a table.

use std::rc::Rc;

use indexmap::IndexMap;

use super::value::{Key, Text, Value};

/// So many entries are a list.
const FEW: usize = 8;
/// What an entry of a list takes.
const LISTED: usize = size_of::<(Rc<Text>, Value)>();
/// What an entry of a table takes: the pair, its hash and its place in the table.
const TABLED: usize = 48;

type Table = IndexMap<Rc<Text>, Value, foldhash::fast::RandomState>;

#[derive(Clone)]
pub(crate) enum Map {
    Few(Vec<(Rc<Text>, Value)>),
    Many(Box<Table>),
}

impl Default for Map {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Map {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(list) => list.len(),
            Self::Many(table) => table.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it takes beside the values themselves.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Few(list) => list.capacity() * LISTED,
            Self::Many(table) => table.capacity() * TABLED,
        }
    }

    /// What it may take in addition when another entry is set.
    pub(crate) fn growth(&self) -> usize {
        match self {
            Self::Few(list) if list.len() < list.capacity() => 0,
            Self::Few(list) if list.len() < FEW => list.len().max(2) * LISTED,
            Self::Few(_) => 2 * FEW * TABLED,
            Self::Many(table) if table.len() < table.capacity() => 0,
            Self::Many(table) => table.capacity() * TABLED,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Few(list) => list
                .iter()
                .find(|(name, _)| name.text == key)
                .map(|(_, value)| value),
            Self::Many(table) => table.get(&Key(key)),
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        match self {
            Self::Few(list) => list
                .iter_mut()
                .find(|(name, _)| name.text == key)
                .map(|(_, value)| value),
            Self::Many(table) => table.get_mut(&Key(key)),
        }
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets an entry; one that is there stays at its place.
    pub(crate) fn insert(&mut self, key: Rc<Text>, value: Value) {
        match self {
            Self::Few(list) => {
                // Keys of the same text are mostly the same.
                let known = list
                    .iter_mut()
                    .find(|(name, _)| Rc::ptr_eq(name, &key) || name.text == key.text);
                if let Some((_, old)) = known {
                    *old = value;
                } else if list.len() < FEW {
                    if list.len() == list.capacity() {
                        list.reserve_exact(list.len().max(2));
                    }
                    list.push((key, value));
                } else {
                    let mut table: Table = std::mem::take(list).into_iter().collect();
                    table.insert(key, value);
                    *self = Self::Many(Box::new(table));
                }
            }
            Self::Many(table) => {
                table.insert(key, value);
            }
        }
    }

    /// Removes an entry; those behind it move up.
    pub(crate) fn remove(&mut self, key: &str) {
        match self {
            Self::Few(list) => list.retain(|(name, _)| name.text != key),
            Self::Many(table) => {
                table.shift_remove(&Key(key));
            }
        }
    }

    pub(crate) fn iter(&self) -> Entries<'_> {
        match self {
            Self::Few(list) => Entries::Few(list.iter()),
            Self::Many(table) => Entries::Many(table.iter()),
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Rc<Text>> {
        self.iter().map(|(key, _)| key)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }
}

pub(crate) enum Entries<'m> {
    Few(std::slice::Iter<'m, (Rc<Text>, Value)>),
    Many(indexmap::map::Iter<'m, Rc<Text>, Value>),
}

impl<'m> Iterator for Entries<'m> {
    type Item = (&'m Rc<Text>, &'m Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Few(list) => list.next().map(|(key, value)| (key, value)),
            Self::Many(table) => table.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Few(list) => list.size_hint(),
            Self::Many(table) => table.size_hint(),
        }
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = (&'m Rc<Text>, &'m Value);
    type IntoIter = Entries<'m>;

    fn into_iter(self) -> Entries<'m> {
        self.iter()
    }
}
