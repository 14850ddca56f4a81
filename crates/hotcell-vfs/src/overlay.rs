//! A file system that keeps its changes to itself.

mod apply;
mod changes;
mod file;
mod image;
mod layers;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::{Arc, PoisonError, RwLock};

pub use apply::Overwrite;
pub use changes::{Change, ChangeKind};

use crate::backend::Backend;
use crate::clock::{Clock, SetTime, Times};
use crate::direct::Direct;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::mem::{Limits, MemVfs};
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::VfsPath;
use crate::tar::{TarCount, TarLimits};
use crate::vfs::Vfs;
use layers::Layers;

/// A file system on top of another one: the lower one is only read, changes stay in memory, and can be listed
/// ([`changes`](Self::changes)), written to a directory ([`apply`](Self::apply)) or thrown away.
///
/// A file is copied up whole when it is first opened for writing; a directory is, with all that is below, when it is
/// renamed. Several names of one lower file become several files once one of them is written. The limits count what
/// is in memory.
///
/// ```
/// # use std::sync::Arc;
/// use hotcell_vfs::{ChangeKind, Clock, Limits, MemVfs, OverlayVfs, Vfs, VfsPath};
///
/// let lower = MemVfs::new();
/// lower.write_file(VfsPath::new("/a"), b"old")?;
/// let overlay = OverlayVfs::new(Arc::new(lower), Limits::default(), Clock::None);
/// overlay.write_file(VfsPath::new("/a"), b"new")?;
/// let changes = overlay.changes()?;
/// assert_eq!(changes[0].kind, ChangeKind::Modified);
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
pub struct OverlayVfs {
    layers: RwLock<Layers>,
}

impl OverlayVfs {
    /// Nothing on top of `lower` yet.
    pub fn new(lower: Arc<dyn Vfs>, limits: Limits, clock: Clock) -> Self {
        let layers = Layers::new(Direct(lower), MemVfs::with(limits, clock));
        Self {
            layers: RwLock::new(layers),
        }
    }

    /// The same lower file system under a fork of the changes.
    #[must_use]
    pub fn fork(&self) -> Self {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        Self {
            layers: RwLock::new(layers.fork()),
        }
    }

    /// Writes the changes, so that [`load`](Self::load) makes the same of them on top of the same files.
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        // What was copied is written: nobody waits for it.
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        let copy = layers.fork();
        drop(layers);
        copy.save(out)
            .map_err(|fault| fault.at("save", VfsPath::ROOT))
    }

    /// Reads what [`save`](Self::save) wrote, on top of `lower`. The bytes may come from anywhere.
    pub fn load(
        lower: Arc<dyn Vfs>,
        input: &mut dyn Read,
        limits: Limits,
        clock: Clock,
    ) -> Result<Self> {
        let layers = Layers::load(Direct(lower), input, limits, clock)
            .map_err(|fault| fault.at("load", VfsPath::ROOT))?;
        Ok(Self {
            layers: RwLock::new(layers),
        })
    }

    /// What lies below: it is only read.
    pub fn lower(&self) -> Arc<dyn Vfs> {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&layers.lower.0)
    }

    /// What the changes may take.
    pub fn limits(&self) -> Limits {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        *layers.memory().limits()
    }

    /// Takes over the changes of another one, in the place of its own. Both are on top of the same files.
    pub fn replace(&self, other: Self) {
        let layers = other
            .layers
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        *self.layers.write().unwrap_or_else(PoisonError::into_inner) = layers;
    }

    /// Throws all changes away.
    pub fn reset(&self) {
        self.layers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .reset();
    }

    /// What is different from the lower file system, by path; parents come before their children.
    pub fn changes(&self) -> Result<Vec<Change>> {
        self.look(Layers::changes)
            .map_err(|fault| fault.at("diff", VfsPath::ROOT))
    }

    /// Makes the same changes in `target`, which is usually the lower file system in a form that can be written.
    ///
    /// Before anything is touched, everything that is to be changed is compared with what it was when the overlay
    /// first changed it (where somebody else was faster, [`Overwrite`] decides), the target is asked what it would refuse (a link that
    /// leads out of it, say), and all files are written beside their places. If anything of that fails, the error names all that is in
    /// the way, and the target is as it was, but for times of directories. Then each file is put in its place in one step: what can still fail is what somebody
    /// else does in that moment, and what was done before it stays.
    /// Afterwards [`reset`](Self::reset) lets the overlay start again on top of the result.
    pub fn apply(&self, target: &dyn Vfs, overwrite: Overwrite) -> Result<Vec<Change>> {
        self.look(|layers| layers.apply(target, overwrite))
            .map_err(|fault| fault.at("apply", VfsPath::ROOT))
    }

    /// Writes the changes as a tar archive, with files named `.wh.NAME` for what is gone, as layers of container images
    /// have it.
    pub fn export_changes(&self, out: impl Write, limits: &TarLimits) -> Result<TarCount> {
        self.look(|layers| {
            let changes = layers.changes()?;
            crate::tar::export_changes(layers.memory(), &changes, out, limits)
        })
        .map_err(|fault| fault.at("export", VfsPath::ROOT))
    }

    fn look<T>(&self, f: impl FnOnce(&Layers) -> Result<T, Fault>) -> Result<T, Fault> {
        f(&self.layers.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, f: impl FnOnce(&mut Layers) -> Result<T, Fault>) -> Result<T, Fault> {
        f(&mut self.layers.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The directory that holds a name has changed.
fn touch(layers: &Layers, path: &VfsPath) -> Result<(), Fault> {
    let above = path.parent().unwrap_or(VfsPath::ROOT);
    let times = Times {
        accessed: SetTime::Keep,
        modified: SetTime::Now,
    };
    layers.upper.set_times(above, times)
}

impl Backend for OverlayVfs {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        self.look(|layers| layers.lstat(path))
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        self.look(|layers| match layers.in_upper(path)? {
            Some(_) => layers.upper.readlink(path),
            None => layers.lower.readlink(layers.visible(path)?),
        })
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        self.look(|layers| layers.readdir(path))
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        if !options.mutates() && !self.look(|layers| layers.is_lower_pipe(path))? {
            return self.look(|layers| layers.open_to_read(path, options));
        }
        self.change(|layers| {
            // Who reads a pipe and who writes it have to meet, so that both get the upper one. Of the lower one nothing is
            // asked but whether it may be opened: a pipe of the host may not.
            if !options.create_new && layers.is_lower_pipe(path)? {
                layers.lower.open(path, &OpenOptions::read())?;
            }
            match layers.lstat(path) {
                Ok(_) if options.create_new => return Err(Errno::EEXIST.into()),
                Ok(_) => layers.copy_up(path, !options.truncate)?,
                Err(fault) if fault.errno == Errno::ENOENT && options.create => {
                    layers.copy_up_parents(path)?;
                }
                Err(fault) => return Err(fault),
            }
            layers.upper.open(path, options)
        })
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.change(|layers| {
            layers.vacant(path)?;
            layers.copy_up_parents(path)?;
            layers.upper.mkdir(path, mode)
        })
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        self.change(|layers| {
            if !layers.lstat(path)?.is_dir() {
                return Err(Errno::ENOTDIR.into());
            }
            if !layers.readdir(path)?.is_empty() {
                return Err(Errno::ENOTEMPTY.into());
            }
            layers.copy_up_parents(path)?;
            if layers.in_upper(path)?.is_some() {
                layers.upper.rmdir(path)?;
            }
            layers.hide(path);
            touch(layers, path)
        })
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        self.change(|layers| {
            if layers.lstat(path)?.is_dir() {
                return Err(Errno::EISDIR.into());
            }
            layers.copy_up_parents(path)?;
            if layers.in_upper(path)?.is_some() {
                layers.upper.unlink(path)?;
            }
            layers.hide(path);
            touch(layers, path)
        })
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        self.change(|layers| {
            if let Ok(target) = layers.lstat(to)
                && target.is_dir()
                && !layers.readdir(to)?.is_empty()
            {
                return Err(Errno::ENOTEMPTY.into());
            }
            layers.copy_up_tree(from)?;
            layers.copy_up_parents(to)?;
            layers.upper.rename(from, to)?;
            layers.hide(from);
            // What the lower file system has there does not belong to what was moved.
            layers.hide(to);
            touch(layers, from)?;
            touch(layers, to)
        })
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        self.change(|layers| {
            layers.vacant(link)?;
            layers.copy_up_parents(link)?;
            layers.upper.symlink(target, link)
        })
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.change(|layers| {
            layers.vacant(path)?;
            layers.copy_up_parents(path)?;
            layers.upper.mkfifo(path, mode)
        })
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        self.change(|layers| {
            layers.vacant(new)?;
            layers.copy_up(existing, true)?;
            layers.copy_up_parents(new)?;
            layers.upper.link(existing, new)
        })
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.change(|layers| {
            layers.copy_up(path, true)?;
            layers.upper.chmod(path, mode)
        })
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        self.change(|layers| {
            layers.copy_up(path, true)?;
            layers.upper.set_times(path, times)
        })
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        Some(self.change(|layers| layers.write_file(path, data)))
    }

    fn is_exact(&self, path: &VfsPath) -> bool {
        self.look(|layers| Ok(layers.lower.is_exact(path)))
            .unwrap_or(false)
    }

    fn usage(&self) -> Usage {
        self.look(|layers| Ok(layers.upper.usage()))
            .unwrap_or_default()
    }

    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(Arc::new(OverlayVfs::fork(self)))
    }
}

/// Names in the order of their bytes, for merging two directories.
type Names = BTreeSet<Vec<u8>>;
