//! How long names are looked for in tables whose hashes have no secret.
//!
//! The parser hashes each name once, and everybody after it uses that. Who knows how can make names that all have the same hash;
//! then each look-up compares as many as there are.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// Names with as many equal bits as decide where they stand in a table are looked at this many at once.
const AT_ONCE: usize = 16;

/// The names so far, by the hashes that they are found by.
#[derive(Debug, Default)]
pub(super) struct Hashes<'a> {
    names: HashSet<&'a str>,
    /// How many have the same hash.
    same: HashMap<u64, usize>,
    /// How many begin to be looked for at the same place of a table of usual size.
    near: HashMap<u16, usize>,
}

impl<'a> Hashes<'a> {
    /// Steps that it takes to find a name that hashes like `hashed`.
    pub(super) fn steps_for(&mut self, name: &'a str, hashed: &impl Hash) -> usize {
        let mut made = Made(0);
        hashed.hash(&mut made);
        let is_new = usize::from(self.names.insert(name));
        let same = self.same.entry(made.0).or_default();
        *same += is_new;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the low bits are what counts"
        )]
        let near = self.near.entry(made.0 as u16).or_default();
        *near += is_new;
        // One is what everybody takes.
        *same - 1 + *near / AT_ONCE
    }
}

/// Takes the hash that was made already.
struct Made(u64);

impl Hasher for Made {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
