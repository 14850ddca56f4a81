//! Beginning, ending, waiting and signalling.

use std::{
    future::Future,
    io,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bstr::BString;

use super::{Ground, Process, Successor};
use crate::{
    error::limit_error,
    pipe::{PipeReader, PipeWriter, pipe},
    program::Program,
    signal::{Disposition, Signal},
    spec::Spec,
    status::{Pid, Status},
    stream::Stream,
};

/// The status of what was called and could not begin, as for a program that cannot be run.
const NOT_BEGUN: u8 = 126;

impl Process {
    /// What another process would begin with that has these arguments and inherits the rest from this one.
    pub fn spec<A: Into<BString>>(&self, args: impl IntoIterator<Item = A>) -> Spec {
        Spec {
            args: Arc::new(args.into_iter().map(Into::into).collect()),
            env: self.environment(),
            cwd: self.cwd().to_owned(),
            umask: self.umask(),
            descriptors: self.descriptors(),
            ignored: self.ignored.get(),
            given: self.given.clone(),
        }
    }

    /// What a copy of this process would begin with: it inherits all, and shares it.
    pub fn own_spec(&self) -> Spec {
        Spec {
            args: Arc::clone(&self.args),
            ..self.spec::<BString>([])
        }
    }

    /// Begins a process that runs beside this one. Refused beyond the limit.
    pub fn spawn(
        &self,
        spec: Spec,
        main: impl FnOnce(&Self) -> io::Result<i32> + Send + 'static,
    ) -> io::Result<Pid> {
        self.has_children.set(true);
        self.kernel.spawn(self.pid, self.host, spec, main)
    }

    /// Runs another process to its end, on this one's stack: as spawning and waiting, but at the cost of a call.
    pub fn call(&self, spec: Spec, main: impl FnOnce(&Self) -> io::Result<i32>) -> Status {
        let held = self.held | self.caught.get();
        let ends_call = self.ends_call | self.interrupting.get();
        let pids = (self.kernel.new_pid(), self.pid);
        self.call_as(pids, (held, ends_call), spec, main)
    }

    /// Goes on as another program, with the same number; the status is that of this process, which is to end with it.
    /// As [`Process::exec`], for who has nothing on the stack that is worth unwinding.
    pub fn become_program(
        &self,
        spec: Spec,
        main: impl FnOnce(&Self) -> io::Result<i32>,
    ) -> Status {
        let held = (self.held, self.ends_call);
        self.call_as((self.pid, self.parent), held, spec, main)
    }

    fn call_as(
        &self,
        (pid, parent): (Pid, Pid),
        (held, ends_call): (u32, u32),
        spec: Spec,
        main: impl FnOnce(&Self) -> io::Result<i32>,
    ) -> Status {
        if let Err(over) = spec.env.settle(self.account()) {
            self.complain(over.to_string());
            return Status::Exited(NOT_BEGUN);
        }
        let ground = Ground {
            kernel: &self.kernel,
            host: self.host,
            signals: &self.signals,
            held,
            ends_call,
            waker: self.waker.clone(),
            switch: self.switch,
            depth: self.depth + 1,
            floor: self.floor,
        };
        let mut callee = Self::new(&ground, pid, parent, spec);
        callee.units.set(self.units.get());
        callee.slice_began.set(self.slice_began.get());
        callee.is_dying.set(self.is_dying.get());
        let status = callee.live(main);
        self.units.set(callee.units.get());
        self.slice_began.set(callee.slice_began.get());
        status
    }

    /// Goes on as another program, as `exec` does: unwinds the stack and runs it in the place of this one.
    pub fn exec(&self, spec: Spec, program: Arc<dyn Program>) -> ! {
        self.next.set(Some(Box::new(Successor { spec, program })));
        self.unwind(Status::SUCCESS)
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

    /// As [`Process::wait`], but also ends, with `None`, when a signal comes that [interrupts](Disposition::Interrupt).
    pub fn wait_unless_interrupted(&self, pid: Pid) -> Option<Status> {
        self.block_on_poll(|waker| {
            if self.signals.load(Ordering::Relaxed) & self.interrupting.get() != 0 {
                return Poll::Ready(None);
            }
            self.kernel.poll_status(self.pid, pid, waker)
        })
    }

    /// As [`Process::wait`], if that child has ended already.
    pub fn try_wait(&self, pid: Pid) -> Poll<Option<Status>> {
        self.kernel.poll_status(self.pid, pid, &self.waker)
    }

    /// Is woken when a child ends; its status stays for whoever waits.
    pub fn watch(&self, pid: Pid) {
        self.kernel.watch(pid, &self.waker);
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
        if pid == self.pid && self.depth > 0 && !self.kernel.is_alive(pid) {
            // The kernel does not know those that are called.
            self.signal_call(signal);
            return true;
        }
        let sent = self.kernel.signal(pid, signal);
        // To itself it comes at once.
        self.deliver_signals();
        sent
    }

    /// As [`Process::kill`], for a process and all that it began, and what these began.
    pub fn kill_tree(&self, pid: Pid, signal: Signal) -> bool {
        let sent = self.kernel.signal_tree(pid, signal);
        self.deliver_signals();
        sent
    }

    fn signal_call(&self, signal: Signal) {
        match self.disposition(signal) {
            Disposition::Default if signal.is_deadly() => self.die(signal),
            Disposition::Default | Disposition::Ignore => {}
            Disposition::Catch | Disposition::Interrupt => {
                self.signals.fetch_or(signal.bit(), Ordering::Relaxed);
            }
        }
    }

    /// Whether there is a process of this number that has not ended.
    pub fn is_alive(&self, pid: Pid) -> bool {
        self.kernel.is_alive(pid)
    }

    /// What becomes of a signal.
    pub fn disposition(&self, signal: Signal) -> Disposition {
        if self.interrupting.get() & signal.bit() != 0 {
            Disposition::Interrupt
        } else if self.caught.get() & signal.bit() != 0 {
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
        self.interrupting.set(self.interrupting.get() & !bit);
        self.ignored.set(self.ignored.get() & !bit);
        match disposition {
            Disposition::Default => {}
            Disposition::Ignore => self.ignored.set(self.ignored.get() | bit),
            Disposition::Catch => self.caught.set(self.caught.get() | bit),
            Disposition::Interrupt => {
                self.caught.set(self.caught.get() | bit);
                self.interrupting.set(self.interrupting.get() | bit);
            }
        }
    }

    /// A signal that came and is caught, if there is one; it stays for [`Process::take_caught`].
    pub fn first_caught(&self) -> Option<Signal> {
        let came = self.signals.load(Ordering::Relaxed) & self.caught.get();
        Signal::all().find(|signal| came & signal.bit() != 0)
    }

    /// A signal that came and is caught, if there is one.
    pub fn take_caught(&self) -> Option<Signal> {
        let signal = self.first_caught()?;
        self.signals.fetch_and(!signal.bit(), Ordering::Relaxed);
        Some(signal)
    }

    /// Whether a signal came that is caught.
    pub fn has_caught(&self) -> bool {
        self.signals.load(Ordering::Relaxed) & self.caught.get() != 0
    }
}
