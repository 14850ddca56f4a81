//! The one thread that watches the time for all cells of an engine.
//!
//! It does two things. While any cell computes it ticks, so that each gives its thread to the others once a millisecond.
//! And it raises the interrupt of a run whose deadline has come, at that moment and not at the next tick. A run that
//! computes in JavaScript looks at the clock itself and has mostly noticed before; one that waits, or is inside of a native
//! operation, has not.
//!
//! A child of `fork()` has no such thread, and finds the timers of its parent locked, perhaps for good. It gets timers and a
//! thread of its own when it first needs them.

mod deadline;

use std::{
    collections::BTreeMap,
    ptr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicPtr, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    interrupt::{Interrupt, Reason, RunId},
    process::generation,
};

pub(crate) use deadline::Deadline;

/// How long a cell computes before others get a turn.
const TICK: Duration = Duration::from_millis(1);

/// How long a run that was asked to end may go on in JavaScript before its cell is torn down. Loops, calls and regular
/// expressions notice within a fraction of it; a single native operation may not.
pub(crate) const GRACE: Duration = Duration::from_micros(700);

/// How long this thread has computed. Grace is counted in this time: on a busy machine a run that is about to end by itself
/// may have to wait for a core, and is not to lose its cell for it. A cell in its grace does not change threads.
pub(crate) fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

/// How long ticking goes on after the last cell stopped computing: waking a sleeping thread costs more than a few ticks.
const LINGER: u32 = 20;

/// Ends its thread when dropped.
pub(crate) struct Watchdog(Arc<Inner>);

struct Inner {
    engine: wasmtime::EngineWeak,
    /// The timers of this process. Not behind a lock: a child may find that locked by a thread that it does not have.
    timers: AtomicPtr<Timers>,
}

/// The timers of one process, and its thread.
struct Timers {
    /// Which process.
    generation: u64,
    /// Cells that are computing.
    computing: AtomicU32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    timers: BTreeMap<TimerKey, Timer>,
    next_key: u64,
    /// When the thread will look again by itself; `None` while it is awake, or not started.
    sleeps_until: Option<Instant>,
    started: bool,
    ended: bool,
}

type TimerKey = (Instant, u64);

enum Timer {
    /// A deadline.
    Interrupt(Weak<Interrupt>, RunId),
    /// Cells that were interrupted look at the time once more.
    Tick,
}

/// A cell computes until this is dropped.
pub(crate) struct Computing {
    watchdog: Arc<Inner>,
    generation: u64,
}

impl Watchdog {
    pub(crate) fn new(engine: &wasmtime::Engine) -> Self {
        Self(Arc::new(Inner {
            engine: engine.weak(),
            timers: AtomicPtr::new(ptr::null_mut()),
        }))
    }

    /// Raises `interrupt` after `timeout`, unless the deadline is dropped before.
    pub(crate) fn deadline(
        &self,
        timeout: Duration,
        interrupt: &Arc<Interrupt>,
        pauses: bool,
    ) -> Deadline {
        Deadline::new(&self.0, timeout, interrupt, pauses)
    }

    /// Cells look at their interrupts now, and again when grace is over.
    pub(crate) fn tick_now(&self) {
        self.0.tick();
        self.0.set(Instant::now() + GRACE, Timer::Tick);
    }

    /// A cell computes until the guard is dropped.
    pub(crate) fn computing(&self) -> Computing {
        let timers = self.0.timers();
        if timers.computing.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = timers.lock();
            self.0
                .ensure_awake_by(timers, &mut state, Instant::now() + TICK);
        }
        Computing {
            watchdog: Arc::clone(&self.0),
            generation: timers.generation,
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let timers = self.0.timers();
        timers.lock().ended = true;
        timers.changed.notify_one();
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        let timers = self.watchdog.timers();
        // A child does not count what its parent computed.
        if timers.generation == self.generation {
            timers.computing.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Inner {
    /// The timers of this process.
    fn timers(&self) -> &Timers {
        let generation = generation();
        let known = self.timers.load(Ordering::Acquire);
        // SAFETY: `replace` put it there, where it stays valid until `self` is dropped.
        match unsafe { known.as_ref() } {
            Some(timers) if timers.generation == generation => timers,
            _ => self.replace(known, generation),
        }
    }

    #[cold]
    fn replace(&self, known: *mut Timers, generation: u64) -> &Timers {
        let fresh = Box::into_raw(Box::new(Timers {
            generation,
            computing: AtomicU32::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        }));
        let replaced =
            self.timers
                .compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire);
        let timers = match replaced {
            // The parent's are left as they are: a thread that is not here may have been about to use them.
            Ok(_) => fresh,
            Err(other) => {
                // SAFETY: it was made above, and nobody has come to know it.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        };
        // SAFETY: not null, since both come from here; valid until `self` is dropped.
        unsafe { &*timers }
    }

    fn tick(&self) {
        if let Some(engine) = self.engine.upgrade() {
            engine.increment_epoch();
        }
    }

    /// Returns which timer it is, and of which process.
    fn set(self: &Arc<Self>, at: Instant, timer: Timer) -> (u64, TimerKey) {
        let timers = self.timers();
        let mut state = timers.lock();
        let key = state.insert(at, timer);
        self.ensure_awake_by(timers, &mut state, at);
        (timers.generation, key)
    }

    fn unset(&self, (generation, key): (u64, TimerKey)) {
        let timers = self.timers();
        if timers.generation == generation {
            timers.lock().timers.remove(&key);
        }
    }

    /// Starts the thread, or wakes it if it would sleep beyond `time`.
    fn ensure_awake_by(
        self: &Arc<Self>,
        timers: &Timers,
        state: &mut MutexGuard<'_, State>,
        time: Instant,
    ) {
        if !state.started {
            let watchdog = Arc::clone(self);
            // Without the thread nothing can be killed. Spawning fails only when the process can have no more threads;
            // the next run tries again.
            state.started = thread::Builder::new()
                .name("hotcell-watchdog".into())
                .spawn(move || watchdog.watch())
                .is_ok();
        } else if state.sleeps_until.is_some_and(|until| until > time) {
            timers.changed.notify_one();
        }
    }

    fn watch(&self) {
        let timers = self.timers();
        let mut idle_ticks = 0;
        let mut due = Vec::new();
        let mut state = timers.lock();
        while !state.ended {
            let now = Instant::now();
            let mut tick = state.take_due(now, &mut due);
            if timers.computing.load(Ordering::Acquire) > 0 {
                idle_ticks = 0;
                tick = true;
            } else {
                idle_ticks = (idle_ticks + 1).min(LINGER);
            }
            if tick {
                drop(state);
                if !self.raise(&mut due) {
                    return;
                }
                state = timers.lock();
            }
            let ticking = idle_ticks < LINGER;
            let next_timer = state.timers.keys().next().map(|key| key.0);
            let next_tick = ticking.then(|| now + TICK);
            let until = next_timer.into_iter().chain(next_tick).min();
            if state.ended {
                return;
            }
            // Far in the future stands for "until something changes".
            state.sleeps_until = Some(until.unwrap_or(now + Duration::from_hours(1)));
            state = match until {
                Some(until) => {
                    let timeout = until.saturating_duration_since(Instant::now());
                    timers
                        .changed
                        .wait_timeout(state, timeout)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => timers
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
            state.sleeps_until = None;
        }
    }

    /// Ends the runs whose time has come. False if the engine is gone. To be called without the lock: what is woken, and
    /// what goes when the last one to hold it was here, is foreign.
    fn raise(&self, due: &mut Vec<(Arc<Interrupt>, RunId)>) -> bool {
        for (interrupt, run) in &*due {
            interrupt.note(*run, Reason::Deadline);
        }
        let Some(engine) = self.engine.upgrade() else {
            return false;
        };
        engine.increment_epoch();
        // All know before the first is woken: that may take as long as it likes.
        for (interrupt, _) in due.drain(..) {
            interrupt.wake();
            crate::foreign::discard(interrupt);
        }
        true
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let timers = *self.timers.get_mut();
        if !timers.is_null() {
            // SAFETY: `replace` made it with `Box::into_raw`, and whoever borrowed it borrowed `self`.
            drop(unsafe { Box::from_raw(timers) });
        }
    }
}

impl Timers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, at: Instant, timer: Timer) -> TimerKey {
        let key = (at, self.next_key);
        self.next_key += 1;
        self.timers.insert(key, timer);
        key
    }

    /// Takes out what is due. True if a running cell should look.
    fn take_due(&mut self, now: Instant, due: &mut Vec<(Arc<Interrupt>, RunId)>) -> bool {
        let mut any = false;
        while let Some(entry) = self.timers.first_entry()
            && entry.key().0 <= now
        {
            any = true;
            if let Timer::Interrupt(interrupt, run) = entry.remove()
                && let Some(interrupt) = interrupt.upgrade()
            {
                due.push((interrupt, run));
                self.insert(now + GRACE, Timer::Tick);
            }
        }
        any
    }
}
