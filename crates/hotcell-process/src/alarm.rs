//! One thread that wakes tasks at a time.
//!
//! A run whose processes all sleep, or wait for each other, is woken when the first of them is due, or at its deadline.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::Waker,
    thread,
    time::{Duration, Instant},
};

#[derive(Default)]
struct State {
    due: BTreeMap<(Instant, u64), Waker>,
    next_key: u64,
    /// The process that the thread was started in: after `fork` the child has none.
    started_in: Option<u32>,
}

// A std mutex: held for an insertion or a removal, never while a waker is called or dropped.
static STATE: Mutex<State> = Mutex::new(State {
    due: BTreeMap::new(),
    next_key: 0,
    started_in: None,
});
static CHANGED: Condvar = Condvar::new();

/// A call of a waker that is to come, by one thread for the whole program. Dropping it takes it back.
pub struct Alarm((Instant, u64));

impl Alarm {
    /// Calls `waker` at a time, or a little later.
    pub fn set(at: Instant, waker: Waker) -> Self {
        let mut state = lock();
        let key = (at, state.next_key);
        state.next_key += 1;
        let is_first = state.due.keys().next().is_none_or(|first| key < *first);
        state.due.insert(key, waker);
        if state.started_in != Some(std::process::id()) {
            // Without the thread nothing is woken. Spawning fails only when the process can have no more threads; the next
            // alarm tries again.
            let spawned = thread::Builder::new()
                .name("hotcell-alarm".into())
                .spawn(watch);
            state.started_in = spawned.is_ok().then(std::process::id);
        } else if is_first {
            CHANGED.notify_one();
        }
        Self(key)
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let waker = lock().due.remove(&self.0);
        drop(waker);
    }
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch() {
    let mut state = lock();
    loop {
        let now = Instant::now();
        let Some(first) = state.due.first_entry() else {
            state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let at = first.key().0;
        if at <= now {
            let waker = first.remove();
            drop(state);
            // A waker is foreign code: whatever it does, the others are woken.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| waker.wake()));
            state = lock();
        } else {
            let wait = (at - now).min(Duration::from_hours(1));
            state = CHANGED
                .wait_timeout(state, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}
