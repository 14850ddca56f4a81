//! Room for recursion.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Stack that a caller is expected to have left. Threads have 2 MiB or more, the host's part of a Wasmtime fiber has
/// more than 1 MiB. It is not asked of the operating system: on a fiber the answer would be about another stack.
const IN_PLACE: usize = 512 * 1024;

/// The largest stack that is worth reserving. Only reserved: pages that no recursion touches cost nothing.
#[cfg(target_pointer_width = "64")]
const LARGEST: usize = if cfg!(debug_assertions) {
    16 << 30
} else {
    2 << 30
};
#[cfg(not(target_pointer_width = "64"))]
const LARGEST: usize = 256 << 20;

/// Why work could not be done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// It needs more stack than is ever given, or than the system has.
    TooLarge,
    /// The parser failed: a fault of ours or of a library, not of the code.
    Panicked,
}

/// Runs `work` where it has `need` bytes of stack: here if that is little, else on a thread of its own.
pub(crate) fn with_room<T: Send>(
    need: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, NoRoom> {
    if need <= IN_PLACE {
        // Nothing of ours outlives the call, so nothing broken can be seen afterwards.
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| NoRoom::Panicked);
    }
    if need > LARGEST {
        return Err(NoRoom::TooLarge);
    }
    thread::scope(|scope| {
        thread::Builder::new()
            .name("hotcell-prepare".into())
            .stack_size(need + IN_PLACE)
            .spawn_scoped(scope, work)
            .map_err(|_| NoRoom::TooLarge)?
            .join()
            .map_err(|_| NoRoom::Panicked)
    })
}
