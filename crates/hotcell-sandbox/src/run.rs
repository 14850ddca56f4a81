//! One command, from its place in the line to its result.

mod active;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hotcell_cell::Task;
use hotcell_process::LimitKind;
use hotcell_watchdog::Timer;

use self::active::Active;
pub(crate) use self::active::{Crash, Kept, Over};
use crate::{
    audit::{AuditKind, KillReason},
    command::Command,
    error::{Result, SandboxError},
    line::{Canceller, Control},
    options::Concurrency,
    result::{ErrorClass, RunResult, Truncated},
    sandbox::Inner,
};

/// A command that waits or runs, as a future. Dropping it kills the command.
#[must_use = "nothing runs until it is polled"]
pub struct Running {
    control: Arc<Control>,
    phase: Phase,
}

enum Phase {
    /// Not polled yet.
    New(Place, Command),
    /// In the line, since then.
    Waiting(Place, Command, Wait),
    /// Under way, here.
    Active(Box<Active>),
    /// On the threads of a pool.
    Pooled(Task<Result<RunResult>>),
    Done,
}

/// How long one has been in the line, and what ends that.
struct Wait {
    since: Instant,
    _timer: Option<Timer>,
}

impl Wait {
    /// A command with a time of its own has it from when it was asked for.
    fn new(place: &Place, command: &Command) -> Self {
        let since = Instant::now();
        let end = command.timeout.and_then(|time| since.checked_add(time));
        Self {
            since,
            _timer: end.map(|at| Timer::alarm(at, &place.control, 0)),
        }
    }
}

/// A place in the line, or the turn. Dropping it lets the next one go on.
pub(crate) struct Place {
    pub(crate) inner: Arc<Inner>,
    pub(crate) control: Arc<Control>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = self.inner.lock().line.leave(&self.control);
        if let Some(next) = next {
            next.wake();
        }
    }
}

impl Running {
    pub(crate) fn new(inner: &Arc<Inner>, command: Command) -> Self {
        let control = Arc::<Control>::default();
        let place = Place {
            inner: Arc::clone(inner),
            control: Arc::clone(&control),
        };
        let running = Self {
            phase: Phase::New(place, command),
            control: Arc::clone(&control),
        };
        match &inner.options.pool {
            Some(pool) => Self {
                phase: Phase::Pooled(pool.spawn(running)),
                control,
            },
            None => running,
        }
    }

    /// What ends this run and no other.
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.control))
    }

    /// Takes the turn, or waits for it.
    fn enter(place: Place, command: Command, wait: Option<Wait>, context: &Context<'_>) -> Step {
        let limits = &place.inner.options.limits;
        if command.text.len() > limits.command_bytes {
            let (found, most) = (command.text.len(), limits.command_bytes);
            place
                .inner
                .audit
                .tell(None, || AuditKind::Limit(LimitKind::Command));
            return Step::Done(Ok(too_long(found, most)));
        }
        // Before anything is looked at: who changes it afterwards wakes us.
        place.control.register(context.waker());
        let mut state = place.inner.lock();
        if state.live.is_none() {
            drop(state);
            return Step::Done(Err(SandboxError::Destroyed));
        }
        if let Some(reason) = place.control.reason() {
            drop(state);
            return Step::Done(Ok(not_begun(reason)));
        }
        if state.line.take(&place.control) {
            state.runs += 1;
            let run = state.runs;
            drop(state);
            let waited = wait.map_or(Duration::ZERO, |wait| wait.since.elapsed());
            return Active::begin(place, run, command, waited)
                .map_or_else(|error| Step::Done(Err(error)), Step::Begin);
        }
        if wait.is_none() {
            let options = &place.inner.options;
            let refused = match options.concurrency {
                Concurrency::Refuse => Some(SandboxError::Busy),
                Concurrency::Queue if state.line.len() >= limits.queued_runs => {
                    Some(SandboxError::QueueFull(limits.queued_runs))
                }
                Concurrency::Queue => None,
            };
            if let Some(error) = refused {
                drop(state);
                return Step::Done(Err(error));
            }
            state.line.join(&place.control);
        }
        drop(state);
        let wait = wait.unwrap_or_else(|| Wait::new(&place, &command));
        Step::Wait(place, command, wait)
    }
}

/// What a look at the line came to.
enum Step {
    Begin(Box<Active>),
    Wait(Place, Command, Wait),
    Done(Result<RunResult>),
}

impl Future for Running {
    type Output = Result<RunResult>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let step = match std::mem::replace(&mut self.phase, Phase::Done) {
                Phase::New(place, command) => Self::enter(place, command, None, context),
                Phase::Waiting(place, command, wait) => {
                    Self::enter(place, command, Some(wait), context)
                }
                Phase::Active(mut active) => match active.poll(context) {
                    Poll::Ready(result) => return Poll::Ready(result),
                    Poll::Pending => {
                        self.phase = Phase::Active(active);
                        return Poll::Pending;
                    }
                },
                Phase::Pooled(mut task) => match Pin::new(&mut task).poll(context) {
                    Poll::Ready(result) => return Poll::Ready(result),
                    Poll::Pending => {
                        self.phase = Phase::Pooled(task);
                        return Poll::Pending;
                    }
                },
                // As any future that has completed.
                Phase::Done => return Poll::Pending,
            };
            match step {
                Step::Begin(active) => self.phase = Phase::Active(active),
                Step::Done(result) => return Poll::Ready(result),
                Step::Wait(place, command, wait) => {
                    self.phase = Phase::Waiting(place, command, wait);
                    return Poll::Pending;
                }
            }
        }
    }
}

/// The result of a command that did not run.
fn nothing(exit_code: i32, class: ErrorClass, error: String) -> RunResult {
    RunResult {
        exit_code,
        stdout: Vec::new(),
        stderr: Vec::new(),
        truncated: Truncated::default(),
        error_class: Some(class),
        error: Some(error),
        limits: Vec::new(),
        denials: Vec::new(),
        duration: Duration::ZERO,
        cpu: Duration::ZERO,
        peak_memory: 0,
    }
}

fn too_long(found: usize, most: usize) -> RunResult {
    let text = format!(
        "the command has {found} bytes, and may have {most}: write what is long to a file first"
    );
    RunResult {
        limits: vec![LimitKind::Command],
        stderr: format!("hotcell: {text}\n").into_bytes(),
        ..nothing(1, ErrorClass::LimitExceeded, text)
    }
}

fn not_begun(reason: KillReason) -> RunResult {
    if reason == KillReason::Timeout {
        let text = "the command did not begin: its time was over while another one ran";
        return RunResult {
            limits: vec![LimitKind::Time],
            ..nothing(124, ErrorClass::Timeout, text.to_owned())
        };
    }
    let text = format!("the command did not begin: {}", reason.name());
    nothing(125, ErrorClass::Cancelled, text)
}
