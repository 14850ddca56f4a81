//! Files, for the host. Relative paths begin where the next command does.

use hotcell_vfs::{DirEntry, FileType, Metadata, Vfs, VfsPath, Walk};

use super::Sandbox;
use crate::error::Result;

impl Sandbox {
    /// What a file holds.
    pub fn read_file(&self, path: impl AsRef<VfsPath>) -> Result<Vec<u8>> {
        Ok(self.world()?.tree.read_file(&self.resolve(path)?)?)
    }

    /// Makes something the whole content of a file, in one step. The file is created if it is not there; the directory above
    /// it is not.
    pub fn write_file(&self, path: impl AsRef<VfsPath>, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.resolve(path)?;
        Ok(self.world()?.tree.write_file(&path, content.as_ref())?)
    }

    /// Adds something to the end of a file, which is created if it is not there.
    pub fn append_file(&self, path: impl AsRef<VfsPath>, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.resolve(path)?;
        Ok(self.world()?.tree.append_file(&path, content.as_ref())?)
    }

    /// What is known about a file; symbolic links are followed.
    pub fn stat(&self, path: impl AsRef<VfsPath>) -> Result<Metadata> {
        Ok(self.world()?.tree.stat(&self.resolve(path)?)?)
    }

    /// What is known about a file; a symbolic link is not followed.
    pub fn lstat(&self, path: impl AsRef<VfsPath>) -> Result<Metadata> {
        Ok(self.world()?.tree.lstat(&self.resolve(path)?)?)
    }

    /// Whether there is something; symbolic links are followed.
    pub fn exists(&self, path: impl AsRef<VfsPath>) -> Result<bool> {
        Ok(self.world()?.tree.exists(&self.resolve(path)?))
    }

    /// The names in a directory, sorted by their bytes.
    pub fn list(&self, path: impl AsRef<VfsPath>) -> Result<Vec<DirEntry>> {
        Ok(self.world()?.tree.readdir(&self.resolve(path)?)?)
    }

    /// Makes a directory; with `parents`, also those above it, and it may be there.
    pub fn mkdir(&self, path: impl AsRef<VfsPath>, parents: bool) -> Result<()> {
        let (tree, path) = (self.world()?.tree, self.resolve(path)?);
        if parents {
            return Ok(tree.mkdir_all(&path, 0o755)?);
        }
        Ok(tree.mkdir(&path, 0o755)?)
    }

    /// Gives a file another name, in one step.
    pub fn rename(&self, from: impl AsRef<VfsPath>, to: impl AsRef<VfsPath>) -> Result<()> {
        let (from, to) = (self.resolve(from)?, self.resolve(to)?);
        Ok(self.world()?.tree.rename(&from, &to)?)
    }

    /// Sets the permission bits, which are stored and reported.
    pub fn chmod(&self, path: impl AsRef<VfsPath>, mode: u32) -> Result<()> {
        Ok(self.world()?.tree.chmod(&self.resolve(path)?, mode)?)
    }

    /// Makes a symbolic link at `link` that says `target`.
    pub fn symlink(&self, target: impl AsRef<VfsPath>, link: impl AsRef<VfsPath>) -> Result<()> {
        let link = self.resolve(link)?;
        Ok(self.world()?.tree.symlink(target.as_ref(), &link)?)
    }

    /// Removes a file, a link, or an empty directory; with `recursive`, a directory with all that is in it.
    pub fn remove(&self, path: impl AsRef<VfsPath>, recursive: bool) -> Result<()> {
        let (tree, path) = (self.world()?.tree, self.resolve(path)?);
        if tree.lstat(&path)?.kind != FileType::Dir {
            return Ok(tree.unlink(&path)?);
        }
        if recursive {
            let mut below = Vec::new();
            for entry in Walk::new(&*tree, &path) {
                let entry = entry?;
                below.push((entry.path, entry.kind));
            }
            // What is in a directory comes after it.
            for (inner, kind) in below.into_iter().rev() {
                if inner == path {
                    continue;
                }
                match kind {
                    FileType::Dir => tree.rmdir(&inner)?,
                    _ => tree.unlink(&inner)?,
                }
            }
        }
        Ok(tree.rmdir(&path)?)
    }
}
