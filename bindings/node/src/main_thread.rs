//! Small work stays on Node's own thread.
//!
//! Going to a thread of the pool and back costs more than most runs, and code that calls a tool needs Node's thread at once
//! anyway. So a task that Node's thread starts or wakes is polled right there, as a visitor ([`hotcell::cell::visit`]): it can
//! stay for a millisecond at most, then its cell makes way, and it leaves before there is much for native code to do. All of
//! them together get [`TURN`] of a turn of the event loop. One that needs more goes on on the pool, and so does the next of
//! the same [`Affinity`].

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use async_task::{Runnable, ScheduleInfo};
use hotcell::cell::{is_leaving, visit};
use hotcell::prepare::is_quick;

use crate::shared::{lock, pool};

/// How much of a turn of the event loop is for cells.
const TURN: Duration = Duration::from_millis(1);

/// A task that is at it for this long computes, and is not about to call a tool or to end.
const LONG: Duration = Duration::from_micros(500);

/// How many bytes make work that is not small, whatever is done with them.
const SMALL: usize = 8 << 10;

/// Whether something can be expected to be over soon.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Light,
    Heavy,
}

impl Weight {
    /// By how much there is to read.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        if bytes <= SMALL {
            Self::Light
        } else {
            Self::Heavy
        }
    }

    /// Of code that is looked at.
    pub(crate) fn of_code(code: &str) -> Self {
        if is_quick(code) {
            Self::Light
        } else {
            Self::Heavy
        }
    }
}

/// What is known of tasks that have something in common, such as an executor.
#[derive(Default)]
pub(crate) struct Affinity {
    /// The last thing one of them did took long. The next is for the pool, and then we will see.
    is_slow: AtomicBool,
}

impl Affinity {
    fn is_slow(&self) -> bool {
        self.is_slow.load(Ordering::Relaxed)
    }

    fn forget(&self) -> bool {
        self.is_slow.swap(false, Ordering::Relaxed)
    }
}

pub(crate) type Task = Runnable<Arc<Affinity>>;

/// Tasks on Node's thread.
pub(crate) struct MainThread {
    thread: ThreadId,
    // A std mutex: held for a push or a pop, never while a task runs.
    queue: Mutex<ReadyQueue>,
}

#[derive(Default)]
struct ReadyQueue {
    ready: VecDeque<Task>,
    /// Whether tasks that are woken now are welcome.
    is_open: bool,
    /// Whether they are being run.
    is_running: bool,
    /// When those of this turn of the event loop have had their time. `None` before the first.
    until: Option<Instant>,
}

impl MainThread {
    /// Of this thread.
    pub(crate) fn new() -> Self {
        Self {
            thread: thread::current().id(),
            queue: Mutex::default(),
        }
    }

    fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Whether Node's thread is running tasks and this is it. Then it will look at what they have to tell without being woken.
    pub(crate) fn is_running_here(&self) -> bool {
        self.is_here() && lock(&self.queue).is_running
    }

    /// A task begins. True if it is now up to [`Self::run`].
    pub(crate) fn begin(&self, task: Task, weight: Weight) -> bool {
        if weight == Weight::Light && !task.metadata().forget() && self.is_here() {
            let mut queue = lock(&self.queue);
            if queue.has_time() {
                queue.ready.push_back(task);
                return true;
            }
        }
        to_pool(task);
        false
    }

    /// A task was woken.
    pub(crate) fn schedule(&self, task: Task, info: ScheduleInfo) {
        if self.is_here() && !is_leaving() {
            let mut queue = lock(&self.queue);
            // By what Node has just answered, or by itself, as it does to make way.
            let is_welcome = queue.is_open || info.woken_while_running;
            if is_welcome && queue.has_time() && !task.metadata().forget() {
                queue.ready.push_back(task);
                return;
            }
        }
        to_pool(task);
    }

    /// Does something that may wake tasks, on Node's thread. True if it did, and they are now up to [`Self::run`].
    pub(crate) fn wake_here(&self, weight: Weight, wake: impl FnOnce()) -> bool {
        lock(&self.queue).is_open = weight == Weight::Light;
        wake();
        let mut queue = lock(&self.queue);
        queue.is_open = false;
        !queue.ready.is_empty()
    }

    /// Runs what is ready, for as long as there is time.
    pub(crate) fn run(&self) {
        loop {
            let next = lock(&self.queue).next();
            let Some((task, has_time)) = next else { break };
            if has_time && !task.metadata().is_slow() {
                let _running = Running::begin(self);
                visit(|| run(task));
            } else {
                to_pool(task);
            }
        }
    }

    /// Node's event loop goes round.
    pub(crate) fn turn(&self) {
        lock(&self.queue).until = None;
    }

    /// Forgets what is ready: it is cancelled.
    pub(crate) fn clear(&self) {
        let ready = std::mem::take(&mut lock(&self.queue).ready);
        drop(ready);
    }
}

impl ReadyQueue {
    /// The next task, and whether there is time for it.
    fn next(&mut self) -> Option<(Task, bool)> {
        let task = self.ready.pop_front()?;
        Some((task, self.has_time()))
    }

    fn has_time(&mut self) -> bool {
        let now = Instant::now();
        now < *self.until.get_or_insert(now + TURN)
    }
}

/// A task runs on Node's thread.
struct Running<'a>(&'a MainThread);

impl<'a> Running<'a> {
    fn begin(main_thread: &'a MainThread) -> Self {
        lock(&main_thread.queue).is_running = true;
        Self(main_thread)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.0.queue).is_running = false;
    }
}

fn to_pool(task: Task) {
    pool().spawn(async move { run(task) }).detach();
}

fn run(task: Task) {
    let affinity = Arc::clone(task.metadata());
    let began = Instant::now();
    task.run();
    if began.elapsed() >= LONG {
        affinity.is_slow.store(true, Ordering::Relaxed);
    }
}
