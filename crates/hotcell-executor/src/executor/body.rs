//! What runs the code of an executor: a cell here, or a worker process.

use std::time::Instant;

use hotcell_cell::Cell;

use super::Slot;
use crate::process::{Canceller, Remote, TO_GO_ALONG};

/// What runs the code of an executor.
#[expect(
    clippy::large_enum_variant,
    reason = "a box for each cell would be made for nothing"
)]
pub(super) enum Body {
    Here(Cell),
    There(Box<Remote>),
}

impl Body {
    /// Whether something can be run in it.
    pub(super) fn is_alive(&self) -> bool {
        match self {
            Self::Here(cell) => cell.is_alive(),
            Self::There(remote) => remote.is_alive(),
        }
    }

    /// Ends a run that nobody waits for any more.
    pub(super) fn is_stopped(&mut self) -> bool {
        match self {
            Self::Here(cell) => cell.stop().is_ok(),
            Self::There(remote) => {
                remote.give_up();
                true
            }
        }
    }

    pub(super) fn cell(&mut self) -> Option<&mut Cell> {
        match self {
            Self::Here(cell) => Some(cell),
            Self::There(_) => None,
        }
    }

    pub(super) fn remote(&mut self) -> Option<&mut Remote> {
        match self {
            Self::Here(_) => None,
            Self::There(remote) => Some(remote),
        }
    }
}

impl Slot {
    /// Lets the run that a worker has begun be cancelled, at once if it is to end already.
    pub(super) fn cancel_with(&mut self, canceller: Canceller) {
        self.canceller = Some(canceller);
        if self.is_cancelled {
            self.cancel_elsewhere();
        }
    }

    /// Cancels the run in a worker, if there is one. The worker is killed if it does not end it soon.
    pub(super) fn cancel_elsewhere(&mut self) {
        if let Some(canceller) = &self.canceller
            && self.limit.is_none()
        {
            canceller.cancel();
            self.limit = Some(canceller.limit(Instant::now() + TO_GO_ALONG));
        }
    }
}
