//! `uniqueItems`, in time that grows with the size of the array and not with its square.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hash as _, Hasher, RandomState},
};

use jsonschema::json::{Array as _, JsonNumber as _, Object as _};

use super::{
    elements::Elements,
    instance::{Instance, Kind},
};

/// Whether no element says the same as another.
pub(super) fn is_unique(elements: &Elements<'_>) -> bool {
    // Keyed at random, so that code cannot make elements that look alike.
    let keys = RandomState::new();
    let mut hashes: Vec<u64> = elements.elements().map(|one| hash(&one, &keys)).collect();
    hashes.sort_unstable();
    let twice = hashes.windows(2).filter(|two| two[0] == two[1]);
    let twice: HashSet<u64> = twice.map(|two| two[0]).collect();
    drop(hashes);
    if twice.is_empty() {
        return true;
    }
    // Only those are kept that look alike, and nearly always the first two of them are.
    let mut seen: HashMap<u64, Vec<Instance<'_>>> = HashMap::new();
    for element in elements.elements() {
        let hash = hash(&element, &keys);
        if !twice.contains(&hash) {
            continue;
        }
        let alike = seen.entry(hash).or_default();
        if alike.iter().any(|other| other.equals(&element)) {
            return false;
        }
        alike.push(element);
    }
    true
}

/// A number that is the same for what says the same.
fn hash(instance: &Instance<'_>, keys: &RandomState) -> u64 {
    let mut hasher = keys.build_hasher();
    match instance.kind() {
        Kind::Null => 0u8.hash(&mut hasher),
        Kind::Bool(bool) => (1u8, bool).hash(&mut hasher),
        Kind::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            // Both zeroes are equal.
            let bits = if number == 0.0 { 0 } else { number.to_bits() };
            (2u8, bits).hash(&mut hasher);
        }
        Kind::String(text) => (3u8, text).hash(&mut hasher),
        Kind::Array(elements) => {
            4u8.hash(&mut hasher);
            for element in elements.elements() {
                hash(&element, keys).hash(&mut hasher);
            }
        }
        Kind::Object(properties) => {
            // In any order.
            let sum = properties.members().fold(0u64, |sum, (name, value)| {
                sum.wrapping_add(keys.hash_one((name, hash(&value, keys))))
            });
            (5u8, sum).hash(&mut hasher);
        }
    }
    hasher.finish()
}
