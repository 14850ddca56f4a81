//! The time of a run, from its turn to the last word about it.

use std::time::{Duration, Instant};

use hotcell_meter::StopToken;

use crate::{
    error::TimeLimit,
    isolation::Isolation,
    options::ExecutorOptions,
    output::{Run, RunStats},
};

/// What is left to do when the code has ended (its places are translated, its result is written down) counts towards the
/// time of the run. But however late it ended, there is this long to say so.
const GRACE: Duration = Duration::from_millis(50);

/// How long a run may take. One of both ends it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// In all, or in all but waiting for tools.
    pub(super) timeout: Option<Duration>,
    /// Computing, for it included: preparing its code, and what is left to do when it has ended.
    pub(super) cpu: Option<Duration>,
    /// Whether waiting for tools is free anyway.
    pub(super) pauses: bool,
}

impl Times {
    pub(super) fn of(run: &Run, options: &ExecutorOptions) -> Self {
        let cpu = run.cpu_time.or(options.cpu_time);
        let timeout = match run.timeout {
            None if run.has_no_timeout && cpu.is_some() => None,
            given => given.or(options.timeout_duration()),
        };
        Self {
            timeout,
            // What code computes in another process is measured there.
            cpu: cpu.filter(|_| options.isolation == Isolation::Thread),
            pauses: options.pause_clock_during_tools,
        }
    }
}

/// The time of a run.
pub(super) struct Clock {
    pub(super) began: Instant,
    pub(super) times: Times,
    /// What counts by each clock of what was before the run was last suspended.
    spent: (Duration, Duration),
    /// For everything but the code itself, which the cell looks after.
    pub(super) stop: StopToken,
}

impl Clock {
    pub(super) fn start(times: Times) -> Self {
        Self::resume(times, &RunStats::default())
    }

    /// Of a run that goes on, and has cost so much already.
    pub(super) fn resume(times: Times, so_far: &RunStats) -> Self {
        let began = Instant::now();
        let taken = if times.pauses {
            so_far.cpu
        } else {
            so_far.wall
        };
        let mut clock = Self {
            began,
            times,
            spent: (taken, so_far.cpu),
            stop: StopToken::new(),
        };
        clock.stop = within(clock.left().into_iter().chain(clock.cpu_left()).min());
        clock
    }

    /// What is left of its time.
    pub(super) fn left(&self) -> Option<Duration> {
        let taken = self.spent.0.saturating_add(self.began.elapsed());
        Some(self.times.timeout?.saturating_sub(taken))
    }

    /// What is left of its computing time, before the code begins or goes on: until then it is all the host's work for it.
    pub(super) fn cpu_left(&self) -> Option<Duration> {
        let taken = self.spent.1.saturating_add(self.began.elapsed());
        Some(self.times.cpu?.saturating_sub(taken))
    }

    /// The code has ended after it computed for so long. What is left to do may take what is left of either time.
    pub(super) fn computed(&mut self, computed: Duration) {
        let left = |limit: Option<Duration>, spent: Duration| {
            Some(limit?.saturating_sub(spent.saturating_add(computed)))
        };
        let wall = if self.times.pauses {
            left(self.times.timeout, self.spent.0)
        } else {
            self.left()
        };
        let cpu = left(self.times.cpu, self.spent.1);
        self.stop = within(wall.into_iter().chain(cpu).min());
    }

    /// The code has ended, and nothing but time can end what is left to do.
    pub(super) fn begin_grace(&mut self) {
        let least = Instant::now() + GRACE;
        self.stop = until(self.stop.deadline().map(|deadline| deadline.max(least)));
    }

    /// Waits for something that is not the run's.
    pub(super) async fn wait(&mut self, other: impl Future<Output = ()>) {
        let began = Instant::now();
        other.await;
        let waited = began.elapsed();
        self.stop = until(
            self.stop
                .deadline()
                .and_then(|deadline| deadline.checked_add(waited)),
        );
    }

    /// Which time is over, for who knows only that one is.
    pub(super) fn limit(&self) -> TimeLimit {
        match (self.times.timeout, self.times.cpu) {
            (Some(timeout), cpu) if cpu.is_none() || self.left() == Some(Duration::ZERO) => {
                TimeLimit::Timeout(timeout)
            }
            (_, Some(cpu)) => TimeLimit::Cpu(cpu),
            (timeout, None) => TimeLimit::Timeout(timeout.unwrap_or_default()),
        }
    }
}

fn within(time: Option<Duration>) -> StopToken {
    until(time.and_then(|time| Instant::now().checked_add(time)))
}

fn until(deadline: Option<Instant>) -> StopToken {
    deadline.map_or_else(StopToken::new, StopToken::until)
}
