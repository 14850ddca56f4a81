//! Engines that are watched, and what may be asked of the watch.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use wasmtime::{Engine, EngineWeak};

use crate::timers::{GRACE, TICK, Timers};

/// Which engine is which, among those that are watched.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// An engine under the watch of the one thread. Dropping it ends that.
pub struct Watchdog {
    engine: EngineWeak,
    id: u64,
    /// The [generation](crate::generation) of the process whose thread knows the engine; 0 for none.
    known_in: AtomicU64,
}

/// A guest computes until this is dropped.
#[must_use = "the guest computes until it is dropped"]
pub struct Computing {
    generation: u64,
}

impl Watchdog {
    /// Watches an engine, from the first time on that something of it computes.
    pub fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.weak(),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            known_in: AtomicU64::new(0),
        }
    }

    /// Guests of this engine look at their interrupts now, and again when grace is over.
    pub fn tick_now(&self) {
        let timers = self.timers();
        if let Some(engine) = self.engine.upgrade() {
            engine.increment_epoch();
        }
        timers.tick_at(Instant::now() + GRACE);
    }

    /// A guest computes until the guard is dropped.
    pub fn computing(&self) -> Computing {
        let timers = self.timers();
        timers.begin_computing(Instant::now() + TICK);
        Computing {
            generation: timers.generation(),
        }
    }

    /// The timers of this process, which know the engine.
    fn timers(&self) -> &'static Timers {
        let timers = Timers::of_this_process();
        if self.known_in.load(Ordering::Acquire) != timers.generation() {
            timers.add_engine(self.id, &self.engine, &self.known_in);
        }
        timers
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let timers = Timers::of_this_process();
        if *self.known_in.get_mut() == timers.generation() {
            timers.remove_engine(self.id);
        }
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        let timers = Timers::of_this_process();
        // A child does not count what its parent computed.
        if timers.generation() == self.generation {
            timers.end_computing();
        }
    }
}

/// How long this thread has computed. Grace is counted in this time: on a busy machine a run that is about to end by itself
/// may have to wait for a core, and is not to lose its guest for it.
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}
