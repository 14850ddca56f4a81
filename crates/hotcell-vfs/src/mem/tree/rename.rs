//! `rename`, which has more rules than everything else together.

use super::{Context, Entry, Ino, Tree};
use crate::error::{Errno, Fault};
use crate::resolve::{Follow, Route};
use crate::rules::{self, Move};

impl Tree {
    pub(in crate::mem) fn rename(
        &mut self,
        from: Route<'_>,
        to: Route<'_>,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let old = self.walk(from, Follow::Never)?;
        let new = self.walk(to, Follow::Never)?;
        let Some(Move { source, target }) = rules::renaming(&old, &new, Ino::eq)? else {
            return Ok(());
        };
        if let Some(target) = target
            && target.kind.is_dir()
            && !self.inode(target.node)?.entries()?.is_empty()
        {
            return Err(Errno::ENOTEMPTY.into());
        }
        cx.limits.check_depth(new.depth())?;
        if source.kind.is_dir() && new.depth() > old.depth() {
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
