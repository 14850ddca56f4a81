//! What a program sees of itself.

mod files;
mod life;

pub use files::named_descriptor;

use std::{
    any::Any,
    cell::{Cell, Ref, RefCell},
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Poll, Waker},
    time::{Duration, Instant},
};

use bstr::{BStr, BString};
use hotcell_meter::{Account, Charge, StopToken, beat};
use hotcell_vfs::{Errno, VfsPath, VfsPathBuf};

use crate::{
    coroutine::{Go, Switch, stack_floor},
    descriptors::{Descriptors, Fd},
    environment::Environment,
    error::{errno, error_text, limit_error},
    io::{Input, Output},
    kernel::{Kernel, Shared},
    limits::Limits,
    observer::{LimitKind, Notice},
    program::Program,
    signal::{Disposition, Signal},
    spec::{Given, Spec},
    status::{Pid, Status},
    stream::Stream,
    waker::process_waker,
};

/// Work of this many units takes some ten microseconds, where a unit is about a byte looked at.
const UNITS_PER_LOOK: usize = 16 * 1024;

/// How long a process computes before others of its run get a turn.
const SLICE: Duration = Duration::from_micros(500);

/// A process, as its own program sees it.
///
/// Everything takes `&self`: a program reads one stream while it writes another. A `Process` stays on the stack that it was
/// made on.
pub struct Process {
    kernel: Arc<Shared>,
    pid: Pid,
    parent: Pid,
    /// The process of the kernel's table whose stack this one runs on: itself, unless it is called.
    host: Pid,
    args: Arc<Vec<BString>>,
    env: RefCell<Arc<Environment>>,
    given: Option<Given>,
    cwd: RefCell<VfsPathBuf>,
    umask: Cell<u32>,
    descriptors: RefCell<Descriptors>,
    /// Signals that came and were not looked at, by number.
    signals: Arc<AtomicU32>,
    ignored: Cell<u32>,
    caught: Cell<u32>,
    /// What ends calls, of the signals that are caught.
    interrupting: Cell<u32>,
    /// What the callers of this call catch: it waits until the call is over.
    held: u32,
    /// What ends this call, because a caller is about to end.
    ends_call: u32,
    /// What takes the place of the program once its stack is unwound.
    next: Cell<Option<Box<Successor>>>,
    /// It began others, which are orphans when it ends.
    has_children: Cell<bool>,
    /// Writing failed: what is complained about is then what was written to, not what was read.
    has_write_failed: Cell<bool>,
    waker: Waker,
    switch: *const Switch,
    /// How many calls within one stack this one is in.
    depth: u32,
    /// Units until the next look at the clock.
    units: Cell<usize>,
    /// When it last looked at the time.
    beat: Cell<u32>,
    slice_began: Cell<Instant>,
    /// It is being unwound, and must not suspend.
    is_dying: Cell<bool>,
    floor: usize,
}

/// What begins where a process ends.
struct Successor {
    spec: Spec,
    program: Arc<dyn Program>,
}

/// Unwinds a stack up to the call of that depth, which then has this status.
struct Unwind {
    to: u32,
    status: Status,
}

/// What a call has of its caller, or a coroutine of its kernel.
struct Ground<'a> {
    kernel: &'a Arc<Shared>,
    host: Pid,
    signals: &'a Arc<AtomicU32>,
    held: u32,
    ends_call: u32,
    waker: Waker,
    switch: *const Switch,
    depth: u32,
    floor: usize,
}

/// The main function of a coroutine.
pub(crate) fn begin(
    kernel: &Arc<Shared>,
    pid: Pid,
    parent: Pid,
    signals: &Arc<AtomicU32>,
    spec: Spec,
    switch: &Switch,
    main: impl FnOnce(&Process) -> io::Result<i32>,
) -> Status {
    let local = 0u8;
    let ground = Ground {
        kernel,
        host: pid,
        signals,
        held: 0,
        ends_call: 0,
        waker: process_waker(kernel, pid),
        switch,
        depth: 0,
        floor: stack_floor((&raw const local).addr()),
    };
    Process::new(&ground, pid, parent, spec).live(main)
}

impl Process {
    fn new(ground: &Ground<'_>, pid: Pid, parent: Pid, spec: Spec) -> Self {
        Self {
            kernel: Arc::clone(ground.kernel),
            pid,
            parent,
            host: ground.host,
            args: spec.args,
            env: RefCell::new(spec.env),
            given: spec.given,
            cwd: RefCell::new(spec.cwd),
            umask: Cell::new(spec.umask),
            descriptors: RefCell::new(spec.descriptors),
            signals: Arc::clone(ground.signals),
            ignored: Cell::new(spec.ignored),
            caught: Cell::new(0),
            interrupting: Cell::new(0),
            held: ground.held,
            ends_call: ground.ends_call,
            next: Cell::new(None),
            has_children: Cell::new(false),
            has_write_failed: Cell::new(false),
            waker: ground.waker.clone(),
            switch: ground.switch,
            depth: ground.depth,
            units: Cell::new(UNITS_PER_LOOK),
            beat: Cell::new(beat()),
            slice_began: Cell::new(Instant::now()),
            is_dying: Cell::new(false),
            floor: ground.floor,
        }
    }

    /// Runs a main function, and the programs that replace it, to the end.
    fn live(&mut self, main: impl FnOnce(&Self) -> io::Result<i32>) -> Status {
        let mut status = self.main(main);
        while let Some(next) = self.next.take() {
            let Successor { spec, program } = *next;
            self.args = spec.args;
            self.env.replace(spec.env);
            self.given = spec.given;
            self.cwd.replace(spec.cwd);
            self.umask.set(spec.umask);
            self.descriptors.replace(spec.descriptors);
            self.ignored.set(spec.ignored);
            self.caught.set(0);
            self.interrupting.set(0);
            self.is_dying.set(false);
            status = self.main(|process| program.run(process));
        }
        if self.has_children.get() {
            self.kernel.orphan(self.pid);
        }
        status
    }

    /// Runs a main function and makes a status of whatever comes of it.
    fn main(&self, main: impl FnOnce(&Self) -> io::Result<i32>) -> Status {
        match catch_unwind(AssertUnwindSafe(|| main(self))) {
            Ok(Ok(code)) => Status::from_code(code),
            Ok(Err(error)) => {
                self.complain(self.describe(&error));
                Status::Exited(1)
            }
            Err(payload) => self.unwound(payload),
        }
    }

    /// What is said of an error that ends a program: `write error: …` if it was one of writing.
    pub fn describe(&self, error: &io::Error) -> String {
        let text = error_text(error);
        if self.has_write_failed.get() && error.raw_os_error().is_some() {
            return format!("write error: {text}");
        }
        text
    }

    /// Whether writing to a stream of `std::io` failed.
    pub fn has_write_failed(&self) -> bool {
        self.has_write_failed.get()
    }

    pub(crate) fn note_failed_write(&self) {
        self.has_write_failed.set(true);
    }

    fn unwound(&self, payload: Box<dyn Any + Send>) -> Status {
        match payload.downcast::<Unwind>() {
            Ok(unwind) if unwind.to < self.depth => resume_unwind(unwind),
            Ok(unwind) => {
                // At the bottom everybody may be told to die; nobody is left to suspend.
                unwind.status
            }
            Err(_) => {
                // A fault in a program of ours. It must not take the others down.
                self.complain("internal error: please report it");
                Status::Signaled(Signal::ABRT)
            }
        }
    }

    /// What the processes of this run share.
    pub fn kernel(&self) -> Kernel {
        Kernel(Arc::clone(&self.kernel))
    }

    /// Its number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// The number of the process that began it.
    pub fn parent(&self) -> Pid {
        self.parent
    }

    /// The name it was called by, and its arguments.
    pub fn args(&self) -> &[BString] {
        &self.args
    }

    /// The name it was called by, without directories.
    pub fn name(&self) -> &BStr {
        let name = self.args.first().map_or(&b""[..], |name| name.as_slice());
        let start = name
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |slash| slash + 1);
        BStr::new(name.get(start..).unwrap_or(name))
    }

    /// The value of an environment variable.
    pub fn env(&self, name: &str) -> Option<BString> {
        self.env.borrow().get(name.as_bytes()).cloned()
    }

    /// The whole environment.
    pub fn environment(&self) -> Arc<Environment> {
        Arc::clone(&self.env.borrow())
    }

    /// The whole environment as a list: in the order in which whoever began the process gave it, if it gave one and nothing
    /// was changed since; else sorted by name.
    pub fn environ(&self) -> Arc<[(BString, BString)]> {
        let env = self.environment();
        let given = self.given.as_ref().and_then(|given| given.list_of(&env));
        given.unwrap_or_else(|| {
            let pairs = env.iter();
            pairs
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        })
    }

    /// Replaces the environment that the process and those it begins see.
    pub fn set_environment(&self, env: Arc<Environment>) -> io::Result<()> {
        env.settle(self.account()).map_err(limit_error)?;
        *self.env.borrow_mut() = env;
        Ok(())
    }

    /// Another environment like this one, for who wants to change it.
    pub fn copy_environment(&self) -> io::Result<Environment> {
        let env = self.environment();
        env.copy(self.account()).map_err(limit_error)
    }

    /// The working directory.
    pub fn cwd(&self) -> Ref<'_, VfsPath> {
        Ref::map(self.cwd.borrow(), |cwd| &**cwd)
    }

    /// Goes to another working directory, an absolute path that exists (the caller has looked).
    pub fn set_cwd(&self, cwd: VfsPathBuf) {
        *self.cwd.borrow_mut() = cwd;
    }

    /// Bits that new files do not get.
    pub fn umask(&self) -> u32 {
        self.umask.get()
    }

    /// Sets the bits that new files do not get.
    pub fn set_umask(&self, umask: u32) {
        self.umask.set(umask & 0o777);
    }

    /// The stream behind a descriptor.
    pub fn descriptor(&self, fd: Fd) -> io::Result<Arc<dyn Stream>> {
        self.descriptors.borrow().get(fd).cloned()
    }

    /// All descriptors. A clone refers to the same streams.
    pub fn descriptors(&self) -> Descriptors {
        self.descriptors.borrow().clone()
    }

    /// Replaces all descriptors, and gives back the ones before.
    pub fn replace_descriptors(&self, descriptors: Descriptors) -> Descriptors {
        self.descriptors.replace(descriptors)
    }

    /// Lets a descriptor refer to a stream. Refused beyond the limit.
    pub fn set_descriptor(&self, fd: Fd, stream: Arc<dyn Stream>) -> io::Result<()> {
        if fd as usize >= self.kernel.options.limits.descriptors {
            self.notice(Notice::Limit(LimitKind::Descriptors));
            return Err(errno(Errno::EBADF));
        }
        // The old stream is dropped after the borrow: closing it may wake others.
        let mut descriptors = self.descriptors.borrow_mut();
        let old = descriptors.get(fd).ok().cloned();
        descriptors.set(fd, stream);
        drop(descriptors);
        drop(old);
        Ok(())
    }

    /// Closes a descriptor; says whether it was open.
    pub fn close(&self, fd: Fd) -> bool {
        let old = self.descriptors.borrow().get(fd).ok().cloned();
        let was_open = self.descriptors.borrow_mut().close(fd);
        drop(old);
        was_open
    }

    /// Standard input, without a buffer.
    pub fn stdin(&self) -> Input<'_> {
        self.input(self.stream_or_closed(0))
    }

    /// Standard output, through a buffer.
    pub fn stdout(&self) -> Output<'_> {
        self.output(self.stream_or_closed(1))
    }

    /// Standard error, without a buffer.
    pub fn stderr(&self) -> Output<'_> {
        self.output(self.stream_or_closed(2)).unbuffered()
    }

    /// Any stream, for reading.
    pub fn input(&self, stream: Arc<dyn Stream>) -> Input<'_> {
        Input::new(self, stream)
    }

    /// Any stream, for writing, through a buffer.
    pub fn output(&self, stream: Arc<dyn Stream>) -> Output<'_> {
        Output::new(self, stream)
    }

    /// Reads some bytes; none at the end. Waits until there are some.
    pub fn read(&self, stream: &Arc<dyn Stream>, buf: &mut [u8]) -> io::Result<usize> {
        self.refuse_if_dying()?;
        let count = self.block_on_poll(|waker| stream.poll_read(buf, waker))?;
        self.spend(count / 16 + 1);
        Ok(count)
    }

    /// As [`Process::read`], but no further than the first `end`.
    pub fn read_until(
        &self,
        stream: &Arc<dyn Stream>,
        end: u8,
        buf: &mut [u8],
    ) -> io::Result<usize> {
        self.refuse_if_dying()?;
        let count = self.block_on_poll(|waker| stream.poll_read_until(end, buf, waker))?;
        self.spend(count / 16 + 1);
        Ok(count)
    }

    /// Writes some of the bytes. Waits until there is room. If nobody reads any more, the process gets `SIGPIPE`, which
    /// ends it unless it is ignored.
    pub fn write(&self, stream: &Arc<dyn Stream>, data: &[u8]) -> io::Result<usize> {
        self.refuse_if_dying()?;
        let written = self.block_on_poll(|waker| stream.poll_write(data, waker));
        if let Err(error) = &written
            && error.raw_os_error() == Some(Errno::EPIPE.code())
            && self.disposition(Signal::PIPE) == Disposition::Default
        {
            self.unwind(Status::Signaled(Signal::PIPE));
        }
        self.spend(data.len() / 16 + 1);
        written
    }

    /// Writes all of the bytes.
    pub fn write_all(&self, stream: &Arc<dyn Stream>, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let count = self.write(stream, data)?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            data = data.get(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Says on standard error what went wrong: `NAME: TEXT`.
    pub fn complain(&self, text: impl AsRef<[u8]>) {
        let mut line = self.name().to_vec();
        line.extend_from_slice(b": ");
        line.extend_from_slice(text.as_ref());
        line.push(b'\n');
        // If standard error is gone, too, there is nobody left to tell.
        let _ = self.stderr().write_all(&line);
    }

    /// Says that work of `units` (bytes looked at, or steps) is about to be done. Loops that neither read nor write call
    /// this, so that the process can be killed and others get their turn.
    #[inline]
    pub fn spend(&self, units: usize) {
        match self.units.get().checked_sub(units) {
            // What a unit costs nobody knows. So it is not only they that count.
            Some(left) if self.beat.get() == beat() => self.units.set(left),
            _ => self.look(),
        }
    }

    #[cold]
    fn look(&self) {
        self.units.set(UNITS_PER_LOOK);
        self.beat.set(beat());
        if self.is_unwinding() {
            return;
        }
        if self.kernel.options.stop.stopped().is_some() {
            self.give_way();
        }
        let now = Instant::now();
        if now.duration_since(self.slice_began.get()) >= SLICE {
            self.give_way();
        }
        self.deliver_signals();
    }

    /// Says what was decided here, to whoever keeps a record of it.
    pub fn notice(&self, notice: Notice) {
        self.kernel.notice(notice);
    }

    /// Lets others run, and goes on afterwards.
    pub fn give_way(&self) {
        self.waker.wake_by_ref();
        self.suspend();
    }

    /// The word that ends the run, for work that is given a [`Watch`](hotcell_meter::Watch).
    pub fn stop_token(&self) -> &StopToken {
        &self.kernel.options.stop
    }

    /// How much the processes of this run may have at once.
    pub fn limits(&self) -> &Limits {
        &self.kernel.options.limits
    }

    /// How long the processes of this run have computed, not counting when they waited.
    pub fn busy(&self) -> Duration {
        self.kernel.busy() + self.slice_began.get().elapsed()
    }

    /// How long ago the kernel was made: what `uptime` tells.
    pub fn up_for(&self) -> Duration {
        self.kernel.up_for()
    }

    /// The names of the built-in programs, sorted.
    pub fn program_names(&self) -> Vec<BString> {
        self.kernel.options.programs.names()
    }

    /// The account that what the process holds is charged to.
    pub fn account(&self) -> &Account {
        &self.kernel.options.account
    }

    /// Charges memory that is about to be held.
    pub fn charge(&self, bytes: usize) -> io::Result<Charge> {
        self.account().charge(bytes).map_err(limit_error)
    }

    /// How much of the stack is left. What calls itself as deep as its input asks before it does.
    pub fn stack_left(&self) -> usize {
        let local = 0u8;
        (&raw const local).addr().saturating_sub(self.floor)
    }

    fn stream_or_closed(&self, fd: Fd) -> Arc<dyn Stream> {
        self.descriptor(fd).unwrap_or_else(|_| Arc::new(Closed))
    }

    /// Destructors run while a stack is unwound, and some would like to read or write. They cannot wait then.
    fn is_unwinding(&self) -> bool {
        self.is_dying.get() || std::thread::panicking()
    }

    fn refuse_if_dying(&self) -> io::Result<()> {
        if self.is_unwinding() {
            return Err(errno(Errno::EINTR));
        }
        Ok(())
    }

    /// Waits until `poll` is ready. Not for destructors: a process that is killed cannot wait any more.
    pub fn block_on_poll<T>(&self, mut poll: impl FnMut(&Waker) -> Poll<T>) -> T {
        loop {
            if let Poll::Ready(result) = poll(&self.waker) {
                return result;
            }
            // What came before it waits does not wake it.
            self.deliver_signals();
            self.suspend();
            self.deliver_signals();
        }
    }

    fn suspend(&self) {
        assert!(!self.is_unwinding(), "a destructor waits");
        // SAFETY: the switch lives at the bottom of this very stack, below everything that can hold this process.
        let switch = unsafe { &*self.switch };
        if let Go::Die = switch.suspend(()) {
            self.is_dying.set(true);
            resume_unwind(Box::new(Unwind {
                to: 0,
                status: Status::Signaled(Signal::KILL),
            }));
        }
        self.slice_began.set(Instant::now());
    }

    /// Ends this process, or this call, here.
    fn unwind(&self, status: Status) -> ! {
        self.is_dying.set(true);
        resume_unwind(Box::new(Unwind {
            to: self.depth,
            status,
        }))
    }

    /// Does what the signals that came are for.
    fn deliver_signals(&self) {
        let came = self.signals.load(Ordering::Relaxed);
        if came == 0 || self.is_dying.get() {
            return;
        }
        if came & self.ends_call != 0 {
            // It stays where the caller finds it.
            let signal = Signal::all().find(|signal| came & self.ends_call & signal.bit() != 0);
            self.unwind(Status::Signaled(signal.unwrap_or(Signal::TERM)));
        }
        let ours = Signal::all().find(|signal| {
            let bit = signal.bit();
            came & bit != 0
                && self.held & bit == 0
                && self.disposition(*signal) == Disposition::Default
        });
        let Some(signal) = ours else { return };
        self.signals.fetch_and(!signal.bit(), Ordering::Relaxed);
        if signal.is_deadly() {
            self.is_dying.set(true);
            resume_unwind(Box::new(Unwind {
                to: 0,
                status: Status::Signaled(signal),
            }));
        }
    }
}

/// What stands for a descriptor that is not open.
struct Closed;

impl Stream for Closed {
    fn metadata(&self) -> io::Result<hotcell_vfs::Metadata> {
        Err(errno(Errno::EBADF))
    }
}
