//! The tasks around a cell: the one that polls it, and those of its tools.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
};

use crate::{
    foreign,
    tool::{Answer, Boxed, ToolError, panicked},
    value::Value,
};

/// The future of a tool, which is foreign: a panic in it is the failure of the call, and one in its drop is nobody's.
pub(super) struct Guarded<T> {
    tool: Arc<str>,
    /// `None` once it has answered.
    future: Option<Boxed<T>>,
}

impl<T> Guarded<T> {
    pub(super) fn new(tool: Arc<str>, future: Boxed<T>) -> Self {
        Self {
            tool,
            future: Some(future),
        }
    }
}

impl<T> Future for Guarded<T> {
    type Output = Result<T, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.future else {
            return Poll::Pending;
        };
        let answer = match foreign::call(|| future.as_mut().poll(context)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(answer)) => answer,
            Err(foreign::Panicked) => Err(panicked(&self.tool)),
        };
        foreign::discard(self.future.take());
        Poll::Ready(answer)
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        if let Some(future) = self.future.take() {
            foreign::discard(future);
        }
    }
}

/// A call under way.
pub(crate) struct CallFuture {
    pub(super) id: u32,
    pub(super) answer: Guarded<Value>,
}

impl Future for CallFuture {
    type Output = (u32, Answer);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let id = self.id;
        Pin::new(&mut self.answer)
            .poll(context)
            .map(|answer| (id, answer))
    }
}

/// The waker of the task that is polling the cell right now. Imports are called from inside that poll but do not see its
/// context.
#[derive(Clone, Default)]
pub(crate) struct TaskWaker(Arc<Mutex<Option<Waker>>>);

impl TaskWaker {
    /// The task that polls the cell from here on.
    pub(crate) fn set(&self, waker: &Waker) {
        let old = self.take();
        let is_same = old.as_ref().is_some_and(|old| old.will_wake(waker));
        let new = if is_same { old } else { Some(waker.clone()) };
        drop(self.put(new));
    }

    /// Polls with the waker of that task; `None` if nobody polls. It is not in its place meanwhile, so that a tool may poll
    /// what it likes.
    pub(crate) fn with<T>(&self, poll: impl FnOnce(&Waker) -> T) -> Option<T> {
        let waker = self.take()?;
        let polled = poll(&waker);
        drop(self.put(Some(waker)));
        Some(polled)
    }

    fn take(&self) -> Option<Waker> {
        self.lock().take()
    }

    /// Returns what was there, to be dropped without the lock.
    fn put(&self, waker: Option<Waker>) -> Option<Waker> {
        std::mem::replace(&mut *self.lock(), waker)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
