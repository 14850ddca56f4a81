//! Associative arrays.

use std::collections::{HashMap, hash_map::Entry as MapEntry};

use bstr::BString;

/// What an entry takes beside its bytes.
const ENTRY: usize = 96;

/// How many buckets the table of a new array has in bash.
const BUCKETS: usize = 1024;

/// An array with strings as keys.
///
/// Scripts see the order in which bash walks its table: by bucket, and within a bucket the newest first. So each entry
/// remembers when it was added, and the number of buckets is kept as bash would have it.
#[derive(Debug, Clone)]
pub(crate) struct AssociativeArray {
    entries: HashMap<BString, Entry, foldhash::fast::RandomState>,
    next_number: u64,
    buckets: usize,
    /// Bytes in keys and values.
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    value: BString,
    number: u64,
}

impl Default for AssociativeArray {
    fn default() -> Self {
        Self {
            entries: HashMap::default(),
            next_number: 0,
            buckets: BUCKETS,
            bytes: 0,
        }
    }
}

impl AssociativeArray {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&BString> {
        self.entries
            .get(bstr::BStr::new(key))
            .map(|entry| &entry.value)
    }

    pub(crate) fn set(&mut self, key: BString, value: BString) {
        self.bytes += value.len();
        if self.entries.len() >= self.buckets * 2 && !self.entries.contains_key(&key) {
            self.grow();
        }
        let key_length = key.len();
        match self.entries.entry(key) {
            MapEntry::Occupied(mut entry) => {
                self.bytes -= entry.get().value.len();
                entry.get_mut().value = value;
            }
            MapEntry::Vacant(entry) => {
                let number = self.next_number;
                self.next_number += 1;
                self.bytes += key_length;
                entry.insert(Entry { value, number });
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> bool {
        let old = self.entries.remove(bstr::BStr::new(key));
        self.bytes -= old.as_ref().map_or(0, |old| old.value.len() + key.len());
        old.is_some()
    }

    /// bash moves the entries to a larger table in the order in which it walks the old one.
    fn grow(&mut self) {
        let keys: Vec<BString> = self.iter().map(|(key, _)| key.clone()).collect();
        for (number, key) in (0..).zip(&keys) {
            if let Some(entry) = self.entries.get_mut(key) {
                entry.number = number;
            }
        }
        self.next_number = keys.len() as u64;
        self.buckets *= 4;
    }

    /// In bash's order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&BString, &BString)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(key, entry)| {
                let bucket = hash(key) as usize & (self.buckets - 1);
                (bucket, std::cmp::Reverse(entry.number), key, &entry.value)
            })
            .collect();
        all.sort_unstable_by_key(|(bucket, number, _, _)| (*bucket, *number));
        all.into_iter().map(|(_, _, key, value)| (key, value))
    }

    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.bytes + self.len() * ENTRY
    }
}

/// bash's hash: FNV-1, with bytes beyond ASCII negative as `char` is there.
fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, byte| {
        hash.wrapping_mul(16_777_619) ^ i32::from(byte.cast_signed()).cast_unsigned()
    })
}

#[cfg(test)]
mod tests {
    use super::AssociativeArray;

    #[test]
    fn keys_come_in_the_order_of_bash() {
        let mut array = AssociativeArray::default();
        for number in 1..=40 {
            array.set(number.to_string().into(), "1".into());
        }
        for key in ["foo", "bar", "x y", "é"] {
            array.set(key.into(), "1".into());
        }
        let keys: Vec<String> = array.iter().map(|(key, _)| key.to_string()).collect();
        assert_eq!(
            keys.join(" "),
            "34 35 36 37 30 31 32 33 38 39 9 8 7 6 5 4 3 2 1 27 26 25 24 23 22 21 20 29 28 foo bar 40 x y \
             18 19 12 13 10 11 16 17 14 15 é"
        );
    }

    #[test]
    fn the_order_survives_the_growth_of_the_table() {
        let mut array = AssociativeArray::default();
        for number in 0..5000 {
            array.set(format!("k{number}").into(), "".into());
        }
        let keys: Vec<String> = array
            .iter()
            .take(6)
            .map(|(key, _)| key.to_string())
            .collect();
        assert_eq!(keys.join(" "), "k1698 k1699 k1696 k1697 k1694 k1695");
    }
}
