//! Parts of a file system: one directory as a root of its own, one directory as all that can be reached, or everything
//! but not to be changed.

use std::borrow::Cow;
use std::sync::Arc;

use crate::backend::Backend;
use crate::clock::Times;
use crate::direct::Direct;
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;

/// Another file system, seen through a window that `..`, absolute paths and symbolic links do not lead out of, also if
/// somebody moves directories or puts links in their place meanwhile. (The last holds for file systems that are a
/// [`Backend`]: all of this crate are.)
///
/// ```
/// # use std::sync::Arc;
/// use hotcell_vfs::{Errno, MemVfs, Vfs, VfsPath, View};
///
/// let vfs = MemVfs::new();
/// vfs.mkdir(VfsPath::new("/work"), 0o755)?;
/// vfs.write_file(VfsPath::new("/secret"), b"")?;
/// vfs.symlink(VfsPath::new("/secret"), VfsPath::new("/work/link"))?;
///
/// let work = View::confined(Arc::new(vfs), VfsPath::new("/work"))?;
/// work.write_file(VfsPath::new("/work/a"), b"fine")?;
/// let error = work.read_file(VfsPath::new("/work/link")).unwrap_err();
/// assert_eq!(error.errno(), Errno::EACCES);
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
pub struct View {
    inner: Direct,
    frame: Frame,
    read_only: bool,
}

#[derive(Clone)]
enum Frame {
    /// Everything.
    All,
    /// Paths start at this directory.
    Rooted(VfsPathBuf),
    /// Paths are the same, but have to lead to this directory.
    Within(VfsPathBuf),
}

impl View {
    /// All of `vfs`.
    pub fn all(vfs: Arc<dyn Vfs>) -> Self {
        Self {
            inner: Direct(vfs),
            frame: Frame::All,
            read_only: false,
        }
    }

    /// The directory `root` as a file system of its own: it is `/`, and links say paths from there, as in a `chroot`.
    pub fn rooted(vfs: Arc<dyn Vfs>, root: &VfsPath) -> Result<Self> {
        let root = directory(&*vfs, root)?;
        Ok(Self {
            frame: Frame::Rooted(root),
            ..Self::all(vfs)
        })
    }

    /// The directory `root` as all that can be reached: paths and links mean what they did, and what lies elsewhere is
    /// `EACCES`.
    pub fn confined(vfs: Arc<dyn Vfs>, root: &VfsPath) -> Result<Self> {
        let root = directory(&*vfs, root)?;
        Ok(Self {
            frame: Frame::Within(root),
            ..Self::all(vfs)
        })
    }

    /// The same, and every change is `EROFS`.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The directory that is shown, by its path in the other file system, without links.
    pub fn root(&self) -> &VfsPath {
        match &self.frame {
            Frame::All => VfsPath::ROOT,
            Frame::Rooted(root) | Frame::Within(root) => root,
        }
    }

    /// Where a path leads in the other file system.
    fn place<'a>(&self, path: &'a VfsPath) -> Result<Cow<'a, VfsPath>, Fault> {
        match &self.frame {
            Frame::All => Ok(Cow::Borrowed(path)),
            Frame::Rooted(root) => Ok(Cow::Owned(path.components().fold(
                root.clone(),
                |mut at, name| {
                    at.push_name(name);
                    at
                },
            ))),
            Frame::Within(root) if path.starts_with(root) => Ok(Cow::Borrowed(path)),
            Frame::Within(root) => Err(Fault::new(
                Errno::EACCES,
                format!("it is outside of {root}"),
            )),
        }
    }

    /// Where a path that is to be changed leads.
    fn touch<'a>(&self, path: &'a VfsPath) -> Result<Cow<'a, VfsPath>, Fault> {
        let place = self.place(path)?;
        if self.read_only {
            return Err(Errno::EROFS.into());
        }
        Ok(place)
    }
}

fn directory(vfs: &dyn Vfs, path: &VfsPath) -> Result<VfsPathBuf> {
    let root = vfs.realpath(path)?;
    if !vfs.stat(&root)?.is_dir() {
        return Err(Fault::from(Errno::ENOTDIR).at("open", path));
    }
    Ok(root)
}

impl Backend for View {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        // A walk to the directory has to pass those above it.
        if let Frame::Within(root) = &self.frame
            && root.starts_with(path)
        {
            return self.inner.lstat(path);
        }
        self.inner.lstat(&self.place(path)?)
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        self.inner.readlink(&self.place(path)?)
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        self.inner.readdir(&self.place(path)?)
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        let place = if options.mutates() {
            self.touch(path)?
        } else {
            self.place(path)?
        };
        self.inner.open(&place, options)
    }

    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.inner.mkdir(&self.touch(path)?, mode)
    }

    fn rmdir(&self, path: &VfsPath) -> Result<(), Fault> {
        self.inner.rmdir(&self.touch(path)?)
    }

    fn unlink(&self, path: &VfsPath) -> Result<(), Fault> {
        self.inner.unlink(&self.touch(path)?)
    }

    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<(), Fault> {
        self.inner.rename(&self.touch(from)?, &self.touch(to)?)
    }

    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<(), Fault> {
        self.inner.symlink(target, &self.touch(link)?)
    }

    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.inner.mkfifo(&self.touch(path)?, mode)
    }

    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<(), Fault> {
        self.inner.link(&self.touch(existing)?, &self.touch(new)?)
    }

    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<(), Fault> {
        self.inner.chmod(&self.touch(path)?, mode)
    }

    fn set_times(&self, path: &VfsPath, times: Times) -> Result<(), Fault> {
        self.inner.set_times(&self.touch(path)?, times)
    }

    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Option<Result<(), Fault>> {
        match self.touch(path) {
            Ok(path) => self.inner.write_file(&path, data),
            Err(fault) => Some(Err(fault)),
        }
    }

    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Option<Result<u64, Fault>> {
        match (self.place(from), self.touch(to)) {
            (Ok(from), Ok(to)) => self.inner.copy(&from, &to),
            (Err(fault), _) | (_, Err(fault)) => Some(Err(fault)),
        }
    }

    fn is_exact(&self, path: &VfsPath) -> bool {
        self.place(path)
            .is_ok_and(|place| self.inner.is_exact(&place))
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }

    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(Arc::new(Self {
            inner: Direct(self.inner.fork()?),
            frame: self.frame.clone(),
            read_only: self.read_only,
        }))
    }
}
