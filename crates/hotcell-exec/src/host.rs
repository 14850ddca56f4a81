//! The host of one guest: the seven calls, whoever makes them.

use std::{
    fmt,
    io::{self, BufRead, Write},
    sync::Arc,
    task::{Context, Poll},
};

use hotcell_process::Null;

use crate::{
    chunks::{Chunks, Schedule},
    exec::Execs,
    options::Capabilities,
    session::{Session, Standard},
    stream::FAILED,
    transcript::{Divergence, Recorder, Replayer, Stop},
};

/// The longest topic and message of the log; what is longer is cut.
pub(crate) const MAX_LOG: usize = 64 << 10;

/// How much one call moves at most: more than any stream has at once. What a guest offers or has room for beyond that is for its
/// next call.
pub(crate) const MAX_CALL: usize = 16 << 20;

/// Takes what a guest logs: a topic and a message.
pub type LogSink = Arc<dyn Fn(&[u8], &[u8]) + Send + Sync>;

/// The host of one guest.
///
/// The calls are those that a WebAssembly guest imports from `lembeh`, without its memory: [`Module::run`](crate::Module::run)
/// puts that around them. A guest can as well be Rust code, which calls them itself.
///
/// ```
/// use hotcell_exec::{Capabilities, Host, Standard};
/// use std::{future::poll_fn, sync::Arc};
/// use hotcell_process::{Given, Null};
///
/// let standard = Standard { input: Arc::new(Given::new("hello")), output: Arc::new(Null), log: Arc::new(Null) };
/// let mut host = Host::new(Capabilities::default(), standard);
/// let mut buf = [0; 16];
/// let read = pollster::block_on(poll_fn(|context| host.poll_read(context, 0, &mut buf)));
/// assert_eq!((read, &buf[..5]), (Ok(5), &b"hello"[..]));
/// ```
pub struct Host {
    backend: Backend,
    standard: Standard,
    chunks: Option<Chunks>,
    recorder: Option<Recorder>,
    log: Option<LogSink>,
}

enum Backend {
    Live(Box<Session>),
    Replay(Replayer),
}

/// The guest cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// It does something else than its transcript says.
    #[error(transparent)]
    Diverged(#[from] Divergence),
    /// The transcript says that it was ended here.
    #[error("the recorded run ended here: {0}")]
    RecordedEnd(String),
    /// The transcript cannot be written.
    #[error("failed to write the transcript")]
    Transcript(#[source] io::Error),
}

impl PartialEq for HostError {
    /// The same kind of end.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Diverged(one), Self::Diverged(other)) => one == other,
            (Self::RecordedEnd(one), Self::RecordedEnd(other)) => one == other,
            (Self::Transcript(one), Self::Transcript(other)) => one.kind() == other.kind(),
            _ => false,
        }
    }
}

impl From<Stop> for HostError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Diverged(divergence) => Self::Diverged(divergence),
            Stop::Exit(trap) => Self::RecordedEnd(trap),
        }
    }
}

impl Host {
    /// A host with these capabilities.
    pub fn new(capabilities: Capabilities, standard: Standard) -> Self {
        let session = Session::new(capabilities, standard.clone());
        Self::with(Backend::Live(Box::new(session)), standard)
    }

    /// A host that is a transcript: nothing is started, read or connected to. What the guest writes to its output and its
    /// log still goes there.
    pub fn replay(transcript: Box<dyn BufRead + Send>, standard: Standard) -> Self {
        let standard = Standard {
            input: Arc::new(Null),
            ..standard
        };
        Self::with(Backend::Replay(Replayer::new(transcript)), standard)
    }

    fn with(backend: Backend, standard: Standard) -> Self {
        Self {
            backend,
            standard,
            chunks: None,
            recorder: None,
            log: None,
        }
    }

    /// Writes everything down. See [the format](crate::transcript).
    pub fn record(mut self, transcript: Box<dyn Write + Send>) -> io::Result<Self> {
        self.recorder = Some(Recorder::new(transcript)?);
        Ok(self)
    }

    /// Lets reads give what a schedule says.
    #[must_use]
    pub fn chunks(mut self, schedule: Schedule) -> Self {
        self.chunks = Some(Chunks::new(schedule));
        self
    }

    /// Takes what the guest logs.
    #[must_use]
    pub fn on_log(mut self, sink: LogSink) -> Self {
        self.log = Some(sink);
        self
    }

    /// `req_read`: reads some bytes; 0 at the end, −1 if it cannot be read.
    pub fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        handle: i32,
        buf: &mut [u8],
    ) -> Poll<Result<i32, HostError>> {
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let room = buf.len().min(MAX_CALL);
        let buf = buf.get_mut(..room).unwrap_or_default();
        let count = match &mut self.backend {
            Backend::Replay(replayer) => replayer.read(handle, buf)?,
            Backend::Live(session) => {
                let Ok(number) = u32::try_from(handle) else {
                    return Poll::Ready(self.told_read(handle, buf, FAILED));
                };
                let polled = match &mut self.chunks {
                    None => session.poll_read(context, number, buf),
                    Some(chunks) => chunks.poll_read(session, context, number, buf),
                };
                match polled {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(count) => count,
                }
            }
        };
        Poll::Ready(self.told_read(handle, buf, count))
    }

    fn told_read(&mut self, handle: i32, buf: &[u8], count: i32) -> Result<i32, HostError> {
        if let Some(recorder) = &mut self.recorder {
            let length = usize::try_from(count).unwrap_or(0);
            let bytes = buf.get(..length).unwrap_or_default();
            let told = recorder.read(handle, buf.len(), count, bytes);
            told.map_err(HostError::Transcript)?;
        }
        Ok(count)
    }

    /// `res_write`: writes some of the bytes, and says how many; −1 if it cannot be written.
    pub fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        handle: i32,
        bytes: &[u8],
    ) -> Poll<Result<i32, HostError>> {
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let count = match &mut self.backend {
            Backend::Replay(replayer) => {
                let count = replayer.write(handle, bytes)?;
                self.show(context, handle, bytes, count);
                count
            }
            Backend::Live(session) => match u32::try_from(handle) {
                Err(_) => FAILED,
                Ok(number) => match session.poll_write(context, number, bytes) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(count) => count,
                },
            },
        };
        if let Some(recorder) = &mut self.recorder {
            let told = recorder.write(handle, bytes, count);
            told.map_err(HostError::Transcript)?;
        }
        Poll::Ready(Ok(count))
    }

    /// What a replayed guest writes to its output and its log goes there, as far as it can now.
    fn show(&self, context: &Context<'_>, handle: i32, bytes: &[u8], count: i32) {
        let stream = match handle {
            1 => &self.standard.output,
            2 => &self.standard.log,
            _ => return,
        };
        let mut rest = usize::try_from(count)
            .ok()
            .and_then(|count| bytes.get(..count))
            .unwrap_or_default();
        while let Poll::Ready(Ok(written)) = stream.poll_write(rest, context.waker())
            && written > 0
        {
            rest = rest.get(written..).unwrap_or_default();
        }
    }

    /// `res_end`: nothing more will be written.
    pub fn end(&mut self, handle: i32) -> Result<(), HostError> {
        match &mut self.backend {
            Backend::Replay(replayer) => replayer.end(handle)?,
            Backend::Live(session) => {
                if let Ok(number) = u32::try_from(handle) {
                    session.end(number);
                }
            }
        }
        match &mut self.recorder {
            Some(recorder) => recorder.end(handle).map_err(HostError::Transcript),
            None => Ok(()),
        }
    }

    /// `_ctl`: answers a request with at most `room` bytes; `None` is −1.
    pub fn control(&mut self, request: &[u8], room: usize) -> Result<Option<Vec<u8>>, HostError> {
        let reply = match &mut self.backend {
            Backend::Replay(replayer) => {
                let reply = replayer.control(request)?;
                reply.filter(|reply| reply.len() <= room)
            }
            Backend::Live(session) => session.control(request, room),
        };
        if let Some(recorder) = &mut self.recorder {
            let told = recorder.control(request, reply.as_deref());
            told.map_err(HostError::Transcript)?;
        }
        Ok(reply)
    }

    /// `log`: says something to whoever listens.
    pub fn log(&mut self, topic: &[u8], msg: &[u8]) -> Result<(), HostError> {
        let topic = topic.get(..MAX_LOG).unwrap_or(topic);
        let msg = msg.get(..MAX_LOG).unwrap_or(msg);
        if let Backend::Replay(replayer) = &mut self.backend {
            replayer.log(topic, msg)?;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.log(topic, msg).map_err(HostError::Transcript)?;
        }
        if let Some(log) = &self.log {
            log(topic, msg);
        }
        Ok(())
    }

    /// The guest has ended; `trap` says why, if it did not return. A replay that leaves something of its transcript has
    /// diverged.
    pub fn finish(&mut self, trap: Option<&str>) -> Result<(), HostError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.exit(trap).map_err(HostError::Transcript)?;
        }
        if let Backend::Replay(replayer) = &mut self.backend {
            replayer.finish()?;
        }
        Ok(())
    }

    /// How many programs were started.
    pub fn started(&self) -> usize {
        match &self.backend {
            Backend::Live(session) => session.execs.as_ref().map_or(0, Execs::started),
            Backend::Replay(_) => 0,
        }
    }

    /// Which tasks were detached, and who owns them: what `DETACH_TASK` said.
    pub fn owners(&self) -> Vec<(u64, String)> {
        match &self.backend {
            Backend::Live(session) => session.hubs.as_ref().map_or_else(Vec::new, |hubs| {
                let owners = hubs.owners();
                owners
                    .map(|(task, owner)| (task, owner.to_owned()))
                    .collect()
            }),
            Backend::Replay(_) => Vec::new(),
        }
    }
}

impl fmt::Debug for Host {
    /// Nothing of what goes through it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("started", &self.started())
            .finish_non_exhaustive()
    }
}
