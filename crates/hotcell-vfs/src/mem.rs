//! A file system in memory.

mod content;
mod file;
mod limits;
mod resolved;
mod tree;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

pub use limits::Limits;

use file::MemFile;
use resolved::Resolved;
use tree::{Context, Ino, Tree};

use crate::backend::Backend;
use crate::clock::{Clock, Times, Timestamp};
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::resolve::{Follow, Route};
use crate::vfs::Vfs;

/// A file system in memory, with limits and instant forks.
///
/// The tree is persistent: [`fork`](Self::fork) and [`snapshot`](Self::snapshot) share all of it and cost a few counters,
/// however much it holds; whoever writes afterwards copies the few nodes on the way to the change. Content is
/// kept in chunks of 64 KiB that copies share in the same way.
///
/// ```
/// use hotcell_vfs::{MemVfs, Vfs, VfsPath};
///
/// let vfs = MemVfs::new();
/// vfs.write_file(VfsPath::new("/a"), b"one")?;
/// let fork = vfs.fork();
/// fork.write_file(VfsPath::new("/a"), b"two")?;
/// assert_eq!(vfs.read_file(VfsPath::new("/a"))?, b"one");
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
pub struct MemVfs {
    shared: Arc<Shared>,
    /// The same files for whoever has resolved a path already.
    resolved: Resolved,
}

/// The state of a [`MemVfs`] at one moment. Cloning it is as cheap as taking it.
#[derive(Clone)]
pub struct Snapshot {
    tree: Tree,
    limits: Limits,
    clock: Clock,
}

/// What a file system and its open files have in common.
struct Shared {
    limits: Limits,
    clock: Clock,
    /// How often a limit was in the way.
    refusals: AtomicU64,
    /// One lock for the tree and the count of open files: whether a file may go depends on both.
    state: RwLock<State>,
}

struct State {
    tree: Tree,
    opens: HashMap<Ino, u64>,
}

impl MemVfs {
    /// An empty file system with the default limits and no clock.
    pub fn new() -> Self {
        Self::with(Limits::default(), Clock::None)
    }

    /// An empty file system.
    pub fn with(limits: Limits, clock: Clock) -> Self {
        let tree = Tree::new(clock.now(), limits.name);
        Self::from_tree(tree, limits, clock)
    }

    fn from_tree(tree: Tree, limits: Limits, clock: Clock) -> Self {
        let state = RwLock::new(State {
            tree,
            opens: HashMap::new(),
        });
        let shared = Arc::new(Shared {
            limits,
            clock,
            refusals: AtomicU64::new(0),
            state,
        });
        Self {
            resolved: Resolved(Arc::clone(&shared)),
            shared,
        }
    }

    /// A file system that starts with the same content and then goes its own way. Open files stay with this one.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.shared.fork()
    }

    /// The same, with limits and a clock of its own. What is there stays, also if the limits allow less.
    #[must_use]
    pub fn fork_with(&self, limits: Limits, clock: Clock) -> Self {
        let tree = self.shared.read().tree.fork();
        Self::from_tree(tree, limits, clock)
    }

    /// The state as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let tree = self.shared.read().tree.fork();
        Snapshot {
            tree,
            limits: self.shared.limits,
            clock: self.shared.clock.clone(),
        }
    }

    /// Goes back to an earlier state, in one step. Files that are open and not part of it answer `ESTALE`.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut state = self.shared.write();
        let mut tree = snapshot.tree.clone();
        tree.skip_to(state.tree.next());
        state.tree = tree;
    }

    /// Writes everything, so that [`load`](Self::load) makes the same of it: holes, several names of a file, and all times
    /// included. Open files without a name are not among it.
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        let tree = self.shared.read().tree.fork();
        tree.save(out)
            .map_err(|fault| fault.at("save", VfsPath::ROOT))
    }

    /// Reads what [`save`](Self::save) wrote. The bytes may come from anywhere: what they say is a tree within the limits, or
    /// an error.
    pub fn load(input: &mut dyn Read, limits: Limits, clock: Clock) -> Result<Self> {
        let tree = Tree::load(input, &limits).map_err(|fault| fault.at("load", VfsPath::ROOT))?;
        Ok(Self::from_tree(tree, limits, clock))
    }

    /// The limits it was made with.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// The clock it was made with.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Counts everything again and compares: what [`usage`](Vfs::usage) says, and what is really there.
    ///
    /// For tests and for the suspicious; it visits every file.
    pub fn audit(&self) -> std::result::Result<(), String> {
        let state = self.shared.read();
        let (kept, counted) = (state.tree.used(), state.tree.recount());
        if kept != counted || kept.files != state.tree.table_len() {
            return Err(format!(
                "usage says {kept:?}, there is {counted:?}, table {}",
                state.tree.table_len()
            ));
        }
        Ok(())
    }
}

impl Default for MemVfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Snapshot {
    /// A file system that starts in this state.
    #[must_use]
    pub fn to_vfs(&self) -> MemVfs {
        MemVfs::from_tree(self.tree.clone(), self.limits, self.clock.clone())
    }
}

impl Shared {
    // Every operation checks before it changes, so that a panic in between (an allocation that fails, say) leaves
    // a tree that is still one; going on with it is better than failing for ever.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, f: impl FnOnce(&Tree) -> Result<T, Fault>) -> Result<T, Fault> {
        f(&self.read().tree)
    }

    fn change<T>(
        &self,
        f: impl FnOnce(&mut Tree, &Context<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        // The clock is the host's code: it is asked before the lock is taken.
        let now = self.clock.now();
        let done = self.change_at(now, &mut self.write(), f);
        self.note(&done);
        done
    }

    /// Counts what was refused because of a limit. Nothing else has these codes here.
    fn note<T>(&self, done: &Result<T, Fault>) {
        if let Err(fault) = done
            && matches!(fault.errno, Errno::ENOSPC | Errno::EFBIG)
        {
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn change_at<T>(
        &self,
        now: Timestamp,
        state: &mut State,
        f: impl FnOnce(&mut Tree, &Context<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let State { tree, opens } = state;
        f(
            tree,
            &Context {
                limits: &self.limits,
                now,
                opens,
            },
        )
    }

    fn open(
        self: &Arc<Self>,
        route: Route<'_>,
        options: &OpenOptions,
    ) -> Result<Arc<dyn VfsFile>, Fault> {
        let now = self.clock.now();
        let mut state = self.write();
        let opened = self.change_at(now, &mut state, |tree, cx| tree.open(route, options, cx));
        self.note(&opened);
        let ino = opened?;
        *state.opens.entry(ino).or_default() += 1;
        let is_pipe = state.tree.is_fifo(ino);
        drop(state);
        let file = MemFile::new(Arc::clone(self), ino, is_pipe, *options, route.path);
        Ok(Arc::new(file))
    }

    fn usage(&self) -> Usage {
        let used = self.read().tree.used();
        Usage {
            bytes: used.bytes,
            files: used.files,
            links: used.links,
            max_bytes: Some(self.limits.bytes),
            max_files: Some(self.limits.files),
            refusals: self.refusals.load(Ordering::Relaxed),
        }
    }

    fn fork(&self) -> MemVfs {
        let tree = self.read().tree.fork();
        MemVfs::from_tree(tree, self.limits, self.clock.clone())
    }

    fn close(&self, ino: Ino) {
        let State { tree, opens } = &mut *self.write();
        let Some(count) = opens.get_mut(&ino) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            opens.remove(&ino);
            tree.release(ino);
        }
    }
}

impl Vfs for MemVfs {
    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>> {
        let file = self.shared.open(path.into(), options);
        file.map_err(|fault| fault.at("open", path))
    }

    fn stat(&self, path: &VfsPath) -> Result<Metadata> {
        let meta = self
            .shared
            .look(|tree| tree.metadata(tree.find(path.into(), Follow::Always)?));
        meta.map_err(|fault| fault.at("stat", path))
    }

    fn lstat(&self, path: &VfsPath) -> Result<Metadata> {
        let meta = self
            .shared
            .look(|tree| tree.metadata(tree.find(path.into(), Follow::IfSlash)?));
        meta.map_err(|fault| fault.at("lstat", path))
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>> {
        self.shared
            .look(|tree| tree.readdir(path.into()))
            .map_err(|fault| fault.at("readdir", path))
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.mkdir(path.into(), mode, cx));
        done.map_err(|fault| fault.at("mkdir", path))
    }

    fn rmdir(&self, path: &VfsPath) -> Result<()> {
        self.shared
            .change(|tree, cx| tree.rmdir(path.into(), cx))
            .map_err(|fault| fault.at("rmdir", path))
    }

    fn unlink(&self, path: &VfsPath) -> Result<()> {
        self.shared
            .change(|tree, cx| tree.unlink(path.into(), cx))
            .map_err(|fault| fault.at("unlink", path))
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.rename(from.into(), to.into(), cx));
        done.map_err(|fault| fault.between("rename", from, to))
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.chmod(tree.find(path.into(), Follow::Always)?, mode, cx));
        done.map_err(|fault| fault.at("chmod", path))
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.symlink(target, link.into(), cx));
        done.map_err(|fault| fault.between("symlink", target, link))
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.mkfifo(path.into(), mode, cx));
        done.map_err(|fault| fault.at("mkfifo", path))
    }

    fn readlink(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let target = self.shared.look(|tree| tree.readlink(path.into()));
        target
            .map(VfsPathBuf::from_vec)
            .map_err(|fault| fault.at("readlink", path))
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.link(existing.into(), new.into(), cx));
        done.map_err(|fault| fault.between("link", existing, new))
    }

    fn set_times(&self, path: &VfsPath, times: Times, follow: bool) -> Result<()> {
        let follow = if follow {
            Follow::Always
        } else {
            Follow::IfSlash
        };
        let done = self
            .shared
            .change(|tree, cx| tree.set_times(tree.find(path.into(), follow)?, times, cx));
        done.map_err(|fault| fault.at("utimes", path))
    }

    fn realpath(&self, path: &VfsPath) -> Result<VfsPathBuf> {
        let real = self.shared.look(|tree| {
            let spot = tree.walk(path.into(), Follow::Always)?;
            spot.existing()?;
            Ok(spot.path)
        });
        real.map_err(|fault| fault.at("realpath", path))
    }

    fn read_file(&self, path: &VfsPath) -> Result<Vec<u8>> {
        let content = self.shared.look(|tree| {
            let ino = tree.find(path.into(), Follow::Always)?;
            Ok(tree.inode(ino)?.content()?.clone())
        });
        let content = content.and_then(|content| content.read_all());
        content.map_err(|fault| fault.at("open", path))
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.write_file(path.into(), data, cx));
        done.map_err(|fault| fault.at("write", path))
    }

    fn append_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.append_file(path.into(), data, cx));
        done.map_err(|fault| fault.at("write", path))
    }

    fn truncate(&self, path: &VfsPath, size: u64) -> Result<()> {
        let done = self
            .shared
            .change(|tree, cx| tree.truncate(tree.find(path.into(), Follow::Always)?, size, cx));
        done.map_err(|fault| fault.at("truncate", path))
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Result<u64> {
        let done = self
            .shared
            .change(|tree, cx| tree.copy(from.into(), to.into(), cx));
        done.map_err(|fault| fault.between("copy", from, to))
    }

    fn usage(&self) -> Usage {
        self.shared.usage()
    }

    fn fork_dyn(&self) -> Result<Arc<dyn Vfs>> {
        Ok(Arc::new(self.fork()))
    }

    fn as_backend(&self) -> Option<&dyn Backend> {
        Some(&self.resolved)
    }
}
