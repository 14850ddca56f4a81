//! `rename`, which has more rules than everything else together.

use super::{Context, Entry, Ino, Tree};
use crate::error::{Errno, Fault};
use crate::path::VfsPath;
use crate::resolve::{Follow, Last};

impl Tree {
    pub(in crate::mem) fn rename(
        &mut self,
        from: &VfsPath,
        to: &VfsPath,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let old = self.walk(from, Follow::Never)?;
        let new = self.walk(to, Follow::Never)?;
        if old.last != Last::Name || new.last != Last::Name {
            return Err(Errno::EBUSY.into());
        }
        let source = old.present()?;
        let target = new.found()?;
        let is_dir = source.kind.is_dir();
        if !is_dir && (old.slash || new.slash) {
            return Err(Errno::ENOTDIR.into());
        }
        if new.trail.contains(&source.node) {
            return Err(Fault::new(
                Errno::EINVAL,
                "a directory cannot be moved into itself",
            ));
        }
        if let Some(target) = target {
            if old.trail.contains(&target.node) {
                return Err(Errno::ENOTEMPTY.into());
            }
            // Two names of one file: POSIX says that nothing happens.
            if target.node == source.node {
                return Ok(());
            }
            match (is_dir, target.kind.is_dir()) {
                (true, false) => return Err(Errno::ENOTDIR.into()),
                (false, true) => return Err(Errno::EISDIR.into()),
                (true, true) if !self.inode(target.node)?.entries()?.is_empty() => {
                    return Err(Errno::ENOTEMPTY.into());
                }
                _ => {}
            }
        }
        cx.limits.check_depth(new.depth())?;
        if is_dir && new.depth() > old.depth() {
            self.check_height(source.node, new.depth(), cx)?;
        }

        let (old_dir, new_dir) = (*old.parent()?, *new.parent()?);
        if let Some(target) = target {
            self.remove_entry(new_dir, new.name(), cx)?;
            self.drop_name(target.node, cx)?;
        }
        self.remove_entry(old_dir, old.name(), cx)?;
        self.insert_entry(
            new_dir,
            new.name(),
            Entry {
                ino: source.node,
                kind: source.kind,
            },
            cx,
        )?;
        self.inode_mut(source.node)?.changed = cx.now;
        Ok(())
    }

    /// Refuses a move that would nest directories deeper than allowed; looks no deeper than that.
    fn check_height(&self, dir: Ino, depth: usize, cx: &Context<'_>) -> Result<(), Fault> {
        let mut todo = vec![(dir, depth)];
        while let Some((dir, depth)) = todo.pop() {
            cx.limits.check_depth(depth)?;
            for entry in self.inode(dir)?.entries()?.values() {
                if entry.kind.is_dir() {
                    todo.push((entry.ino, depth + 1));
                } else {
                    cx.limits.check_depth(depth + 1)?;
                }
            }
        }
        Ok(())
    }
}
