//! What is different from the lower layer.

use super::layers::Layers;
use crate::error::{Errno, Fault};
use crate::file::COPY_BUFFER;
use crate::metadata::{FileType, Metadata};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::walk::Walk;

/// One difference between an overlay and what lies under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: VfsPathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// What it is now, or what it was if it is gone.
    pub file: FileType,
}

/// What happened to a file. A file that became something else is [`Deleted`](Self::Deleted), then
/// [`Added`](Self::Added).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It is gone; a directory with all that was in it.
    Deleted,
    /// It is new.
    Added,
    /// Its content is different (of a symbolic link, its target).
    Modified,
    /// Its permission bits are different, its content is not.
    Metadata,
}

impl Layers {
    pub(super) fn changes(&self) -> Result<Vec<Change>, Fault> {
        let mut changes = Vec::new();
        for path in &self.hidden {
            if let Ok(was) = self.under(path)
                && !self.stands_in(path, &was)
            {
                changes.push(Change {
                    path: path.clone(),
                    kind: ChangeKind::Deleted,
                    file: was.kind,
                });
            }
        }
        for entry in Walk::new(self.memory(), VfsPath::ROOT) {
            let path = entry?.path;
            let Some(now) = self.in_upper(&path)? else {
                continue;
            };
            let was = match self.in_lower(&path) {
                Err(_) => self
                    .under(&path)
                    .ok()
                    .filter(|was| self.stands_in(&path, was)),
                was => was.ok(),
            };
            let kind = match was {
                None => Some(ChangeKind::Added),
                Some(was) if was.kind != now.kind => Some(ChangeKind::Added),
                Some(was) if !self.same_content(&path, &was, &now)? => Some(ChangeKind::Modified),
                Some(was) if was.mode != now.mode && !now.is_symlink() => {
                    Some(ChangeKind::Metadata)
                }
                Some(_) => None,
            };
            if let Some(kind) = kind {
                changes.push(Change {
                    path,
                    kind,
                    file: now.kind,
                });
            }
        }
        // By names, not bytes: `/a/b` belongs before `/a-b`.
        changes.sort_by(|a, b| {
            let names = a.path.components().cmp(b.path.components());
            names.then(a.kind.cmp(&b.kind))
        });
        Ok(changes)
    }

    /// What the lower layer has at a hidden path, if it would show without that mark.
    fn under(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        let above = path.parent().unwrap_or(VfsPath::ROOT);
        self.visible(above)?;
        self.lower.lstat(path)
    }

    /// Whether the upper layer has the same kind of file where the lower one's is hidden, so that the two can be
    /// compared. Directories cannot: nothing of the hidden one is left.
    fn stands_in(&self, path: &VfsPath, was: &Metadata) -> bool {
        let now = self.in_upper(path).ok().flatten();
        now.is_some_and(|now| now.kind == was.kind && !now.is_dir())
    }

    fn same_content(&self, path: &VfsPath, was: &Metadata, now: &Metadata) -> Result<bool, Fault> {
        match now.kind {
            FileType::Symlink => Ok(self.lower.readlink(path)? == self.upper.readlink(path)?),
            FileType::File if was.size != now.size => Ok(false),
            FileType::File => self.same_bytes(path),
            FileType::Dir | FileType::Fifo => Ok(true),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn same_bytes(&self, path: &VfsPath) -> Result<bool, Fault> {
        let lower = self.lower.open(path, &OpenOptions::read())?;
        let upper = self.upper.open(path, &OpenOptions::read())?;
        let (mut a, mut b) = (vec![0; COPY_BUFFER], vec![0; COPY_BUFFER]);
        let mut offset = 0;
        loop {
            let (read_a, read_b) = (
                lower.read_at(offset, &mut a)?,
                upper.read_at(offset, &mut b)?,
            );
            if a.get(..read_a) != b.get(..read_b) {
                return Ok(false);
            }
            if read_a == 0 {
                return Ok(true);
            }
            offset += read_a as u64;
        }
    }
}
