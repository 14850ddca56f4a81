//! The command's own standard streams.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _, Read as _, Write as _},
    os::unix::fs::MetadataExt as _,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    thread::{self, JoinHandle},
    time::Duration,
};

use hotcell::process::Stream;
use hotcell::sandbox::Command;
use hotcell::vfs::{Errno, FileType, Metadata, Timestamp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{print, typed::Typed};

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

/// Standard error, for words of a guest: on a terminal, what would steer it is shown and not obeyed.
pub(crate) fn log() -> Arc<dyn Stream> {
    Arc::new(Output::Log)
}

/// What a command reads; it writes to standard output and error.
pub(super) struct Streams {
    stdin: Option<Arc<dyn Stream>>,
}

impl Streams {
    /// Standard input. `/dev/null` is nothing to read: some utilities look elsewhere then.
    pub(super) fn standard() -> Self {
        let device = |path| std::fs::metadata(path).map(|meta| meta.rdev()).ok();
        let is_null = device("/dev/null").is_some_and(|null| device("/dev/stdin") == Some(null));
        Self {
            stdin: (!is_null).then(input),
        }
    }

    /// What somebody else closes.
    pub(super) fn reading(input: &Input) -> Self {
        Self {
            stdin: Some(Arc::new(input.clone())),
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
    Log,
}

impl Stream for Output {
    fn poll_write(&self, data: &[u8], _waker: &Waker) -> Poll<io::Result<usize>> {
        let written = match self {
            Self::Out => io::stdout()
                .write_all(data)
                .and_then(|()| io::stdout().flush()),
            Self::Log if io::stderr().is_terminal() => {
                io::stderr().write_all(&print::visible_bytes(data))
            }
            Self::Err | Self::Log => io::stderr().write_all(data),
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
            Self::Err | Self::Log => io::stderr().is_terminal(),
        }
    }
}

/// Standard input, which a thread reads when it is first asked for: a command that waits for it can be ended. Clones are one.
#[derive(Clone, Default)]
pub(super) struct Input(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Where it is from, if that is not what it was when the command was started.
    typed: Option<Arc<Typed>>,
    state: Mutex<State>,
    /// Tells the thread that somebody wants something, or that nobody will any more.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    bytes: VecDeque<u8>,
    is_over: bool,
    is_closed: bool,
    waiting: Vec<Waker>,
    reader: Option<JoinHandle<()>>,
}

impl State {
    fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }

    /// Whether the thread is to read more. From a terminal nothing is taken that nobody waits for: the next one to read it may be
    /// another.
    fn wants_more(&self, is_terminal: bool) -> bool {
        !self.waiting.is_empty() || (!is_terminal && self.bytes.len() < AHEAD)
    }
}

/// How much is read ahead.
const AHEAD: usize = 64 << 10;

/// How long a closed input may go on waiting for a terminal.
const PATIENCE: Duration = Duration::from_millis(50);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the thread does.
    fn read_all(&self) {
        let is_terminal = io::stdin().is_terminal();
        let mut buffer = vec![0; AHEAD];
        loop {
            let mut state = self.lock();
            while !state.is_closed && !state.wants_more(is_terminal) {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_closed {
                return;
            }
            drop(state);
            let Some(read) = self.read(&mut buffer, is_terminal) else {
                continue;
            };
            let read = read.unwrap_or(0);
            let mut state = self.lock();
            state.bytes.extend(buffer.get(..read).unwrap_or_default());
            state.is_over = read == 0;
            let waiting = std::mem::take(&mut state.waiting);
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
            if read == 0 {
                return;
            }
        }
    }
}

impl Shared {
    /// Reads; `None` if nothing comes from a terminal for a while.
    fn read(&self, buffer: &mut [u8], is_terminal: bool) -> Option<io::Result<usize>> {
        match &self.typed {
            Some(typed) => typed.read(buffer, PATIENCE),
            None if is_terminal && !is_readable(PATIENCE) => None,
            None => Some(io::stdin().read(buffer)),
        }
    }

    fn is_readable(&self) -> bool {
        match &self.typed {
            Some(typed) => typed.is_readable(),
            None => is_readable(Duration::ZERO),
        }
    }
}

/// Waits so long for something to read.
fn is_readable(patience: Duration) -> bool {
    let stdin = io::stdin();
    let mut asked = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec::try_from(patience).ok();
    // What cannot be asked is read.
    poll(&mut asked, patience.as_ref()).map_or(true, |count| count > 0)
}

impl Input {
    /// What is typed at a terminal.
    pub(super) fn typed(typed: Arc<Typed>) -> Self {
        Self(Arc::new(Shared {
            typed: Some(typed),
            ..Shared::default()
        }))
    }

    /// Lets nobody read any more, and leaves what was not read to others.
    pub(super) fn close(&self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        let reader = state.reader.take();
        drop(state);
        self.0.changed.notify_all();
        if let Some(reader) = reader {
            let _ = reader.join();
        }
        if let Some(typed) = &self.0.typed {
            let left: Vec<u8> = self.0.lock().bytes.drain(..).collect();
            typed.give_back(&left);
        }
    }

    /// Something to read, or its end; else the waker is woken when there is.
    fn ready(&self, waker: &Waker) -> Option<MutexGuard<'_, State>> {
        let mut state = self.0.lock();
        if state.reader.is_none() && !state.is_over {
            let shared = Arc::clone(&self.0);
            let thread = thread::Builder::new().name("stdin".into());
            match thread.spawn(move || shared.read_all()) {
                Ok(reader) => state.reader = Some(reader),
                Err(_) => state.is_over = true,
            }
        }
        if state.bytes.is_empty() && !state.is_over {
            state.wait(waker);
            drop(state);
            self.0.changed.notify_all();
            return None;
        }
        Some(state)
    }
}

impl Stream for Input {
    fn poll_read(&self, buf: &mut [u8], waker: &Waker) -> Poll<io::Result<usize>> {
        let Some(mut state) = self.ready(waker) else {
            return Poll::Pending;
        };
        let read = state.bytes.read(buf);
        drop(state);
        self.0.changed.notify_all();
        Poll::Ready(read)
    }

    fn is_ready(&self) -> bool {
        let state = self.0.lock();
        let is_here = !state.bytes.is_empty() || state.is_over;
        drop(state);
        // Nothing is taken for somebody who only wants to know.
        is_here || self.0.is_readable()
    }

    fn poll_readable(&self, waker: &Waker) -> Poll<()> {
        self.ready(waker).map_or(Poll::Pending, |_| Poll::Ready(()))
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
