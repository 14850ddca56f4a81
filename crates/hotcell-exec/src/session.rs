//! A guest's handles, and what is behind them.
//!
//! This is the host without WebAssembly, transcripts and schedules: numbers in, numbers and bytes out.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use futures_util::task::AtomicWaker;
use hotcell_hopper::trace::{self, Trace};
use hotcell_meter::Account;
use hotcell_process::{Alarm, Stream};

use crate::{
    exec::{Drove, Execs, SLICE},
    handles::Handles,
    host::MAX_CALL,
    hub::{Events, Hubs, Place},
    options::{Capabilities, Grant, HubLimits},
    ring::{Ring, Taken},
    stream::{FAILED, Handle, length},
    work::{Progress, Work},
};

pub(crate) struct Session {
    pub(crate) capabilities: Capabilities,
    pub(crate) handles: Handles,
    pub(crate) hubs: Option<Hubs>,
    pub(crate) execs: Option<Execs>,
    /// The task that the guest is: whatever lets it go on wakes it.
    pub(crate) task: Arc<AtomicWaker>,
    /// Connections that are being made.
    pub(crate) connecting: usize,
    /// Wakes it when a future is due.
    alarm: Option<Alarm>,
    /// Since when a write waits for a program to read.
    full_since: Option<Instant>,
}

/// The three streams that a guest begins with.
#[derive(Clone)]
pub struct Standard {
    /// Handle 0.
    pub input: Arc<dyn Stream>,
    /// Handle 1.
    pub output: Arc<dyn Stream>,
    /// Handle 2.
    pub log: Arc<dyn Stream>,
}

impl Session {
    pub(crate) fn new(mut capabilities: Capabilities, standard: Standard) -> Self {
        if let Grant::Given(limits) = &mut capabilities.hub {
            limits.max_queue_bytes = limits.max_queue_bytes.max(HubLimits::LEAST_QUEUE);
        }
        let account = Account::new("host memory", capabilities.host_memory);
        let task = Arc::new(AtomicWaker::new());
        let output = |stream| Handle::Output {
            stream,
            is_ended: false,
        };
        let first = [
            Handle::Input(standard.input),
            output(standard.output),
            output(standard.log),
        ];
        let hubs = match &capabilities.hub {
            Grant::Given(limits) => Some(Hubs::new(*limits, account.clone())),
            Grant::Absent | Grant::Denied => None,
        };
        let execs = match &capabilities.exec {
            Grant::Given(policy) => Some(Execs::new(policy.clone(), account, Arc::clone(&task))),
            Grant::Absent | Grant::Denied => None,
        };
        Self {
            handles: Handles::new(capabilities.max_handles, first),
            hubs,
            execs,
            capabilities,
            task,
            connecting: 0,
            alarm: None,
            full_since: None,
        }
    }

    /// The programs, or why there are none.
    pub(crate) fn execs(&self) -> Result<&Execs, Trace> {
        crate::work::granted(&self.capabilities.exec)?;
        self.execs.as_ref().ok_or(trace::CAP_MISSING)
    }

    /// Reads some bytes; 0 at the end, −1 if it cannot be read.
    pub(crate) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        number: u32,
        buf: &mut [u8],
    ) -> Poll<i32> {
        if buf.is_empty() {
            return Poll::Ready(0);
        }
        let count = match self.handles.get_mut(number) {
            None => {
                return Poll::Ready(if self.handles.is_at_end(number) {
                    0
                } else {
                    FAILED
                });
            }
            Some(Handle::Output { .. } | Handle::Stdin { .. }) => {
                return Poll::Ready(FAILED);
            }
            Some(Handle::Hub) => return self.poll_hub(context, number, buf),
            Some(Handle::Source { ring, exec_id }) => {
                let (ring, exec_id) = (Arc::clone(ring), *exec_id);
                return self.poll_source(context, number, (&ring, exec_id), buf);
            }
            Some(Handle::File(file)) => match file.read(buf) {
                Some(count) => count,
                None => return Poll::Ready(FAILED),
            },
            Some(Handle::Input(stream)) => {
                let polled = stream.poll_read(buf, context.waker());
                match self.meanwhile(context, polled) {
                    Poll::Ready(Ok(count)) => count,
                    Poll::Ready(Err(_)) => return Poll::Ready(FAILED),
                    Poll::Pending => return Poll::Pending,
                }
            }
            Some(Handle::Socket(socket)) => {
                let polled = socket.poll_read(context, buf);
                if socket.is_closed() {
                    self.handles.close(number);
                }
                return self.meanwhile(context, polled);
            }
        };
        if count == 0 {
            self.handles.close(number);
        }
        Poll::Ready(length(count))
    }

    fn poll_source(
        &mut self,
        context: &mut Context<'_>,
        number: u32,
        (ring, exec_id): (&Arc<Ring>, u32),
        buf: &mut [u8],
    ) -> Poll<i32> {
        loop {
            match ring.take(buf) {
                Taken::Bytes(count) => return Poll::Ready(length(count)),
                Taken::End => {
                    self.handles.close(number);
                    return Poll::Ready(0);
                }
                Taken::Nothing => {}
            }
            let Some(execs) = &mut self.execs else {
                return Poll::Ready(FAILED);
            };
            // What others do changes nothing for one that waits for the guest. Somebody has a turn in every call, though.
            let mut is_first = true;
            let is_enough = |execs: &Execs| {
                let is_later = !std::mem::take(&mut is_first);
                ring.is_readable() || (is_later && execs.waits_for_guest(exec_id))
            };
            match execs.drive(context, is_enough) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(_) if ring.is_readable() => {}
                // Guest and program would wait for each other.
                Poll::Ready(_) if execs.waits_for_guest(exec_id) => return Poll::Ready(FAILED),
                Poll::Ready(Drove::There) => {}
                Poll::Ready(Drove::Quiet) => return Poll::Pending,
            }
        }
    }

    fn poll_hub(&mut self, context: &mut Context<'_>, number: u32, buf: &mut [u8]) -> Poll<i32> {
        self.task.register(context.waker());
        if self.work(context).is_pending() {
            return Poll::Pending;
        }
        let Some(hubs) = &mut self.hubs else {
            return Poll::Ready(FAILED);
        };
        match hubs.read(number, buf) {
            Events::Bytes(count) => Poll::Ready(length(count)),
            Events::Nothing => Poll::Ready(FAILED),
            Events::End => {
                hubs.close(number);
                self.handles.close(number);
                Poll::Ready(0)
            }
            Events::Waiting => {
                let deadline = hubs.next_deadline();
                self.alarm = deadline.map(|at| Alarm::set(at, context.waker().clone()));
                self.meanwhile(context, Poll::Pending)
            }
        }
    }

    /// Programs go on while the guest waits for something else.
    fn meanwhile<T>(&mut self, context: &mut Context<'_>, polled: Poll<T>) -> Poll<T> {
        if polled.is_pending()
            && let Some(execs) = &mut self.execs
        {
            let _ = execs.drive(context, |_| false);
        }
        polled
    }

    /// Does what futures are to do, in the order in which they were registered. `Pending` means that there is more of what
    /// can be done at once: other tasks have their turn, and the guest sees nothing before, so that what it is told first does
    /// not depend on how fast the machine is.
    fn work(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(mut hubs) = self.hubs.take() else {
            return Poll::Ready(());
        };
        let mut worked = Poll::Ready(());
        if hubs.has_work() {
            worked = self.work_on(context, &mut hubs);
        }
        self.hubs = Some(hubs);
        worked
    }

    fn work_on(&mut self, context: &mut Context<'_>, hubs: &mut Hubs) -> Poll<()> {
        let began = Instant::now();
        let now = hubs.next_deadline().map(|_| began);
        hubs.check_joins(now);
        let mut place = Place::default();
        while let Some((at, mut pending)) = hubs.take_at(place) {
            if now.zip(pending.deadline).is_some_and(|(now, at)| now >= at) {
                hubs.expire(at, pending);
                hubs.step();
                place = at;
                continue;
            }
            if !pending.work.is_ready() {
                hubs.put_back(at, pending);
                place = at.behind();
                continue;
            }
            self.connecting = hubs.connecting();
            match self.progress(context, &mut pending.work) {
                Progress::Done(result) => {
                    if let Err((mut pending, value)) = hubs.settle(at, pending, result) {
                        pending.work = Work::Value(value);
                        hubs.put_back(at, pending);
                        // Those behind it wait with it. Other handles go on: the guest may be reading one of them.
                        place = at.next_handle();
                        continue;
                    }
                    hubs.step();
                    if began.elapsed() >= SLICE {
                        context.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    place = at;
                }
                Progress::Waits => {
                    hubs.put_back(at, pending);
                    hubs.step();
                    place = at.behind();
                }
                Progress::Drives => {
                    hubs.put_back(at, pending);
                    return Poll::Ready(());
                }
            }
        }
        Poll::Ready(())
    }

    /// Writes some of the bytes, and says how many; −1 if it cannot be written.
    pub(crate) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        number: u32,
        bytes: &[u8],
    ) -> Poll<i32> {
        if bytes.is_empty() {
            return Poll::Ready(0);
        }
        // Hubs and programs have less room than that; what is behind the others may take everything.
        let piece = bytes.get(..MAX_CALL).unwrap_or(bytes);
        match self.handles.get_mut(number) {
            Some(Handle::Output {
                stream,
                is_ended: false,
            }) => {
                let polled = stream.poll_write(piece, context.waker());
                let polled = polled.map(|written| written.map_or(FAILED, length));
                self.meanwhile(context, polled)
            }
            Some(Handle::Hub) => {
                let written = self
                    .hubs
                    .as_mut()
                    .and_then(|hubs| hubs.write(number, bytes));
                Poll::Ready(written.map_or(FAILED, length))
            }
            Some(Handle::Stdin { ring, exec_id }) => {
                let (ring, exec_id) = (Arc::clone(ring), *exec_id);
                let polled = self.poll_stdin(context, (&ring, exec_id), bytes);
                if polled.is_ready() {
                    self.full_since = None;
                }
                polled
            }
            Some(Handle::Socket(socket)) => socket.poll_write(context, piece),
            None
            | Some(
                Handle::Input(_) | Handle::Output { .. } | Handle::Source { .. } | Handle::File(_),
            ) => Poll::Ready(FAILED),
        }
    }

    /// A program whose input is full is given a little time to read of it: 0 if it does not, because it cannot go on or has
    /// other things to do. Waiting for it longer is for the guest to decide.
    fn poll_stdin(
        &mut self,
        context: &mut Context<'_>,
        (ring, exec_id): (&Ring, u32),
        bytes: &[u8],
    ) -> Poll<i32> {
        loop {
            match ring.give(bytes) {
                None => return Poll::Ready(FAILED),
                Some(0) => {}
                Some(count) => return Poll::Ready(length(count)),
            }
            let Some(execs) = &mut self.execs else {
                return Poll::Ready(FAILED);
            };
            let since = *self.full_since.get_or_insert_with(Instant::now);
            let patience = execs.policy().limits.status_patience;
            // Somebody has a turn in every call, so that a guest that only tries again comes further.
            let mut is_first = true;
            let is_enough = |execs: &Execs| {
                let is_later = !std::mem::take(&mut is_first);
                let is_vain = || execs.is_quiet(exec_id) || since.elapsed() >= patience;
                ring.is_writable() || (is_later && is_vain())
            };
            match execs.drive(context, is_enough) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(_) if ring.is_writable() => {}
                Poll::Ready(_) => return Poll::Ready(0),
            }
        }
    }

    /// Nothing more will be written.
    pub(crate) fn end(&mut self, number: u32) {
        match self.handles.get_mut(number) {
            Some(Handle::Output { is_ended, .. }) => *is_ended = true,
            Some(Handle::Hub) => {
                if let Some(hubs) = &mut self.hubs {
                    hubs.end(number);
                }
            }
            Some(Handle::Stdin { ring, .. }) => {
                ring.end();
                self.handles.close(number);
            }
            Some(Handle::Socket(socket)) => {
                socket.end();
                if socket.is_closed() {
                    self.handles.close(number);
                }
            }
            // Sources are ended by who writes them.
            None | Some(Handle::Input(_) | Handle::Source { .. } | Handle::File(_)) => {}
        }
    }
}
