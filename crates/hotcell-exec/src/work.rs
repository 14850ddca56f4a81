//! What a future does.

mod connect;

use std::{
    task::{Context, Poll},
    time::Instant,
};

use hotcell_hopper::{
    Encode as _, Raw,
    control::{Opened, hflags},
    selector::{
        Selector, config,
        exec::{self, Started, StatusRequest},
        files, net,
    },
    source::Source,
    trace::{self, Trace},
};

use connect::Connect;

use crate::{
    exec::{Drove, Execs, Request},
    options::Grant,
    session::Session,
    stream::Handle,
};

/// How far a future has come.
pub(crate) enum Work {
    /// Not begun: the source as it was registered.
    New(Vec<u8>),
    /// A program is to be started as soon as there is a slot.
    Start {
        request: Box<Request>,
        since: Instant,
    },
    /// A program is looked at, once it had a little time.
    Status { exec_id: u32, since: Instant },
    /// A connection is being made.
    Connect(Connect),
    /// A value waits for room in the queue.
    Value(Vec<u8>),
    /// It is being worked on, or over.
    Nothing,
}

/// What came of looking at a future.
pub(crate) enum Progress {
    /// It is over.
    Done(Result<Vec<u8>, Trace>),
    /// It waits for others; those behind it can go on.
    Waits,
    /// It waits for programs that have more to do; the task is woken.
    Drives,
}

impl Work {
    pub(crate) fn new(source: &[u8]) -> Self {
        Self::New(source.to_vec())
    }

    /// When it has to be looked at.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Connect(connect) => connect.deadline(),
            _ => None,
        }
    }

    /// Whether looking at it may bring it further.
    pub(crate) fn is_ready(&self) -> bool {
        match self {
            Self::Connect(connect) => connect.is_ready(),
            _ => true,
        }
    }
}

impl Session {
    /// Brings a future as far as it goes.
    pub(crate) fn progress(&mut self, context: &mut Context<'_>, work: &mut Work) -> Progress {
        if let Work::New(source) = work {
            let source = std::mem::take(source);
            *work = match self.begin(&source) {
                Ok(work) => work,
                Err(trace) => return Progress::Done(Err(trace)),
            };
        }
        match work {
            Work::Start { since, .. } => {
                let since = *since;
                if self
                    .wait_for_programs(context, since, Execs::has_slot)
                    .is_pending()
                {
                    return Progress::Drives;
                }
                match std::mem::replace(work, Work::Nothing) {
                    Work::Start { request, .. } => Progress::Done(self.start(*request)),
                    _ => Progress::Waits,
                }
            }
            Work::Status { exec_id, since } => {
                let (exec_id, since) = (*exec_id, *since);
                let is_quiet =
                    self.wait_for_programs(context, since, |execs| execs.is_quiet(exec_id));
                if is_quiet.is_pending() {
                    return Progress::Drives;
                }
                Progress::Done(self.status(exec_id))
            }
            Work::Connect(connect) => match connect.poll() {
                Poll::Pending => Progress::Waits,
                Poll::Ready(Err(trace)) => Progress::Done(Err(trace)),
                Poll::Ready(Ok(socket)) => {
                    let mut flags = hflags::READABLE | hflags::WRITABLE;
                    if socket.connection.can_end() {
                        flags |= hflags::ENDABLE;
                    }
                    Progress::Done(self.opened(Handle::Socket(socket), flags))
                }
            },
            Work::Value(value) => Progress::Done(Ok(std::mem::take(value))),
            Work::New(_) | Work::Nothing => Progress::Waits,
        }
    }

    /// From a source to what is to be done; for most it is done already.
    fn begin(&mut self, source: &[u8]) -> Result<Work, Trace> {
        let source = Source::decode(source).map_err(|_| trace::ASYNC_BAD_PARAMS)?;
        let Source::Selector(call) = source else {
            return Err(trace::ASYNC_UNSUPPORTED);
        };
        let params = call.params.0;
        let is = |selector: Selector| call.selector == selector.selector.as_bytes();
        match (call.kind, call.name) {
            (b"exec", b"default") => {
                let execs = self.execs()?;
                let since = Instant::now();
                if is(exec::START) {
                    let request = Box::new(execs.check(params)?);
                    return Ok(Work::Start { request, since });
                }
                if is(exec::STATUS) {
                    let request = StatusRequest::decode(params);
                    let request = request.map_err(|_| trace::ASYNC_BAD_PARAMS)?;
                    let exec_id = request.exec_id;
                    return Ok(Work::Status { exec_id, since });
                }
            }
            (b"file", b"view") => {
                let files = granted(&self.capabilities.files)?;
                if is(files::LIST) {
                    return Ok(Work::Value(files.list(params)?));
                }
                if is(files::OPEN) {
                    let file = Handle::File(files.open(params)?);
                    return Ok(Work::Value(self.opened(file, hflags::READABLE)?));
                }
            }
            (b"config", b"default") => {
                let config = granted(&self.capabilities.config)?;
                if is(config::GET) {
                    return Ok(Work::Value(config.get(params)?));
                }
                if is(config::LIST) {
                    return Ok(Work::Value(config.list(params)?));
                }
            }
            (b"net", b"tcp") => {
                granted(&self.capabilities.net)?;
                if is(net::CONNECT) {
                    return self.connect(&call);
                }
            }
            // The hub has no selectors of its own.
            (b"async", b"default") => {}
            _ => return Err(trace::CAP_MISSING),
        }
        Err(trace::ASYNC_UNKNOWN_SELECTOR)
    }

    /// Lets programs run until `is_enough`, until they cannot go on, or until nobody has patience any more.
    fn wait_for_programs(
        &mut self,
        context: &mut Context<'_>,
        since: Instant,
        is_enough: impl Fn(&Execs) -> bool,
    ) -> Poll<()> {
        let Some(execs) = &mut self.execs else {
            return Poll::Ready(());
        };
        let patience = execs.policy().limits.status_patience;
        match execs.drive(context, |execs| {
            is_enough(execs) || since.elapsed() >= patience
        }) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Drove::There | Drove::Quiet) => Poll::Ready(()),
        }
    }

    fn start(&mut self, request: Request) -> Result<Vec<u8>, Trace> {
        let execs = self.execs.as_mut().ok_or(trace::CAP_MISSING)?;
        let handles = &mut self.handles;
        let (exec_id, streams) = execs.start(request, |count| handles.has_room(count))?;
        let mut open = |handle: Option<Handle>| match handle {
            // There is room: it was asked for.
            Some(handle) => handles.open(handle).unwrap_or(0),
            None => 0,
        };
        let source = |ring| Handle::Source { ring, exec_id };
        let started = Started {
            exec_id,
            status_flags: Started::STARTED,
            stdin: open(streams.stdin.map(|ring| Handle::Stdin { ring, exec_id })),
            stdout: open(streams.stdout.map(source)),
            stderr: open(streams.stderr.map(source)),
        };
        started.to_vec().map_err(|_| trace::ASYNC_OVERFLOW)
    }

    fn status(&self, exec_id: u32) -> Result<Vec<u8>, Trace> {
        let execs = self.execs.as_ref().ok_or(trace::CAP_MISSING)?;
        let status = execs.status(exec_id)?;
        status.to_vec().map_err(|_| trace::ASYNC_OVERFLOW)
    }

    /// The value for a handle that was opened.
    fn opened(&mut self, handle: Handle, hflags: u32) -> Result<Vec<u8>, Trace> {
        let handle = self.handles.open(handle);
        let opened = Opened {
            handle: handle.map_err(|_| trace::ASYNC_OVERFLOW)?,
            hflags,
            meta: Raw(&[]),
        };
        opened.to_vec().map_err(|_| trace::ASYNC_OVERFLOW)
    }
}

/// What was given, or why it was not.
pub(crate) fn granted<T>(grant: &Grant<T>) -> Result<&T, Trace> {
    match grant {
        Grant::Given(given) => Ok(given),
        Grant::Denied => Err(trace::CAP_DENIED),
        Grant::Absent => Err(trace::CAP_MISSING),
    }
}
