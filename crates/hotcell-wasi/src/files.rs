//! Which file a path means.
//!
//! A C library for WASI knows directories that it was given (`/` and `.` here) and asks for paths below them. Newer ones cut
//! the slash off `/tmp/x` first, so that we cannot tell it from `tmp/x`: they think that the working directory is `/`. For
//! them the root and the working directory are one, see [`Naming::Merged`].

use std::sync::Arc;

use hotcell_process::{Descriptors, named_descriptor};
use hotcell_vfs::{PATH_MAX, Vfs, VfsPath, VfsPathBuf};

use crate::{
    abi::Errno,
    fds::{Directory, Place},
};

/// What a program means by a path below one of its first directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// What it says: its library tells absolute paths from relative ones.
    Exact,
    /// A name of the root, if there is one with the same first name, else one of the working directory. If both have that first
    /// name, the working directory has what exists there, and the root everything else that its directories could have.
    Merged,
    /// The program has gone to its working directory by itself when it began, so that paths come whole; before that, and if it
    /// did not, as for [`Naming::Merged`].
    Whole,
}

/// The files, and where the program is.
pub(crate) struct Files {
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) cwd: VfsPathBuf,
    pub(crate) umask: u32,
    pub(crate) naming: Naming,
    /// The streams of the process, which `/dev/fd/3` and the like name.
    pub(crate) inherited: Descriptors,
}

impl Files {
    /// The path from the root that a program means by `path` in a directory that it has open.
    pub(crate) fn locate(&self, directory: &Directory, path: &[u8]) -> Result<VfsPathBuf, Errno> {
        if path.is_empty() {
            return Err(Errno::Noent);
        }
        if path.len() > PATH_MAX {
            return Err(Errno::Nametoolong);
        }
        if path.contains(&0) {
            return Err(Errno::Inval);
        }
        if path.first() == Some(&b'/') {
            return Ok(VfsPathBuf::from(path));
        }
        let base = match &directory.place {
            Place::Opened { .. } => self.path_of(directory)?,
            Place::Root | Place::Here if self.means_root(&directory.place, path) => {
                VfsPathBuf::root()
            }
            Place::Root | Place::Here => self.cwd.clone(),
        };
        Ok(base.join(path))
    }

    /// The path of a directory itself.
    pub(crate) fn path_of(&self, directory: &Directory) -> Result<VfsPathBuf, Errno> {
        match &directory.place {
            Place::Root => Ok(VfsPathBuf::root()),
            Place::Here if self.naming == Naming::Whole => Ok(VfsPathBuf::root()),
            Place::Here => Ok(self.cwd.clone()),
            Place::Opened { path, file } => {
                // Another directory may have its name by now: what was opened is then out of reach, not replaced.
                let (opened, there) = (file.stat()?, self.vfs.stat(path)?);
                if (opened.dev, opened.ino) != (there.dev, there.ino) {
                    return Err(Errno::Noent);
                }
                Ok(path.clone())
            }
        }
    }

    fn means_root(&self, place: &Place, path: &[u8]) -> bool {
        let (root, is_root) = (VfsPath::ROOT, matches!(place, Place::Root));
        if self.naming != Naming::Exact && named_descriptor(&root.join(path)).is_some() {
            return true;
        }
        let first = VfsPath::new(path).components().next();
        let there = |base: &VfsPath, path: &[u8]| self.vfs.lstat(&base.join(path)).is_ok();
        match (self.naming, first) {
            (Naming::Exact, _) | (Naming::Merged, None) => is_root,
            (Naming::Whole, None) => true,
            (Naming::Whole, Some(first)) => there(root, first),
            (Naming::Merged, Some(b"..")) => false,
            (Naming::Merged, Some(_)) if path.starts_with(b"./") => false,
            (Naming::Merged, Some(first)) => {
                if !there(root, first) {
                    return false;
                }
                if !there(&self.cwd, first) {
                    return true;
                }
                // Both could be meant.
                let parent = VfsPath::new(path).parent().unwrap_or(VfsPath::new(b""));
                !there(&self.cwd, path)
                    && (there(root, path)
                        || there(root, parent.as_bytes())
                        || !there(&self.cwd, parent.as_bytes()))
            }
        }
    }
}
