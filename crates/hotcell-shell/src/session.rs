//! Commands given to one shell, one after the other.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use hotcell_process::{Ended, Kernel, Null, Process, Run, Spec, Stream};

use crate::{
    flow::{Flow, Outcome},
    kind::CommandKind,
    settings::Setting,
    shell::Shell,
};

/// What a command reads and writes.
#[derive(Clone)]
pub struct Streams {
    /// Standard input.
    pub stdin: Arc<dyn Stream>,
    /// Standard output.
    pub stdout: Arc<dyn Stream>,
    /// Standard error.
    pub stderr: Arc<dyn Stream>,
}

impl Default for Streams {
    /// Nothing to read, and nobody to write to.
    fn default() -> Self {
        Self {
            stdin: Arc::new(Null),
            stdout: Arc::new(Null),
            stderr: Arc::new(Null),
        }
    }
}

/// A command that is being run, as a future.
///
/// It completes when the command and all that it began in the background have ended. Dropping it kills them.
#[must_use = "nothing runs until it is polled"]
pub struct Running<'s> {
    shell: &'s mut Shell,
    started: Started,
}

/// A command that is being run by a copy of a shell, as a future: how it ended, and the copy as the command has left it. There
/// is no copy if it was killed.
///
/// It completes when the command and all that it began in the background have ended. Dropping it kills them.
#[must_use = "nothing runs until it is polled"]
pub struct Started {
    run: Run,
    /// Where the shell is left when the command has run to its end.
    result: Arc<Mutex<Option<Shell>>>,
}

impl Shell {
    /// Runs a command: a line or a whole script. What it changes (variables, functions, the working directory…) is there
    /// for the next one, unless it was killed: then the shell is as it was before.
    pub fn run(
        &mut self,
        kernel: &Kernel,
        command: impl Into<Vec<u8>>,
        streams: Streams,
    ) -> Running<'_> {
        let started = self.start(kernel, CommandKind::Session, command, streams);
        Running {
            shell: self,
            started,
        }
    }

    /// Runs a command in a copy of the shell, for who wants to look at this one meanwhile. [`Shell::succeed`] puts the copy
    /// in its place.
    pub fn start(
        &self,
        kernel: &Kernel,
        kind: CommandKind,
        command: impl Into<Vec<u8>>,
        streams: Streams,
    ) -> Started {
        let command = command.into();
        let mut shell = self.clone();
        shell.has_exited = false;
        let result = Arc::new(Mutex::new(None));
        let place = Arc::clone(&result);
        let spec = Spec::new([self.name.clone()])
            .cwd(self.cwd.clone())
            .stdin(streams.stdin)
            .stdout(streams.stdout)
            .stderr(streams.stderr);
        let run = kernel.run(spec, move |process| {
            shell.pid = process.pid();
            process.set_umask(shell.umask);
            shell.restore_traps(process);
            shell.expect(kind, &command);
            let outcome = shell.run_kind(process, kind, &command);
            let ended = shell.finish_run(process, kind, outcome, &place);
            Ok(ended)
        });
        Started { run, result }
    }

    /// Goes on as the shell that a command of this one has left, and pays for what both have made. What it was before comes
    /// back, to be dropped: that may take a while.
    #[must_use = "dropping the old state may take a while: choose where"]
    pub fn succeed(&mut self, mut next: Self) -> Self {
        next.variables.inherit_charge(&mut self.variables);
        std::mem::replace(self, next)
    }

    /// Adds a command to what `history` lists, under `set -o history`.
    pub(crate) fn list_in_history(&mut self, process: &Process, line: &[u8]) -> Result<(), Flow> {
        if !self.has(Setting::History) {
            return Ok(());
        }
        Arc::make_mut(&mut self.history).push(line.into());
        self.hold(process, line.len())
    }

    /// The end of a run: `exit` runs the `EXIT` trap, the end of the text does not if another is to come.
    fn finish_run(
        mut self,
        process: &Process,
        kind: CommandKind,
        outcome: Outcome,
        place: &Mutex<Option<Self>>,
    ) -> i32 {
        self.has_exited |= kind.is_whole();
        let leaves = matches!(outcome, Err(Flow::Exec)) || self.killed_by.is_some();
        if leaves {
            let mut left = self.clone();
            left.has_exited = true;
            left.leave(process, place);
        }
        let status = match outcome {
            Ok(status) if !kind.is_whole() => status,
            Ok(status) => self.finish(process, Ok(status)),
            Err(flow) => self.finish(process, Err(flow)),
        };
        self.status = status;
        self.leave(process, place);
        status
    }

    /// Leaves the state where the next command finds it, if there is room for it.
    fn leave(self, process: &Process, place: &Mutex<Option<Self>>) {
        if self.is_over() {
            return;
        }
        let mut shell = self;
        shell.cwd = process.cwd().to_owned();
        shell.umask = process.umask();
        shell.jobs.disown_all();
        shell.frames.clear();
        shell.forgiven = 0;
        shell.loops = 0;
        shell.trace_depth = 0;
        shell.successor = None;
        shell.killed_by = None;
        shell.open_substitutions.clear();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(shell);
    }

    /// Tells a new process which signals are trapped.
    fn restore_traps(&mut self, process: &Process) {
        let traps = std::mem::take(&mut self.traps);
        for (condition, action) in traps.shown() {
            self.set_trap(process, condition, Some(bstr::BStr::new(&**action)));
        }
    }
}

impl Future for Running<'_> {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended> {
        let (ended, left) = match Pin::new(&mut self.started).poll(context) {
            Poll::Ready(ended) => ended,
            Poll::Pending => return Poll::Pending,
        };
        if let Some(shell) = left {
            drop(self.shell.succeed(shell));
        }
        Poll::Ready(ended)
    }
}

impl Future for Started {
    type Output = (Ended, Option<Shell>);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = match Pin::new(&mut self.run).poll(context) {
            Poll::Ready(ended) => ended,
            Poll::Pending => return Poll::Pending,
        };
        let left = self
            .result
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        Poll::Ready((ended, left.filter(|_| ended.stopped.is_none())))
    }
}
