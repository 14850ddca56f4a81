//! Giving programs their time.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake},
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;
use hotcell_hopper::selector::exec::{State, Status};
use hotcell_meter::Stopped;
use hotcell_process::{Ended, Status as Exit};

use super::{Execs, KILLED, LIMIT, Running, TIMEOUT};

/// How long is worked for a guest before other tasks of the thread get a turn.
pub(crate) const SLICE: Duration = Duration::from_millis(1);

/// Says that something can go on, and tells the task of the guest.
pub(crate) struct Flag {
    is_raised: AtomicBool,
    task: Arc<AtomicWaker>,
}

impl Flag {
    /// One that is raised: what is new can go on.
    pub(crate) fn new(task: &Arc<AtomicWaker>) -> Arc<Self> {
        Arc::new(Self {
            is_raised: AtomicBool::new(true),
            task: Arc::clone(task),
        })
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.is_raised.load(Ordering::Acquire)
    }

    /// Takes it down; says whether it was up.
    pub(crate) fn take(&self) -> bool {
        self.is_raised.swap(false, Ordering::AcqRel)
    }
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_raised.swap(true, Ordering::AcqRel) {
            self.task.wake();
        }
    }
}

/// How far programs were driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drove {
    /// As far as was wanted.
    There,
    /// None of them can go on. If something happens that lets one, the task is woken.
    Quiet,
}

impl Execs {
    /// Lets programs run in turns until `is_enough`, or none can go on. `Pending` means that there is more to do, after
    /// other tasks had their turn.
    pub(crate) fn drive(
        &mut self,
        context: &mut Context<'_>,
        mut is_enough: impl FnMut(&Self) -> bool,
    ) -> Poll<Drove> {
        if is_enough(self) {
            return Poll::Ready(Drove::There);
        }
        if self.running.is_empty() {
            return Poll::Ready(Drove::Quiet);
        }
        self.task.register(context.waker());
        let began = Instant::now();
        loop {
            // In turns: the next one behind the last that can go on. One that computes takes all of a slice, so turns go on
            // from call to call.
            let behind = self.last_turn.saturating_add(1);
            let can_go_on = |(_, running): &(&u32, &Running)| running.flag.is_raised();
            let next = self.running.range(behind..).find(can_go_on);
            let next = next.or_else(|| self.running.iter().find(can_go_on));
            let Some((exec_id, _)) = next else {
                return Poll::Ready(Drove::Quiet);
            };
            self.last_turn = *exec_id;
            self.poll_one(self.last_turn);
            if is_enough(self) {
                return Poll::Ready(Drove::There);
            }
            if began.elapsed() >= SLICE {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }

    fn poll_one(&mut self, exec_id: u32) {
        let Some(running) = self.running.get_mut(&exec_id) else {
            return;
        };
        running.flag.take();
        let began = Instant::now();
        let waker = running.waker.clone();
        let polled = Pin::new(&mut running.run).poll(&mut Context::from_waker(&waker));
        running.cpu += began.elapsed();
        let cpu_limit = self.policy.limits.cpu_time;
        let status = if running.streams.is_breached() {
            Some((State::Failed, LIMIT))
        } else if let Poll::Ready(ended) = polled {
            Some(outcome(ended, running.account.refusals() > 0))
        } else if cpu_limit != Duration::ZERO && running.cpu > cpu_limit {
            Some((State::Timeout, TIMEOUT))
        } else {
            None
        };
        if let Some((state, code)) = status {
            self.end(exec_id, Status { state, code });
        }
    }

    /// Whether a program cannot go on by itself: it has ended, or waits.
    pub(crate) fn is_quiet(&self, exec_id: u32) -> bool {
        let running = self.running.get(&exec_id);
        running.is_none_or(|running| !running.flag.is_raised())
    }
}

/// What a guest is told of how a run ended.
fn outcome(ended: Ended, was_refused: bool) -> (State, u32) {
    match (ended.stopped, ended.status) {
        (Some(Stopped::Deadline), _) => (State::Timeout, TIMEOUT),
        (Some(Stopped::Cancelled), _) => (State::Killed, KILLED),
        // It was refused memory, and failed: that is the limit, whatever words it had for it.
        (None, status) if was_refused && !status.is_success() => (State::Failed, LIMIT),
        (None, Exit::Exited(code)) => (State::Exited, u32::from(code)),
        (None, status @ Exit::Signaled(_)) => {
            (State::Failed, u32::try_from(status.code()).unwrap_or(LIMIT))
        }
    }
}
