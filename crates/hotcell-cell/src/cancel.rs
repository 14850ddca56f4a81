//! Telling a tool that nobody waits for its answer any more.

use std::{
    fmt,
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

/// Says whether the run that made a tool call is over. Cheap to clone.
///
/// An async tool that is cancelled is also dropped, so most need not look. One that started work elsewhere (a thread, a
/// child process) should stop it when [`CancelToken::cancelled`] completes.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    // A std mutex: held for a push or a take, never across an await.
    wakers: Mutex<Vec<Waker>>,
}

impl CancelToken {
    /// Whether the call is of no use any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Completes when the call is cancelled.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            let mut wakers = self.wakers();
            if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                wakers.push(context.waker().clone());
            }
            // Again, behind the lock: `cancel` may have come between.
            if self.is_cancelled() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    pub(crate) fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        let wakers = std::mem::take(&mut *self.wakers());
        wakers.into_iter().for_each(Waker::wake);
    }

    fn wakers(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken")
            .field(&self.is_cancelled())
            .finish()
    }
}
