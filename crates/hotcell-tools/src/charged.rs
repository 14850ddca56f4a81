//! Bytes that are paid for.

use std::ops::Deref;

use crate::error::FileToolError;
use crate::tools::FileTools;

/// A buffer that is charged for before it grows, and until it is gone.
pub(crate) struct Charged<'a> {
    tools: &'a FileTools,
    bytes: Vec<u8>,
}

impl<'a> Charged<'a> {
    pub(crate) const fn new(tools: &'a FileTools) -> Self {
        Self {
            tools,
            bytes: Vec::new(),
        }
    }

    /// One with room for so many bytes and no more.
    pub(crate) fn with_capacity(
        tools: &'a FileTools,
        capacity: usize,
    ) -> Result<Self, FileToolError> {
        tools.take(capacity)?;
        let bytes = Vec::with_capacity(capacity);
        Ok(Self { tools, bytes })
    }

    /// Makes room for so many more bytes, in the steps in which vectors grow.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), FileToolError> {
        let (had, wanted) = (self.bytes.capacity(), self.bytes.len().saturating_add(more));
        if wanted > had {
            let capacity = wanted.max(2 * had);
            // Both are there while the bytes are moved.
            self.tools.take(capacity)?;
            self.bytes.reserve_exact(capacity - self.bytes.len());
            self.tools.give_back(had);
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), FileToolError> {
        self.reserve(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds so many bytes that `read` writes, and says how many it wrote.
    pub(crate) fn fill(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, FileToolError>,
    ) -> Result<usize, FileToolError> {
        self.reserve(most)?;
        let at = self.bytes.len();
        self.bytes.resize(at + most, 0);
        let read = read(self.bytes.get_mut(at..).unwrap_or_default());
        let count = read.as_ref().map_or(0, |count| *count);
        self.bytes.truncate(at + count);
        read
    }

    /// The bytes, which stay charged as long as the tools that they were charged to are there.
    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

impl Deref for Charged<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Charged<'_> {
    fn drop(&mut self) {
        self.tools.give_back(self.bytes.capacity());
    }
}
