//! Several file systems in one tree.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::backend::Backend;
use crate::clock::Times;
use crate::direct::Direct;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{DirEntry, FileType, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::{DIR_MODE, Vfs};

/// A tree in which directories can be other file systems.
///
/// Symbolic links and `..` mean what they mean in the whole tree, whichever file system they are on: a link in a host
/// directory that says `/etc/passwd` leads to the tree's own `/etc/passwd`, never to the host's. [`usage`](Vfs::usage) tells
/// of the file system at the root; [`mounts`](Self::mounts) leads to the others.
///
/// ```
/// # use std::sync::Arc;
/// use hotcell_vfs::{DevOptions, MemVfs, MountVfs, Vfs, VfsPath, dev};
///
/// let tree = MountVfs::new(Arc::new(MemVfs::new()));
/// tree.mount(VfsPath::new("/dev"), Arc::new(dev(DevOptions::default())))?;
/// tree.write_file(VfsPath::new("/dev/null"), b"gone")?;
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
pub struct MountVfs {
    /// Behind a lock that is held to copy one pointer: mounting does not wait for operations, nor they for it.
    table: RwLock<Arc<Table>>,
}

#[derive(Clone)]
struct Table {
    /// By path. The root is always there.
    mounts: BTreeMap<VfsPathBuf, Mount>,
    next_dev: u64,
}

#[derive(Clone)]
struct Mount {
    vfs: Arc<Direct>,
    dev: u64,
}

/// A path in one of the mounted file systems.
struct Place<'a> {
    mount: &'a Mount,
    inner: VfsPathBuf,
}

impl MountVfs {
    /// A tree that is `root` until something is mounted.
    pub fn new(root: Arc<dyn Vfs>) -> Self {
        let root = Mount {
            vfs: Arc::new(Direct(root)),
            dev: 1,
        };
        Self::from_table(Table {
            mounts: BTreeMap::from([(VfsPathBuf::root(), root)]),
            next_dev: 2,
        })
    }

    fn from_table(table: Table) -> Self {
        Self {
            table: RwLock::new(Arc::new(table)),
        }
    }

    /// Makes `vfs` appear at `path`, over what is there. A directory that is missing is made, if it can be.
    pub fn mount(&self, path: &VfsPath, vfs: Arc<dyn Vfs>) -> Result<()> {
        if !self.exists(path)
            && let Err(error) = self.mkdir_all(path, DIR_MODE)
            && (error.errno() != Errno::EROFS
                || path.parent().is_none_or(|above| !self.exists(above)))
        {
            return Err(error);
        }
        let at = self.realpath(path).or_else(|_| {
            // On a file system that cannot be written the name exists only as a mount.
            let above = self.realpath(path.parent().unwrap_or(VfsPath::ROOT))?;
            Ok(above.join(path.file_name().unwrap_or_default()))
        })?;
        if self.stat(&at).is_ok_and(|meta| !meta.is_dir()) {
            return Err(Fault::from(Errno::ENOTDIR).at("mount", path));
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let table = Arc::make_mut(&mut table);
        let dev = table.next_dev;
        table.next_dev += 1;
        let vfs = Arc::new(Direct(vfs));
        table.mounts.insert(at, Mount { vfs, dev });
        Ok(())
    }

    /// Takes a mounted file system away. Files that are open stay open.
    pub fn unmount(&self, path: &VfsPath) -> Result<()> {
        let at = self.realpath(path)?;
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if at.file_name().is_none() || !table.mounts.contains_key(&at) {
            return Err(Fault::new(Errno::EINVAL, "nothing is mounted there").at("unmount", path));
        }
        if table
            .mounts
            .keys()
            .any(|other| *other != at && other.starts_with(&at))
        {
            return Err(Fault::new(Errno::EBUSY, "something is mounted below").at("unmount", path));
        }
        Arc::make_mut(&mut table).mounts.remove(&at);
        Ok(())
    }

    /// What is mounted where, the root first.
    pub fn mounts(&self) -> Vec<(VfsPathBuf, Arc<dyn Vfs>)> {
        let table = self.table();
        let mount = |(path, mount): (&VfsPathBuf, &Mount)| (path.clone(), Arc::clone(&mount.vfs.0));
        table.mounts.iter().map(mount).collect()
    }

    /// A tree whose file systems are forks of these: those in memory and overlays share until somebody writes, those
    /// that nobody can write are the same. One that cannot be forked makes the whole fork fail.
    pub fn fork(&self) -> Result<Self> {
        self.fork_with(|path, vfs| vfs.fork_dyn().map_err(|error| error.with_path(path)))
    }

    /// A tree with other file systems in the places of these, for who knows how to fork them.
    pub fn fork_with(
        &self,
        mut fork: impl FnMut(&VfsPath, &Arc<dyn Vfs>) -> Result<Arc<dyn Vfs>>,
    ) -> Result<Self> {
        let mut table = Table::clone(&self.table());
        for (path, mount) in &mut table.mounts {
            mount.vfs = Arc::new(Direct(fork(path, &mount.vfs.0)?));
        }
        Ok(Self::from_table(table))
    }

    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Table {
    /// The file system a path is on. A mount's path sorts before all below it, so the last match is the nearest one.
    fn locate(&self, path: &VfsPath) -> Result<Place<'_>, Fault> {
        let found = self.mounts.iter().rev().find_map(|(at, mount)| {
            let rest = path.strip_prefix(at)?;
            let inner = VfsPath::ROOT.join(rest);
            Some(Place { mount, inner })
        });
        found.ok_or_else(|| Errno::EIO.into())
    }

    /// Both paths have to be on one file system.
    fn locate_two(&self, from: &VfsPath, to: &VfsPath) -> Result<(Place<'_>, VfsPathBuf), Fault> {
        let from = self.locate(from)?;
        let to = self.locate(to)?;
        if from.mount.dev != to.mount.dev {
            return Err(Errno::EXDEV.into());
        }
        Ok((from, to.inner))
    }

    /// A name that is to go away: nothing may be mounted there or below.
    fn free(&self, path: &VfsPath) -> Result<(), Fault> {
        if self.mounts.keys().any(|at| at.starts_with(path)) {
            return Err(Fault::new(Errno::EBUSY, "something is mounted there"));
        }
        Ok(())
    }
}

impl Mount {
    const fn numbered(&self, meta: Metadata) -> Metadata {
        Metadata {
            dev: self.dev,
            ..meta
        }
    }
}

impl Backend for MountVfs {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        Ok(mount.numbered(mount.vfs.lstat(&inner)?))
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.readlink(&inner)
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        let mut entries = mount.vfs.readdir(&inner)?;
        for (at, mounted) in &table.mounts {
            let Some(name) = at.file_name().filter(|_| at.parent() == Some(path)) else {
                continue;
            };
            let entry = DirEntry {
                name: name.to_vec(),
                kind: FileType::Dir,
                ino: mounted.vfs.lstat(VfsPath::ROOT).map_or(0, |meta| meta.ino),
            };
            match entries.binary_search_by(|entry| entry.name.as_slice().cmp(name)) {
                Ok(index) => entries[index] = entry,
                Err(index) => entries.insert(index, entry),
            }
        }
        Ok(entries)
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        let file = mount.vfs.open(&inner, options)?;
        Ok(Arc::new(MountFile {
            file,
            mount: mount.clone(),
            path: path.to_owned(),
        }))
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.mkdir(&inner, mode)
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        let table = self.table();
        table.free(path)?;
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.rmdir(&inner)
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        let table = self.table();
        table.free(path)?;
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.unlink(&inner)
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        let table = self.table();
        table.free(from)?;
        table.free(to)?;
        let (Place { mount, inner }, to) = table.locate_two(from, to)?;
        mount.vfs.rename(&inner, &to)
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(link)?;
        mount.vfs.symlink(target, &inner)
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.mkfifo(&inner, mode)
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        let table = self.table();
        let (Place { mount, inner }, new) = table.locate_two(existing, new)?;
        mount.vfs.link(&inner, &new)
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.chmod(&inner, mode)
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path)?;
        mount.vfs.set_times(&inner, times)
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        let table = self.table();
        let Place { mount, inner } = table.locate(path).ok()?;
        mount.vfs.write_file(&inner, data)
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Option<Result<u64, Fault>> {
        let table = self.table();
        // Between two file systems a copy is read and written.
        let (Place { mount, inner }, to) = table.locate_two(from, to).ok()?;
        mount.vfs.copy(&inner, &to)
    }

    fn is_exact(&self, path: &VfsPath) -> bool {
        let table = self.table();
        let place = table.locate(path);
        place.is_ok_and(|Place { mount, inner }| mount.vfs.is_exact(&inner))
    }

    fn usage(&self) -> Usage {
        let table = self.table();
        table
            .locate(VfsPath::ROOT)
            .map_or_else(|_| Usage::default(), |place| place.mount.vfs.usage())
    }

    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(Arc::new(MountVfs::fork(self)?))
    }
}

/// An open file that says the device number and the path it has in the tree.
struct MountFile {
    file: Arc<dyn VfsFile>,
    mount: Mount,
    path: VfsPathBuf,
}

impl MountFile {
    fn named<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| error.with_path(&self.path))
    }
}

impl VfsFile for MountFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.named(self.file.read_at(offset, buf))
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize> {
        self.named(self.file.write_at(offset, data))
    }

    fn append(&self, data: &[u8]) -> Result<u64> {
        self.named(self.file.append(data))
    }

    fn truncate(&self, size: u64) -> Result<()> {
        self.named(self.file.truncate(size))
    }

    fn stat(&self) -> Result<Metadata> {
        let meta = self.named(self.file.stat())?;
        Ok(self.mount.numbered(meta))
    }

    fn set_times(&self, times: Times) -> Result<()> {
        self.named(self.file.set_times(times))
    }

    fn chmod(&self, mode: u32) -> Result<()> {
        self.named(self.file.chmod(mode))
    }

    fn is_seekable(&self) -> bool {
        self.file.is_seekable()
    }

    fn sync(&self) -> Result<()> {
        self.named(self.file.sync())
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}
