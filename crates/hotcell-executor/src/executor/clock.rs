//! The time of a run, from its turn to the last word about it.

use std::time::{Duration, Instant};

use hotcell_meter::StopToken;

/// What is left to do when the code has ended (its places are translated, its result is written down) counts towards the
/// time of the run. But however late it ended, there is this long to say so.
const GRACE: Duration = Duration::from_millis(50);

/// The time of a run.
pub(super) struct Clock {
    pub(super) began: Instant,
    pub(super) timeout: Duration,
    /// What the run took before it was last suspended.
    spent: Duration,
    /// For everything but the code itself, which the cell looks after.
    pub(super) stop: StopToken,
}

impl Clock {
    pub(super) fn start(timeout: Duration) -> Self {
        Self::resume(timeout, Duration::ZERO)
    }

    /// Of a run that goes on, and has taken so long already.
    pub(super) fn resume(timeout: Duration, spent: Duration) -> Self {
        let began = Instant::now();
        Self {
            began,
            timeout,
            spent,
            stop: until(began.checked_add(timeout.saturating_sub(spent))),
        }
    }

    pub(super) fn left(&self) -> Duration {
        let taken = self.spent.saturating_add(self.began.elapsed());
        self.timeout.saturating_sub(taken)
    }

    /// Only the time that was spent computing counts.
    pub(super) fn count_only(&mut self, computed: Duration) {
        let left = self
            .timeout
            .saturating_sub(self.spent.saturating_add(computed));
        self.stop = until(Instant::now().checked_add(left));
    }

    /// The code has ended, and nothing but time can end what is left to do.
    pub(super) fn begin_grace(&mut self) {
        let least = Instant::now() + GRACE;
        self.stop = until(self.stop.deadline().map(|deadline| deadline.max(least)));
    }
}

fn until(deadline: Option<Instant>) -> StopToken {
    deadline.map_or_else(StopToken::new, StopToken::until)
}
