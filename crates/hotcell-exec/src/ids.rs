//! Numbers that were used, as ranges.

use std::collections::BTreeMap;

use hotcell_meter::Charge;

/// How many ranges are kept. A guest that counts upwards needs one.
const MAX_RANGES: usize = 65_536;

/// What a range takes, about.
const RANGE: usize = 32;

/// A set of numbers.
pub(crate) struct Ids {
    /// The last number of each range by its first.
    ranges: BTreeMap<u64, u64>,
    charge: Charge,
}

/// A further number would be one range too many, or there is no memory for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooScattered;

impl Ids {
    /// No numbers; what they take is charged.
    pub(crate) fn new(charge: Charge) -> Self {
        Self {
            ranges: BTreeMap::new(),
            charge,
        }
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        let range = self.ranges.range(..=id).next_back();
        range.is_some_and(|(_, last)| id <= *last)
    }

    /// Adds a number that is not in the set.
    pub(crate) fn insert(&mut self, id: u64) -> Result<(), TooScattered> {
        let joined = id.checked_add(1).and_then(|next| self.ranges.remove(&next));
        let after = joined.unwrap_or(id);
        let before = self.ranges.range_mut(..id).next_back();
        if let Some((_, last)) = before
            && *last + 1 == id
        {
            *last = after;
            if joined.is_some() {
                self.charge.shrink(RANGE);
            }
            return Ok(());
        }
        if joined.is_none() {
            if self.ranges.len() >= MAX_RANGES {
                return Err(TooScattered);
            }
            self.charge.grow(RANGE).map_err(|_| TooScattered)?;
        }
        self.ranges.insert(id, after);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hotcell_meter::Account;

    use super::*;

    #[test]
    fn numbers_are_there_once_they_are_inserted_and_neighbours_share_a_range() {
        let account = Account::new("host memory", 6 * RANGE);
        let mut ids = Ids::new(account.none());
        for id in [5, 1, 3, 2, u64::MAX, 4, 100, u64::MAX - 1] {
            assert!(!ids.contains(id));
            ids.insert(id).unwrap();
            assert!(ids.contains(id));
        }
        assert!(
            [0, 6, 99, 101, u64::MAX - 2]
                .iter()
                .all(|id| !ids.contains(*id))
        );
        assert_eq!(ids.ranges.len(), 3);
        assert_eq!(account.used(), 3 * RANGE);
        for id in [1000, 2000, 3000] {
            ids.insert(id).unwrap();
        }
        // No memory for another range; one that there is can grow.
        assert_eq!(ids.insert(4000), Err(TooScattered));
        ids.insert(999).unwrap();
        ids.insert(1001).unwrap();
        assert!(ids.contains(999) && ids.contains(1001) && !ids.contains(4000));
    }

    #[test]
    fn a_set_does_not_grow_beyond_its_ranges() {
        let mut ids = Ids::new(Account::unlimited().none());
        for id in 0..MAX_RANGES as u64 {
            ids.insert(id * 2).unwrap();
        }
        assert_eq!(ids.insert(1 << 40), Err(TooScattered));
        // What closes a gap needs no range of its own.
        ids.insert(1).unwrap();
        ids.insert(1 << 40).unwrap();
    }
}
