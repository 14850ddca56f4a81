//! One word that ends all work of a run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Instant,
};

use crate::pace::Watch;

/// Why work has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The run's time is over.
    #[error("the time is over")]
    Deadline,
    /// Somebody cancelled it.
    #[error("cancelled")]
    Cancelled,
}

const RUNNING: u8 = 0;
const PAST_DEADLINE: u8 = 1;
const CANCELLED: u8 = 2;

/// A deadline and a way to cancel before it. Cheap to clone; clones are one token. The first reason to stop stays.
#[derive(Debug, Clone, Default)]
pub struct StopToken {
    reason: Arc<AtomicU8>,
    deadline: Option<Instant>,
}

impl StopToken {
    /// A token without a deadline.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that stops by itself at `deadline`.
    pub fn until(deadline: Instant) -> Self {
        Self {
            reason: Arc::default(),
            deadline: Some(deadline),
        }
    }

    /// When it stops by itself.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Stops all work that holds this token.
    pub fn cancel(&self) {
        self.stop(CANCELLED);
    }

    /// Why work has to end, if it has. Looks at the clock.
    pub fn stopped(&self) -> Option<Stopped> {
        match self.reason.load(Ordering::Acquire) {
            PAST_DEADLINE => return Some(Stopped::Deadline),
            CANCELLED => return Some(Stopped::Cancelled),
            _ => {}
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.stop(PAST_DEADLINE);
            return self.stopped();
        }
        None
    }

    fn stop(&self, reason: u8) {
        // Whoever was first has said why.
        let _ = self
            .reason
            .compare_exchange(RUNNING, reason, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl Watch for StopToken {
    fn check(&self) -> Result<(), Stopped> {
        self.stopped().map_or(Ok(()), Err)
    }
}
