//! Making an overlay's changes somewhere else.

mod staged;

use std::collections::HashMap;

use staged::Staged;

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
    /// Change nothing, and fail with `EEXIST` and all paths.
    Refuse,
    /// The overlay wins.
    Force,
}

/// What is applied of a mode: set-user-id and set-group-id bits are not for files of others.
const MODE: u32 = 0o1777;

impl Layers {
    pub(super) fn apply(
        &self,
        target: &dyn Vfs,
        overwrite: Overwrite,
    ) -> Result<Vec<Change>, Fault> {
        let changes = self.changes()?;
        let mut obstacles = Obstacles::default();
        if overwrite == Overwrite::Refuse {
            self.find_conflicts(target, &changes, &mut obstacles);
        }
        self.find_refusals(target, &changes, &mut obstacles)?;
        obstacles.check()?;
        // What else could be in the way, such as a full disk, is met beside what is there.
        let mut staged = Staged::new(target, &changes);
        for change in &changes {
            if let Err(fault) = self.prepare(change, &mut staged) {
                obstacles.add(&change.path, fault);
            }
        }
        obstacles.check()?;
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
            self.apply_one(target, change, &mut names, &mut staged)?;
        }
        // A directory's own mode and time come last: what is done inside changes the time, and may need the mode.
        for change in changes.iter().rev() {
            if change.file.is_dir() && change.kind != ChangeKind::Deleted {
                self.apply_metadata(target, &change.path)?;
            }
        }
        Ok(changes)
    }

    /// Looks for what the target says beforehand that it will not take.
    fn find_refusals(
        &self,
        target: &dyn Vfs,
        changes: &[Change],
        obstacles: &mut Obstacles,
    ) -> Result<(), Fault> {
        let Some(backend) = target.as_backend() else {
            return Ok(());
        };
        for change in changes {
            let says = if change.file.is_symlink() && change.kind != ChangeKind::Deleted {
                Some(self.upper.readlink(&change.path)?)
            } else {
                None
            };
            let file = (change.kind != ChangeKind::Deleted).then_some(change.file);
            let says = says.as_deref().map(VfsPath::new);
            if let Some(fault) = backend.refuses(file, &change.path, says) {
                obstacles.add(&change.path, fault);
            }
        }
        Ok(())
    }

    /// Does of a change what touches nothing that is there.
    fn prepare(&self, change: &Change, staged: &mut Staged<'_>) -> Result<(), Fault> {
        let Change { path, kind, file } = change;
        match (kind, file) {
            (ChangeKind::Deleted, FileType::Dir) => staged.try_tree(path),
            (ChangeKind::Metadata, _) => staged.try_metadata(path),
            (ChangeKind::Added | ChangeKind::Modified, FileType::File) => {
                let now = self.upper.lstat(path)?;
                staged.stage(path, now.ino, |output| {
                    let input = self.upper.open(path, &OpenOptions::read())?;
                    copy_content(&*input, output)?;
                    output.chmod(now.mode & MODE)?;
                    Ok(output.set_times(times(&now))?)
                })
            }
            _ => staged.try_directory(path),
        }
    }

    fn apply_one(
        &self,
        target: &dyn Vfs,
        change: &Change,
        names: &mut HashMap<u64, VfsPathBuf>,
        staged: &mut Staged<'_>,
    ) -> Result<(), Fault> {
        let path = &change.path;
        let now = self.upper.lstat(path)?;
        match change.file {
            FileType::Dir => match target.mkdir(path, 0o700 | now.mode & MODE) {
                Err(error) if error.errno() == Errno::EEXIST && target.lstat(path)?.is_dir() => {}
                Err(error) if error.errno() == Errno::EEXIST => {
                    target.unlink(path)?;
                    target.mkdir(path, 0o700 | now.mode & MODE)?;
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
                    staged.settle(path)?;
                    names.insert(now.ino, path.clone());
                }
            }
        }
        Ok(())
    }

    fn apply_metadata(&self, target: &dyn Vfs, path: &VfsPath) -> Result<(), Fault> {
        let now = self.upper.lstat(path)?;
        target.chmod(path, now.mode & MODE)?;
        Ok(target.set_times(path, times(&now), false)?)
    }

    /// Looks for what somebody else changed since.
    fn find_conflicts(&self, target: &dyn Vfs, changes: &[Change], obstacles: &mut Obstacles) {
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
                let fault = Fault::new(Errno::EEXIST, "changed by somebody else meanwhile");
                obstacles.add(&change.path, fault);
            }
        }
    }
}

/// What is in the way.
#[derive(Default)]
struct Obstacles(Vec<(VfsPathBuf, Fault)>);

impl Obstacles {
    fn add(&mut self, path: &VfsPath, fault: Fault) {
        // Of one path the first is enough.
        if self.0.last().is_none_or(|(last, _)| **last != *path) {
            self.0.push((path.to_owned(), fault));
        }
    }

    /// Refuses, if there is anything, and names all of it.
    fn check(&self) -> Result<(), Fault> {
        let Some((_, first)) = self.0.first() else {
            return Ok(());
        };
        let named = self.0.iter().map(|(path, fault)| {
            let why = fault.detail.as_deref();
            format!("{path}: {}", why.unwrap_or(fault.errno.message()))
        });
        let named: Vec<String> = named.collect();
        let detail = format!(
            "nothing was changed, as this is in the way: {}",
            named.join("; ")
        );
        Err(Fault::new(first.errno, detail))
    }
}

fn times(meta: &Metadata) -> Times {
    Times {
        accessed: SetTime::At(meta.accessed),
        modified: SetTime::At(meta.modified),
    }
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
