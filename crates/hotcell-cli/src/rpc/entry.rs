//! An executor with its place in line.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use hotcell_cell::Pool;
use hotcell_executor::Executor;

use super::tools::ToolParams;

pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An executor, by its id.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) executor: Executor,
    /// What the client sent, for twins.
    pub(super) tools: Mutex<Vec<ToolParams>>,
    line: Mutex<Line>,
}

/// Requests that have not begun.
#[derive(Default)]
struct Line {
    waiting: VecDeque<(Work, bool)>,
    is_moving: bool,
}

impl Entry {
    pub(super) fn new(id: String, executor: Executor) -> Arc<Self> {
        Arc::new(Self {
            id,
            executor,
            tools: Mutex::default(),
            line: Mutex::default(),
        })
    }

    /// Begins the work when everything before it has begun, and ended if it is not long.
    pub(super) fn enqueue(self: &Arc<Self>, work: Work, is_long: bool, pool: &Arc<Pool>) {
        let mut line = self.line();
        line.waiting.push_back((work, is_long));
        if !line.is_moving {
            line.is_moving = true;
            let (entry, pool_too) = (Arc::clone(self), Arc::clone(pool));
            pool.spawn(async move { entry.advance(&pool_too).await })
                .detach();
        }
    }

    async fn advance(&self, pool: &Pool) {
        while let Some((mut work, is_long)) = self.next() {
            if is_long {
                // One step, so that it has taken its place in the executor's own queue.
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
        let mut line = self.line();
        let next = line.waiting.pop_front();
        line.is_moving = next.is_some();
        next
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tools(&self) -> MutexGuard<'_, Vec<ToolParams>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
