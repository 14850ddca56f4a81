//! The timers of a process, and its thread.

use std::{
    collections::BTreeMap,
    ptr,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use wasmtime::EngineWeak;

use crate::generation::generation;

/// How long a guest computes before others get a turn.
pub const TICK: Duration = Duration::from_millis(1);

/// How long a run that was asked to end may go on before its guest is torn down. Loops, calls and regular expressions of
/// JavaScript notice within a fraction of it; a single native operation may not.
pub const GRACE: Duration = Duration::from_micros(700);

/// How long ticking goes on after the last guest stopped computing: waking a sleeping thread costs more than a few ticks.
const LINGER: u32 = 20;

/// Something whose time can come.
pub trait Timed: Send + Sync {
    /// The time of `run` has come: it is to end, if it is still the run under way.
    fn note(&self, run: u64);

    /// Wakes whoever waits for it, and lets go of it. What that calls is foreign: no lock is held here, and it does not
    /// panic.
    fn wake(self: Arc<Self>);
}

/// The timers of this process. Not behind a lock: a child may find that locked by a thread that it does not have. Those of
/// its parent are left as they are, as a thread that is not here may have been about to use them.
static OF_THIS_PROCESS: AtomicPtr<Timers> = AtomicPtr::new(ptr::null_mut());

/// The timers of one process, and its thread.
pub(crate) struct Timers {
    /// Which process.
    generation: u64,
    /// Guests that are computing.
    computing: AtomicU32,
    // Held for an update, never while something foreign is called or dropped.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    engines: Vec<(u64, EngineWeak)>,
    due: BTreeMap<TimerKey, Due>,
    next_key: u64,
    /// When the thread will look again by itself; `None` while it is awake, or not started.
    sleeps_until: Option<Instant>,
    started: bool,
}

type TimerKey = (Instant, u64);

enum Due {
    /// The time of a run.
    Timed(Weak<dyn Timed>, u64),
    /// Something that waits is to be woken.
    Alarm(Weak<dyn Timed>, u64),
    /// Guests that were interrupted look at the time once more.
    Tick,
}

/// A time that is to come. Dropping it takes it back.
#[must_use = "dropping it takes it back"]
pub struct Timer {
    generation: u64,
    key: TimerKey,
}

impl Timer {
    /// Tells `timed` at a time that the time of `run` has come, and lets all guests look once more when grace is over, unless
    /// the timer is dropped before.
    pub fn set(at: Instant, timed: &Arc<impl Timed + 'static>, run: u64) -> Self {
        let timed = Arc::downgrade(timed) as Weak<dyn Timed>;
        let timers = Timers::of_this_process();
        Self {
            generation: timers.generation,
            key: timers.set(at, Due::Timed(timed, run)),
        }
    }

    /// As [`Timer::set`], for something that waits and does not compute: guests are left alone.
    pub fn alarm(at: Instant, timed: &Arc<impl Timed + 'static>, run: u64) -> Self {
        let timed = Arc::downgrade(timed) as Weak<dyn Timed>;
        let timers = Timers::of_this_process();
        Self {
            generation: timers.generation,
            key: timers.set(at, Due::Alarm(timed, run)),
        }
    }

    /// Whether the thread of this process knows of it: not after a fork.
    pub fn is_watched(&self) -> bool {
        self.generation == generation()
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let timers = Timers::of_this_process();
        if timers.generation == self.generation {
            let removed = timers.lock().due.remove(&self.key);
            drop(removed);
        }
    }
}

impl Timers {
    pub(crate) fn of_this_process() -> &'static Self {
        let generation = generation();
        let known = OF_THIS_PROCESS.load(Ordering::Acquire);
        // SAFETY: `replace` put it there, and it is never freed.
        match unsafe { known.as_ref() } {
            Some(timers) if timers.generation == generation => timers,
            _ => Self::replace(known, generation),
        }
    }

    #[cold]
    fn replace(known: *mut Self, generation: u64) -> &'static Self {
        let fresh = Box::into_raw(Box::new(Self {
            generation,
            computing: AtomicU32::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
        }));
        let replaced =
            OF_THIS_PROCESS.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire);
        let timers = match replaced {
            Ok(_) => fresh,
            Err(other) => {
                // SAFETY: it was made above, and nobody has come to know it.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        };
        // SAFETY: not null, since both come from here; never freed.
        unsafe { &*timers }
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Ticks this engine, too. `known_in` then says so.
    pub(crate) fn add_engine(&self, id: u64, engine: &EngineWeak, known_in: &AtomicU64) {
        let mut state = self.lock();
        if known_in.swap(self.generation, Ordering::AcqRel) != self.generation {
            state.engines.push((id, engine.clone()));
        }
    }

    pub(crate) fn remove_engine(&self, id: u64) {
        let mut state = self.lock();
        state.engines.retain(|(known, _)| *known != id);
        drop(state);
        // The thread may have nothing left to do.
        self.changed.notify_one();
    }

    /// A guest computes; the thread is awake at `tick`, if it is the first.
    pub(crate) fn begin_computing(&'static self, tick: Instant) {
        if self.computing.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = self.lock();
            self.ensure_awake_by(&mut state, tick);
        }
    }

    pub(crate) fn end_computing(&self) {
        self.computing.fetch_sub(1, Ordering::AcqRel);
    }

    /// Lets all guests look at a time.
    pub(crate) fn tick_at(&'static self, at: Instant) {
        self.set(at, Due::Tick);
    }

    fn set(&'static self, at: Instant, due: Due) -> TimerKey {
        let mut state = self.lock();
        let key = state.insert(at, due);
        self.ensure_awake_by(&mut state, at);
        key
    }

    /// Starts the thread, or wakes it if it would sleep beyond `time`.
    fn ensure_awake_by(&'static self, state: &mut MutexGuard<'_, State>, time: Instant) {
        if !state.started {
            // Without the thread nothing can be killed. Spawning fails only when the process can have no more threads;
            // the next run tries again.
            state.started = thread::Builder::new()
                .name("hotcell-watchdog".into())
                .spawn(|| self.watch())
                .is_ok();
        } else if state.sleeps_until.is_some_and(|until| until > time) {
            self.changed.notify_one();
        }
    }

    /// What the thread does, until nothing is left to watch.
    fn watch(&self) {
        let mut idle_ticks = 0;
        let (mut due, mut engines) = (Vec::new(), Vec::new());
        let mut state = self.lock();
        while !state.engines.is_empty() || !state.due.is_empty() {
            let now = Instant::now();
            let mut tick = state.take_due(now, &mut due);
            if self.computing.load(Ordering::Acquire) > 0 {
                idle_ticks = 0;
                tick = true;
            } else {
                idle_ticks = (idle_ticks + 1).min(LINGER);
            }
            if tick {
                engines.extend(state.engines.iter().map(|(_, engine)| engine.clone()));
            }
            if tick || !due.is_empty() {
                drop(state);
                raise(&mut due, &mut engines);
                state = self.lock();
            }
            let ticking = idle_ticks < LINGER;
            let next_timer = state.due.keys().next().map(|key| key.0);
            let next_tick = ticking.then(|| now + TICK);
            let until = next_timer.into_iter().chain(next_tick).min();
            if state.engines.is_empty() && state.due.is_empty() {
                break;
            }
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
        state.started = false;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the runs whose time has come, and lets all guests look. To be called without the lock: what is woken, and what goes
/// when the last one to hold it was here, is foreign.
fn raise(due: &mut Vec<(Arc<dyn Timed>, u64)>, engines: &mut Vec<EngineWeak>) {
    for (timed, run) in &*due {
        timed.note(*run);
    }
    for engine in engines.drain(..) {
        if let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
        }
    }
    // All know before the first is woken: that may take as long as it likes.
    for (timed, _) in due.drain(..) {
        timed.wake();
    }
}

impl State {
    fn insert(&mut self, at: Instant, due: Due) -> TimerKey {
        let key = (at, self.next_key);
        self.next_key += 1;
        self.due.insert(key, due);
        key
    }

    /// Takes out what is due. True if guests should look.
    fn take_due(&mut self, now: Instant, due: &mut Vec<(Arc<dyn Timed>, u64)>) -> bool {
        let mut any = false;
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= now
        {
            let (timed, run) = match entry.remove() {
                Due::Tick => {
                    any = true;
                    continue;
                }
                Due::Alarm(timed, run) => {
                    due.extend(timed.upgrade().map(|timed| (timed, run)));
                    continue;
                }
                Due::Timed(timed, run) => (timed, run),
            };
            any = true;
            if let Some(timed) = timed.upgrade() {
                due.push((timed, run));
                self.insert(now + GRACE, Due::Tick);
            }
        }
        any
    }
}
