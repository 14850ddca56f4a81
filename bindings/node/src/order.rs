//! What was called first begins first.
//!
//! An executor decides when a future is first polled, and the pool polls on many threads. JavaScript expects that of two
//! calls in a row the first is the first.

use std::{
    collections::{HashMap, VecDeque},
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker, ready},
};

use futures_channel::oneshot;
use futures_util::FutureExt;
use hotcell::cell::leave;
use hotcell::{ContentItem, Execution, Executor, Started};

use crate::shared::lock;

/// The order of one executor's operations.
#[derive(Default)]
pub(crate) struct Order {
    /// Completes when the latest operation has begun.
    begun: Mutex<Option<oneshot::Receiver<()>>>,
    /// Operations that have not ended.
    under_way: Arc<AtomicUsize>,
    /// Runs that have begun and not told how they ended. The first is the one under way; the others wait for their turn.
    runs: Mutex<VecDeque<u32>>,
    /// Those that wait until they are the first.
    waiting: Mutex<Vec<Waker>>,
    /// Held while a run is polled, which is a millisecond at most, and its end is told.
    polling: Mutex<()>,
    /// Ways to call runs off.
    aborts: Mutex<HashMap<u32, oneshot::Sender<()>>>,
}

impl Order {
    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way.load(Ordering::Acquire) == 0
    }

    /// The future, which is first polled after those that were queued before have been.
    pub(crate) fn queue<F: Future + Send>(
        &self,
        future: F,
    ) -> impl Future<Output = F::Output> + Send + use<F> {
        let (begun, next) = oneshot::channel();
        let before = lock(&self.begun).replace(next);
        let under_way = UnderWay::begin(&self.under_way);
        async move {
            let _under_way = under_way;
            if let Some(before) = before {
                // An operation that was dropped instead has also had its turn.
                let _ = before.await;
            }
            let mut future = pin!(future);
            let mut begun = Some(begun);
            poll_fn(|context| {
                let poll = future.as_mut().poll(context);
                drop(begun.take());
                poll
            })
            .await
        }
    }

    /// A run that can be called off. `tell` gets what came of it: `None` if it was called off before any of its code ran. `is_long`
    /// says whether it takes long to tell.
    ///
    /// The next run begins after `tell` has returned, so that whatever it does is told after this one's end.
    pub(crate) fn run<E: Send, F: Future<Output = E> + Send, T: FnOnce(Option<E>) + Send>(
        self: &Arc<Self>,
        executor: &Executor,
        operation: u32,
        run: F,
        is_long: fn(&E) -> bool,
        tell: T,
    ) -> impl Future<Output = ()> + Send + use<E, F, T> {
        let (sender, mut aborted) = oneshot::channel();
        lock(&self.aborts).insert(operation, sender);
        let (order, executor) = (Arc::clone(self), executor.clone());
        async move {
            let listed = Listed { order, operation };
            let mut execution = pin!(run);
            let mut leaving = pin!(leave());
            let mut ended = None;
            let mut has_begun = false;
            let mut tell = Some(tell);
            let mut end = |ended| {
                if let Some(tell) = tell.take() {
                    tell(ended);
                }
                listed.remove();
                Poll::Ready(())
            };
            poll_fn(|context| {
                // No other run of this executor can begin or end from here on.
                let _alone = lock(&listed.order.polling);
                if ended.is_some() {
                    ready!(leaving.as_mut().poll(context));
                    return end(ended.take());
                }
                if matches!(aborted.poll_unpin(context), Poll::Ready(Ok(()))) {
                    if !has_begun || !listed.is_first() {
                        return end(None);
                    }
                    executor.cancel();
                }
                if !has_begun {
                    has_begun = true;
                    lock(&listed.order.runs).push_back(operation);
                } else if !listed.is_first_or_waits(context) {
                    return Poll::Pending;
                }
                let execution = ready!(execution.as_mut().poll(context));
                if is_long(&execution) {
                    ended = Some(execution);
                    ready!(leaving.as_mut().poll(context));
                    return end(ended.take());
                }
                end(Some(execution))
            })
            .await;
        }
    }

    pub(crate) fn abort(&self, operation: u32) {
        if let Some(abort) = lock(&self.aborts).remove(&operation) {
            // If nobody listens any more, the run is over.
            let _ = abort.send(());
        }
    }
}

/// An operation, until it has ended or is dropped.
struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A run, until its end has been told.
struct Listed {
    order: Arc<Order>,
    operation: u32,
}

impl Listed {
    fn is_first(&self) -> bool {
        lock(&self.order.runs).front() == Some(&self.operation)
    }

    /// Whether it is the first; if not, whoever goes before it will wake it.
    fn is_first_or_waits(&self, context: &Context<'_>) -> bool {
        if self.is_first() {
            return true;
        }
        lock(&self.order.waiting).push(context.waker().clone());
        // Again: the one before may have been dropped meanwhile.
        self.is_first()
    }

    fn remove(&self) {
        lock(&self.order.runs).retain(|operation| *operation != self.operation);
        lock(&self.order.aborts).remove(&self.operation);
        let waiting = std::mem::take(&mut *lock(&self.order.waiting));
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Whether it takes longer to tell than a visitor of Node's thread may stay. Large values and texts have left it already; this
/// is about many small ones.
pub(crate) fn is_long(execution: &Execution) -> bool {
    const MANY: usize = 64;
    const LONG: usize = 8 << 10;
    execution.calls.len() > MANY
        || execution.entries.len() > MANY
        || execution.diagnostics.len() > MANY
        || execution.logs.len() > LONG
        || execution.content.len() > MANY
        || execution
            .content
            .iter()
            .map(ContentItem::size)
            .sum::<usize>()
            > LONG
}

/// The same for a run that may also wait or go on.
pub(crate) fn is_long_start(started: &Started) -> bool {
    match started {
        Started::Complete(execution) => is_long(execution),
        // Arguments may be many, and code decides how large they are.
        _ => true,
    }
}
