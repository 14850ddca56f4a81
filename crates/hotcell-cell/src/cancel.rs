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

use hotcell_meter::{Stopped, Watch};

use crate::{foreign, interrupt::Interrupt};

/// Says whether the run that made a tool call is over. Cheap to clone.
///
/// An async tool that is cancelled is also dropped, so most need not look. One that started work elsewhere (a thread, a
/// child process) should stop it when [`CancelToken::cancelled`] completes.
///
/// It is also the [`Watch`] of that run: work that asks it now and then ends at the run's deadline.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    /// Of the cell that made the call, if one did.
    run: Option<Arc<dyn Watch>>,
    // A std mutex: held for a push or a take, never across an await or a call of a waker.
    wakers: Mutex<Vec<Waker>>,
}

impl CancelToken {
    /// For calls of the cell that this interrupts.
    pub(crate) fn of(run: &Arc<Interrupt>) -> Self {
        Self::within(Arc::clone(run) as Arc<dyn Watch>)
    }

    /// For calls that are made in the time of what this watches, by whoever carries the calls of a cell elsewhere.
    pub fn within(run: Arc<dyn Watch>) -> Self {
        Self(Arc::new(State {
            run: Some(run),
            ..State::default()
        }))
    }

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
            let is_known = |wakers: &[Waker]| {
                let mut known = wakers.iter();
                known.any(|waker| waker.will_wake(context.waker()))
            };
            if !is_known(&self.wakers()) {
                let waker = context.waker().clone();
                self.wakers().push(waker);
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

    /// Says that nobody waits for the call any more.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        let wakers = std::mem::take(&mut *self.wakers());
        wakers.into_iter().for_each(foreign::wake);
    }

    fn wakers(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for CancelToken {
    fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        self.0.run.as_ref().map_or(Ok(()), |run| run.check())
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken")
            .field(&self.is_cancelled())
            .finish()
    }
}
