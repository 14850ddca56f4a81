//! From a resolved path to the place it names on the host.
//!
//! A resolved path has no links in it, so one that is found on the way was put there since, and whoever put it there
//! wants something. Directories are opened without following any, and the operation itself is given a directory and
//! one name in it: there is nothing left to be swapped.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::{HostVfs, fault};
use crate::error::Fault;
use crate::path::VfsPath;

/// A directory of the host, and a name in it.
pub(super) struct Spot<'a> {
    pub(super) dir: Arc<Dir>,
    /// None if the directory itself is meant, which is the one that is mounted.
    pub(super) name: Option<&'a Path>,
}

impl Spot<'_> {
    /// The name as the host takes it.
    pub(super) fn name(&self) -> &Path {
        self.name.unwrap_or(Path::new("."))
    }
}

impl HostVfs {
    /// The place that a path names.
    pub(super) fn spot<'a>(&self, path: &'a VfsPath) -> Result<Spot<'a>, Fault> {
        let Some(name) = path.file_name() else {
            return Ok(Spot {
                dir: Arc::clone(&self.dir),
                name: None,
            });
        };
        Ok(Spot {
            dir: self.directory(path.parent().unwrap_or(VfsPath::ROOT))?,
            name: Some(Path::new(OsStr::from_bytes(name))),
        })
    }

    /// The directory at a path.
    pub(super) fn directory(&self, path: &VfsPath) -> Result<Arc<Dir>, Fault> {
        let bytes = path.as_bytes();
        let below = bytes.strip_prefix(b"/").unwrap_or(bytes);
        if below.is_empty() {
            return Ok(Arc::clone(&self.dir));
        }
        let dir = descend(&self.dir, Path::new(OsStr::from_bytes(below)))?;
        Ok(Arc::new(dir))
    }
}

/// Opens a directory in one step, where the system can do that without following links.
#[cfg(target_os = "linux")]
fn descend(from: &Dir, path: &Path) -> Result<Dir, Fault> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
    match openat2(from, path, flags, Mode::empty(), resolve) {
        Ok(dir) => Ok(Dir::from(dir)),
        // A kernel that is too old, or a filter that does not know the call.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => descend_by_names(from, path),
        Err(errno) => Err(fault(errno)),
    }
}

/// Opens a directory.
#[cfg(not(target_os = "linux"))]
fn descend(from: &Dir, path: &Path) -> Result<Dir, Fault> {
    descend_by_names(from, path)
}

/// Opens a directory by opening each one above it.
fn descend_by_names(from: &Dir, path: &Path) -> Result<Dir, Fault> {
    let mut names = path.iter();
    let first = names.next().unwrap_or(OsStr::new("."));
    names.try_fold(from.open_dir_nofollow(first)?, |dir, name| {
        Ok(dir.open_dir_nofollow(name)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_down_find_directories_and_refuse_links() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(root.path(), cap_std::ambient_authority()).unwrap();
        dir.create_dir_all("a/b/c").unwrap();
        dir.symlink("a", "link").unwrap();
        dir.symlink("b", "a/link").unwrap();
        dir.write("a/file", b"").unwrap();
        for down in [descend, descend_by_names] {
            for path in ["a", "a/b", "a/b/c"] {
                assert!(down(&dir, Path::new(path)).is_ok(), "{path}");
            }
            for path in [
                "link", "link/b", "a/link", "a/link/c", "a/file", "none", "a/none/c",
            ] {
                assert!(down(&dir, Path::new(path)).is_err(), "{path}");
            }
        }
    }
}
