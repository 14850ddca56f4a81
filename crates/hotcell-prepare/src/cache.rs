//! Repeated text costs a lookup.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hotcell_meter::{Stopped, Unwatched, Watch};

use crate::diagnostic::Diagnostic;
use crate::dynamic::{DynamicKind, check_size, prepare_dynamic, prepare_dynamic_watched};
use crate::options::PrepareOptions;
use crate::program::{PreparedProgram, prepare_program, prepare_program_watched};

/// Prepares code with one set of options and remembers the results.
///
/// Clones are cheap and share the cache; so do preparers with other options made by [`Preparer::with_options`]. Results
/// are found by a keyed hash of the text and then compared with the text itself, so that no collision, accidental or
/// made, can exchange one program for another.
#[derive(Clone, Debug)]
pub struct Preparer {
    options: Arc<PrepareOptions>,
    /// What the options hash to. Extensions are code and cannot be hashed: with any, the number is unique to this one.
    fingerprint: u64,
    cache: Arc<Cache>,
}

impl Preparer {
    /// A preparer with a cache of its own, of at most `capacity` bytes.
    pub fn new(options: PrepareOptions, capacity: usize) -> Self {
        let cache = Arc::new(Cache {
            hasher: RandomState::new(),
            capacity,
            state: Mutex::new(State::default()),
        });
        Self::build(options, cache)
    }

    /// A preparer with other options that shares this one's cache.
    #[must_use]
    pub fn with_options(&self, options: PrepareOptions) -> Self {
        Self::build(options, Arc::clone(&self.cache))
    }

    fn build(options: PrepareOptions, cache: Arc<Cache>) -> Self {
        static UNIQUE: AtomicU64 = AtomicU64::new(0);
        let mut hasher = cache.hasher.build_hasher();
        options.hash_data(&mut hasher);
        if !options.rules.is_empty() || !options.transforms.is_empty() {
            UNIQUE.fetch_add(1, Ordering::Relaxed).hash(&mut hasher);
        }
        Self {
            options: Arc::new(options),
            fingerprint: hasher.finish(),
            cache,
        }
    }

    /// The options that everything is checked against.
    pub fn options(&self) -> &PrepareOptions {
        &self.options
    }

    /// Like [`prepare_program`].
    pub fn prepare(&self, code: &str) -> Arc<PreparedProgram> {
        // Nobody stops what nobody watches.
        self.prepare_watched(code, &Unwatched)
            .unwrap_or_else(|_| Arc::new(prepare_program(code, &self.options)))
    }

    /// Like [`prepare_program_watched`]. What was stopped is not remembered.
    pub fn prepare_watched(
        &self,
        code: &str,
        watch: &dyn Watch,
    ) -> Result<Arc<PreparedProgram>, Stopped> {
        if code.len() > self.options.max_code_bytes {
            // It is refused for its size alone; to look for it would take longer.
            let program = prepare_program_watched(code, &self.options, watch)?;
            return Ok(Arc::new(program));
        }
        let key = Key {
            fingerprint: self.fingerprint,
            kind: None,
            params: "",
            text: code,
        };
        if let Some(Entry::Program(program)) = self.cache.get(&key) {
            return Ok(program);
        }
        let program = Arc::new(prepare_program_watched(code, &self.options, watch)?);
        self.cache
            .put(&key, Entry::Program(Arc::clone(&program)), program.weight());
        Ok(program)
    }

    /// Like [`validate_code`](crate::validate_code).
    pub fn validate(&self, code: &str) -> Vec<Diagnostic> {
        self.prepare(code).diagnostics.clone()
    }

    /// Like [`Preparer::validate`], for as long as `watch` lets it.
    pub fn validate_watched(
        &self,
        code: &str,
        watch: &dyn Watch,
    ) -> Result<Vec<Diagnostic>, Stopped> {
        Ok(self.prepare_watched(code, watch)?.diagnostics.clone())
    }

    /// Like [`prepare_dynamic`].
    pub fn prepare_dynamic(
        &self,
        kind: DynamicKind,
        params: Option<&str>,
        body: &str,
    ) -> Result<Arc<str>, Diagnostic> {
        // Nobody stops what nobody watches.
        self.prepare_dynamic_watched(kind, params, body, &Unwatched)
            .unwrap_or_else(|_| prepare_dynamic(kind, params, body, &self.options).map(Into::into))
    }

    /// Like [`prepare_dynamic_watched`]. What was stopped is not remembered.
    pub fn prepare_dynamic_watched(
        &self,
        kind: DynamicKind,
        params: Option<&str>,
        body: &str,
        watch: &dyn Watch,
    ) -> Result<Result<Arc<str>, Diagnostic>, Stopped> {
        let params = params.unwrap_or("");
        // A guest's text can be far larger than any code that is looked at, even for its hash.
        if let Err(too_large) = check_size(params, body, &self.options) {
            return Ok(Err(too_large));
        }
        let key = Key {
            fingerprint: self.fingerprint,
            kind: Some(kind),
            params,
            text: body,
        };
        if let Some(Entry::Dynamic { result, .. }) = self.cache.get(&key) {
            return Ok(result);
        }
        let result: Result<Arc<str>, Diagnostic> =
            prepare_dynamic_watched(kind, Some(params), body, &self.options, watch)?
                .map(Into::into);
        let entry = Entry::Dynamic {
            params: key.params.into(),
            text: key.text.into(),
            result: result.clone(),
        };
        let weight = 2 * (key.params.len() + key.text.len()) + 256;
        self.cache.put(&key, entry, weight);
        Ok(result)
    }
}

#[derive(Debug)]
struct Cache {
    /// Keyed at random, so that texts cannot be made to collide.
    hasher: RandomState,
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<u64, Slot>,
    /// Hashes by when they were last used.
    order: BTreeMap<u64, u64>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    fingerprint: u64,
    kind: Option<DynamicKind>,
    entry: Entry,
    weight: usize,
    used: u64,
}

#[derive(Clone, Debug)]
enum Entry {
    Program(Arc<PreparedProgram>),
    Dynamic {
        params: Arc<str>,
        text: Arc<str>,
        result: Result<Arc<str>, Diagnostic>,
    },
}

#[derive(Hash)]
struct Key<'t> {
    fingerprint: u64,
    kind: Option<DynamicKind>,
    params: &'t str,
    text: &'t str,
}

impl Key<'_> {
    fn matches(&self, slot: &Slot) -> bool {
        self.fingerprint == slot.fingerprint
            && self.kind == slot.kind
            && match &slot.entry {
                Entry::Program(program) => *program.original == *self.text,
                Entry::Dynamic { params, text, .. } => {
                    **params == *self.params && **text == *self.text
                }
            }
    }
}

impl Cache {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held leaves at worst a cache that forgets.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key: &Key<'_>) -> Option<Entry> {
        let hash = self.hasher.hash_one(key);
        let mut guard = self.state();
        let state = &mut *guard;
        let slot = state.entries.get_mut(&hash)?;
        if !key.matches(slot) {
            return None;
        }
        state.clock += 1;
        state.order.remove(&slot.used);
        state.order.insert(state.clock, hash);
        slot.used = state.clock;
        Some(slot.entry.clone())
    }

    fn put(&self, key: &Key<'_>, entry: Entry, weight: usize) {
        if weight > self.capacity {
            return;
        }
        let hash = self.hasher.hash_one(key);
        let mut guard = self.state();
        let state = &mut *guard;
        state.clock += 1;
        let used = state.clock;
        let slot = Slot {
            fingerprint: key.fingerprint,
            kind: key.kind,
            entry,
            weight,
            used,
        };
        if let Some(old) = state.entries.insert(hash, slot) {
            state.order.remove(&old.used);
            state.bytes -= old.weight;
        }
        state.order.insert(used, hash);
        state.bytes += weight;
        while state.bytes > self.capacity {
            let Some((_, oldest)) = state.order.pop_first() else {
                break;
            };
            if let Some(slot) = state.entries.remove(&oldest) {
                state.bytes -= slot.weight;
            }
        }
    }
}
