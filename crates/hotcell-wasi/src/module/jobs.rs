//! Loading and compiling, beside the processes that wait for it.

use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use futures_channel::oneshot;
use hotcell_process::Process;

use super::{Key, Loaded, NotRunnable, Shared, Source};

/// Whose module it is. Each has a thread of its own, so that what a guest wrote, which may keep the compiler busy for long,
/// does not keep others from what the host installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Host,
    Guest,
}

impl Lane {
    pub(super) const COUNT: usize = 2;
}

type Outcome = Result<Arc<Loaded>, NotRunnable>;

/// Modules on their way. Clones are one.
#[derive(Clone)]
pub(super) struct Jobs {
    lane: Lane,
    // Held for an update of the queue, never while a module is made.
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Key, Source)>,
    /// Who waits for which.
    waiting: HashMap<Key, Vec<oneshot::Sender<Outcome>>>,
    /// A thread is at work, and will look at the queue before it ends.
    has_thread: bool,
}

/// The compiler recurses where code is nested. As deep as a function may be long it does not come, but this is memory only
/// if it is used.
pub(crate) const STACK: usize = 256 << 20;

/// How much longer a process waits than the compiler may take, so that it gets to know why it took too long.
const PATIENCE: Duration = Duration::from_millis(100);

impl Jobs {
    pub(super) fn new(lane: Lane) -> Self {
        Self {
            lane,
            state: Arc::default(),
        }
    }

    /// Puts a module on its way, unless it is already.
    pub(super) fn ask(&self, shared: &Arc<Shared>, key: Key, source: Source) -> Ticket {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let waiting = state.waiting.entry(key).or_default();
        waiting.push(sender);
        if waiting.len() == 1 {
            state.queue.push_back((key, source));
        }
        if !state.has_thread {
            let (jobs, shared) = (self.clone(), Arc::clone(shared));
            let spawned = thread::Builder::new()
                .name("hotcell-compile".into())
                .stack_size(STACK)
                .spawn(move || jobs.work(&shared));
            state.has_thread = spawned.is_ok();
            if !state.has_thread {
                // Nobody will take it up.
                state.queue.clear();
                state.waiting.clear();
            }
        }
        drop(state);
        Ticket {
            jobs: self.clone(),
            key,
            receiver,
        }
    }

    /// What the thread does, until nothing is left.
    fn work(&self, shared: &Shared) {
        while let Some((key, source)) = self.next() {
            let is_wanted = || self.lock().is_wanted(&key);
            let make = || shared.make(&key, &source, self.lane, &is_wanted);
            let outcome = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
                shared.cache.put(key, Err(NotRunnable::Panicked));
                Err(NotRunnable::Panicked)
            });
            let mut state = self.lock();
            #[cfg(feature = "compile")]
            if matches!(outcome, Err(NotRunnable::Abandoned)) && state.is_wanted(&key) {
                // Somebody came at the last moment.
                state.queue.push_front((key, source));
                continue;
            }
            let waiting = state.waiting.remove(&key).unwrap_or_default();
            drop(state);
            // Before anybody is told, so that nothing of it is left when a run is over.
            drop(source);
            for sender in waiting {
                // Whoever asked may have gone.
                let _ = sender.send(outcome.clone());
            }
        }
    }

    /// The next module that somebody still waits for.
    fn next(&self) -> Option<(Key, Source)> {
        let mut state = self.lock();
        while let Some((key, source)) = state.queue.pop_front() {
            if state.is_wanted(&key) {
                return Some((key, source));
            }
            state.waiting.remove(&key);
        }
        state.has_thread = false;
        None
    }

    /// Takes a module out of the queue that nobody waits for any more, so that it is not kept for as long as the compiler is
    /// busy with another.
    fn forget(&self, key: &Key) {
        let mut state = self.lock();
        if state.is_wanted(key) {
            return;
        }
        if let Some(index) = state.queue.iter().position(|(queued, _)| queued == key) {
            let forgotten = state.queue.remove(index);
            state.waiting.remove(key);
            drop(state);
            drop(forgotten);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether somebody waits for it.
    fn is_wanted(&self, key: &Key) -> bool {
        let waiting = self.waiting.get(key);
        waiting.is_some_and(|waiting| waiting.iter().any(|one| !one.is_canceled()))
    }
}

/// The place of a process among those that wait for a module. Dropping it gives it up.
pub(super) struct Ticket {
    jobs: Jobs,
    key: Key,
    receiver: oneshot::Receiver<Outcome>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.receiver.close();
        self.jobs.forget(&self.key);
    }
}

/// Waits for a module in the life of a process.
pub(super) fn wait(process: &Process, mut ticket: Ticket, limit: Duration) -> Outcome {
    let time = Instant::now() + limit + PATIENCE;
    let mut context = Context::from_waker(process.waker());
    match process.until(time, || Pin::new(&mut ticket.receiver).poll(&mut context)) {
        Poll::Ready(Ok(outcome)) => outcome,
        Poll::Ready(Err(oneshot::Canceled)) => Err(NotRunnable::Machine(
            "no thread could be started to load it".into(),
        )),
        Poll::Pending => Err(NotRunnable::NotYet(limit)),
    }
}
