//! Beginning, ending, waiting and signalling.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    io,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bstr::BString;

use super::Process;
use crate::{
    error::limit_error,
    pipe::{PipeReader, PipeWriter, pipe},
    signal::{Disposition, Signal},
    spec::Spec,
    status::{Pid, Status},
    stream::Stream,
};

impl Process {
    /// What another process would begin with that has these arguments and inherits the rest from this one.
    pub fn spec<A: Into<BString>>(&self, args: impl IntoIterator<Item = A>) -> Spec {
        Spec {
            args: args.into_iter().map(Into::into).collect(),
            env: self.environment(),
            cwd: self.cwd().to_owned(),
            umask: self.umask(),
            descriptors: self.descriptors(),
            ignored: self.ignored.get(),
        }
    }

    /// Begins a process that runs beside this one. Refused beyond the limit.
    pub fn spawn(
        &self,
        spec: Spec,
        main: impl FnOnce(&Self) -> io::Result<i32> + Send + 'static,
    ) -> io::Result<Pid> {
        self.kernel.spawn(self.pid, spec, main)
    }

    /// Runs another process to its end, on this one's stack: as spawning and waiting, but at the cost of a call.
    pub fn call(&self, spec: Spec, main: impl FnOnce(&Self) -> io::Result<i32>) -> Status {
        let callee = Self {
            kernel: Arc::clone(&self.kernel),
            pid: self.kernel.new_pid(),
            parent: self.pid,
            args: spec.args,
            env: RefCell::new(spec.env),
            cwd: RefCell::new(spec.cwd),
            umask: Cell::new(spec.umask),
            descriptors: RefCell::new(spec.descriptors),
            signals: Arc::clone(&self.signals),
            ignored: Cell::new(spec.ignored),
            // What this process catches waits until the call is over.
            caught: Cell::new(self.caught.get()),
            waker: self.waker.clone(),
            switch: self.switch,
            depth: self.depth + 1,
            units: Cell::new(self.units.get()),
            slice_began: Cell::new(self.slice_began.get()),
            is_dying: Cell::new(self.is_dying.get()),
            floor: self.floor,
        };
        let status = callee.main(main);
        self.units.set(callee.units.get());
        self.slice_began.set(callee.slice_began.get());
        status
    }

    /// Ends the process here.
    pub fn exit(&self, code: i32) -> ! {
        self.unwind(Status::from_code(code))
    }

    /// Ends the process here, as if a signal had.
    pub fn die(&self, signal: Signal) -> ! {
        self.unwind(Status::Signaled(signal))
    }

    /// A pipe.
    pub fn pipe(&self) -> io::Result<(Arc<dyn Stream>, Arc<dyn Stream>)> {
        let capacity = self.kernel.options.limits.pipe_bytes;
        let (reader, writer): (PipeReader, PipeWriter) =
            pipe(self.account(), capacity).map_err(limit_error)?;
        Ok((Arc::new(reader), Arc::new(writer)))
    }

    /// Waits for a process that this one spawned. `None` if it is no child, or was waited for before.
    pub fn wait(&self, pid: Pid) -> Option<Status> {
        self.block_on_poll(|waker| self.kernel.poll_status(self.pid, pid, waker))
    }

    /// As [`Process::wait`], if that child has ended already.
    pub fn try_wait(&self, pid: Pid) -> Poll<Option<Status>> {
        self.kernel.poll_status(self.pid, pid, &self.waker)
    }

    /// Waits for a child until a time: `Pending` if it had not ended by then.
    pub fn wait_until(&self, pid: Pid, time: Instant) -> Poll<Option<Status>> {
        self.until(time, || self.try_wait(pid))
    }

    /// Waits until `poll` is ready or a signal is caught; `None` for the latter.
    pub fn interruptible<T>(&self, mut poll: impl FnMut() -> Poll<T>) -> Option<T> {
        self.block_on_poll(|_| match poll() {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending if self.has_caught() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
    }

    /// Waits until `poll` is ready, until a time at most. `poll` leaves [`Process::waker`] where it will be woken.
    pub fn until<T>(&self, time: Instant, mut poll: impl FnMut() -> Poll<T>) -> Poll<T> {
        let timer = self.kernel.set_timer(time, &self.waker);
        let result = self.block_on_poll(|_| match poll() {
            Poll::Ready(result) => Poll::Ready(Poll::Ready(result)),
            Poll::Pending if Instant::now() >= time => Poll::Ready(Poll::Pending),
            Poll::Pending => Poll::Pending,
        });
        self.kernel.unset_timer(timer);
        result
    }

    /// What wakes this process up.
    pub fn waker(&self) -> &std::task::Waker {
        &self.waker
    }

    /// Sleeps.
    pub fn sleep(&self, duration: Duration) {
        match Instant::now().checked_add(duration) {
            Some(time) => {
                let _ = self.until(time, || Poll::<()>::Pending);
            }
            // Longer than clocks go.
            None => self.block_on_poll(|_| Poll::Pending),
        }
    }

    /// Waits for a future of the host's.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        self.block_on_poll(|waker| future.as_mut().poll(&mut Context::from_waker(waker)))
    }

    /// Sends a signal to a process of this run; says whether there is one of this number.
    pub fn kill(&self, pid: Pid, signal: Signal) -> bool {
        let sent = self.kernel.signal(pid, signal);
        // To itself it comes at once.
        self.deliver_signals();
        sent
    }

    /// Whether there is a process of this number that has not ended.
    pub fn is_alive(&self, pid: Pid) -> bool {
        self.kernel.is_alive(pid)
    }

    /// What becomes of a signal.
    pub fn disposition(&self, signal: Signal) -> Disposition {
        if self.caught.get() & signal.bit() != 0 {
            Disposition::Catch
        } else if self.ignored.get() & signal.bit() != 0 {
            Disposition::Ignore
        } else {
            Disposition::Default
        }
    }

    /// Says what becomes of a signal. Those that cannot be caught stay as they are.
    pub fn set_disposition(&self, signal: Signal, disposition: Disposition) {
        if !signal.can_be_caught() {
            return;
        }
        let bit = signal.bit();
        self.caught.set(self.caught.get() & !bit);
        self.ignored.set(self.ignored.get() & !bit);
        match disposition {
            Disposition::Default => {}
            Disposition::Ignore => self.ignored.set(self.ignored.get() | bit),
            Disposition::Catch => self.caught.set(self.caught.get() | bit),
        }
    }

    /// A signal that came and is caught, if there is one.
    pub fn take_caught(&self) -> Option<Signal> {
        let came = self.signals.load(Ordering::Relaxed) & self.caught.get();
        let signal = Signal::all().find(|signal| came & signal.bit() != 0)?;
        self.signals.fetch_and(!signal.bit(), Ordering::Relaxed);
        Some(signal)
    }

    /// Whether a signal came that is caught.
    pub fn has_caught(&self) -> bool {
        self.signals.load(Ordering::Relaxed) & self.caught.get() != 0
    }
}
