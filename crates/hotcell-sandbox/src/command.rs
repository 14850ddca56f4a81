//! A command and what it is given.

use std::{fmt, sync::Arc, time::Duration};

use bstr::BString;
use hotcell_process::{Given, Null, Stream};
use hotcell_shell::CommandKind;

use crate::output::{Listener, OutputStream};

/// A command, and what it is given: [`Sandbox::run`](crate::Sandbox::run) takes one, or plain text.
///
/// ```
/// use hotcell_sandbox::{Command, Sandbox, SandboxOptions};
///
/// let sandbox = Sandbox::create(SandboxOptions::default())?;
/// let command = Command::new("sort -n | tail -1").stdin("3\n10\n2\n");
/// assert_eq!(pollster::block_on(sandbox.run(command))?.stdout, b"10\n");
/// # Ok::<(), hotcell_sandbox::SandboxError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Command {
    pub(crate) text: BString,
    pub(crate) kind: CommandKind,
    pub(crate) stdin: Arc<dyn Stream>,
    pub(crate) stdout: Option<Arc<dyn Stream>>,
    pub(crate) stderr: Option<Arc<dyn Stream>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) listener: Option<Listener>,
}

impl Command {
    /// A line, or a whole script. It has nothing to read.
    pub fn new(text: impl Into<BString>) -> Self {
        Self {
            text: text.into(),
            kind: CommandKind::default(),
            stdin: Arc::new(Null),
            stdout: None,
            stderr: None,
            timeout: None,
            listener: None,
        }
    }

    /// Where it is from: one of several commands, if nothing else is said.
    pub fn kind(mut self, kind: CommandKind) -> Self {
        self.kind = kind;
        self
    }

    /// What it reads.
    pub fn stdin(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin_stream(Arc::new(Given::new(bytes)))
    }

    /// What it reads, as it comes.
    pub fn stdin_stream(mut self, stream: Arc<dyn Stream>) -> Self {
        self.stdin = stream;
        self
    }

    /// Where standard output goes. Then nothing of it is kept for the result, and no limit holds but the stream's own.
    pub fn stdout_stream(mut self, stream: Arc<dyn Stream>) -> Self {
        self.stdout = Some(stream);
        self
    }

    /// Where standard error goes. Then nothing of it is kept for the result.
    pub fn stderr_stream(mut self, stream: Arc<dyn Stream>) -> Self {
        self.stderr = Some(stream);
        self
    }

    /// How long it may take, in the place of the sandbox's own limit. The time in which it waits for its turn counts.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Hears of output as it comes, up to the limit of output. It is called on the thread that runs the command, and must not
    /// block.
    pub fn on_output(
        mut self,
        listener: impl Fn(OutputStream, &[u8]) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }
}

impl<T: Into<BString>> From<T> for Command {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("text", &self.text)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
