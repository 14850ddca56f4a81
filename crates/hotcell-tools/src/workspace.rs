//! From a path that a model wrote to a file in the workspace, or a refusal.

use std::sync::Arc;

use hotcell_vfs::{Errno, Metadata, Result as VfsResult, Vfs, VfsError, VfsPath, VfsPathBuf};

use crate::error::FileToolError;
use crate::shown::shown;
use crate::spelling;

/// How many symbolic links one path may lead through, as on Linux.
const LINKS_MAX: usize = 40;

/// The directory the tools work in.
pub(crate) struct Workspace {
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) root: VfsPathBuf,
    pub(crate) home: String,
}

/// A place in the workspace.
pub(crate) struct Place {
    /// The path without links, `.` and `..`.
    pub(crate) real: VfsPathBuf,
    /// The workspace's path without links.
    pub(crate) root: VfsPathBuf,
    /// What is there.
    pub(crate) meta: Option<Metadata>,
}

impl Place {
    /// The path below the workspace; empty for the workspace itself.
    pub(crate) fn relative(&self) -> &VfsPath {
        self.real
            .strip_prefix(&self.root)
            .unwrap_or_else(|| VfsPath::new(""))
    }
}

impl Workspace {
    /// The file at a path somebody gave, or another file that the path may have meant. `None` if there is neither.
    pub(crate) fn existing(
        &self,
        given: &str,
        action: &'static str,
    ) -> Result<Option<Place>, FileToolError> {
        let told = |error: VfsError| FileToolError::failed(action, given, &error);
        let plain = spelling::plain(given, &self.home);
        // `~` is never a name; everything else that is there as it was written is what was meant.
        let mut spellings = Vec::new();
        if !given.starts_with('~') && given != plain {
            spellings.push(given.to_owned());
        }
        spellings.push(plain.clone());
        spellings.extend(spelling::variants(&plain));
        let root = self.real_root().map_err(told)?;
        for spelling in &spellings {
            match self.vfs.realpath(&self.absolute(spelling)) {
                Ok(real) => return self.place(given, root, real, action).map(Some),
                Err(error) if error.errno() == Errno::ENOENT => {}
                Err(error) => return Err(told(error)),
            }
        }
        // Whether something is missing out there is nobody's business either.
        let real = self.resolve(&self.absolute(&plain)).map_err(told)?;
        self.inside(given, &root, &real)?;
        Ok(None)
    }

    /// The place a path names, whether something is there or not.
    pub(crate) fn target(&self, given: &str, action: &'static str) -> Result<Place, FileToolError> {
        let told = |error: VfsError| FileToolError::failed(action, given, &error);
        let plain = spelling::plain(given, &self.home);
        let root = self.real_root().map_err(told)?;
        let literal = self.absolute(given);
        let known = !given.starts_with('~')
            && given != plain
            && (self.vfs.exists(&literal)
                || literal.parent().is_some_and(|dir| {
                    // `@types/x.d.ts` is a name like any other if there is a directory `@types`.
                    dir.depth() > self.root.depth() && self.vfs.exists(dir)
                }));
        let path = if known {
            literal
        } else {
            self.absolute(&plain)
        };
        let real = self.resolve(&path).map_err(told)?;
        if ends_like_directory(path.as_bytes()) && !self.vfs.exists(&real) {
            return Err(FileToolError::refused(action, given, Errno::EISDIR));
        }
        self.place(given, root, real, action)
    }

    fn place(
        &self,
        given: &str,
        root: VfsPathBuf,
        real: VfsPathBuf,
        action: &'static str,
    ) -> Result<Place, FileToolError> {
        self.inside(given, &root, &real)?;
        let meta = match self.vfs.lstat(&real) {
            Ok(meta) => Some(meta),
            Err(error) if error.errno() == Errno::ENOENT => None,
            Err(error) => return Err(FileToolError::failed(action, given, &error)),
        };
        Ok(Place { real, root, meta })
    }

    fn inside(&self, given: &str, root: &VfsPath, real: &VfsPath) -> Result<(), FileToolError> {
        if real.starts_with(root) {
            return Ok(());
        }
        Err(FileToolError::OutsideWorkspace {
            path: shown(given.as_bytes()),
            root: self.root.to_string(),
        })
    }

    fn absolute(&self, path: &str) -> VfsPathBuf {
        self.root.join(path)
    }

    fn real_root(&self) -> VfsResult<VfsPathBuf> {
        self.resolve(&self.root)
    }

    /// The path without links, `.` and `..`; names that do not exist are taken as they are.
    fn resolve(&self, path: &VfsPath) -> VfsResult<VfsPathBuf> {
        match self.vfs.realpath(path) {
            Err(error) if error.errno() == Errno::ENOENT => {}
            found => return found,
        }
        let mut links = 0;
        let mut at = VfsPathBuf::root();
        let mut todo: Vec<Vec<u8>> = path.components().rev().map(<[u8]>::to_vec).collect();
        while let Some(name) = todo.pop() {
            if name == b".." {
                at.pop();
                continue;
            }
            at.push(&name);
            match self.vfs.lstat(&at) {
                Ok(meta) if meta.is_symlink() => {
                    links += 1;
                    if links > LINKS_MAX {
                        return Err(VfsError::new(Errno::ELOOP, "open", path));
                    }
                    let target = self.vfs.readlink(&at)?;
                    at.pop();
                    if target.is_absolute() {
                        at = VfsPathBuf::root();
                    }
                    todo.extend(target.components().rev().map(<[u8]>::to_vec));
                }
                Ok(meta) if !meta.is_dir() && !todo.is_empty() => {
                    return Err(VfsError::new(Errno::ENOTDIR, "open", path));
                }
                Ok(_) => {}
                Err(error) if error.errno() == Errno::ENOENT => {}
                Err(error) => return Err(error),
            }
        }
        Ok(at)
    }
}

fn ends_like_directory(path: &[u8]) -> bool {
    path.ends_with(b"/") || path.ends_with(b"/.") || path.ends_with(b"/..")
}
