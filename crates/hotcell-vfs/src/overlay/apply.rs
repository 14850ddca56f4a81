//! Making an overlay's changes somewhere else.

use std::collections::HashMap;

use super::changes::{Change, ChangeKind};
use super::layers::{Base, Layers};
use crate::clock::{SetTime, Times};
use crate::error::{Errno, Fault};
use crate::file::copy_content;
use crate::metadata::{FileType, Metadata};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;
use crate::walk::Walk;

/// What to do where the target is no longer what the overlay was laid over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Change nothing, and fail with `EEXIST` and the paths.
    Refuse,
    /// The overlay wins.
    Force,
}

/// How many paths an error names.
const NAMED: usize = 5;

impl Layers {
    pub(super) fn apply(
        &self,
        target: &dyn Vfs,
        overwrite: Overwrite,
    ) -> Result<Vec<Change>, Fault> {
        let changes = self.changes()?;
        if overwrite == Overwrite::Refuse {
            self.refuse_conflicts(target, &changes)?;
        }
        for change in changes
            .iter()
            .filter(|change| change.kind == ChangeKind::Deleted)
        {
            remove(target, &change.path)?;
        }
        let mut names = HashMap::new();
        for change in changes
            .iter()
            .filter(|change| change.kind != ChangeKind::Deleted)
        {
            self.apply_one(target, change, &mut names)?;
        }
        // A directory's own mode and time come last: what is done inside changes the time, and may need the mode.
        for change in changes.iter().rev() {
            if change.file.is_dir() && change.kind != ChangeKind::Deleted {
                self.apply_metadata(target, &change.path)?;
            }
        }
        Ok(changes)
    }

    fn apply_one(
        &self,
        target: &dyn Vfs,
        change: &Change,
        names: &mut HashMap<u64, VfsPathBuf>,
    ) -> Result<(), Fault> {
        let path = &change.path;
        let now = self.upper.lstat(path)?;
        match change.file {
            FileType::Dir => match target.mkdir(path, 0o700 | now.mode) {
                Err(error) if error.errno() == Errno::EEXIST && target.lstat(path)?.is_dir() => {}
                Err(error) if error.errno() == Errno::EEXIST => {
                    target.unlink(path)?;
                    target.mkdir(path, 0o700 | now.mode)?;
                }
                made => made?,
            },
            FileType::Symlink => {
                let says = self.upper.readlink(path)?;
                remove(target, path)?;
                target.symlink(VfsPath::new(&says), path)?;
            }
            _ if change.kind == ChangeKind::Metadata => self.apply_metadata(target, path)?,
            FileType::Fifo => {
                remove(target, path)?;
                target.mkfifo(path, now.mode)?;
                self.apply_metadata(target, path)?;
            }
            _ => {
                if let Some(first) = names.get(&now.ino) {
                    remove(target, path)?;
                    target.link(first, path)?;
                } else {
                    self.replace_file(target, path, &now)?;
                    names.insert(now.ino, path.clone());
                }
            }
        }
        Ok(())
    }

    /// Writes the file beside the old one and puts it in its place in one step.
    fn replace_file(&self, target: &dyn Vfs, path: &VfsPath, now: &Metadata) -> Result<(), Fault> {
        let beside = beside(target, path)?;
        let written = (|| -> Result<(), Fault> {
            let input = self.upper.open(path, &OpenOptions::read())?;
            let options = OpenOptions::write().create_new().mode(0o600);
            let output = target.open(&beside, &options)?;
            copy_content(&*input, &*output)?;
            output.chmod(now.mode & 0o1777)?;
            output.set_times(times(now))?;
            if target.lstat(path).is_ok_and(|old| old.is_dir()) {
                remove(target, path)?;
            }
            Ok(target.rename(&beside, path)?)
        })();
        if written.is_err() {
            let _gone = target.unlink(&beside);
        }
        written
    }

    fn apply_metadata(&self, target: &dyn Vfs, path: &VfsPath) -> Result<(), Fault> {
        let now = self.upper.lstat(path)?;
        target.chmod(path, now.mode & 0o1777)?;
        Ok(target.set_times(path, times(&now), false)?)
    }

    /// Looks for what somebody else changed since.
    fn refuse_conflicts(&self, target: &dyn Vfs, changes: &[Change]) -> Result<(), Fault> {
        let mut conflicts = Vec::new();
        for change in changes {
            let there = target.lstat(&change.path).ok();
            let was = self.base.get(&change.path).copied();
            let expected = match change.kind {
                // What was deleted and made again is compared where it was deleted.
                ChangeKind::Added if self.hidden.contains(&change.path) && was.is_some() => {
                    continue;
                }
                ChangeKind::Added => None,
                _ => was,
            };
            // Nobody may have led the path elsewhere, either.
            let above = change.path.parent().unwrap_or(VfsPath::ROOT);
            let led_away = target.realpath(above).is_ok_and(|real| *real != *above);
            if led_away || there.as_ref().map(Base::from) != expected {
                conflicts.push(&change.path);
            }
        }
        if conflicts.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = conflicts
            .iter()
            .take(NAMED)
            .map(ToString::to_string)
            .collect();
        let more = conflicts.len().saturating_sub(NAMED);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let detail = format!(
            "changed by somebody else meanwhile: {}{more}",
            named.join(", ")
        );
        Err(Fault::new(Errno::EEXIST, detail))
    }
}

fn times(meta: &Metadata) -> Times {
    Times {
        accessed: SetTime::At(meta.accessed),
        modified: SetTime::At(meta.modified),
    }
}

/// A name in the same directory that is not taken.
fn beside(target: &dyn Vfs, path: &VfsPath) -> Result<VfsPathBuf, Fault> {
    let above = path.parent().unwrap_or(VfsPath::ROOT);
    let free = (0..1000).map(|number| above.join(&format!(".hotcell-{number}.tmp")));
    let mut free = free.filter(|path| target.lstat(path).is_err());
    free.next()
        .ok_or_else(|| Fault::new(Errno::EEXIST, "no name is free for a temporary file"))
}

/// Removes what is there, if something is; a directory with all that is in it.
fn remove(target: &dyn Vfs, path: &VfsPath) -> Result<(), Fault> {
    let there = match target.lstat(path) {
        Ok(there) => there,
        Err(error) if matches!(error.errno(), Errno::ENOENT | Errno::ENOTDIR) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if !there.is_dir() {
        return Ok(target.unlink(path)?);
    }
    let mut dirs = Vec::new();
    for entry in Walk::new(target, path) {
        let entry = entry?;
        if entry.kind.is_dir() {
            dirs.push(entry.path);
        } else {
            target.unlink(&entry.path)?;
        }
    }
    // Parents were met before their children.
    for dir in dirs.iter().rev() {
        target.rmdir(dir)?;
    }
    Ok(())
}
