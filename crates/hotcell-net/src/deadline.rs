//! Times at which waiting ends.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use async_io::Timer;
use futures_util::future::{Either, select};

use crate::error::{NetError, Phase};

/// What a future gives before a time, if it does.
pub(crate) async fn until<T>(deadline: Instant, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), Timer::at(deadline)).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}

/// A time at which a request ends, whatever it is doing.
pub(crate) struct Deadline {
    at: Instant,
    limit: Duration,
    timer: Timer,
}

impl Deadline {
    /// `limit` from now on, or at `at` if that is earlier.
    pub(crate) fn new(limit: Duration, at: Option<Instant>) -> Self {
        let now = Instant::now();
        let latest = now.checked_add(limit);
        let at = match (latest, at) {
            (Some(latest), Some(at)) => latest.min(at),
            (Some(at), None) | (None, Some(at)) => at,
            // Longer than clocks go: a century.
            (None, None) => now + Duration::from_secs(3_155_760_000),
        };
        Self {
            at,
            limit: at.saturating_duration_since(now),
            timer: Timer::at(at),
        }
    }

    /// The same or an earlier one, `limit` from now on.
    pub(crate) fn within(&self, limit: Duration) -> Self {
        Self::new(limit, Some(self.at))
    }

    /// Waits for a future, but not longer.
    pub(crate) async fn wait<T>(
        &mut self,
        phase: Phase,
        future: impl Future<Output = T>,
    ) -> Result<T, NetError> {
        match select(pin!(future), &mut self.timer).await {
            Either::Left((result, _)) => Ok(result),
            Either::Right(_) => Err(self.over(phase)),
        }
    }

    /// Whether it is over. If not, the task is woken when it is.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<NetError> {
        match Pin::new(&mut self.timer).poll(context) {
            Poll::Ready(_) => Poll::Ready(self.over(Phase::Transfer)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn over(&self, phase: Phase) -> NetError {
        NetError::Timeout {
            phase,
            limit: self.limit,
        }
    }
}
