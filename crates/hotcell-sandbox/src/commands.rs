//! Commands that are functions of the host's.

mod streams;

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bstr::BString;
use hotcell_meter::StopToken;
use hotcell_process::{Environment, Process, Program, Programs, Signal, error_text};
use hotcell_vfs::{Errno, Vfs, VfsPath, VfsPathBuf};

pub use streams::{CommandInput, CommandOutput};

/// What a call of a host's function comes to.
type Answer = Pin<Box<dyn Future<Output = io::Result<i32>> + Send>>;

/// A command that is an async function of the host's. It stands in pipelines as any other.
///
/// ```
/// use hotcell_sandbox::{HostCommand, Sandbox, SandboxOptions};
///
/// let shout = HostCommand::new(|mut call| async move {
///     let text = call.stdin.read_to_end().await?;
///     call.stdout.write_all(&text.to_ascii_uppercase()).await?;
///     Ok(0)
/// });
/// let sandbox = Sandbox::create(SandboxOptions::default().command("shout", shout))?;
/// let result = pollster::block_on(sandbox.run("echo hello | shout | rev"))?;
/// assert_eq!(result.stdout, b"OLLEH\n");
/// # Ok::<(), hotcell_sandbox::SandboxError>(())
/// ```
///
/// Its future is polled where the run is polled, and dropped if the run is killed: so it should wait, never block. An error is
/// printed as `NAME: TEXT`, and is exit code 1.
#[derive(Clone)]
pub struct HostCommand(Arc<dyn Fn(CommandCall) -> Answer + Send + Sync>);

/// A call of a [`HostCommand`].
#[non_exhaustive]
pub struct CommandCall {
    /// The name it was called by, and its arguments.
    pub args: Vec<BString>,
    /// Its environment.
    pub env: Arc<Environment>,
    /// Where relative paths begin.
    pub cwd: VfsPathBuf,
    /// Standard input.
    pub stdin: CommandInput,
    /// Standard output.
    pub stdout: CommandOutput,
    /// Standard error.
    pub stderr: CommandOutput,
    /// The files of the sandbox.
    pub vfs: Arc<dyn Vfs>,
    /// Says when the run has to end, for work that cannot be dropped.
    pub stop: StopToken,
}

impl CommandCall {
    /// An argument as text, from 1; what is not UTF-8 is replaced.
    pub fn arg(&self, index: usize) -> Option<String> {
        self.args.get(index).map(ToString::to_string)
    }

    /// A path as the file system takes it, from one that the command was given.
    pub fn resolve(&self, path: impl AsRef<[u8]>) -> VfsPathBuf {
        self.cwd.join(path.as_ref())
    }
}

impl HostCommand {
    /// A command that calls `function`, and ends with the exit code that it returns.
    pub fn new<F, A>(function: F) -> Self
    where
        F: Fn(CommandCall) -> A + Send + Sync + 'static,
        A: Future<Output = io::Result<i32>> + Send + 'static,
    {
        Self(Arc::new(move |call| Box::pin(function(call))))
    }
}

impl fmt::Debug for HostCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostCommand")
    }
}

impl Program for HostCommand {
    fn run(&self, process: &Process) -> io::Result<i32> {
        let stream = |fd| process.descriptor(fd);
        let budget = streams::Budget::default();
        let call = CommandCall {
            args: process.args().to_vec(),
            env: process.environment(),
            cwd: process.cwd().to_owned(),
            stdin: CommandInput::new(stream(0)?, &budget, process.account().clone()),
            stdout: CommandOutput::new(stream(1)?, &budget),
            stderr: CommandOutput::new(stream(2)?, &budget),
            vfs: Arc::clone(process.vfs()),
            stop: process.stop_token().clone(),
        };
        let panicked = || Err(io::Error::other("the host's function for it panicked"));
        let Ok(mut answer) = catch_unwind(AssertUnwindSafe(|| (self.0)(call))) else {
            return panicked();
        };
        let answered = process.block_on_poll(|waker| {
            let mut context = Context::from_waker(waker);
            // A panic of the host's is the end of its command, and of nothing else.
            catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(&mut context)))
                .unwrap_or_else(|_| Poll::Ready(panicked()))
        });
        match answered {
            Err(error) if error.raw_os_error() == Some(Errno::EPIPE.code()) => {
                process.die(Signal::PIPE)
            }
            Err(error) => {
                process.complain(error_text(&error));
                Ok(1)
            }
            Ok(code) => Ok(code),
        }
    }
}

/// Programs, with a host's own among them.
pub(crate) struct HostPrograms {
    inner: Arc<dyn Programs>,
    commands: Arc<BTreeMap<BString, HostCommand>>,
}

impl HostPrograms {
    pub(crate) fn new(
        inner: Arc<dyn Programs>,
        commands: Arc<BTreeMap<BString, HostCommand>>,
    ) -> Self {
        Self { inner, commands }
    }
}

impl Programs for HostPrograms {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Program>> {
        if let Some(command) = self.commands.get(bstr::BStr::new(name)) {
            return Some(Arc::new(command.clone()));
        }
        self.inner.find(name)
    }

    fn for_file(&self, path: &VfsPath, head: &[u8]) -> Option<Arc<dyn Program>> {
        self.inner.for_file(path, head)
    }

    fn suffix(&self) -> Option<&'static str> {
        self.inner.suffix()
    }

    fn advice(&self, name: &[u8]) -> Option<String> {
        self.inner.advice(name)
    }

    fn names(&self) -> Vec<BString> {
        let mut names = self.inner.names();
        names.extend(self.commands.keys().cloned());
        names.sort();
        names.dedup();
        names
    }
}
