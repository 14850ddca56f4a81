//! What has changed since an earlier snapshot: the base.

use std::io::Read as _;

use super::{NO_BASE, Snapshot, SnapshotError, read};
use crate::{
    memory::{PAGE, pages},
    options::CellOptions,
};

/// An earlier snapshot that another one is taken or restored against. It has to be whole: a chain would be as good as its
/// weakest link, and restoring would take longer with each.
pub(crate) struct Base<'a> {
    bytes: &'a [u8],
    options: &'a CellOptions,
    hash: [u8; 32],
    memory_size: usize,
}

impl<'a> Base<'a> {
    /// Checks everything but its pages, by what `options` allow. What it holds beside them is looked at and let go.
    pub(crate) fn new(bytes: &'a [u8], options: &'a CellOptions) -> Result<Self, SnapshotError> {
        let (state, snapshot) = read(bytes, options, &options.account_of_cell())?;
        if snapshot.base != NO_BASE {
            return Err(SnapshotError::UnusableBase);
        }
        Ok(Self {
            bytes,
            options,
            hash: *blake3::hash(bytes).as_bytes(),
            memory_size: state.memory_size,
        })
    }

    pub(super) fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// How much memory its cell had.
    pub(crate) fn memory_size(&self) -> usize {
        self.memory_size
    }

    pub(super) fn read(&self) -> Result<Snapshot<'a>, SnapshotError> {
        let (_, snapshot) = read(self.bytes, self.options, &self.options.account_of_cell())?;
        Ok(snapshot)
    }
}

/// The pages of `memory` that are not what they are in `base`, by number.
pub(crate) fn differing<'m>(
    memory: &'m [u8],
    baseline: &'m [u8],
    start: usize,
    base: &Base<'_>,
) -> Result<Vec<(usize, &'m [u8])>, SnapshotError> {
    if base.memory_size > memory.len() {
        return Err(SnapshotError::UnusableBase);
    }
    let mut snapshot = base.read()?;
    let mut content = [0; PAGE];
    let mut next = snapshot.page_number()?;
    let mut differing = Vec::new();
    // Both come in order.
    for (number, page, fresh) in pages(memory, baseline, start) {
        let is_other = if next == Some(number) {
            snapshot
                .content
                .read_exact(&mut content)
                .map_err(|_| SnapshotError::Malformed)?;
            next = snapshot.page_number()?;
            page != content
        } else {
            page != fresh
        };
        if is_other {
            differing.push((number, page));
        }
    }
    match next {
        None => Ok(differing),
        Some(_) => Err(SnapshotError::UnusableBase),
    }
}
