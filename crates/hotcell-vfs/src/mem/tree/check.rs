//! Counting a tree from scratch, to be compared with what was counted along the way.

use std::collections::HashSet;

use super::{Body, ROOT, Tree, Used};

impl Tree {
    /// What the tree holds, found by visiting every name.
    pub(in crate::mem) fn recount(&self) -> Used {
        let mut used = Used::default();
        let mut seen = HashSet::from([ROOT]);
        let mut todo = vec![ROOT];
        while let Some(dir) = todo.pop() {
            let Some(Body::Dir(entries)) = self.files.get(&dir).map(|inode| &inode.body) else {
                continue;
            };
            for entry in entries.values() {
                if !seen.insert(entry.ino) {
                    used.links += 1;
                } else if entry.kind.is_dir() {
                    todo.push(entry.ino);
                }
            }
        }
        seen.extend(&self.orphans);
        seen.remove(&ROOT);
        for inode in seen.iter().filter_map(|ino| self.files.get(ino)) {
            used.files += 1;
            used.bytes += inode.body.recount();
        }
        used
    }

    /// How many files the table holds, the root not counted; equal to [`Used::files`] unless something leaked.
    pub(in crate::mem) fn table_len(&self) -> u64 {
        (self.files.len() as u64).saturating_sub(1)
    }
}
