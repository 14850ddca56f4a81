//! How much a [`MemVfs`](crate::MemVfs) may hold.

use crate::error::{Errno, Fault};
use crate::resolve::NAME_MAX;

/// What a file system in memory may hold. What goes beyond is refused before anything changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of content, over all files (`ENOSPC`). Holes are free, several names of a file count it once. After
    /// the first 64 KiB, a piece of 64 KiB in which something was written counts at least 128 bytes.
    pub bytes: u64,
    /// Files, directories and symbolic links (`ENOSPC`). Beside its content a file takes about 400 bytes of memory, a
    /// directory 800, and their names.
    pub files: u64,
    /// Hard links, over all files: names beyond a file's first (`ENOSPC`).
    pub links: u64,
    /// How long one file may claim to be (`EFBIG`). A file with holes can be longer than what is stored.
    pub file_size: u64,
    /// Bytes in one name (`ENAMETOOLONG`).
    pub name: usize,
    /// Directories within directories (`EMLINK`).
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            files: 250_000,
            links: 100_000,
            file_size: 1 << 40,
            name: NAME_MAX,
            depth: 512,
        }
    }
}

impl Limits {
    pub(super) fn check_bytes(&self, used: u64, more: u64) -> Result<(), Fault> {
        if more > 0 && used.saturating_add(more) > self.bytes {
            let detail = format!(
                "{more} more bytes would pass the limit of {} bytes, {used} are in use",
                self.bytes
            );
            return Err(Fault::new(Errno::ENOSPC, detail));
        }
        Ok(())
    }

    pub(super) fn check_files(&self, used: u64) -> Result<(), Fault> {
        if used >= self.files {
            return Err(Fault::new(
                Errno::ENOSPC,
                format!("the limit of {} files is reached", self.files),
            ));
        }
        Ok(())
    }

    pub(super) fn check_links(&self, used: u64) -> Result<(), Fault> {
        if used >= self.links {
            return Err(Fault::new(
                Errno::ENOSPC,
                format!("the limit of {} hard links is reached", self.links),
            ));
        }
        Ok(())
    }

    pub(super) fn check_size(&self, size: Option<u64>) -> Result<u64, Fault> {
        size.filter(|size| *size <= self.file_size).ok_or_else(|| {
            Fault::new(
                Errno::EFBIG,
                format!("a file has at most {} bytes", self.file_size),
            )
        })
    }

    pub(super) fn check_depth(&self, depth: usize) -> Result<(), Fault> {
        if depth > self.depth {
            let detail = format!("directories can be nested {} deep", self.depth);
            return Err(Fault::new(Errno::EMLINK, detail));
        }
        Ok(())
    }
}
