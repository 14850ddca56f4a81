//! Room for recursion.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Stack that a caller is expected to have left. Threads have 2 MiB or more, the host's part of a Wasmtime fiber has
/// more than 1 MiB. It is not asked of the operating system: on a fiber the answer would be about another stack.
pub(crate) const IN_PLACE: usize = 512 * 1024;

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

thread_local! {
    /// Stack that there is for work on this thread.
    static ROOM: Cell<usize> = const { Cell::new(IN_PLACE) };
}

/// A thread for work of ours that has `need` bytes of stack, or as many as are ever given.
pub(crate) fn roomy_thread(need: usize) -> (thread::Builder, Room) {
    let room = need.clamp(IN_PLACE, LARGEST);
    let builder = thread::Builder::new()
        .name("hotcell-prepare".into())
        .stack_size(room + IN_PLACE);
    (builder, Room(room))
}

/// What [`roomy_thread`] has, for its first words.
#[derive(Clone, Copy)]
pub(crate) struct Room(usize);

impl Room {
    /// From now on work on this thread is done in its room.
    pub(crate) fn move_in(self) {
        ROOM.set(self.0);
    }
}

/// Runs `work` where it has `need` bytes of stack: here if that is little, else on a thread of its own.
pub(crate) fn with_room<T: Send>(
    need: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, NoRoom> {
    if need <= ROOM.get() {
        // Nothing of ours outlives the call, so nothing broken can be seen afterwards.
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| NoRoom::Panicked);
    }
    if need > LARGEST {
        return Err(NoRoom::TooLarge);
    }
    let (thread, room) = roomy_thread(need);
    thread::scope(|scope| {
        thread
            .spawn_scoped(scope, move || {
                room.move_in();
                work()
            })
            .map_err(|_| NoRoom::TooLarge)?
            .join()
            .map_err(|_| NoRoom::Panicked)
    })
}
