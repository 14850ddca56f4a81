//! Files as tar archives.

use std::io::{Read, Write};

use hotcell_vfs::{LinkPolicy, TarCount, TarLimits, VfsPath, export_tar, import_tar};

use super::Sandbox;
use crate::error::Result;

impl Sandbox {
    /// Everything below a directory, as a tar archive.
    pub fn export(&self, path: impl AsRef<VfsPath>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.export_to(path, &mut bytes)?;
        Ok(bytes)
    }

    /// The same, written to somewhere. What it writes is the state at one moment, whatever commands do meanwhile.
    pub fn export_to(&self, path: impl AsRef<VfsPath>, out: impl Write) -> Result<TarCount> {
        let path = self.resolve(path)?;
        let world = self.world()?;
        // Where something cannot be forked, it is read as it is.
        let tree = world
            .fork(&self.0.options)
            .map_or(world.tree, |fork| fork.tree);
        Ok(export_tar(&*tree, &path, out, &self.tar_limits())?)
    }

    /// Puts what is in a tar archive below a directory.
    ///
    /// The archive may come from anywhere: absolute names, `..`, links that lead out, and more than the limits allow are refused,
    /// with an error that names the entry. What came before it stays; to have all or nothing, import into a fork.
    pub fn import(&self, path: impl AsRef<VfsPath>, archive: impl Read) -> Result<TarCount> {
        let path = self.resolve(path)?;
        let tree = self.world()?.tree;
        Ok(import_tar(&*tree, &path, archive, &self.tar_limits())?)
    }

    fn tar_limits(&self) -> TarLimits {
        let limits = self.limits();
        TarLimits {
            bytes: limits.file_bytes,
            entries: limits.files,
            links: LinkPolicy::Inside,
        }
    }
}
