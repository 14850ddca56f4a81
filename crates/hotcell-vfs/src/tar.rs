//! Trees as tar archives, in both directions.

mod export;
mod import;

pub(crate) use export::export_changes;
pub use export::export_tar;
pub use import::import_tar;

use crate::error::{Errno, Fault};
use crate::links::LinkPolicy;

/// How much an archive may hold, and what it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TarLimits {
    /// Bytes of content, over all files; a hole counts as if it were written (`EFBIG`).
    pub bytes: u64,
    /// Entries (`EFBIG`).
    pub entries: u64,
    /// Which symbolic links are taken from an archive (`EPERM`).
    pub links: LinkPolicy,
}

impl Default for TarLimits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            entries: 1_000_000,
            links: LinkPolicy::Inside,
        }
    }
}

/// What was written or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TarCount {
    /// Files, directories and links.
    pub entries: u64,
    /// Bytes of content.
    pub bytes: u64,
}

impl TarCount {
    /// Counts an entry, if it may still be.
    fn add(&mut self, bytes: u64, limits: &TarLimits) -> Result<(), Fault> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        if self.entries > limits.entries {
            let detail = format!("an archive has at most {} entries here", limits.entries);
            return Err(Fault::new(Errno::EFBIG, detail));
        }
        if self.bytes > limits.bytes {
            let detail = format!(
                "an archive has at most {} bytes of content here",
                limits.bytes
            );
            return Err(Fault::new(Errno::EFBIG, detail));
        }
        Ok(())
    }
}
