//! A tree as bytes, and back.
//!
//! Archives are for others to read; this is for ourselves, and loses nothing: holes stay holes, several names of a file stay
//! one file, times stay what they were. Whoever made the bytes is not trusted: what is read is a tree, and within the limits,
//! or an error.

use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use super::{Body, Entry, Ino, Inode, ROOT, Tree, Used};
use crate::clock::Timestamp;
use crate::error::{Errno, Fault};
use crate::image::{Source, damaged, put_bytes, put_i64, put_u32, put_u64};
use crate::mem::content::Content;
use crate::mem::limits::Limits;
use crate::path::{PATH_MAX, VfsPath};
use crate::rules;
use crate::vfs::MODE_BITS;

const FILE: u8 = 0;
const DIR: u8 = 1;
const SYMLINK: u8 = 2;
const FIFO: u8 = 3;

impl Tree {
    /// Writes everything that has a name.
    pub(in crate::mem) fn save(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let tree = self.fork();
        put_u64(out, tree.next)?;
        put_u64(out, tree.files.len() as u64)?;
        for (ino, inode) in &tree.files {
            put_u64(out, *ino)?;
            put_u32(out, inode.mode)?;
            for time in [inode.accessed, inode.modified, inode.changed] {
                put_i64(out, time.as_nanos())?;
            }
            match &inode.body {
                Body::File(content) => {
                    out.write_all(&[FILE])?;
                    content.save(out)?;
                }
                Body::Dir(entries) => {
                    out.write_all(&[DIR])?;
                    put_u64(out, entries.len() as u64)?;
                    for (name, entry) in entries {
                        put_bytes(out, name)?;
                        put_u64(out, entry.ino)?;
                    }
                }
                Body::Symlink(target) => {
                    out.write_all(&[SYMLINK])?;
                    put_bytes(out, target)?;
                }
                Body::Fifo => out.write_all(&[FIFO])?,
            }
        }
        Ok(())
    }

    /// Reads what [`Tree::save`] wrote.
    pub(in crate::mem) fn load(input: &mut dyn Read, limits: &Limits) -> Result<Self, Fault> {
        let mut source = Source(input);
        let next = source.u64()?;
        let count = source.u64()?;
        // The root does not count.
        if count > limits.files.saturating_add(1) {
            limits.check_files(count - 1)?;
        }
        let mut loading = Loading {
            limits,
            files: OrdMap::new(),
            used: Used::default(),
            names: 0,
        };
        let mut last = None;
        for _ in 0..count {
            let ino = source.u64()?;
            if last.is_some_and(|last| ino <= last) || ino >= next {
                return Err(damaged("files are not in their order"));
            }
            last = Some(ino);
            loading.inode(ino, &mut source)?;
        }
        loading.connect()?;
        let mut used = loading.used;
        used.files = count.saturating_sub(1);
        Ok(Self {
            files: loading.files,
            orphans: OrdSet::new(),
            used,
            next,
            name_max: limits.name,
        })
    }
}

/// Files that were read, and what they count.
struct Loading<'a> {
    limits: &'a Limits,
    files: OrdMap<Ino, Arc<Inode>>,
    used: Used,
    /// Names in all directories: one for each file, and those that are hard links.
    names: u64,
}

impl Loading<'_> {
    fn inode(&mut self, ino: Ino, source: &mut Source<'_>) -> Result<(), Fault> {
        let mode = source.u32()? & MODE_BITS;
        let mut time = || Ok::<_, Fault>(Timestamp::from_nanos(source.i64()?));
        let (accessed, modified, changed) = (time()?, time()?, time()?);
        let body = match source.u8()? {
            FILE => {
                let left = self.limits.bytes.saturating_sub(self.used.bytes);
                let content = Content::load(source, self.limits.file_size, left)?;
                Body::File(content)
            }
            DIR => Body::Dir(self.entries(source)?),
            SYMLINK => {
                let target = source.bytes(PATH_MAX)?;
                rules::link_target(VfsPath::from_bytes(&target))?;
                Body::Symlink(target.into())
            }
            FIFO => Body::Fifo,
            _ => return Err(damaged("a file is of no kind")),
        };
        let stored = body.stored();
        self.limits.check_bytes(self.used.bytes, stored)?;
        self.used.bytes += stored;
        let inode = Inode {
            body,
            mode,
            nlink: 0,
            accessed,
            modified,
            changed,
        };
        self.files.insert(ino, Arc::new(inode));
        Ok(())
    }

    /// The names of a directory. What they stand for is filled in later: it may not have been read yet.
    fn entries(&mut self, source: &mut Source<'_>) -> Result<OrdMap<Arc<[u8]>, Entry>, Fault> {
        let count = source.u64()?;
        let most = self.limits.files.saturating_add(self.limits.links);
        self.names = self.names.saturating_add(count);
        if self.names > most {
            return Err(damaged("there are more names than there may be files"));
        }
        let mut entries = OrdMap::new();
        let mut last: Option<Arc<[u8]>> = None;
        for _ in 0..count {
            let name: Arc<[u8]> = source.bytes(self.limits.name)?.into();
            let is_name = !name.is_empty()
                && !matches!(&*name, b"." | b"..")
                && !name.iter().any(|byte| matches!(byte, b'/' | 0));
            if !is_name || last.as_ref().is_some_and(|last| name <= *last) {
                return Err(damaged("a name is none, or stands where it should not"));
            }
            last = Some(Arc::clone(&name));
            let ino = source.u64()?;
            let kind = crate::metadata::FileType::File;
            entries.insert(name, Entry { ino, kind });
        }
        Ok(entries)
    }

    /// Follows all names from the root: every file has one, no directory has two, and how deep they lie is checked.
    fn connect(&mut self) -> Result<(), Fault> {
        let root = self.files.get(&ROOT).map(|root| root.body.kind());
        if !root.is_some_and(crate::metadata::FileType::is_dir) {
            return Err(damaged("there is no root"));
        }
        let mut links: HashMap<Ino, u64> = HashMap::from([(ROOT, 2)]);
        let mut todo = VecDeque::from([(ROOT, 0)]);
        while let Some((dir, depth)) = todo.pop_front() {
            self.limits.check_depth(depth)?;
            let Some(inode) = self.files.get(&dir) else {
                continue;
            };
            let mut inode = Inode::clone(inode);
            let Body::Dir(entries) = &inode.body else {
                continue;
            };
            let mut connected = entries.clone();
            let mut subdirectories = 0;
            for (name, entry) in entries {
                let found = self.files.get(&entry.ino);
                let kind = found
                    .map(|found| found.body.kind())
                    .ok_or_else(|| damaged("a name leads nowhere"))?;
                let ino = entry.ino;
                connected.insert(Arc::clone(name), Entry { ino, kind });
                let names = links.entry(ino).or_default();
                if kind.is_dir() {
                    if *names > 0 {
                        return Err(damaged("a directory has two names"));
                    }
                    *names = 2;
                    subdirectories += 1;
                    todo.push_back((ino, depth + 1));
                } else {
                    *names += 1;
                    if *names > 1 {
                        self.limits.check_links(self.used.links)?;
                        self.used.links += 1;
                    }
                }
            }
            inode.body = Body::Dir(connected);
            self.files.insert(dir, Arc::new(inode));
            if subdirectories > 0 {
                *links.entry(dir).or_default() += subdirectories;
            }
        }
        if links.len() != self.files.len() {
            return Err(damaged("a file has no name"));
        }
        for (ino, nlink) in links {
            let inode = self.files.get_mut(&ino).map(Arc::make_mut);
            inode.ok_or(Errno::EIO)?.nlink = nlink;
        }
        Ok(())
    }
}
