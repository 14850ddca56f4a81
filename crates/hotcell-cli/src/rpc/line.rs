//! Requests for one executor or sandbox, in the order in which they came.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use hotcell::cell::Pool;

pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Requests that have not begun.
#[derive(Default)]
pub(super) struct Line(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: VecDeque<(Work, bool)>,
    is_moving: bool,
}

impl Line {
    /// Begins the work when everything before it has begun, and ended if it is not long.
    pub(super) fn enqueue(self: &Arc<Self>, work: Work, is_long: bool, pool: &Arc<Pool>) {
        let mut state = self.lock();
        state.waiting.push_back((work, is_long));
        if !state.is_moving {
            state.is_moving = true;
            let (line, pool_too) = (Arc::clone(self), Arc::clone(pool));
            pool.spawn(async move { line.advance(&pool_too).await })
                .detach();
        }
    }

    async fn advance(&self, pool: &Pool) {
        while let Some((mut work, is_long)) = self.next() {
            if is_long {
                // One step, so that it has taken its place in the queue of whatever it is for.
                let ended =
                    poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_ready())).await;
                if !ended {
                    pool.spawn(work).detach();
                }
            } else {
                work.await;
            }
        }
    }

    fn next(&self) -> Option<(Work, bool)> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.is_moving = next.is_some();
        next
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
