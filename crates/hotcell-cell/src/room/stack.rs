//! The machine's stack of one cell.

use std::{io, ops::Range, ptr::NonNull};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::forget;

/// How much of a stack stays when its cell is at rest, or has another. Few go deeper.
pub(crate) const KEPT: usize = 64 << 10;

/// A page that cannot be accessed, then the stack, which grows down towards it.
pub(super) struct Stack {
    base: NonNull<u8>,
    guard: usize,
    size: usize,
}

// SAFETY: the address space belongs to this value, like that of a `Box`.
unsafe impl Send for Stack {}
// SAFETY: as above; what is shared only reads fields.
unsafe impl Sync for Stack {}

impl Stack {
    pub(super) fn new(size: usize) -> io::Result<Self> {
        let guard = rustix::param::page_size();
        let all = size
            .checked_add(guard)
            .filter(|_| size.is_multiple_of(guard));
        let all = all.ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: a new mapping, which nobody knows yet.
        let base = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                all,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let stack = Self { base, guard, size };
        // SAFETY: the first page of our own mapping, unused so far.
        unsafe { mprotect(base.as_ptr().cast(), guard, MprotectFlags::empty()) }?;
        Ok(stack)
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn guard(&self) -> Range<*mut u8> {
        self.base.as_ptr()..self.range().start
    }

    pub(super) fn range(&self) -> Range<*mut u8> {
        // SAFETY: both are inside of our mapping, or right behind it.
        unsafe {
            let start = self.base.as_ptr().add(self.guard);
            start..start.add(self.size)
        }
    }

    /// Gives what only deep recursion uses back to the system.
    ///
    /// # Safety
    ///
    /// No frame may be left on this stack.
    pub(super) unsafe fn release_depths(&self) -> io::Result<()> {
        let depths = self.size.saturating_sub(KEPT);
        if depths > 0 {
            // SAFETY: a part of our own mapping, of use to nobody as the caller promises.
            unsafe { forget(self.range().start, depths) }?;
        }
        Ok(())
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nobody uses any more. Failing to give it back costs address space.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.guard + self.size) };
    }
}
