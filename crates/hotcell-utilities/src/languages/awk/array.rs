//! Arrays: from strings to values, in the order in which the elements came.

use std::io;

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};
use std::hash::BuildHasher;

use super::{text::Text, value::Value};
use crate::{languages::budget::Budget, printf};

/// What an element costs beside its key and value.
const ELEMENT: usize = size_of::<Slot>() + size_of::<u32>() + 8;

/// What an element is found by. Whole numbers are many keys, and are not written out as digits.
#[derive(Clone)]
pub(crate) enum Key {
    Number(i64),
    Text(Text),
}

/// A key that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sought<'k> {
    Number(i64),
    Text(&'k [u8]),
}

impl<'k> Sought<'k> {
    /// The key of a string. `"12"` and 12 are one key; `"012"` is another.
    pub(crate) fn of(text: &'k [u8]) -> Self {
        canonical(text).map_or(Self::Text(text), Self::Number)
    }

    /// The key of a number, if it is whole.
    pub(crate) fn of_number(number: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "compared below")]
        let integer = number as i64;
        #[expect(clippy::cast_precision_loss, reason = "compared, and bounded")]
        let is_whole = integer as f64 == number && integer.unsigned_abs() < 1 << 53;
        is_whole.then_some(Self::Number(integer))
    }

    fn keep(self, budget: &Budget) -> io::Result<Key> {
        Ok(match self {
            Self::Number(number) => Key::Number(number),
            Self::Text(text) => Key::Text(Text::new(budget, text)?),
        })
    }
}

/// The number that a string is the only way to write.
fn canonical(text: &[u8]) -> Option<i64> {
    let digits = match text {
        [b'-', digits @ ..] => digits,
        digits => digits,
    };
    let is_canonical = match digits {
        [b'0'] => text.len() == 1,
        [b'1'..=b'9', ..] => digits.len() <= 15 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_canonical {
        return None;
    }
    let magnitude = digits
        .iter()
        .fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Some(if digits.len() == text.len() {
        magnitude
    } else {
        -magnitude
    })
}

impl Key {
    pub(crate) fn as_sought(&self) -> Sought<'_> {
        match self {
            Self::Number(number) => Sought::Number(*number),
            Self::Text(text) => Sought::Text(text.as_bytes()),
        }
    }

    /// The key as a value: what `for (key in array)` assigns.
    pub(crate) fn value(&self, budget: &Budget) -> io::Result<Value> {
        match self {
            Self::Number(number) => {
                let mut digits = Vec::new();
                printf::decimal(&mut digits, *number);
                // A key is a string that may look like a number.
                Ok(Value::Input(Text::new(budget, &digits)?))
            }
            Self::Text(text) => Ok(Value::Input(text.clone())),
        }
    }
}

struct Slot {
    key: Key,
    /// `None` where an element was deleted.
    value: Option<Value>,
}

/// An array.
pub(crate) struct Array {
    /// Where in `slots` a key is.
    index: HashTable<u32>,
    slots: Vec<Slot>,
    hasher: RandomState,
    budget: Budget,
    room: usize,
}

impl Drop for Array {
    fn drop(&mut self) {
        self.budget.give_back(self.room);
    }
}

impl Array {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            index: HashTable::new(),
            slots: Vec::new(),
            hasher: RandomState::default(),
            budget: budget.clone(),
            room: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    fn find(&self, key: Sought<'_>) -> Option<usize> {
        let hash = self.hasher.hash_one(key);
        let found = self.index.find(hash, |at| {
            self.slots
                .get(*at as usize)
                .is_some_and(|slot| slot.key.as_sought() == key)
        });
        found.map(|at| *at as usize)
    }

    pub(crate) fn contains(&self, key: Sought<'_>) -> bool {
        self.find(key).is_some()
    }

    pub(crate) fn get(&self, key: Sought<'_>) -> Option<&Value> {
        self.slots.get(self.find(key)?)?.value.as_ref()
    }

    /// The element of this key, which is there from now on.
    pub(crate) fn entry(&mut self, key: Sought<'_>) -> io::Result<&mut Value> {
        let hash = self.hasher.hash_one(key);
        let Self { index, slots, .. } = self;
        let entry = index.entry(
            hash,
            |at| {
                slots
                    .get(*at as usize)
                    .is_some_and(|slot| slot.key.as_sought() == key)
            },
            |at| {
                slots
                    .get(*at as usize)
                    .map_or(0, |slot| self.hasher.hash_one(slot.key.as_sought()))
            },
        );
        let at = match entry {
            Entry::Occupied(entry) => *entry.get() as usize,
            Entry::Vacant(entry) => {
                self.budget.take(ELEMENT)?;
                self.room += ELEMENT;
                let at = slots.len();
                let number = u32::try_from(at)
                    .map_err(|_| io::Error::other("an array has too many elements"))?;
                slots.push(Slot {
                    key: key.keep(&self.budget)?,
                    value: Some(Value::Nothing),
                });
                entry.insert(number);
                at
            }
        };
        self.slots
            .get_mut(at)
            .and_then(|slot| slot.value.as_mut())
            .ok_or_else(|| io::Error::other("an element of an array is lost"))
    }

    pub(crate) fn insert(&mut self, key: Sought<'_>, value: Value) -> io::Result<()> {
        *self.entry(key)? = value;
        Ok(())
    }

    pub(crate) fn remove(&mut self, key: Sought<'_>) {
        let hash = self.hasher.hash_one(key);
        let found = self.index.find_entry(hash, |at| {
            self.slots
                .get(*at as usize)
                .is_some_and(|slot| slot.key.as_sought() == key)
        });
        let Ok(found) = found else { return };
        let (at, _) = found.remove();
        if let Some(slot) = self.slots.get_mut(at as usize) {
            slot.key = Key::Number(0);
            slot.value = None;
        }
        self.room -= ELEMENT;
        self.budget.give_back(ELEMENT);
        if self.slots.len() > 32 && self.slots.len() > 2 * self.index.len() {
            self.compact();
        }
    }

    /// Closes the gaps that deleted elements have left.
    fn compact(&mut self) {
        self.slots.retain(|slot| slot.value.is_some());
        self.index.clear();
        for (at, slot) in self.slots.iter().enumerate() {
            let hash = self.hasher.hash_one(slot.key.as_sought());
            let slots = &self.slots;
            let rehash = |at: &u32| {
                slots
                    .get(*at as usize)
                    .map_or(0, |slot| self.hasher.hash_one(slot.key.as_sought()))
            };
            // There were more before.
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            self.index.insert_unique(hash, number, rehash);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.index.clear();
        self.slots.clear();
        self.budget.give_back(self.room);
        self.room = 0;
    }

    /// The elements in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        self.slots
            .iter()
            .filter_map(|slot| Some((&slot.key, slot.value.as_ref()?)))
    }
}
