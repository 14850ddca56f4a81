//! A command under way.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bstr::BString;
use hotcell_meter::{StopToken, Stopped};
use hotcell_process::{
    Capture, Captured, Ended, Kernel, KernelOptions, LimitKind, Observer, Stream,
};
use hotcell_shell::{Shell, Started, Streams};

use super::Place;
use crate::{
    audit::{AuditKind, KillReason},
    boundary::{Distant, Errand, Isolation},
    command::Command,
    error::{Result, SandboxError},
    history::beginning,
    notes::Notes,
    output::{OutputStream, capture},
    result::{ErrorClass, RunResult, Truncated},
    sandbox::Inner,
};

/// Where the command runs.
enum Work {
    Here(Started),
    Elsewhere(Distant),
}

/// What is kept of what it prints.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) stdout: Option<Capture>,
    pub(crate) stderr: Option<Capture>,
}

/// How it ended.
pub(crate) struct Over {
    pub(crate) code: i32,
    pub(crate) killed: Option<KillReason>,
    /// What it has left, if it ran to its end.
    pub(crate) shell: Option<Shell>,
    pub(crate) cpu: Duration,
    pub(crate) peak: usize,
    pub(crate) crash: Option<Crash>,
}

/// How a worker process ended that nobody has killed.
pub(crate) struct Crash {
    pub(crate) text: String,
    pub(crate) is_out_of_memory: bool,
}

/// A command under way. Dropping it kills the command, and gives the turn to the next.
pub(super) struct Active {
    run: u64,
    command: BString,
    kernel: Kernel,
    /// Taken when it has ended.
    work: Option<Work>,
    kept: Kept,
    notes: Arc<Notes>,
    began: Instant,
    timeout: Duration,
    /// Last, so that nothing of it is left when the next one begins.
    place: Place,
}

impl Active {
    /// Begins, once it has the turn. `waited` of the command's own time is gone.
    pub(super) fn begin(
        place: Place,
        run: u64,
        command: Command,
        waited: Duration,
    ) -> Result<Box<Self>> {
        let inner = Arc::clone(&place.inner);
        inner.audit.tell(Some(run), || AuditKind::Started {
            command: String::from_utf8_lossy(beginning(&command.text)).into_owned(),
        });
        let limits = &inner.options.limits;
        let (account, most) = (&inner.account, limits.output_bytes);
        account.reset_peak();
        let world = {
            let state = inner.lock();
            let live = state.live.as_ref().ok_or(SandboxError::Destroyed)?;
            live.world.clone()
        };
        let notes = Notes::new(inner.audit.clone(), run, account.clone(), world.clone());
        let notes = Arc::new(notes);
        let keep = |given: &Option<Arc<dyn Stream>>, which| {
            let listener = command.listener.as_ref();
            given
                .is_none()
                .then(|| capture(which, most, account, listener, &notes))
        };
        let kept = Kept {
            stdout: keep(&command.stdout, OutputStream::Stdout),
            stderr: keep(&command.stderr, OutputStream::Stderr),
        };
        let text = command.text.clone();
        let timeout = command.timeout.unwrap_or(limits.time);
        let left = command
            .timeout
            .map_or(limits.time, |time| time.saturating_sub(waited));
        let began = Instant::now();
        // A time that no clock can show is none.
        let deadline = began.checked_add(left);
        let stop = match inner.options.isolation {
            Isolation::Thread => deadline.map_or_else(StopToken::new, StopToken::until),
            // Its time begins when the worker is ready.
            Isolation::Process => StopToken::new(),
        };
        let (kernel, work) = {
            let state = inner.lock();
            let live = state.live.as_ref().ok_or(SandboxError::Destroyed)?;
            let kernel = Kernel::new(KernelOptions {
                vfs: Arc::clone(&world.tree) as Arc<dyn hotcell_vfs::Vfs>,
                programs: Arc::clone(&inner.programs),
                stop,
                account: inner.account.clone(),
                limits: limits.of_processes(),
                clock: inner.options.clock.clone(),
                observer: Some(Arc::clone(&notes) as Arc<dyn Observer>),
            });
            let work = match inner.options.isolation {
                Isolation::Thread => {
                    let streams = streams(&command, &kept);
                    Work::Here(
                        live.shell
                            .start(&kernel, command.kind, command.text, streams),
                    )
                }
                Isolation::Process => Work::Elsewhere(Distant::begin(
                    &place,
                    Errand {
                        command,
                        kept: kept.clone(),
                        shell: live.shell.clone(),
                        timeout: left,
                        world,
                        notes: Arc::clone(&notes),
                    },
                )),
            };
            (kernel, work)
        };
        notes.begin();
        place.control.begin(&kernel);
        Ok(Box::new(Self {
            run,
            command: text,
            kernel,
            work: Some(work),
            kept,
            notes,
            began,
            timeout,
            place,
        }))
    }

    fn inner(&self) -> &Inner {
        &self.place.inner
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<RunResult>> {
        loop {
            let polled = match &mut self.work {
                None => return Poll::Pending,
                Some(Work::Elsewhere(distant)) => distant.poll(context),
                Some(Work::Here(started)) => Pin::new(started)
                    .poll(context)
                    .map(|(ended, shell)| Ok(self.over(ended, shell))),
            };
            if let Poll::Ready(over) = polled {
                self.work = None;
                self.notes.look();
                return Poll::Ready(over.map(|over| self.finish(over)));
            }
            self.notes.look();
            let is_over = self.kernel.busy() >= self.inner().options.limits.cpu_time;
            if !is_over || self.place.control.reason().is_some() {
                return Poll::Pending;
            }
            self.place.control.stop(KillReason::CpuTime);
        }
    }

    /// Why it was killed, if it was.
    fn killed(&self, ended: Ended) -> Option<KillReason> {
        Some(match ended.stopped? {
            Stopped::Deadline => KillReason::Timeout,
            Stopped::Cancelled => self.place.control.reason().unwrap_or(KillReason::Cancelled),
        })
    }

    /// How it ended that ran here.
    fn over(&self, ended: Ended, shell: Option<Shell>) -> Over {
        Over {
            code: ended.status.code(),
            killed: self.killed(ended),
            shell,
            cpu: Duration::ZERO,
            peak: 0,
            crash: None,
        }
    }

    /// Leaves the shell for the next command, and says what came of this one.
    fn finish(&mut self, over: Over) -> RunResult {
        let killed = over.killed;
        match killed {
            Some(KillReason::Timeout) => self.notes.limit(LimitKind::Time),
            Some(KillReason::CpuTime) => self.notes.limit(LimitKind::CpuTime),
            _ => {}
        }
        if over
            .crash
            .as_ref()
            .is_some_and(|crash| crash.is_out_of_memory)
        {
            self.notes.limit(LimitKind::Memory);
        }
        let result = self.result(&over);
        let run = Some(self.run);
        if let Some(crash) = &over.crash {
            let how = || AuditKind::Crashed {
                how: crash.text.clone(),
            };
            self.inner().audit.tell(run, how);
        }
        if let Some(reason) = killed {
            self.inner()
                .audit
                .tell(run, || AuditKind::Killed { reason });
        }
        let old = self.leave(over.shell, &result);
        drop(old);
        self.inner().audit.tell(run, || AuditKind::Ended {
            exit_code: result.exit_code,
            error_class: result.error_class,
            duration: result.duration,
        });
        result
    }

    /// What was there before comes back, to be dropped where nobody waits for it.
    fn leave(&self, shell: Option<Shell>, result: &RunResult) -> Option<Shell> {
        let mut state = self.inner().lock();
        let live = state.live.as_mut()?;
        let old = shell.map(|shell| match self.inner().options.isolation {
            Isolation::Thread => live.shell.succeed(shell),
            // What comes from elsewhere is paid for already.
            Isolation::Process => std::mem::replace(&mut live.shell, shell),
        });
        for (name, value) in std::mem::take(&mut live.changes) {
            match value {
                Some(value) => drop(live.shell.set_env(&name, value)),
                None => live.shell.unset_env(&name),
            }
        }
        let most = self.inner().options.limits.history;
        live.history.push(&self.command, result, most);
        old
    }

    fn result(&self, over: &Over) -> RunResult {
        let met = self.notes.take();
        let (exit_code, class) = match over.killed {
            Some(KillReason::Timeout) => (124, Some(ErrorClass::Timeout)),
            Some(KillReason::CpuTime) => (152, Some(ErrorClass::LimitExceeded)),
            Some(_) => (125, Some(ErrorClass::Cancelled)),
            None => match &over.crash {
                Some(crash) if crash.is_out_of_memory => {
                    (over.code, Some(ErrorClass::LimitExceeded))
                }
                Some(_) => (over.code, Some(ErrorClass::WorkerCrashed)),
                None => (over.code, met.first.filter(|_| over.code != 0)),
            },
        };
        let limits = &self.inner().options.limits;
        let error = match over.killed {
            Some(KillReason::Timeout) => {
                Some(format!("killed after the time limit of {:?}", self.timeout))
            }
            Some(KillReason::CpuTime) => Some(format!(
                "killed after the limit of {:?} of CPU time",
                limits.cpu_time
            )),
            Some(KillReason::Destroyed) => Some("killed: the sandbox was destroyed".to_owned()),
            Some(_) => Some("killed: the command was cancelled".to_owned()),
            None => match &over.crash {
                Some(crash) => Some(crash.text.clone()),
                None => class.map(|class| describe(class, &met.limits, &met.denials)),
            },
        };
        let take = |output: &Option<Capture>| {
            output
                .as_ref()
                .map_or_else(Captured::default, Capture::take)
        };
        let (stdout, stderr) = (take(&self.kept.stdout), take(&self.kept.stderr));
        RunResult {
            exit_code,
            truncated: Truncated {
                stdout: stdout.dropped,
                stderr: stderr.dropped,
            },
            stdout: stdout.bytes,
            stderr: stderr.bytes,
            error_class: class,
            error,
            limits: met.limits,
            denials: met.denials,
            duration: self.began.elapsed(),
            cpu: self.kernel.busy().saturating_add(over.cpu),
            peak_memory: self.inner().account.peak().max(over.peak),
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        // It was not waited for to its end.
        if let Some(work) = self.work.take() {
            drop(work);
            let run = Some(self.run);
            let reason = KillReason::Dropped;
            self.inner()
                .audit
                .tell(run, || AuditKind::Killed { reason });
        }
    }
}

fn streams(command: &Command, kept: &Kept) -> Streams {
    Streams {
        stdin: Arc::clone(&command.stdin),
        stdout: given_or(command.stdout.clone(), kept.stdout.as_ref()),
        stderr: given_or(command.stderr.clone(), kept.stderr.as_ref()),
    }
}

fn given_or(given: Option<Arc<dyn Stream>>, kept: Option<&Capture>) -> Arc<dyn Stream> {
    match (given, kept) {
        (Some(given), _) => given,
        (None, Some(kept)) => Arc::new(kept.clone()),
        (None, None) => Arc::new(hotcell_process::Null),
    }
}

/// What was met, in words.
fn describe(
    class: ErrorClass,
    limits: &[LimitKind],
    denials: &[hotcell_process::Denial],
) -> String {
    if class == ErrorClass::CapabilityDenied
        && let Some(denial) = denials.first()
    {
        return format!("{} was refused: {}", denial.subject, denial.reason);
    }
    let names: Vec<&str> = limits.iter().map(|limit| limit.name()).collect();
    format!("it failed after a limit was met: {}", names.join(", "))
}
