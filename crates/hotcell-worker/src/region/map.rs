//! Memory that another process writes to as well, and how to touch it.
//!
//! No reference into it is ever made, because what a reference promises the other process can break: bytes are copied in
//! and out, and the few numbers that both sides synchronise on are atomic.

use std::{
    io,
    os::fd::{BorrowedFd, OwnedFd},
    ptr::NonNull,
    sync::atomic::{AtomicI32, AtomicU32, AtomicU64},
    time::Duration,
};

use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap},
    thread::futex,
};

/// A file in memory whose size nobody can change any more.
pub(crate) fn sealed_file(name: &str, bytes: usize) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Nobody may run what is in it. Kernels before 6.3 do not know the flag.
    let file = memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL)
        .or_else(|_| memfd_create(name, flags))?;
    ftruncate(&file, bytes as u64)?;
    fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

/// A shared mapping.
///
/// Invariant: `start..start + length` is mapped, readable and writable, for as long as this value lives, and `length` does not
/// exceed the size of the file, which is sealed.
#[derive(Debug)]
pub(crate) struct Map {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: it is a piece of memory without an owner among threads; all access is by copying or atomic.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Map {
    pub(crate) fn new(file: BorrowedFd<'_>, length: usize) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice, which nobody knows yet.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                protection,
                MapFlags::SHARED,
                file,
                0,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length })
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bytes at `offset`, if that many are there.
    fn at(&self, offset: usize, length: usize) -> Option<NonNull<u8>> {
        let end = offset.checked_add(length)?;
        // SAFETY: `offset` is at most `length`, so it is within the mapping or one past its end.
        (end <= self.length).then(|| unsafe { self.start.add(offset) })
    }

    /// Copies bytes out. False, and nothing is done, if they are not all there.
    #[must_use]
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) -> bool {
        let Some(from) = self.at(offset, into.len()) else {
            return false;
        };
        // SAFETY: `at` says that so many bytes are mapped, and `into` is memory of ours, so that they do not overlap. The
        // other process may write meanwhile: then the copy has some of the old bytes and some of the new. No Rust code on either
        // side holds a reference to them.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), into.as_mut_ptr(), into.len()) };
        true
    }

    /// Copies bytes in. False, and nothing is done, if there is no room.
    #[must_use]
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        let Some(to) = self.at(offset, bytes.len()) else {
            return false;
        };
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr(), bytes.len()) };
        true
    }

    /// A number that both sides use at the same time. `offset` is a constant of ours, at the beginning.
    pub(crate) fn number(&self, offset: usize) -> &AtomicI32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.length);
        // SAFETY: it is within the mapping (asserted), aligned (the mapping begins with a page), and every bit pattern is a
        // number. It lives as long as `self` does. The other side accesses it atomically, or harms itself.
        unsafe { AtomicI32::from_ptr(self.start.add(offset).as_ptr().cast()) }
    }

    /// The same, without a sign.
    pub(crate) fn counter(&self, offset: usize) -> &AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.length);
        // SAFETY: as in `number`.
        unsafe { AtomicU32::from_ptr(self.start.add(offset).as_ptr().cast()) }
    }

    /// The same, with 64 bits.
    pub(crate) fn position(&self, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.length);
        // SAFETY: as in `number`.
        unsafe { AtomicU64::from_ptr(self.start.add(offset).as_ptr().cast()) }
    }

    /// Waits while the number at `offset` is `expected`, not longer than `timeout`, and now and then for no reason.
    pub(crate) fn wait(&self, offset: usize, expected: u32, timeout: Option<Duration>) {
        let timeout = timeout.map(|timeout| futex::Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        // However it ends, whoever waits looks again. It is not `PRIVATE`: the other one is in another process.
        let _ = futex::wait(
            self.counter(offset),
            futex::Flags::empty(),
            expected,
            timeout.as_ref(),
        );
    }

    /// Wakes everybody who waits for the number at `offset` to change.
    pub(crate) fn wake(&self, offset: usize) {
        let _ = futex::wake(self.counter(offset), futex::Flags::empty(), i32::MAX as u32);
    }

    /// Gives the memory from `offset` on back to the system; it reads as zeros then.
    pub(crate) fn discard_from(&self, offset: usize) {
        let page = rustix::param::page_size();
        let offset = offset.next_multiple_of(page);
        let Some(length) = self.length.checked_sub(offset).filter(|rest| *rest > 0) else {
            return;
        };
        if let Some(start) = self.at(offset, length) {
            // SAFETY: it is within the mapping, and nobody has a reference into it. What is there is of no use any more.
            let _ = unsafe { madvise(start.as_ptr().cast(), length, Advice::LinuxRemove) };
        }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and what borrowed from `self` is gone.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}
