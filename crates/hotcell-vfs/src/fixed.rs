//! Files that are what the host says: fixed content, content made when it is read, links, devices.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::backend::Backend;
use crate::clock::{Times, Timestamp};
use crate::error::{Errno, Fault, Result};
use crate::file::VfsFile;
use crate::metadata::{DIR_SIZE, DirEntry, FileType, Metadata};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};
use crate::vfs::Vfs;

/// Something that is read and written as a stream: there are no offsets.
pub trait Device: Send + Sync {
    /// Fills `buf` from the start; 0 means that nothing more will come.
    fn read(&self, buf: &mut [u8]) -> Result<usize, Fault>;

    /// Takes as much of `data` as it can.
    fn write(&self, data: &[u8]) -> Result<usize, Fault>;
}

/// A tree of files that nobody can change from the inside. What the host puts there is what is there.
///
/// ```
/// use hotcell_vfs::{Errno, FixedVfs, Vfs, VfsPath};
///
/// let etc = FixedVfs::new().file("/hostname", "cell\n").symlink("/name", "hostname");
/// assert_eq!(etc.read_file(VfsPath::new("/name"))?, b"cell\n");
/// assert_eq!(etc.write_file(VfsPath::new("/name"), b"").unwrap_err().errno(), Errno::EROFS);
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
#[derive(Clone)]
pub struct FixedVfs {
    files: Arc<BTreeMap<VfsPathBuf, Entry>>,
    time: Timestamp,
}

#[derive(Clone)]
struct Entry {
    ino: u64,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Dir(BTreeSet<Vec<u8>>),
    File(Arc<[u8]>),
    Made(Arc<dyn Fn() -> Vec<u8> + Send + Sync>),
    Symlink(Arc<dyn Fn() -> VfsPathBuf + Send + Sync>),
    Device(Arc<dyn Device>),
}

impl FixedVfs {
    /// An empty tree.
    pub fn new() -> Self {
        let root = Entry {
            ino: 1,
            body: Body::Dir(BTreeSet::new()),
        };
        Self {
            files: Arc::new(BTreeMap::from([(VfsPathBuf::root(), root)])),
            time: Timestamp::EPOCH,
        }
    }

    /// Sets the time that all files show.
    #[must_use]
    pub fn dated(mut self, time: Timestamp) -> Self {
        self.time = time;
        self
    }

    /// Adds a file; directories above it are made.
    #[must_use]
    pub fn file(self, path: impl AsRef<VfsPath>, content: impl AsRef<[u8]>) -> Self {
        self.with(path.as_ref(), &Body::File(content.as_ref().into()))
    }

    /// Adds a file whose content is made whenever it is opened.
    #[must_use]
    pub fn made(
        self,
        path: impl AsRef<VfsPath>,
        content: impl Fn() -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        self.with(path.as_ref(), &Body::Made(Arc::new(content)))
    }

    /// Adds a symbolic link.
    #[must_use]
    pub fn symlink(self, path: impl AsRef<VfsPath>, target: impl AsRef<VfsPath>) -> Self {
        let target = target.as_ref().to_owned();
        self.made_symlink(path, move || target.clone())
    }

    /// Adds a symbolic link whose target is made whenever it is read.
    #[must_use]
    pub fn made_symlink(
        self,
        path: impl AsRef<VfsPath>,
        target: impl Fn() -> VfsPathBuf + Send + Sync + 'static,
    ) -> Self {
        self.with(path.as_ref(), &Body::Symlink(Arc::new(target)))
    }

    /// Adds a device.
    #[must_use]
    pub fn device(self, path: impl AsRef<VfsPath>, device: Arc<dyn Device>) -> Self {
        self.with(path.as_ref(), &Body::Device(device))
    }

    /// Adds an empty directory.
    #[must_use]
    pub fn dir(self, path: impl AsRef<VfsPath>) -> Self {
        self.with(path.as_ref(), &Body::Dir(BTreeSet::new()))
    }

    fn with(mut self, path: &VfsPath, body: &Body) -> Self {
        let files = Arc::make_mut(&mut self.files);
        let path = path.normalize();
        let names: Vec<&[u8]> = path.components().collect();
        let mut at = VfsPathBuf::root();
        for (depth, name) in names.iter().enumerate() {
            if let Some(Entry {
                body: Body::Dir(names),
                ..
            }) = files.get_mut(&at)
            {
                names.insert(name.to_vec());
            }
            at.push_name(name);
            let fresh = Entry {
                ino: files.len() as u64 + 1,
                body: Body::Dir(BTreeSet::new()),
            };
            let entry = files.entry(at.clone()).or_insert(fresh);
            let is_last = depth + 1 == names.len();
            match (&entry.body, body) {
                (Body::Dir(_), Body::Dir(_)) => {}
                // Whoever builds the tree has the last word about what a name is.
                _ if is_last => entry.body = body.clone(),
                (Body::Dir(_), _) => {}
                _ => entry.body = Body::Dir(BTreeSet::new()),
            }
        }
        self
    }

    fn entry(&self, path: &VfsPath) -> Result<&Entry, Fault> {
        self.files.get(path).ok_or_else(|| Errno::ENOENT.into())
    }

    fn metadata(&self, entry: &Entry) -> Metadata {
        let (mode, size) = match &entry.body {
            Body::Dir(_) => (0o555, DIR_SIZE),
            Body::File(content) => (0o444, content.len() as u64),
            Body::Made(_) => (0o444, 0),
            Body::Symlink(target) => (0o777, target().as_bytes().len() as u64),
            Body::Device(_) => (0o666, 0),
        };
        Metadata {
            kind: entry.body.kind(),
            dev: 1,
            ino: entry.ino,
            nlink: 1,
            mode,
            size,
            allocated: if entry.body.kind().is_dir() {
                DIR_SIZE
            } else {
                0
            },
            accessed: self.time,
            modified: self.time,
            changed: self.time,
        }
    }
}

impl Default for FixedVfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Body {
    const fn kind(&self) -> FileType {
        match self {
            Self::Dir(_) => FileType::Dir,
            Self::File(_) | Self::Made(_) => FileType::File,
            Self::Symlink(_) => FileType::Symlink,
            Self::Device(_) => FileType::CharDevice,
        }
    }
}

impl Backend for FixedVfs {
    fn lstat(&self, path: &VfsPath) -> Result<Metadata, Fault> {
        Ok(self.metadata(self.entry(path)?))
    }

    fn readlink(&self, path: &VfsPath) -> Result<Vec<u8>, Fault> {
        match &self.entry(path)?.body {
            Body::Symlink(target) => Ok(target().into_bytes()),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>, Fault> {
        let Body::Dir(names) = &self.entry(path)?.body else {
            return Err(Errno::ENOTDIR.into());
        };
        let entry = |name: &Vec<u8>| {
            let mut child = path.to_owned();
            child.push_name(name);
            let Entry { ino, body } = self.entry(&child)?;
            Ok(DirEntry {
                name: name.clone(),
                kind: body.kind(),
                ino: *ino,
            })
        };
        names.iter().map(entry).collect()
    }

    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>, Fault> {
        let entry = match self.files.get(path) {
            Some(entry) => entry,
            None if options.create => return Err(Errno::EROFS.into()),
            None => return Err(Errno::ENOENT.into()),
        };
        let body = match &entry.body {
            Body::Device(device) => Opened::Device(Arc::clone(device)),
            _ if options.writes() || options.truncate => return Err(Errno::EROFS.into()),
            Body::File(content) => Opened::Bytes(Arc::clone(content)),
            Body::Made(make) => Opened::Bytes(make().into()),
            Body::Dir(_) => Opened::Dir,
            Body::Symlink(_) => return Err(Errno::ELOOP.into()),
        };
        Ok(Arc::new(FixedFile {
            body,
            meta: self.metadata(entry),
            options: *options,
            path: path.to_owned(),
        }))
    }

    fn is_exact(&self, _path: &VfsPath) -> bool {
        true
    }

    fn fork(&self) -> Result<Arc<dyn Vfs>, Fault> {
        Ok(Arc::new(self.clone()))
    }
}

enum Opened {
    Dir,
    Bytes(Arc<[u8]>),
    Device(Arc<dyn Device>),
}

struct FixedFile {
    body: Opened,
    meta: Metadata,
    options: OpenOptions,
    path: VfsPathBuf,
}

impl FixedFile {
    fn write(&self, data: &[u8]) -> Result<usize> {
        let written = match &self.body {
            Opened::Device(device) if self.options.writes() => device.write(data),
            _ => Err(Errno::EBADF.into()),
        };
        written.map_err(|fault| fault.at("write", &self.path))
    }

    fn read_only<T>(&self, op: &'static str) -> Result<T> {
        Err(Fault::from(Errno::EROFS).at(op, &self.path))
    }
}

impl VfsFile for FixedFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let read = match &self.body {
            _ if !self.options.read => Err(Errno::EBADF.into()),
            Opened::Dir => Err(Errno::EISDIR.into()),
            Opened::Device(device) => device.read(buf),
            Opened::Bytes(content) => {
                let rest = usize::try_from(offset)
                    .ok()
                    .and_then(|at| content.get(at..));
                let rest = rest.unwrap_or_default();
                let count = rest.len().min(buf.len());
                for (to, from) in buf.iter_mut().zip(rest) {
                    *to = *from;
                }
                Ok(count)
            }
        };
        read.map_err(|fault| fault.at("read", &self.path))
    }

    fn write_at(&self, _offset: u64, data: &[u8]) -> Result<usize> {
        self.write(data)
    }

    fn append(&self, mut data: &[u8]) -> Result<u64> {
        while !data.is_empty() {
            let count = self.write(data)?;
            if count == 0 {
                return Err(Fault::from(Errno::EIO).at("write", &self.path));
            }
            data = data.get(count..).unwrap_or_default();
        }
        Ok(0)
    }

    fn truncate(&self, _size: u64) -> Result<()> {
        match self.body {
            Opened::Device(_) if self.options.writes() => Ok(()),
            _ => Err(Fault::from(Errno::EINVAL).at("truncate", &self.path)),
        }
    }

    fn stat(&self) -> Result<Metadata> {
        let size = match &self.body {
            Opened::Bytes(content) => content.len() as u64,
            _ => self.meta.size,
        };
        Ok(Metadata { size, ..self.meta })
    }

    fn set_times(&self, _times: Times) -> Result<()> {
        self.read_only("utimes")
    }

    fn chmod(&self, _mode: u32) -> Result<()> {
        self.read_only("chmod")
    }

    fn is_seekable(&self) -> bool {
        !matches!(self.body, Opened::Device(_))
    }

    fn opened_as(&self) -> &VfsPath {
        &self.path
    }
}
