//! Things that are done later, by one thread.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

type Work = Box<dyn FnOnce() + Send>;
type Key = (Instant, u64);

/// The longest wait; what comes later than that is for nobody.
const LONGEST: Duration = Duration::from_hours(10 * 365 * 24);

/// Cheap to clone; clones are one.
#[derive(Clone)]
pub(super) struct Later(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    due: BTreeMap<Key, Work>,
    next: u64,
}

impl Later {
    pub(super) fn new() -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || of_thread.run());
        Self(shared)
    }

    /// Does something after a while. What is done should be done quickly.
    pub(super) fn after(&self, wait: Duration, work: impl FnOnce() + Send + 'static) {
        let at = Instant::now() + wait.min(LONGEST);
        let mut state = self.0.state();
        let key = (at, state.next);
        state.next += 1;
        state.due.insert(key, Box::new(work));
        drop(state);
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn run(&self) {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            match state.due.first_key_value().map(|(key, _)| key.0) {
                Some(at) if at <= now => {
                    let Some((_, work)) = state.due.pop_first() else {
                        continue;
                    };
                    // It wakes tasks, which is not for behind a lock.
                    drop(state);
                    work();
                    state = self.state();
                }
                Some(at) => {
                    let waited = self.changed.wait_timeout(state, at - now);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => {
                    let waited = self.changed.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
