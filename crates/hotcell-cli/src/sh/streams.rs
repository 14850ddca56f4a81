//! The command's own standard streams.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _, Read as _, Write as _},
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
    task::{Poll, Waker},
    thread,
};

use hotcell::process::Stream;
use hotcell::sandbox::Command;
use hotcell::vfs::{Errno, FileType, Metadata, Timestamp};

/// Standard input.
pub(crate) fn input() -> Arc<dyn Stream> {
    Arc::new(Input::default())
}

/// Standard output.
pub(crate) fn output() -> Arc<dyn Stream> {
    Arc::new(Output::Out)
}

/// Standard error.
pub(crate) fn error() -> Arc<dyn Stream> {
    Arc::new(Output::Err)
}

/// What a command reads; it writes to standard output and error.
pub(super) struct Streams {
    stdin: Option<Arc<dyn Stream>>,
}

impl Streams {
    /// Standard input.
    pub(super) fn standard() -> Self {
        Self {
            stdin: Some(input()),
        }
    }

    /// Nothing to read.
    pub(super) fn without_input() -> Self {
        Self { stdin: None }
    }

    /// Connects a command.
    pub(super) fn give(self, command: Command) -> Command {
        let command = command.stdout_stream(output()).stderr_stream(error());
        match self.stdin {
            Some(stdin) => command.stdin_stream(stdin),
            None => command,
        }
    }
}

enum Output {
    Out,
    Err,
}

impl Stream for Output {
    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let written = match self {
            Self::Out => io::stdout()
                .write_all(data)
                .and_then(|()| io::stdout().flush()),
            Self::Err => io::stderr().write_all(data),
        };
        Poll::Ready(match written {
            Ok(()) => Ok(data.len()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Err(io::Error::from_raw_os_error(Errno::EPIPE.code()))
            }
            Err(error) => Err(error),
        })
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(metadata())
    }

    fn is_terminal(&self) -> bool {
        match self {
            Self::Out => io::stdout().is_terminal(),
            Self::Err => io::stderr().is_terminal(),
        }
    }
}

/// Standard input, which a thread reads when it is first asked for: a command that waits for it can be ended.
struct Input {
    state: Arc<Mutex<State>>,
    started: Once,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            state: Arc::default(),
            started: Once::new(),
        }
    }
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    is_over: bool,
    waiting: Vec<Waker>,
}

impl State {
    fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}

/// How much is read ahead.
const AHEAD: usize = 64 << 10;

impl Input {
    fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) {
        let state = Arc::clone(&self.state);
        let reader = move || {
            let mut buffer = vec![0; AHEAD];
            loop {
                let read = io::stdin().read(&mut buffer).unwrap_or(0);
                let mut state = Self::lock(&state);
                state.bytes.extend(buffer.get(..read).unwrap_or_default());
                state.is_over = read == 0;
                let waiting = std::mem::take(&mut state.waiting);
                drop(state);
                waiting.into_iter().for_each(Waker::wake);
                if read == 0 {
                    return;
                }
            }
        };
        if thread::Builder::new()
            .name("stdin".into())
            .spawn(reader)
            .is_err()
        {
            Self::lock(&self.state).is_over = true;
        }
    }
}

impl Stream for Input {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        self.started.call_once(|| self.start());
        let mut state = Self::lock(&self.state);
        if state.bytes.is_empty() && !state.is_over {
            state.wait(waker);
            return Poll::Pending;
        }
        Poll::Ready(state.bytes.read(buf))
    }

    fn is_ready(&self) -> bool {
        self.poll_readable(Waker::noop()).is_ready()
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        self.started.call_once(|| self.start());
        let mut state = Self::lock(&self.state);
        if state.bytes.is_empty() && !state.is_over {
            state.wait(waker);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(metadata())
    }

    fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }
}

fn metadata() -> Metadata {
    Metadata {
        kind: FileType::Fifo,
        dev: 0,
        ino: 0,
        nlink: 1,
        mode: 0o600,
        size: 0,
        allocated: 0,
        accessed: Timestamp::EPOCH,
        modified: Timestamp::EPOCH,
        changed: Timestamp::EPOCH,
    }
}
