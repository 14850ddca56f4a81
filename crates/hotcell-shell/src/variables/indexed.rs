//! Indexed arrays.

use std::collections::BTreeMap;

use bstr::BString;

/// What an element takes beside its bytes.
const ELEMENT: usize = 32;

/// An array with numbers as keys, which need not follow one another.
#[derive(Debug, Clone, Default)]
pub(crate) struct IndexedArray {
    elements: Elements,
    /// Bytes in the elements.
    bytes: usize,
    /// Where elements are added while there are none.
    start: u64,
}

#[derive(Debug, Clone)]
enum Elements {
    /// From 0 on, without a gap.
    Dense(Vec<BString>),
    Sparse(BTreeMap<u64, BString>),
}

impl Default for Elements {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

impl IndexedArray {
    /// An empty array to which elements are added from an index on.
    pub(crate) fn starting_at(start: u64) -> Self {
        Self {
            elements: if start == 0 {
                Elements::default()
            } else {
                Elements::Sparse(BTreeMap::new())
            },
            bytes: 0,
            start,
        }
    }

    /// Takes the elements of another array.
    pub(crate) fn append(&mut self, other: Self) {
        match other.elements {
            Elements::Dense(elements) => {
                for (index, value) in (0..).zip(elements) {
                    self.set(index, value);
                }
            }
            Elements::Sparse(elements) => {
                for (index, value) in elements {
                    self.set(index, value);
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.elements {
            Elements::Dense(elements) => elements.len(),
            Elements::Sparse(elements) => elements.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the last index: where `a+=(x)` goes on.
    pub(crate) fn end(&self) -> u64 {
        match &self.elements {
            Elements::Dense(elements) => elements.len() as u64,
            Elements::Sparse(elements) => elements
                .last_key_value()
                .map_or(self.start, |(last, _)| last.saturating_add(1)),
        }
    }

    pub(crate) fn get(&self, index: u64) -> Option<&BString> {
        match &self.elements {
            Elements::Dense(elements) => elements.get(usize::try_from(index).ok()?),
            Elements::Sparse(elements) => elements.get(&index),
        }
    }

    pub(crate) fn set(&mut self, index: u64, value: BString) {
        self.bytes += value.len();
        let old = match &mut self.elements {
            Elements::Dense(elements) => {
                let length = elements.len() as u64;
                if index == length {
                    elements.push(value);
                    return;
                }
                if let Some(place) = usize::try_from(index)
                    .ok()
                    .and_then(|at| elements.get_mut(at))
                {
                    Some(std::mem::replace(place, value))
                } else {
                    self.make_sparse().insert(index, value);
                    None
                }
            }
            Elements::Sparse(elements) => elements.insert(index, value),
        };
        self.bytes -= old.map_or(0, |old| old.len());
    }

    pub(crate) fn remove(&mut self, index: u64) -> bool {
        let old = match &mut self.elements {
            Elements::Dense(elements) => {
                let length = elements.len() as u64;
                if index >= length {
                    None
                } else if index + 1 == length {
                    elements.pop()
                } else {
                    self.make_sparse().remove(&index)
                }
            }
            Elements::Sparse(elements) => elements.remove(&index),
        };
        self.bytes -= old.as_ref().map_or(0, |old| old.len());
        old.is_some()
    }

    fn make_sparse(&mut self) -> &mut BTreeMap<u64, BString> {
        if let Elements::Dense(elements) = &mut self.elements {
            let pairs = (0..).zip(std::mem::take(elements));
            self.elements = Elements::Sparse(pairs.collect());
        }
        match &mut self.elements {
            Elements::Sparse(elements) => elements,
            Elements::Dense(_) => unreachable!("it was made sparse above"),
        }
    }

    /// In order of the indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &BString)> {
        let (dense, sparse) = match &self.elements {
            Elements::Dense(elements) => (Some(elements), None),
            Elements::Sparse(elements) => (None, Some(elements)),
        };
        let dense = dense.into_iter().flat_map(|elements| (0..).zip(elements));
        let sparse = sparse.into_iter().flatten();
        dense.chain(sparse.map(|(index, value)| (*index, value)))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &BString> {
        self.iter().map(|(_, value)| value)
    }

    /// The values from an index on, at most so many: `${a[@]:offset:length}`.
    pub(crate) fn slice(&self, from: u64, count: usize) -> Vec<BString> {
        match &self.elements {
            Elements::Dense(elements) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                let rest = elements.get(from..).unwrap_or_default();
                rest.iter().take(count).cloned().collect()
            }
            Elements::Sparse(elements) => {
                let rest = elements.range(from..).map(|(_, value)| value);
                rest.take(count).cloned().collect()
            }
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        self.bytes + self.len() * ELEMENT
    }
}

impl FromIterator<BString> for IndexedArray {
    fn from_iter<T: IntoIterator<Item = BString>>(values: T) -> Self {
        let elements: Vec<BString> = values.into_iter().collect();
        Self {
            bytes: elements.iter().map(|value| value.len()).sum(),
            elements: Elements::Dense(elements),
            start: 0,
        }
    }
}
