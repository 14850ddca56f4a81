//! Wakes the task that waits for a worker.
//!
//! A task cannot wait for a futex, so a thread does it in its place. It is asked to each time.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

use super::shared::Shared;

/// How long output may lie around while somebody listens and the worker asks for nothing.
const LISTENING: Duration = Duration::from_millis(10);

#[derive(Default)]
pub(super) struct Notifier {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default, Clone, Copy)]
struct State {
    /// Whether somebody wants to be woken.
    is_wanted: bool,
    /// Whether output alone is worth waking for.
    listens: bool,
    is_started: bool,
    is_over: bool,
}

impl Notifier {
    /// Wakes whoever waits when the worker asks for something.
    pub(super) fn want(shared: &Arc<Shared>, listens: bool) {
        let notifier = &shared.notifier;
        let mut state = notifier.lock();
        state.is_wanted = true;
        state.listens = listens;
        let is_new = !std::mem::replace(&mut state.is_started, true);
        drop(state);
        if !is_new {
            notifier.changed.notify_one();
            return;
        }
        let shared = Arc::clone(shared);
        let thread = thread::Builder::new()
            .name("hotcell-lane".to_owned())
            .stack_size(64 << 10)
            .spawn(move || watch(&shared));
        if thread.is_err() {
            // Whoever waits has to ask again and again.
            notifier.lock().is_started = false;
        }
    }

    /// Whether there is a thread that looks.
    pub(super) fn is_started(&self) -> bool {
        self.lock().is_started
    }

    /// The worker is dead.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until somebody wants to be woken: whether output is worth it. `None` when it is over.
    fn wanted(&self) -> Option<bool> {
        let mut state = self.lock();
        while !state.is_wanted && !state.is_over {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        (!state.is_over).then_some(state.listens)
    }

    fn done(&self) {
        self.lock().is_wanted = false;
    }
}

fn watch(shared: &Arc<Shared>) {
    while let Some(listens) = shared.notifier.wanted() {
        let is_asked = if listens {
            shared.commands.wait_asked_for(LISTENING)
        } else {
            shared.commands.wait_asked()
        };
        if is_asked || (listens && shared.output.has_unread()) {
            shared.notifier.done();
            shared.wake();
        }
    }
}
