//! The files that one worker has open.

use std::{collections::HashMap, sync::Arc};

use hotcell_vfs::{Errno, Fault, VfsFile};

/// Open files by the numbers that the worker knows them by.
#[derive(Default)]
pub(super) struct Handles {
    files: HashMap<u64, Arc<dyn VfsFile>>,
    last: u64,
}

impl Handles {
    pub(super) fn check_room(&self, most: usize) -> Result<(), Fault> {
        if self.files.len() >= most {
            let detail = format!("{most} files are open already: close some");
            return Err(Fault::new(Errno::ENFILE, detail));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, file: Arc<dyn VfsFile>) -> u64 {
        // Numbers are not used again, so that a worker that mixes them up gets an error and not another file.
        self.last = self.last.wrapping_add(1);
        self.files.insert(self.last, file);
        self.last
    }

    pub(super) fn get(&self, file: Option<u64>) -> Result<&dyn VfsFile, Fault> {
        let file = file.and_then(|file| self.files.get(&file));
        file.map(|file| &**file).ok_or_else(|| Errno::EBADF.into())
    }

    pub(super) fn close(&mut self, file: u64) {
        self.files.remove(&file);
    }
}
