//! Waiting for a time beside something else, on the clock of the watchdog: no runtime, no thread for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;
use hotcell_watchdog::{Timed, Timer};

/// Longer than this no clock here can wait.
const FOR_EVER: Duration = Duration::from_hours(24 * 365 * 100);

/// A time to come.
pub(crate) struct Alarm {
    bell: Arc<Bell>,
    _timer: Option<Timer>,
}

#[derive(Default)]
struct Bell {
    has_rung: AtomicBool,
    waker: AtomicWaker,
}

impl Alarm {
    pub(crate) fn after(patience: Duration) -> Self {
        let bell = Arc::new(Bell::default());
        let timer = if patience.is_zero() {
            bell.has_rung.store(true, Ordering::Release);
            None
        } else {
            let at = Instant::now().checked_add(patience.min(FOR_EVER));
            at.map(|at| Timer::alarm(at, &bell, 0))
        };
        Self {
            bell,
            _timer: timer,
        }
    }

    /// Whether it has come; if not, the task is woken then.
    pub(crate) fn poll(&self, context: &Context<'_>) -> Poll<()> {
        self.bell.waker.register(context.waker());
        if self.bell.has_rung.load(Ordering::Acquire) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Timed for Bell {
    fn note(&self, _: u64) {
        self.has_rung.store(true, Ordering::Release);
    }

    fn wake(self: Arc<Self>) {
        if let Some(waker) = self.waker.take() {
            // It is the host's, and this is the watchdog.
            let woken = std::panic::AssertUnwindSafe(|| waker.wake());
            let _ = std::panic::catch_unwind(woken);
        }
    }
}
