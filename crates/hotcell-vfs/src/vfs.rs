//! The file system everybody sees.

use std::sync::Arc;

use crate::backend::Backend;
use crate::clock::Times;
use crate::error::{Errno, Fault, Result};
use crate::file::{VfsFile, copy_content};
use crate::metadata::{DirEntry, Metadata, Usage};
use crate::options::OpenOptions;
use crate::path::{VfsPath, VfsPathBuf};

/// The mode of a file nobody gave one.
pub const FILE_MODE: u32 = 0o644;
/// The mode of a directory nobody gave one.
pub const DIR_MODE: u32 = 0o755;

/// The permission bits a file can have.
pub(crate) const MODE_BITS: u32 = 0o7777;

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

    /// Makes a named pipe. It is only a name here: what goes through it is the business of whoever has processes.
    fn mkfifo(&self, path: &VfsPath, mode: u32) -> Result<()> {
        let _ = mode;
        Err(Fault::new(Errno::ENOTSUP, "this file system has no named pipes").at("mkfifo", path))
    }

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

    /// Makes `data` the whole content of a file, which is created if it is not there. In memory this is one step: who
    /// reads sees the old content or the new one, and what does not fit leaves the old one.
    fn write_file(&self, path: &VfsPath, data: &[u8]) -> Result<()> {
        overwrite(self, path, data)
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

    /// Copies a file's content to `to`, which is overwritten, or created with the same mode; says how long it is.
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

/// Empties a file and writes it anew.
pub(crate) fn overwrite<V: Vfs + ?Sized>(vfs: &V, path: &VfsPath, data: &[u8]) -> Result<()> {
    let file = vfs.open(path, &OpenOptions::write().create().truncate())?;
    file.write_all_at(0, data)
        .map_err(|error| error.with_path(path))
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
