//! Modules in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Key, Loaded, NotRunnable};

/// What a module that cannot be run takes, about: its message.
const REFUSAL: usize = 1 << 10;

/// Modules by hash, up to so many bytes of code. What was not used for the longest time goes first.
pub(super) struct Cache {
    limit: usize,
    // Held for a lookup or an update. What is dropped under it is code that nobody runs.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashMap<Key, Entry>,
    bytes: usize,
    /// Counts uses.
    clock: u64,
}

struct Entry {
    outcome: Result<Arc<Loaded>, NotRunnable>,
    used: u64,
}

impl Entry {
    fn size(&self) -> usize {
        self.outcome.as_ref().map_or(REFUSAL, |loaded| loaded.size)
    }
}

impl Cache {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
        }
    }

    pub(super) fn get(&self, key: &Key) -> Option<Result<Arc<Loaded>, NotRunnable>> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        let entry = state.known.get_mut(key)?;
        entry.used = now;
        Some(entry.outcome.clone())
    }

    pub(super) fn put(&self, key: Key, outcome: Result<Arc<Loaded>, NotRunnable>) {
        if outcome.as_ref().is_err_and(|error| !error.lasts()) {
            return;
        }
        let mut state = self.lock();
        state.clock += 1;
        let entry = Entry {
            outcome,
            used: state.clock,
        };
        state.bytes += entry.size();
        if let Some(old) = state.known.insert(key, entry) {
            state.bytes -= old.size();
        }
        while state.bytes > self.limit && state.known.len() > 1 {
            let oldest = state.known.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(key, _)| *key) else {
                break;
            };
            if let Some(old) = state.known.remove(&oldest) {
                state.bytes -= old.size();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
