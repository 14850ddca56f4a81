//! The memory of one cell.

use std::{io, ops::Range, ptr::NonNull};

use hotcell_image::FreshMemory;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};

use super::{dirty::PageMap, forget};

/// Address space for one cell's memory, guard included.
///
/// ```text
/// | zero | image | zero |            no access            |
/// 0              size at first  …  size  …  capacity  …  reserved
/// ```
///
/// Pages of the image are shared with all other cells until this one writes to them.
pub(super) struct Slot {
    base: NonNull<u8>,
    /// All of it, in bytes.
    reserved: usize,
    /// How far memory may grow.
    capacity: usize,
    /// The size of a fresh cell's memory.
    first_size: usize,
    /// What can be accessed.
    size: usize,
}

// SAFETY: the address space belongs to this value, like that of a `Box`.
unsafe impl Send for Slot {}
// SAFETY: as above; what is shared only reads fields.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) fn new(
        fresh: &FreshMemory,
        size: usize,
        capacity: usize,
        guard: usize,
    ) -> io::Result<Self> {
        let page = rustix::param::page_size();
        let end = fresh.start().checked_add(fresh.bytes().len());
        let fits =
            size.is_multiple_of(page) && size <= capacity && end.is_some_and(|end| end <= size);
        let reserved = capacity.checked_add(guard).filter(|_| fits);
        let reserved = reserved.ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: a new mapping, which nobody knows yet.
        let base = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                reserved,
                ProtFlags::empty(),
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut slot = Self {
            base,
            reserved,
            capacity,
            first_size: size,
            size: 0,
        };
        slot.grow_to(size)?;
        slot.fill(fresh)?;
        Ok(slot)
    }

    pub(super) fn is_like(&self, size: usize, capacity: usize, guard: usize) -> bool {
        self.first_size == size && self.capacity == capacity && self.reserved == capacity + guard
    }

    pub(super) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How much larger than a fresh cell's memory it is.
    pub(super) fn has_grown_by(&self) -> usize {
        self.size - self.first_size
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn grow_to(&mut self, size: usize) -> io::Result<()> {
        if size > self.capacity || size < self.size {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.protect(self.size, size, MprotectFlags::READ | MprotectFlags::WRITE)?;
        self.size = size;
        Ok(())
    }

    /// Puts the image into memory that is all zero.
    fn fill(&mut self, fresh: &FreshMemory) -> io::Result<()> {
        let at = self.at(fresh.start(), fresh.bytes().len());
        let Some((file, offset)) = fresh.file() else {
            // SAFETY: `at` made sure that there is so much of it, and it can be written.
            unsafe { at.copy_from_nonoverlapping(fresh.bytes().as_ptr(), fresh.bytes().len()) };
            return Ok(());
        };
        // SAFETY: this replaces pages of our own mapping, which `at` made sure of. They are private: what is written to
        // them does not reach the file.
        unsafe {
            mmap(
                at.cast(),
                fresh.bytes().len(),
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::FIXED,
                file,
                offset,
            )
        }?;
        Ok(())
    }

    /// Makes the memory that of a fresh cell. If this fails it is in an unknown state, and not to be used again.
    ///
    /// Up to `keep` bytes of pages that were written to are restored by hand: that is cheaper than getting them from the
    /// system anew. All others go back to it.
    pub(super) fn reset(
        &mut self,
        fresh: &FreshMemory,
        page_map: Option<&PageMap>,
        keep: usize,
    ) -> io::Result<()> {
        if fresh.file().is_none() {
            // Without a mapping to go back to, a new slot costs no more.
            return Err(io::ErrorKind::Unsupported.into());
        }
        let base = self.base().addr();
        let scanned_to = match page_map {
            Some(page_map) => page_map.dirty(base..base + self.size, keep, |pages, is_zero| {
                let (start, end) = (pages.start - base, pages.end - base);
                let image = fresh.start()..fresh.start() + fresh.bytes().len();
                if !is_as_it_was(image, start..end, is_zero) {
                    self.restore(fresh, start, end - start);
                }
            }),
            None => base,
        };
        self.release(scanned_to - base, self.size)?;
        // What this leaves beyond the first size is zero, for whoever grows to it next.
        self.protect(self.first_size, self.size, MprotectFlags::empty())?;
        self.size = self.first_size;
        Ok(())
    }

    /// Writes what a fresh cell has there.
    fn restore(&mut self, fresh: &FreshMemory, start: usize, length: usize) {
        // SAFETY: `at` makes sure that there is so much of it, it can be written, and the cell that did is gone.
        let memory = unsafe { std::slice::from_raw_parts_mut(self.at(start, length), length) };
        let end = start + length;
        let from = fresh.start().clamp(start, end);
        let to = (fresh.start() + fresh.bytes().len()).clamp(start, end);
        memory[..from - start].fill(0);
        if from < to {
            let image = &fresh.bytes()[from - fresh.start()..to - fresh.start()];
            memory[from - start..to - start].copy_from_slice(image);
        }
        memory[to - start..].fill(0);
    }

    /// Gives pages back to the system. What is read there next is zero, or what the image has.
    fn release(&self, from: usize, to: usize) -> io::Result<()> {
        if from < to {
            // SAFETY: pages of our own mapping, which no cell uses any more.
            unsafe { forget(self.at(from, to - from), to - from) }?;
        }
        Ok(())
    }

    fn protect(&self, from: usize, to: usize, rights: MprotectFlags) -> io::Result<()> {
        if from < to {
            // SAFETY: pages of our own mapping; whoever uses them asked for this.
            unsafe { mprotect(self.at(from, to - from).cast(), to - from, rights) }?;
        }
        Ok(())
    }

    /// The address of `length` bytes at `start`.
    fn at(&self, start: usize, length: usize) -> *mut u8 {
        let end = start.checked_add(length);
        assert!(
            end.is_some_and(|end| end <= self.capacity),
            "outside of the slot"
        );
        // SAFETY: inside of our mapping.
        unsafe { self.base().add(start) }
    }
}

/// Whether pages that are not the file's are as a fresh cell has them: all zero, where that has nothing of the image.
fn is_as_it_was(image: Range<usize>, pages: Range<usize>, is_zero: bool) -> bool {
    let has_image = pages.start < image.end && image.start < pages.end;
    is_zero && !has_image
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nobody uses any more. Failing to give it back costs address space.
        let _ = unsafe { munmap(self.base().cast(), self.reserved) };
    }
}

#[cfg(test)]
mod tests {
    use super::is_as_it_was;

    /// The system puts its zero page in the place of one that was written full of zeros.
    #[test]
    fn a_page_of_zeros_is_not_one_of_the_image() {
        let image = 4096..12288;
        assert!(is_as_it_was(image.clone(), 0..4096, true));
        assert!(is_as_it_was(image.clone(), 12288..20480, true));
        for pages in [4096..8192, 8192..12288, 0..8192, 8192..16384, 0..20480] {
            assert!(!is_as_it_was(image.clone(), pages, true));
        }
        assert!(!is_as_it_was(image, 0..4096, false));
    }
}
