//! The one thread that watches the time for all cells of an engine.
//!
//! It does two things. While any cell computes it ticks, so that each gives its thread to the others once a millisecond.
//! And it raises the interrupt of a run whose deadline has come, at that moment and not at the next tick.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::interrupt::{Interrupt, Reason};

/// How long a cell computes before others get a turn.
const TICK: Duration = Duration::from_millis(1);

/// How long a run that was asked to end may go on in JavaScript before its cell is torn down. Loops, calls and regular
/// expressions notice within a fraction of it; a single native operation may not.
pub(crate) const GRACE: Duration = Duration::from_micros(700);

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
    Interrupt(Weak<Interrupt>),
    /// Cells that were interrupted look at the time once more.
    Tick,
}

/// A deadline that can be taken back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimerKey(Instant, u64);

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

    /// Raises `interrupt` at `deadline` unless it is taken back.
    pub(crate) fn set(&self, deadline: Instant, interrupt: &Arc<Interrupt>) -> TimerKey {
        let mut state = self.shared.lock();
        let key = (deadline, state.next_key);
        state.next_key += 1;
        state
            .timers
            .insert(key, Timer::Interrupt(Arc::downgrade(interrupt)));
        self.shared.ensure_awake_by(&mut state, deadline);
        TimerKey(key.0, key.1)
    }

    pub(crate) fn unset(&self, key: TimerKey) {
        self.shared.lock().timers.remove(&(key.0, key.1));
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
        if let Timer::Interrupt(interrupt) = entry.remove()
            && let Some(interrupt) = interrupt.upgrade()
        {
            interrupt.raise(Reason::Deadline);
            let key = (now + GRACE, state.next_key);
            state.next_key += 1;
            state.timers.insert(key, Timer::Tick);
        }
    }
    any
}
