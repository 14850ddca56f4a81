//! Which run a tool call belongs to.
//!
//! Code calls tools while the future of its run is polled, on whatever thread that happens: what is known there is known to
//! the call.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// The run that is being polled; 0 for none.
    static POLLED: Cell<u64> = const { Cell::new(0) };
}

static RUNS: AtomicU64 = AtomicU64::new(0);

/// Gives a run an id.
pub(super) async fn identified<T>(run: impl Future<Output = T>) -> T {
    let id = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let mut run = pin!(run);
    poll_fn(|context| {
        let _polled = Polled::begin(id);
        run.as_mut().poll(context)
    })
    .await
}

/// The id of the run that is being polled here.
pub(super) fn current() -> String {
    match POLLED.get() {
        0 => String::new(),
        id => format!("r{id}"),
    }
}

/// Says which run is polled until it is dropped, also by a panic.
struct Polled {
    before: u64,
}

impl Polled {
    fn begin(id: u64) -> Self {
        Self {
            before: POLLED.replace(id),
        }
    }
}

impl Drop for Polled {
    fn drop(&mut self) {
        POLLED.set(self.before);
    }
}
