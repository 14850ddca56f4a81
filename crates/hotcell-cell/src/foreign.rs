//! Calling code that is not ours: tools and their futures, callbacks, wakers, and whatever is dropped with them.
//!
//! # Invariant: no lock is held over foreign code
//!
//! Foreign code may do anything: use the cell or the engine that calls it, drop the task that it is part of, block, panic.
//! So nothing in this crate calls, wakes, clones or drops it while it holds one of its own locks, and a panic in it ends
//! where it was called.
//!
//! The locks there are, and what they guard:
//!
//! - the watchdog's timers ([`hotcell_watchdog`]): what is due is collected, then the lock is released, then runs are
//!   interrupted and woken;
//! - the wakers of a [`crate::CancelToken`], and the waker of the task that polls a cell (`host/task.rs`): values are moved in
//!   and out, nothing else;
//! - the memory and the stacks that wait for their next cell ([`crate::room`]), which are not foreign.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::Waker,
};

/// Foreign code panicked. The message has gone where the process sends those.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panicked;

/// Calls it.
pub(crate) fn call<T>(foreign: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(foreign)).map_err(|payload| {
        // Even this is foreign.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(again);
        }
        Panicked
    })
}

/// Drops it.
pub(crate) fn discard<T>(foreign: T) {
    let _ = call(|| drop(foreign));
}

/// Wakes it.
pub(crate) fn wake(waker: Waker) {
    let _ = call(|| waker.wake());
}
