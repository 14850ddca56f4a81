//! Noticing that this process is a child of `fork()`.
//!
//! Threads are not in the child, and what they had locked stays locked there. Whatever depends on either asks here which
//! process it is in, at the price of one load.

#[cfg(not(target_os = "linux"))]
pub use elsewhere::generation;
#[cfg(target_os = "linux")]
pub use on_linux::generation;

#[cfg(target_os = "linux")]
mod on_linux {
    use std::{
        ptr,
        sync::atomic::{AtomicPtr, AtomicU64, Ordering},
    };

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    /// A page that is all zero in a child.
    static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
    /// The last number that was given to a process. A child has it from its parent and goes on from there.
    static LAST: AtomicU64 = AtomicU64::new(0);

    /// A number that no process has in common with one that it was forked from.
    pub fn generation() -> u64 {
        let page = PAGE.load(Ordering::Acquire);
        let page = if page.is_null() { map() } else { page };
        if page.is_null() {
            return super::process_id();
        }
        // SAFETY: it was mapped by `map` and is never unmapped; zero is a valid number.
        let generation = unsafe { &*page };
        match generation.load(Ordering::Acquire) {
            0 => {
                let next = LAST.fetch_add(1, Ordering::AcqRel) + 1;
                // Whoever is first says which.
                match generation.compare_exchange(0, next, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => next,
                    Err(known) => known,
                }
            }
            known => known,
        }
    }

    /// Null where the system cannot do it (before Linux 4.14).
    #[cold]
    fn map() -> *mut AtomicU64 {
        let size = rustix::param::page_size();
        // SAFETY: a new mapping, which nobody knows yet.
        let mapped = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                size,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
        };
        let Ok(mapped) = mapped else {
            return ptr::null_mut();
        };
        // SAFETY: our own page, as above.
        let wiped = unsafe { madvise(mapped, size, Advice::LinuxWipeOnFork) };
        let page = mapped.cast::<AtomicU64>();
        if wiped.is_ok() {
            let set =
                PAGE.compare_exchange(ptr::null_mut(), page, Ordering::AcqRel, Ordering::Acquire);
            match set {
                Ok(_) => return page,
                Err(known) => {
                    // SAFETY: our own page, which nobody has come to know.
                    let _ = unsafe { munmap(mapped, size) };
                    return known;
                }
            }
        }
        // SAFETY: as above.
        let _ = unsafe { munmap(mapped, size) };
        ptr::null_mut()
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    pub fn generation() -> u64 {
        super::process_id()
    }
}

fn process_id() -> u64 {
    u64::from(
        rustix::process::getpid()
            .as_raw_nonzero()
            .get()
            .unsigned_abs(),
    )
}
