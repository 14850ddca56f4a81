//! One writer at a time for each file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hotcell_vfs::{VfsPath, VfsPathBuf};

/// A lock for each path somebody is working on. An edit reads, thinks and writes: without the lock, of two edits of one
/// file one would be lost.
#[derive(Default)]
pub(crate) struct PathLocks {
    table: Mutex<HashMap<VfsPathBuf, Arc<Mutex<()>>>>,
}

impl PathLocks {
    /// Runs `work` while nobody else works on `path`, which has no links in it.
    pub(crate) fn with<T>(&self, path: &VfsPath, work: impl FnOnce() -> T) -> T {
        let lock = Arc::clone(self.table().entry(path.to_owned()).or_default());
        // A panic of another holder left no state behind: the lock guards none.
        let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let out = work();
        drop(guard);
        let mut table = self.table();
        // The table's and ours: nobody waits, and nobody can begin to while the table is locked.
        if Arc::strong_count(&lock) == 2 {
            table.remove(path);
        }
        out
    }

    fn table(&self) -> std::sync::MutexGuard<'_, HashMap<VfsPathBuf, Arc<Mutex<()>>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
