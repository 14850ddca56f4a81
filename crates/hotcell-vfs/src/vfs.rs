//! The file system everybody sees, and an open file.

use std::sync::Arc;

use crate::backend::Backend;
use crate::clock::Times;
use crate::error::{Errno, Fault, Result, VfsError};
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::path::{VfsPath, VfsPathBuf};

/// The mode of a file nobody gave one.
pub const FILE_MODE: u32 = 0o644;
/// The mode of a directory nobody gave one.
pub const DIR_MODE: u32 = 0o755;
/// The most that [`Vfs::read_file`] reads: a sparse file may claim any size, and the answer has to fit in memory.
pub const WHOLE_FILE_MAX: u64 = 1 << 30;

/// The most that is read of a device or stream as a whole: some never end.
pub(crate) const WHOLE_STREAM_MAX: u64 = 64 << 20;

/// How much is moved at once where a file is copied through a buffer.
pub(crate) const COPY_BUFFER: usize = 64 * 1024;

/// A file system. `Arc<dyn Vfs>` is what everybody passes around.
///
/// Paths are absolute, or relative to the root. Names are resolved as Linux does it: symbolic links first, then `..`;
/// `..` in the root is the root. The errors are those of Linux, too.
///
/// A name is taken as one user's own: modes are stored and reported, never enforced.
pub trait Vfs: Send + Sync {
    /// Opens a file, or creates it. A directory can be opened for reading, to ask for its metadata.
    fn open(&self, path: &VfsPath, options: &OpenOptions) -> Result<Arc<dyn VfsFile>>;

    /// What is known about the file; symbolic links are followed.
    fn stat(&self, path: &VfsPath) -> Result<Metadata>;

    /// What is known about the file; a symbolic link as the last name is not followed.
    fn lstat(&self, path: &VfsPath) -> Result<Metadata>;

    /// The names in a directory without `.` and `..`, sorted by their bytes.
    fn readdir(&self, path: &VfsPath) -> Result<Vec<DirEntry>>;

    /// Makes a directory.
    fn mkdir(&self, path: &VfsPath, mode: u32) -> Result<()>;

    /// Removes an empty directory.
    fn rmdir(&self, path: &VfsPath) -> Result<()>;

    /// Removes a name that is not a directory's. Who has the file open keeps it.
    fn unlink(&self, path: &VfsPath) -> Result<()>;

    /// Gives a file another name, in one step: whoever looks sees the old state or the new one.
    fn rename(&self, from: &VfsPath, to: &VfsPath) -> Result<()>;

    /// Sets the permission bits; symbolic links are followed.
    fn chmod(&self, path: &VfsPath, mode: u32) -> Result<()>;

    /// Makes a symbolic link at `link` that says `target`.
    fn symlink(&self, target: &VfsPath, link: &VfsPath) -> Result<()>;

    /// What a symbolic link says.
    fn readlink(&self, path: &VfsPath) -> Result<VfsPathBuf>;

    /// Gives a file a second name. A symbolic link as the last name of `existing` is not followed.
    fn link(&self, existing: &VfsPath, new: &VfsPath) -> Result<()>;

    /// Sets the times of a file, or of a symbolic link itself if `follow` is false.
    fn set_times(&self, path: &VfsPath, times: Times, follow: bool) -> Result<()>;

    /// The path without symbolic links, `.` and `..`. It exists.
    fn realpath(&self, path: &VfsPath) -> Result<VfsPathBuf>;

    /// The whole content of a file.
    fn read_file(&self, path: &VfsPath) -> Result<Vec<u8>> {
        let file = self.open(path, &OpenOptions::read())?;
        file.read_all().map_err(|error| error.with_path(path))
    }

    /// Makes `data` the whole content of a file, which is created if it is not there.
    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let file = self.open(path, &OpenOptions::write().create().truncate())?;
        file.write_all_at(0, data)
            .map_err(|error| error.with_path(path))
    }

    /// Adds `data` to the end of a file, which is created if it is not there.
    fn append_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        let file = self.open(path, &OpenOptions::append().create())?;
        file.append(data)
            .map_err(|error| error.with_path(path))
            .map(|_| ())
    }

    /// Makes a file this long: cuts it, or lets it grow by a hole that reads as zeros.
    fn truncate(&self, path: &VfsPath, size: u64) -> Result<()> {
        let file = self.open(path, &OpenOptions::write())?;
        file.truncate(size).map_err(|error| error.with_path(path))
    }

    /// Copies a file's content and mode to `to`, which is created or overwritten; says how long it is.
    fn copy(&self, from: &VfsPath, to: &VfsPath) -> Result<u64> {
        copy_between(self, from, self, to)
    }

    /// How much is stored, and what the limits are.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// A file system that starts with the same content and then goes its own way.
    fn fork_dyn(&self) -> Result<Arc<dyn Vfs>> {
        Err(
            Fault::new(Errno::ENOTSUP, "this file system cannot be forked")
                .at("fork", VfsPath::ROOT),
        )
    }

    /// This file system as one that goes by paths, if it is one: then nobody has to resolve a path twice.
    fn as_backend(&self) -> Option<&dyn Backend> {
        None
    }

    /// Whether there is something at `path`; symbolic links are followed, and errors mean no.
    fn exists(&self, path: &VfsPath) -> bool {
        self.stat(path).is_ok()
    }

    /// Makes a directory and those above it that are missing.
    fn mkdir_all(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let mut made = VfsPathBuf::root();
        for name in path.components() {
            made.push_name(name);
            match self.mkdir(&made, mode) {
                Ok(()) => {}
                Err(error) if error.errno() == Errno::EEXIST => {
                    if !self
                        .stat(&made)
                        .map_err(|error| error.with_path(path))?
                        .is_dir()
                    {
                        return Err(Fault::from(Errno::ENOTDIR).at("mkdir", path));
                    }
                }
                Err(error) => return Err(error.with_path(path)),
            }
        }
        Ok(())
    }
}

/// Copies one file from one file system to another.
pub(crate) fn copy_between<A: Vfs + ?Sized, B: Vfs + ?Sized>(
    source: &A,
    from: &VfsPath,
    target: &B,
    to: &VfsPath,
) -> Result<u64> {
    let told = |fault: Fault| fault.between("copy", from, to);
    let input = source
        .open(from, &OpenOptions::read())
        .map_err(|error| told(error.into()))?;
    let meta = input.stat().map_err(|error| told(error.into()))?;
    if meta.is_dir() {
        return Err(told(Errno::EISDIR.into()));
    }
    // Truncating comes after the check: `copy(a, a)` must not empty the file.
    let output = target
        .open(to, &OpenOptions::write().create().mode(meta.mode))
        .map_err(|error| told(error.into()))?;
    let there = output.stat().map_err(|error| told(error.into()))?;
    if std::ptr::addr_eq(source, target) && (there.dev, there.ino) == (meta.dev, meta.ino) {
        return Err(told(Fault::new(
            Errno::EINVAL,
            "both names are the same file",
        )));
    }
    copy_content(&*input, &*output).map_err(|error| told(error.into()))
}

/// Makes `output` as long as `input` and the same, in pieces; what is only zeros becomes a hole.
pub(crate) fn copy_content(input: &dyn VfsFile, output: &dyn VfsFile) -> Result<u64> {
    output.truncate(0)?;
    let mut buffer = vec![0; COPY_BUFFER];
    let mut offset = 0_u64;
    loop {
        let count = input.read_at(offset, &mut buffer)?;
        let Some(piece) = buffer.get(..count).filter(|piece| !piece.is_empty()) else {
            break;
        };
        if piece.iter().any(|byte| *byte != 0) {
            output.write_all_at(offset, piece)?;
        }
        offset = offset.saturating_add(count as u64);
        if offset > WHOLE_STREAM_MAX && !input.is_seekable() {
            return Err(too_large(input, WHOLE_STREAM_MAX));
        }
    }
    output.truncate(offset)?;
    Ok(offset)
}

fn too_large(file: &(impl VfsFile + ?Sized), most: u64) -> VfsError {
    let detail = format!("more than {most} bytes: read it in pieces");
    Fault::new(Errno::EFBIG, detail).at("read", file.opened_as())
}

/// An open file. It stays usable when its name is gone. Positions are kept by whoever reads.
pub trait VfsFile: Send + Sync {
    /// Reads into `buf` from `offset`; fewer bytes than asked for only at the end of the file (devices and streams give
    /// what they have). At or past the end: 0.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;

    /// Writes at `offset`; a gap before it reads as zeros. A file opened with
    /// [`append`](OpenOptions::append) is written at its end, whatever the offset.
    fn write_at(&self, offset: u64, data: &[u8]) -> Result<usize>;

    /// Writes at the end of the file, in one step; tells the offset it wrote to.
    fn append(&self, data: &[u8]) -> Result<u64>;

    /// Makes the file this long.
    fn truncate(&self, size: u64) -> Result<()>;

    /// What is known about the file.
    fn stat(&self) -> Result<Metadata>;

    /// Sets the times.
    fn set_times(&self, times: Times) -> Result<()>;

    /// Sets the permission bits.
    fn chmod(&self, mode: u32) -> Result<()>;

    /// Whether offsets mean something; false for devices and streams.
    fn is_seekable(&self) -> bool {
        true
    }

    /// Makes sure that what was written survives the machine, where that means something.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// The path the file was opened by, for error messages.
    fn opened_as(&self) -> &VfsPath;

    /// Writes all of `data` at `offset`.
    fn write_all_at(&self, mut offset: u64, mut data: &[u8]) -> Result<()> {
        while !data.is_empty() {
            let count = self.write_at(offset, data)?;
            if count == 0 {
                return Err(Fault::new(Errno::EIO, "nothing more could be written")
                    .at("write", self.opened_as()));
            }
            data = data.get(count..).unwrap_or_default();
            offset = offset.saturating_add(count as u64);
        }
        Ok(())
    }

    /// Reads everything to the end: of a file up to [`WHOLE_FILE_MAX`], of a device or stream up to 64 MiB.
    fn read_all(&self) -> Result<Vec<u8>> {
        let most = if self.is_seekable() {
            WHOLE_FILE_MAX
        } else {
            WHOLE_STREAM_MAX
        };
        let size = self.stat()?.size;
        if size > most {
            return Err(too_large(self, most));
        }
        let mut out = Vec::new();
        // One byte more than there should be, so that the read that finds the end needs no second round.
        let mut room = usize::try_from(size)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        loop {
            let start = out.len();
            if out.try_reserve(room).is_err() {
                return Err(VfsError::new(Errno::ENOMEM, "read", self.opened_as()));
            }
            out.resize(start.saturating_add(room), 0);
            let count = self.read_at(start as u64, out.get_mut(start..).unwrap_or_default())?;
            out.truncate(start.saturating_add(count));
            if count == 0 || (count < room && self.is_seekable()) {
                return Ok(out);
            }
            if out.len() as u64 > most {
                return Err(too_large(self, most));
            }
            room = COPY_BUFFER;
        }
    }
}

/// How to open a file.
///
/// ```
/// # use hotcell_vfs::{MemVfs, OpenOptions, Vfs, VfsPath};
/// # let vfs = MemVfs::new();
/// let log = vfs.open(VfsPath::new("/log"), &OpenOptions::append().create())?;
/// log.append(b"one\n")?;
/// # Ok::<(), hotcell_vfs::VfsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of open(2)")]
pub struct OpenOptions {
    /// For reading.
    pub read: bool,
    /// For writing.
    pub write: bool,
    /// Every write goes to the end.
    pub append: bool,
    /// Create the file if there is none.
    pub create: bool,
    /// Create the file, and fail with `EEXIST` if there is one (or a symbolic link).
    pub create_new: bool,
    /// Throw the content away.
    pub truncate: bool,
    /// Fail with `ELOOP` if the last name is a symbolic link.
    pub no_follow: bool,
    /// Fail with `ENOTDIR` if it is not a directory.
    pub directory: bool,
    /// Permission bits of a file that is created.
    pub mode: u32,
}

impl OpenOptions {
    const CLOSED: Self = Self {
        read: false,
        write: false,
        append: false,
        create: false,
        create_new: false,
        truncate: false,
        no_follow: false,
        directory: false,
        mode: FILE_MODE,
    };

    /// Read an existing file.
    pub const fn read() -> Self {
        Self {
            read: true,
            ..Self::CLOSED
        }
    }

    /// Write an existing file.
    pub const fn write() -> Self {
        Self {
            write: true,
            ..Self::CLOSED
        }
    }

    /// Read and write an existing file.
    pub const fn read_write() -> Self {
        Self {
            read: true,
            write: true,
            ..Self::CLOSED
        }
    }

    /// Add to the end of an existing file.
    pub const fn append() -> Self {
        Self {
            write: true,
            append: true,
            ..Self::CLOSED
        }
    }

    /// Create the file if there is none.
    #[must_use]
    pub const fn create(self) -> Self {
        Self {
            create: true,
            ..self
        }
    }

    /// Create the file, and fail if there is one.
    #[must_use]
    pub const fn create_new(self) -> Self {
        Self {
            create: true,
            create_new: true,
            ..self
        }
    }

    /// Throw the content away.
    #[must_use]
    pub const fn truncate(self) -> Self {
        Self {
            truncate: true,
            ..self
        }
    }

    /// Fail if the last name is a symbolic link.
    #[must_use]
    pub const fn no_follow(self) -> Self {
        Self {
            no_follow: true,
            ..self
        }
    }

    /// Fail if it is not a directory.
    #[must_use]
    pub const fn directory(self) -> Self {
        Self {
            directory: true,
            ..self
        }
    }

    /// Permission bits of a file that is created.
    #[must_use]
    pub const fn mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// Whether the file may be changed through it.
    pub const fn writes(&self) -> bool {
        self.write || self.append
    }

    /// Whether opening alone may change something.
    pub const fn mutates(&self) -> bool {
        self.writes() || self.create || self.create_new || self.truncate
    }
}
