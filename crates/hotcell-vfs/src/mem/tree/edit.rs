//! Operations that change a tree. Everything that can fail is checked before anything is changed.

use std::sync::Arc;

use imbl::OrdMap;

use super::{Body, Context, Entry, Ino, Inode, Tree};
use crate::clock::Times;
use crate::error::{Errno, Fault};
use crate::mem::content::Content;
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::resolve::{Follow, Route, Spot};
use crate::rules;
use crate::vfs::MODE_BITS;

impl Tree {
    /// Opens or creates a file.
    pub(in crate::mem) fn open(
        &mut self,
        path: Route<'_>,
        options: &OpenOptions,
        cx: &Context<'_>,
    ) -> Result<Ino, Fault> {
        let spot = self.walk(path, rules::follow(options)?)?;
        let Some(found) = rules::opening(&spot, options)? else {
            return self.create(&spot, Body::File(Content::default()), options.mode, cx);
        };
        let ino = found.node;
        // A pipe has nothing to cut, and nobody minds.
        if options.truncate && !self.is_fifo(ino) {
            self.truncate(ino, 0, cx)?;
        }
        Ok(ino)
    }

    pub(in crate::mem) fn mkdir(
        &mut self,
        path: Route<'_>,
        mode: u32,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let spot = self.walk(path, Follow::Never)?;
        rules::making(&spot, true)?;
        self.create(&spot, Body::Dir(OrdMap::new()), mode, cx)
            .map(|_| ())
    }

    pub(in crate::mem) fn symlink(
        &mut self,
        target: &VfsPath,
        link: Route<'_>,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        rules::link_target(target)?;
        let spot = self.vacant(link)?;
        self.create(&spot, Body::Symlink(target.as_bytes().into()), 0o777, cx)
            .map(|_| ())
    }

    pub(in crate::mem) fn mkfifo(
        &mut self,
        path: Route<'_>,
        mode: u32,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let spot = self.vacant(path)?;
        self.create(&spot, Body::Fifo, mode, cx).map(|_| ())
    }

    pub(in crate::mem) fn link(
        &mut self,
        existing: Route<'_>,
        new: Route<'_>,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let ino = self.find(existing, Follow::IfSlash)?;
        let spot = self.vacant(new)?;
        let kind = self.inode(ino)?.body.kind();
        if kind.is_dir() {
            return Err(Fault::new(Errno::EPERM, "a directory has one name"));
        }
        cx.limits.check_depth(spot.depth())?;
        cx.limits.check_links(self.used.links)?;
        self.insert_entry(*spot.parent()?, spot.name(), Entry { ino, kind }, cx)?;
        let inode = self.inode_mut(ino)?;
        inode.nlink += 1;
        inode.changed = cx.now;
        self.used.links += 1;
        Ok(())
    }

    pub(in crate::mem) fn unlink(
        &mut self,
        path: Route<'_>,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let spot = self.walk(path, Follow::Never)?;
        let ino = rules::unlinking(&spot)?.node;
        self.remove_entry(*spot.parent()?, spot.name(), cx)?;
        self.drop_name(ino, cx)
    }

    pub(in crate::mem) fn rmdir(&mut self, path: Route<'_>, cx: &Context<'_>) -> Result<(), Fault> {
        let spot = self.walk(path, Follow::Never)?;
        let ino = rules::removing(&spot)?.node;
        if !self.inode(ino)?.entries()?.is_empty() {
            return Err(Errno::ENOTEMPTY.into());
        }
        self.remove_entry(*spot.parent()?, spot.name(), cx)?;
        self.drop_name(ino, cx)
    }

    pub(in crate::mem) fn chmod(
        &mut self,
        ino: Ino,
        mode: u32,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let inode = self.inode_mut(ino)?;
        inode.mode = mode & MODE_BITS;
        inode.changed = cx.now;
        Ok(())
    }

    pub(in crate::mem) fn set_times(
        &mut self,
        ino: Ino,
        times: Times,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let inode = self.inode_mut(ino)?;
        inode.accessed = times.accessed.resolve(inode.accessed, cx.now);
        inode.modified = times.modified.resolve(inode.modified, cx.now);
        inode.changed = cx.now;
        Ok(())
    }

    /// Writes at `offset`, or at the end; says where that was.
    pub(in crate::mem) fn write(
        &mut self,
        ino: Ino,
        offset: Option<u64>,
        data: &[u8],
        cx: &Context<'_>,
    ) -> Result<u64, Fault> {
        let used = self.used.bytes;
        let content = self.inode(ino)?.content()?;
        let offset = offset.unwrap_or(content.size());
        if data.is_empty() {
            return Ok(offset);
        }
        cx.limits
            .check_size(offset.checked_add(data.len() as u64))?;
        let growth = content.growth(offset, data.len());
        cx.limits.check_bytes(used, growth)?;
        let inode = self.inode_mut(ino)?;
        inode.content_mut()?.write(offset, data);
        inode.modified = cx.now;
        inode.changed = cx.now;
        self.used.bytes += growth;
        Ok(offset)
    }

    pub(in crate::mem) fn truncate(
        &mut self,
        ino: Ino,
        size: u64,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        self.inode(ino)?.content()?;
        cx.limits.check_size(Some(size))?;
        let inode = self.inode_mut(ino)?;
        let content = inode.content_mut()?;
        let before = content.stored();
        content.truncate(size);
        let freed = before - content.stored();
        inode.modified = cx.now;
        inode.changed = cx.now;
        self.used.bytes -= freed;
        Ok(())
    }

    /// Gives a file other content; how much that is has been checked by nobody yet.
    fn replace(&mut self, ino: Ino, content: Content, cx: &Context<'_>) -> Result<(), Fault> {
        let before = self.inode(ino)?.content()?.stored();
        let after = content.stored();
        cx.limits.check_size(Some(content.size()))?;
        cx.limits.check_bytes(self.used.bytes - before, after)?;
        let inode = self.inode_mut(ino)?;
        *inode.content_mut()? = content;
        inode.modified = cx.now;
        inode.changed = cx.now;
        self.used.bytes = self.used.bytes - before + after;
        Ok(())
    }

    /// Makes `data` a file's whole content, in one step.
    pub(in crate::mem) fn write_file(
        &mut self,
        path: Route<'_>,
        data: &[u8],
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let content = Content::from(data);
        self.store(path, content, crate::vfs::FILE_MODE, cx)
    }

    /// Adds `data` to the end of a file, in one step also if the file is new.
    pub(in crate::mem) fn append_file(
        &mut self,
        path: Route<'_>,
        data: &[u8],
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        match self.find(path, Follow::Always) {
            Ok(ino) => self.write(ino, None, data, cx).map(|_| ()),
            Err(_) => self.write_file(path, data, cx),
        }
    }

    /// Copies a file by sharing its chunks.
    pub(in crate::mem) fn copy(
        &mut self,
        from: Route<'_>,
        to: Route<'_>,
        cx: &Context<'_>,
    ) -> Result<u64, Fault> {
        let source = self.find(from, Follow::Always)?;
        let inode = self.inode(source)?;
        let (content, mode) = (inode.content()?.clone(), inode.mode);
        let size = content.size();
        let spot = self.walk(to, Follow::Create)?;
        let there = rules::opening(&spot, &OpenOptions::write().create())?;
        if there.is_some_and(|found| found.node == source) {
            return Err(Fault::new(Errno::EINVAL, "both names are the same file"));
        }
        self.store(to, content, mode, cx)?;
        Ok(size)
    }

    fn store(
        &mut self,
        path: Route<'_>,
        content: Content,
        mode: u32,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        // The limits come first, so that a write that does not fit leaves no empty file behind.
        let there = self
            .find(path, Follow::Always)
            .and_then(|ino| self.inode(ino));
        let before = there.map_or(0, |inode| inode.body.stored());
        cx.limits
            .check_bytes(self.used.bytes.saturating_sub(before), content.stored())?;
        cx.limits.check_size(Some(content.size()))?;
        let ino = self.open(path, &OpenOptions::write().create().mode(mode), cx)?;
        self.replace(ino, content, cx)
    }

    /// Takes away a file that had no name when its last handle was closed.
    pub(in crate::mem) fn release(&mut self, ino: Ino) {
        if self.orphans.remove(&ino).is_some() {
            self.forget(ino);
        }
    }

    /// The place of a name that must not be taken, and does not end in a slash.
    fn vacant(&self, path: Route<'_>) -> Result<Spot<Ino>, Fault> {
        let spot = self.walk(path, Follow::Never)?;
        rules::making(&spot, false)?;
        Ok(spot)
    }

    fn create(
        &mut self,
        spot: &Spot<Ino>,
        body: Body,
        mode: u32,
        cx: &Context<'_>,
    ) -> Result<Ino, Fault> {
        let parent = *spot.parent()?;
        cx.limits.check_depth(spot.depth())?;
        cx.limits.check_files(self.used.files)?;
        let stored = body.stored();
        cx.limits.check_bytes(self.used.bytes, stored)?;
        if self.inode(parent)?.nlink == 0 {
            return Err(Errno::ENOENT.into());
        }
        let ino = self.next;
        let kind = body.kind();
        self.next += 1;
        self.insert_entry(parent, spot.name(), Entry { ino, kind }, cx)?;
        let nlink = if kind.is_dir() { 2 } else { 1 };
        let now = cx.now;
        let inode = Inode {
            body,
            mode: mode & MODE_BITS,
            nlink,
            accessed: now,
            modified: now,
            changed: now,
        };
        self.files.insert(ino, Arc::new(inode));
        self.used.files += 1;
        self.used.bytes += stored;
        Ok(ino)
    }

    pub(super) fn insert_entry(
        &mut self,
        dir: Ino,
        name: &[u8],
        entry: Entry,
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let inode = self.inode_mut(dir)?;
        inode.entries_mut()?.insert(name.into(), entry);
        if entry.kind.is_dir() {
            inode.nlink += 1;
        }
        inode.modified = cx.now;
        inode.changed = cx.now;
        Ok(())
    }

    pub(super) fn remove_entry(
        &mut self,
        dir: Ino,
        name: &[u8],
        cx: &Context<'_>,
    ) -> Result<(), Fault> {
        let inode = self.inode_mut(dir)?;
        let entry = inode.entries_mut()?.remove(name).ok_or(Errno::ENOENT)?;
        if entry.kind.is_dir() {
            inode.nlink -= 1;
        }
        inode.modified = cx.now;
        inode.changed = cx.now;
        Ok(())
    }

    /// A file lost a name: it goes with the last one, unless somebody has it open.
    pub(super) fn drop_name(&mut self, ino: Ino, cx: &Context<'_>) -> Result<(), Fault> {
        let inode = self.inode_mut(ino)?;
        let is_dir = inode.body.kind().is_dir();
        inode.nlink = if is_dir {
            0
        } else {
            inode.nlink.saturating_sub(1)
        };
        inode.changed = cx.now;
        if inode.nlink > 0 {
            self.used.links -= 1;
        } else if cx.opens.contains_key(&ino) {
            self.orphans.insert(ino);
        } else {
            self.forget(ino);
        }
        Ok(())
    }

    /// Takes a file out of the table and out of the count.
    pub(super) fn forget(&mut self, ino: Ino) {
        if let Some(inode) = self.files.remove(&ino) {
            self.used.bytes -= inode.body.stored();
            self.used.files -= 1;
        }
    }
}
