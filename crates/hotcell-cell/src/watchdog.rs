//! The one thread that watches the time for all cells of an engine.
//!
//! It does two things. While any cell computes it ticks, so that each gives its thread to the others once a millisecond.
//! And it raises the interrupt of a run whose deadline has come, at that moment and not at the next tick. A run that
//! computes in JavaScript looks at the clock itself and has mostly noticed before; one that waits, or is inside of a native
//! operation, has not.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::interrupt::{Interrupt, Reason, RunId};

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

pub(crate) struct Watchdog {
    shared: Arc<Shared>,
}

struct Shared {
    engine: wasmtime::EngineWeak,
    /// Cells that are computing.
    computing: AtomicU32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    timers: BTreeMap<(Instant, u64), Timer>,
    next_key: u64,
    /// When the thread will look again by itself; `None` while it is awake, or not started.
    sleeps_until: Option<Instant>,
    started: bool,
    ended: bool,
}

enum Timer {
    /// A deadline.
    Interrupt(Weak<Interrupt>, RunId),
    /// Cells that were interrupted look at the time once more.
    Tick,
}

/// The end of a run's time. Dropping it takes it back.
pub(crate) struct Deadline {
    shared: Arc<Shared>,
    interrupt: Arc<Interrupt>,
    at: Instant,
    /// Which of the timers it is, while time counts.
    timer: Option<(Instant, u64)>,
    /// Since when time has not counted.
    paused: Option<Instant>,
    /// Whether waiting for the host stops the clock.
    pauses: bool,
}

impl Deadline {
    /// The run waits for the host.
    pub(crate) fn pause(&mut self) {
        if self.pauses && self.paused.is_none() {
            self.paused = Some(Instant::now());
            self.unset();
            self.interrupt.set_deadline(None);
        }
    }

    /// The run goes on.
    pub(crate) fn resume(&mut self) {
        if let Some(since) = self.paused.take() {
            self.at += since.elapsed();
            self.interrupt.set_deadline(Some(self.at));
            self.timer = Some(self.shared.set(self.at, &self.interrupt));
        }
    }

    fn unset(&mut self) {
        if let Some(timer) = self.timer.take() {
            self.shared.lock().timers.remove(&timer);
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.unset();
        self.interrupt.set_deadline(None);
    }
}

impl Watchdog {
    pub(crate) fn new(engine: &wasmtime::Engine) -> Self {
        let shared = Shared {
            engine: engine.weak(),
            computing: AtomicU32::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Raises `interrupt` after `timeout`, unless the deadline is dropped before. `None` for the end of time.
    pub(crate) fn deadline(
        &self,
        timeout: Duration,
        interrupt: &Arc<Interrupt>,
        pauses: bool,
    ) -> Option<Deadline> {
        let at = Instant::now().checked_add(timeout)?;
        interrupt.set_deadline(Some(at));
        Some(Deadline {
            timer: Some(self.shared.set(at, interrupt)),
            shared: Arc::clone(&self.shared),
            interrupt: Arc::clone(interrupt),
            at,
            paused: None,
            pauses,
        })
    }

    /// Cells look at their interrupts now, and again when grace is over.
    pub(crate) fn tick_now(&self) {
        if let Some(engine) = self.shared.engine.upgrade() {
            engine.increment_epoch();
        }
        let mut state = self.shared.lock();
        let again = Instant::now() + GRACE;
        let key = (again, state.next_key);
        state.next_key += 1;
        state.timers.insert(key, Timer::Tick);
        self.shared.ensure_awake_by(&mut state, again);
    }

    /// A cell computes until the guard is dropped.
    pub(crate) fn computing(&self) -> Computing {
        if self.shared.computing.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = self.shared.lock();
            self.shared
                .ensure_awake_by(&mut state, Instant::now() + TICK);
        }
        Computing(Arc::clone(&self.shared))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_one();
    }
}

pub(crate) struct Computing(Arc<Shared>);

impl Drop for Computing {
    fn drop(&mut self) {
        self.0.computing.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(self: &Arc<Self>, at: Instant, interrupt: &Arc<Interrupt>) -> (Instant, u64) {
        let mut state = self.lock();
        let key = (at, state.next_key);
        state.next_key += 1;
        state.timers.insert(
            key,
            Timer::Interrupt(Arc::downgrade(interrupt), interrupt.run()),
        );
        self.ensure_awake_by(&mut state, at);
        key
    }

    /// Starts the thread, or wakes it if it would sleep beyond `time`.
    fn ensure_awake_by(self: &Arc<Self>, state: &mut MutexGuard<'_, State>, time: Instant) {
        if !state.started {
            let shared = Arc::clone(self);
            // Without the thread nothing can be killed. Spawning fails only when the process can have no more threads;
            // the next run tries again.
            state.started = thread::Builder::new()
                .name("hotcell-watchdog".into())
                .spawn(move || shared.watch())
                .is_ok();
        } else if state.sleeps_until.is_some_and(|until| until > time) {
            self.changed.notify_one();
        }
    }

    fn watch(&self) {
        let mut idle_ticks = 0;
        let mut state = self.lock();
        while !state.ended {
            let now = Instant::now();
            let mut tick = expire(&mut state, now);
            if self.computing.load(Ordering::Acquire) > 0 {
                idle_ticks = 0;
                tick = true;
            } else {
                idle_ticks = (idle_ticks + 1).min(LINGER);
            }
            if tick {
                let Some(engine) = self.engine.upgrade() else {
                    return;
                };
                engine.increment_epoch();
            }
            let ticking = idle_ticks < LINGER;
            let next_timer = state.timers.keys().next().map(|key| key.0);
            let next_tick = ticking.then(|| now + TICK);
            let until = next_timer.into_iter().chain(next_tick).min();
            // Far in the future stands for "until something changes".
            state.sleeps_until = Some(until.unwrap_or(now + Duration::from_hours(1)));
            state = match until {
                Some(until) => {
                    let timeout = until.saturating_duration_since(Instant::now());
                    self.changed
                        .wait_timeout(state, timeout)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
            state.sleeps_until = None;
        }
    }
}

/// Raises what is due. True if a running cell should look.
fn expire(state: &mut State, now: Instant) -> bool {
    let mut any = false;
    while let Some(entry) = state.timers.first_entry()
        && entry.key().0 <= now
    {
        any = true;
        if let Timer::Interrupt(interrupt, run) = entry.remove()
            && let Some(interrupt) = interrupt.upgrade()
        {
            interrupt.raise_for(run, Reason::Deadline);
            let key = (now + GRACE, state.next_key);
            state.next_key += 1;
            state.timers.insert(key, Timer::Tick);
        }
    }
    any
}
