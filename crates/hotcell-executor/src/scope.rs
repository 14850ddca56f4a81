//! Calls that end with the run that made them.
//!
//! A promise may outlive its run, and the call behind it goes on when the next run is polled. That is no good for what holds
//! something meanwhile: a command has the turn of its sandbox, a search a thread. Nobody polls them between two runs, and perhaps
//! there is none to come. So those are dropped when their run is over, and whoever awaits them later reads why.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use futures_util::task::AtomicWaker;
use hotcell_cell::{AnswerFuture, ToolError, Value};

/// So many may have ended unseen before they are looked for.
const LOOK: usize = 64;

/// The calls of a run that end with it.
#[derive(Default)]
pub(crate) struct RunScope(Mutex<Vec<Weak<Call>>>);

#[derive(Default)]
struct Call {
    /// Empty once it has ended, or while it is polled. It is neither polled nor dropped behind the lock.
    work: Mutex<Option<AnswerFuture>>,
    has_ended: AtomicBool,
    waker: AtomicWaker,
}

struct Answer(Arc<Call>);

impl RunScope {
    /// The same answer, or an error if the run ends before.
    pub(crate) fn hold(&self, work: AnswerFuture) -> AnswerFuture {
        let call = Arc::new(Call {
            work: Mutex::new(Some(work)),
            ..Call::default()
        });
        let mut calls = lock(&self.0);
        if calls.len() >= LOOK && calls.len() == calls.capacity() {
            calls.retain(|call| call.strong_count() > 0);
        }
        calls.push(Arc::downgrade(&call));
        drop(calls);
        Box::pin(Answer(call))
    }

    /// The run is over.
    pub(crate) fn end(&self) {
        let calls = std::mem::take(&mut *lock(&self.0));
        for call in calls.iter().filter_map(Weak::upgrade) {
            call.has_ended.store(true, Ordering::Release);
            let work = lock(&call.work).take();
            drop(work);
            call.waker.wake();
        }
    }
}

impl Future for Answer {
    type Output = Result<Value, ToolError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let call = &self.0;
        call.waker.register(context.waker());
        let work = lock(&call.work).take();
        let Some(mut work) = work else {
            return Poll::Ready(Err(ended()));
        };
        if let Poll::Ready(answer) = work.as_mut().poll(context) {
            return Poll::Ready(answer);
        }
        *lock(&call.work) = Some(work);
        // The run may have ended while there was nothing to drop.
        if call.has_ended.load(Ordering::Acquire) {
            let work = lock(&call.work).take();
            drop(work);
            return Poll::Ready(Err(ended()));
        }
        Poll::Pending
    }
}

fn ended() -> ToolError {
    ToolError::from("the call has ended with the run that made it: await it there")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
