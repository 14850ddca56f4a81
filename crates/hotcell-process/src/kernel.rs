//! What the processes of one run share, and the future that runs them.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use futures_util::task::AtomicWaker;
use hotcell_meter::{Account, StopToken, Stopped, Working};
use hotcell_vfs::{Clock, Errno, MemVfs, Vfs};

use crate::{
    alarm::Alarm,
    coroutine::{Go, Task},
    error::{errno, limit_error},
    fifo::Fifos,
    limits::Limits,
    observer::{LimitKind, Notice, Observer},
    process::{Process, begin},
    program::{NoPrograms, Programs},
    signal::Signal,
    spec::Spec,
    status::{Pid, Status},
};

/// How long the processes of one run compute before other tasks of the thread get a turn.
const SLICE: Duration = Duration::from_millis(1);

/// What a [`Kernel`] is made with.
pub struct KernelOptions {
    /// The files.
    pub vfs: Arc<dyn Vfs>,
    /// The programs that can be run by name.
    pub programs: Arc<dyn Programs>,
    /// Ends everything.
    pub stop: StopToken,
    /// What processes hold is charged to it.
    pub account: Account,
    /// How much there may be at once.
    pub limits: Limits,
    /// What time it is.
    pub clock: Clock,
    /// Hears of limits that are met and of what is refused.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for KernelOptions {
    /// An empty file system in memory, no programs, no deadline, 64 MiB.
    fn default() -> Self {
        Self {
            vfs: Arc::new(MemVfs::new()),
            programs: Arc::new(NoPrograms),
            stop: StopToken::new(),
            account: Account::new("memory", 64 << 20),
            limits: Limits::default(),
            clock: Clock::None,
            observer: None,
        }
    }
}

/// What the processes of one run share.
#[derive(Clone)]
pub struct Kernel(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) options: KernelOptions,
    // A std mutex: held for an update of the table, never while a process runs or a waker of others is called.
    state: Mutex<State>,
    /// The task that polls the run.
    task: AtomicWaker,
    /// For how long processes have computed, in nanoseconds.
    busy: AtomicU64,
    /// When it was made.
    began: Instant,
    /// Where processes meet by name.
    pub(crate) fifos: Fifos,
}

#[derive(Default)]
struct State {
    table: HashMap<Pid, Entry>,
    ready: VecDeque<Pid>,
    timers: BTreeMap<(Instant, u64), Waker>,
    last_pid: u32,
    next_timer: u64,
    /// Processes that have not ended.
    alive: usize,
    /// There were too many, and half of them have not ended yet.
    was_full: bool,
    /// A thread is in [`Run::poll`] and will look at `ready` before it leaves.
    is_polled: bool,
}

impl State {
    /// Whether no process can be begun. Once there are as many as there may be, half of them have to end first: if each that
    /// ends made room for another, a function that calls itself in both halves of a pipeline would go on for ever.
    fn is_crowded(&mut self, most: usize) -> bool {
        let enough = if self.was_full { most / 2 } else { most };
        self.was_full = self.alive >= enough.max(1);
        self.was_full
    }
}

struct Entry {
    parent: Pid,
    /// The process whose stack its parent runs on.
    host: Pid,
    task: Option<Task>,
    is_ready: bool,
    signals: Arc<AtomicU32>,
    status: Option<Status>,
    /// Whoever began it has ended, and nobody will ask for its status.
    is_orphan: bool,
    /// Processes that wait for it to end.
    waiting: Vec<Waker>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The status of its first process.
    pub status: Status,
    /// Why the processes were killed, if they were.
    pub stopped: Option<Stopped>,
}

impl Kernel {
    /// A kernel without processes.
    pub fn new(options: KernelOptions) -> Self {
        Self(Arc::new(Shared {
            options,
            state: Mutex::default(),
            task: AtomicWaker::new(),
            busy: AtomicU64::new(0),
            began: Instant::now(),
            fifos: Fifos::default(),
        }))
    }

    /// The account that everything is charged to.
    pub fn account(&self) -> &Account {
        &self.0.options.account
    }

    /// Ends everything that runs: as the stop token's own `cancel`, but whoever waits for a pipe or a clock is woken, too.
    pub fn cancel(&self) {
        self.0.options.stop.cancel();
        self.0.task.wake();
    }

    /// Says what was decided, to whoever keeps a record of it: for what outlives a borrow of its process.
    pub fn notice(&self, notice: Notice) {
        self.0.notice(notice);
    }

    /// How long processes have computed, not counting when they waited, up to the last time one of them gave way.
    pub fn busy(&self) -> Duration {
        self.0.busy()
    }

    /// Begins a process. The future completes when it and all that it began have ended, or were killed because the stop
    /// token said so. Dropping the future kills them.
    pub fn run(
        &self,
        spec: Spec,
        main: impl FnOnce(&Process) -> io::Result<i32> + Send + 'static,
    ) -> Run {
        let first = self.0.spawn(Pid(0), Pid(0), spec, main);
        Run {
            kernel: Arc::clone(&self.0),
            first: first.ok(),
            alarm: None,
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever listens.
    pub(crate) fn notice(&self, notice: Notice) {
        if let Some(observer) = &self.options.observer {
            observer.notice(notice);
        }
    }

    pub(crate) fn new_pid(&self) -> Pid {
        let mut state = self.lock();
        state.last_pid += 1;
        Pid(state.last_pid)
    }

    pub(crate) fn spawn(
        self: &Arc<Self>,
        parent: Pid,
        host: Pid,
        spec: Spec,
        main: impl FnOnce(&Process) -> io::Result<i32> + Send + 'static,
    ) -> io::Result<Pid> {
        if self.lock().is_crowded(self.options.limits.processes) {
            self.notice(Notice::Limit(LimitKind::Processes));
            return Err(errno(Errno::EAGAIN));
        }
        spec.env
            .settle(&self.options.account)
            .map_err(limit_error)?;
        let pid = self.new_pid();
        let signals = Arc::new(AtomicU32::new(0));
        let task = {
            let (kernel, signals) = (Arc::clone(self), Arc::clone(&signals));
            Task::new(move |switch| {
                let status = begin(&kernel, pid, parent, &signals, spec, switch, main);
                kernel.ended(pid, status);
            })?
        };
        let mut state = self.lock();
        state.alive += 1;
        state.ready.push_back(pid);
        let entry = Entry {
            parent,
            host,
            task: Some(task),
            is_ready: true,
            signals,
            status: None,
            is_orphan: false,
            waiting: Vec::new(),
        };
        state.table.insert(pid, entry);
        Ok(pid)
    }

    fn ended(&self, pid: Pid, status: Status) {
        let mut state = self.lock();
        let Some(entry) = state.table.get_mut(&pid) else {
            return;
        };
        entry.status = Some(status);
        let waiting = std::mem::take(&mut entry.waiting);
        let parent = entry.parent;
        if entry.is_orphan {
            state.table.remove(&pid);
        }
        state.alive -= 1;
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        self.signal(parent, Signal::CHLD);
    }

    /// Lets a process go on.
    pub(crate) fn wake(&self, pid: Pid) {
        let mut state = self.lock();
        let Some(entry) = state.table.get_mut(&pid) else {
            return;
        };
        if !std::mem::replace(&mut entry.is_ready, true) {
            state.ready.push_back(pid);
        }
        let is_polled = state.is_polled;
        drop(state);
        if !is_polled {
            self.task.wake();
        }
    }

    /// The status of a process that has ended, or a wake-up call when it has. `None` for one that is not a child of
    /// `parent`, or was asked about before.
    pub(crate) fn poll_status(&self, parent: Pid, pid: Pid, waker: &Waker) -> Poll<Option<Status>> {
        let mut state = self.lock();
        let Some(entry) = state.table.get_mut(&pid) else {
            return Poll::Ready(None);
        };
        if entry.parent != parent {
            return Poll::Ready(None);
        }
        let Some(status) = entry.status else {
            // Who asks again and again is woken once.
            if !entry.waiting.iter().any(|known| known.will_wake(waker)) {
                entry.waiting.push(waker.clone());
            }
            return Poll::Pending;
        };
        state.table.remove(&pid);
        Poll::Ready(Some(status))
    }

    /// Wakes a waker when a process ends.
    pub(crate) fn watch(&self, pid: Pid, waker: &Waker) {
        let mut state = self.lock();
        if let Some(entry) = state.table.get_mut(&pid)
            && !entry.waiting.iter().any(|known| known.will_wake(waker))
        {
            entry.waiting.push(waker.clone());
        }
    }

    /// Forgets the ended children of a process that has ended itself; those that go on are forgotten when they end.
    pub(crate) fn orphan(&self, parent: Pid) {
        let mut state = self.lock();
        state
            .table
            .retain(|_, entry| entry.parent != parent || entry.status.is_none());
        for entry in state.table.values_mut() {
            entry.is_orphan |= entry.parent == parent;
        }
    }

    /// How long ago it was made.
    pub(crate) fn up_for(&self) -> Duration {
        self.began.elapsed()
    }

    /// How long processes have computed, up to the last switch.
    pub(crate) fn busy(&self) -> Duration {
        Duration::from_nanos(self.busy.load(Ordering::Relaxed))
    }

    /// Sends a signal; says whether there is such a process.
    pub(crate) fn signal(&self, pid: Pid, signal: Signal) -> bool {
        let state = self.lock();
        let Some(entry) = state.table.get(&pid).filter(|entry| entry.status.is_none()) else {
            return false;
        };
        entry.signals.fetch_or(signal.bit(), Ordering::Relaxed);
        drop(state);
        self.wake(pid);
        true
    }

    /// Sends a signal to a process and to all that descend from it; says whether there is such a process.
    pub(crate) fn signal_tree(&self, root: Pid, signal: Signal) -> bool {
        let mut pids = vec![root];
        {
            let state = self.lock();
            let mut next = 0;
            while let Some(host) = pids.get(next).copied() {
                next += 1;
                let children = state.table.iter().filter(|(_, entry)| entry.host == host);
                pids.extend(children.map(|(pid, _)| *pid));
            }
        }
        let mut was_there = false;
        for pid in pids {
            was_there |= self.signal(pid, signal) && pid == root;
        }
        was_there
    }

    /// Whether there is a process of this number that has not ended.
    pub(crate) fn is_alive(&self, pid: Pid) -> bool {
        let state = self.lock();
        state
            .table
            .get(&pid)
            .is_some_and(|entry| entry.status.is_none())
    }

    /// Wakes a waker at a time, once the scheduler looks.
    pub(crate) fn set_timer(&self, at: Instant, waker: &Waker) -> (Instant, u64) {
        let mut state = self.lock();
        let key = (at, state.next_timer);
        state.next_timer += 1;
        state.timers.insert(key, waker.clone());
        key
    }

    pub(crate) fn unset_timer(&self, key: (Instant, u64)) {
        let waker = self.lock().timers.remove(&key);
        drop(waker);
    }

    fn due_timers(&self) -> Vec<Waker> {
        let mut state = self.lock();
        if state.timers.is_empty() {
            return Vec::new();
        }
        let later = state.timers.split_off(&(Instant::now(), u64::MAX));
        std::mem::replace(&mut state.timers, later)
            .into_values()
            .collect()
    }

    /// The next process that can go on. Without one, whoever makes one ready from now on wakes the task.
    fn next(&self) -> Next {
        let mut state = self.lock();
        while let Some(pid) = state.ready.pop_front() {
            let Some(entry) = state.table.get_mut(&pid) else {
                continue;
            };
            entry.is_ready = false;
            if let Some(task) = entry.task.take() {
                return Next::Task(pid, task);
            }
        }
        if state.alive == 0 {
            return Next::Ended;
        }
        state.is_polled = false;
        Next::Wait(state.timers.keys().next().map(|timer| timer.0))
    }

    fn put_back(&self, pid: Pid, task: Task) {
        if let Some(entry) = self.lock().table.get_mut(&pid) {
            entry.task = Some(task);
        }
    }

    /// Unwinds every process.
    fn kill_all(&self) {
        loop {
            let task = {
                let mut state = self.lock();
                state.is_polled = true;
                state.table.values_mut().find_map(|entry| entry.task.take())
            };
            let Some(mut task) = task else { break };
            // A process that is told to die does not suspend again.
            task.resume(Go::Die);
        }
        let state = std::mem::take(&mut *self.lock());
        drop(state);
    }
}

enum Next {
    Task(Pid, Task),
    Wait(Option<Instant>),
    Ended,
}

/// The processes of a kernel, as a future.
#[must_use = "nothing runs until it is polled"]
pub struct Run {
    kernel: Arc<Shared>,
    /// `None` if it could not be begun.
    first: Option<Pid>,
    /// Wakes the task when the next process is due.
    alarm: Option<Alarm>,
}

impl Run {
    /// Whether a process waits for a time to come. Without one, a run that is not woken goes on only when somebody else
    /// does something: reads, writes, or answers.
    pub fn is_waiting_for_time(&self) -> bool {
        !self.kernel.lock().timers.is_empty()
    }

    /// Whether its first process could be begun: there may be no memory for its stack.
    pub fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    fn end(&mut self, stopped: Option<Stopped>) -> Ended {
        let status = self.first.and_then(|first| {
            let state = self.kernel.lock();
            state.table.get(&first)?.status
        });
        self.kernel.kill_all();
        Ended {
            status: status.unwrap_or(if stopped.is_some() {
                Status::Signaled(Signal::KILL)
            } else {
                Status::Exited(126)
            }),
            stopped,
        }
    }

    fn wait(&self, timer: Option<Instant>, context: &Context<'_>) -> Option<Alarm> {
        let deadline = self.kernel.options.stop.deadline();
        let at = timer.into_iter().chain(deadline).min()?;
        Some(Alarm::set(at, context.waker().clone()))
    }
}

impl Future for Run {
    type Output = Ended;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ended> {
        let kernel = Arc::clone(&self.kernel);
        kernel.task.register(context.waker());
        kernel.lock().is_polled = true;
        let _working = Working::begin();
        let began = Instant::now();
        loop {
            if let Some(stopped) = kernel.options.stop.stopped() {
                return Poll::Ready(self.end(Some(stopped)));
            }
            kernel.due_timers().into_iter().for_each(Waker::wake);
            match kernel.next() {
                Next::Ended => return Poll::Ready(self.end(None)),
                Next::Wait(timer) => {
                    self.alarm = self.wait(timer, context);
                    return Poll::Pending;
                }
                Next::Task(pid, mut task) => {
                    let resumed = Instant::now();
                    if !task.resume(Go::On) {
                        kernel.put_back(pid, task);
                    }
                    let nanos = u64::try_from(resumed.elapsed().as_nanos());
                    kernel
                        .busy
                        .fetch_add(nanos.unwrap_or(u64::MAX), Ordering::Relaxed);
                }
            }
            if began.elapsed() >= SLICE {
                kernel.lock().is_polled = false;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.kernel.kill_all();
    }
}
