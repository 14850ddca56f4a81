//! What is made beside what is there, before anything of that is touched.

use std::collections::{HashMap, HashSet};

use super::remove;
use crate::error::{Errno, Fault};
use crate::file::VfsFile;
use crate::options::OpenOptions;
use crate::overlay::changes::{Change, ChangeKind};
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;
use crate::walk::Walk;

/// Files on their way. What has not come to its place when this is dropped is removed.
pub(super) struct Staged<'t> {
    target: &'t dyn Vfs,
    /// Where each is until it is put in its place.
    files: HashMap<VfsPathBuf, VfsPathBuf>,
    /// Those that have several names are written once.
    known: HashSet<u64>,
    /// Directories in which something could be made.
    tried: HashSet<VfsPathBuf>,
    /// What will be gone by then.
    gone: HashSet<VfsPathBuf>,
    number: u64,
}

impl<'t> Staged<'t> {
    pub(super) fn new(target: &'t dyn Vfs, changes: &[Change]) -> Self {
        let gone = changes
            .iter()
            .filter(|change| change.kind == ChangeKind::Deleted);
        Self {
            target,
            files: HashMap::new(),
            known: HashSet::new(),
            tried: HashSet::new(),
            gone: gone.map(|change| change.path.clone()).collect(),
            number: 0,
        }
    }

    /// Writes a file where it can be moved from to its place in one step.
    pub(super) fn stage(
        &mut self,
        path: &VfsPath,
        ino: u64,
        write: impl FnOnce(&dyn VfsFile) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if !self.known.insert(ino) {
            return self.try_directory(path);
        }
        let ground = self.ground(path);
        let (place, output) = self.create(&ground)?;
        self.files.insert(path.to_owned(), place);
        self.tried.insert(ground);
        write(&*output)
    }

    /// Puts a file in its place.
    pub(super) fn settle(&mut self, path: &VfsPath) -> Result<(), Fault> {
        let Some(place) = self.files.get(path) else {
            return Err(Errno::ENOENT.into());
        };
        if self.target.lstat(path).is_ok_and(|old| old.is_dir()) {
            remove(self.target, path)?;
        }
        self.target.rename(place, path)?;
        self.files.remove(path);
        Ok(())
    }

    /// Whether something can be made or removed in the directory of this path, or in what there is of those above it.
    pub(super) fn try_directory(&mut self, path: &VfsPath) -> Result<(), Fault> {
        let ground = self.ground(path);
        self.try_ground(ground)
    }

    /// The same for a directory that is to go with all that is in it.
    pub(super) fn try_tree(&mut self, path: &VfsPath) -> Result<(), Fault> {
        self.try_directory(path)?;
        if !self.target.lstat(path).is_ok_and(|there| there.is_dir()) {
            return Ok(());
        }
        let mut directories = vec![path.to_owned()];
        for entry in Walk::new(self.target, path) {
            let entry = entry?;
            if entry.kind.is_dir() {
                directories.push(entry.path);
            }
        }
        directories
            .into_iter()
            .try_for_each(|directory| self.try_ground(directory))
    }

    /// Whether the mode of a file can be set: it is set to what it is.
    pub(super) fn try_metadata(&self, path: &VfsPath) -> Result<(), Fault> {
        let now = self.target.lstat(path)?;
        Ok(self.target.chmod(path, now.mode & super::MODE)?)
    }

    fn try_ground(&mut self, ground: VfsPathBuf) -> Result<(), Fault> {
        if self.tried.contains(&ground) {
            return Ok(());
        }
        let (place, _) = self.create(&ground)?;
        self.target.unlink(&place)?;
        self.tried.insert(ground);
        Ok(())
    }

    /// The directory in which a path is, or the first above it that is there and stays.
    fn ground(&self, path: &VfsPath) -> VfsPathBuf {
        let mut found = VfsPathBuf::root();
        let mut above = VfsPathBuf::root();
        let parent = path.parent().unwrap_or(VfsPath::ROOT);
        for name in parent.components() {
            above.push_name(name);
            let is_there = self.target.lstat(&above).is_ok_and(|there| there.is_dir());
            if !is_there || self.gone.contains(&above) {
                break;
            }
            found.clone_from(&above);
        }
        found
    }

    /// A new file in a directory.
    fn create(
        &mut self,
        ground: &VfsPath,
    ) -> Result<(VfsPathBuf, std::sync::Arc<dyn VfsFile>), Fault> {
        let options = OpenOptions::write().create_new().mode(0o600);
        loop {
            let place = ground.join(&format!(".hotcell-{}.tmp", self.number));
            self.number += 1;
            match self.target.open(&place, &options) {
                Err(error) if error.errno() == Errno::EEXIST => {}
                opened => return Ok((place, opened?)),
            }
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for place in self.files.values() {
            // Where it cannot be removed it could not be made.
            let _gone = self.target.unlink(place);
        }
    }
}
