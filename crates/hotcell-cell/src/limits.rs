//! The limit on a cell's memory.

use wasmtime::ResourceLimiter;

/// The image has some five hundred functions in its table, and nothing adds to them.
const MAX_TABLE_ELEMENTS: usize = 4096;

const EXTRA_STEP: u64 = 1 << 20;
const MAX_EXTRA: u64 = 4 << 20;

/// Refuses memory beyond a limit. The engine inside turns a refusal into an error that code can catch.
pub(crate) struct MemoryLimit {
    limit: u64,
    /// Beyond the limit, see [`MemoryLimit::begin_run`].
    extra: u64,
    /// The most the memory has been.
    pub(crate) peak: u64,
    /// Whether memory was refused since this was last cleared.
    pub(crate) refused: bool,
}

impl MemoryLimit {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            extra: 0,
            peak: 0,
            refused: false,
        }
    }

    /// A run that follows one that ran out gets a little more: it must be able to let go of what fills the memory, and
    /// even that takes some.
    pub(crate) fn begin_run(&mut self) {
        if std::mem::take(&mut self.refused) {
            self.extra = (self.extra + EXTRA_STEP).min(MAX_EXTRA);
        }
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let fits = desired as u64 <= self.limit + self.extra
            && maximum.is_none_or(|maximum| desired <= maximum);
        if fits {
            self.peak = self.peak.max(desired as u64);
        } else {
            self.refused = true;
        }
        Ok(fits)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }
}
