//! The way from the tasks that run cells to the one thread that runs Node.
//!
//! Whatever happens in a task and concerns JavaScript (a tool is called, a line is printed, a run is over) becomes an
//! [`Event`] in a queue. Node takes all that is there and goes back to its loop; if the task is on the pool, Node is woken
//! first. There is one bridge for each environment, that is for the main thread and for each worker; it lives as long as its
//! environment.

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use async_task::WithInfo;
use futures_channel::oneshot;
use hotcell::ApprovalRequest;
use hotcell::cell::{Reply, ToolCall, ToolError, Value};
use napi::{
    Status,
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};

use crate::{
    calls::{Caller, Calls, First},
    event::{Event, What},
    main_thread::{Affinity, MainThread, Weight},
    outcome::Outcome,
    packed::pack,
    sent::Answer,
    shared::lock,
    transit::Transit,
};

/// Wakes Node. Weak: it does not by itself keep the process alive.
pub(crate) type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

/// Lines of the console are told together up to this many bytes.
const LINES: usize = 16 << 10;

/// How many events Node is told at once, and of how many bytes. Then it looks at the clock.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 256 << 10;

/// What the events of one executor have in common.
#[derive(Clone)]
pub(crate) struct Lane {
    pub(crate) number: u32,
    transit: Transit,
}

impl Lane {
    /// One that nobody else has.
    pub(crate) fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Self {
            // 0 is nobody's, and after four billion of them the first are long gone.
            number: LAST.fetch_add(1, Ordering::Relaxed) % u32::MAX + 1,
            transit: Transit::default(),
        }
    }
}

/// One environment's side of everything.
pub(crate) struct Bridge {
    wake: Wake,
    main_thread: MainThread,
    // Std mutexes: held for a push or a take, never across an await.
    queue: Mutex<Queue>,
    calls: Calls,
    tasks: Mutex<HashMap<u32, async_task::Task<(), Arc<Affinity>>>>,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    closed: bool,
}

impl Bridge {
    pub(crate) fn new(wake: Wake) -> Arc<Self> {
        Arc::new(Self {
            wake,
            main_thread: MainThread::new(),
            queue: Mutex::default(),
            calls: Calls::default(),
            tasks: Mutex::default(),
        })
    }

    pub(crate) fn wake(&self) -> &Wake {
        &self.wake
    }

    pub(crate) fn main_thread(&self) -> &MainThread {
        &self.main_thread
    }

    /// Tells Node something. To an environment that is gone nothing is told.
    pub(crate) fn send(&self, event: Event) {
        let was_empty = {
            let mut queue = lock(&self.queue);
            if queue.closed {
                return;
            }
            queue.events.push_back(event);
            queue.events.len() == 1
        };
        if was_empty && !self.main_thread.is_running_here() {
            self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// Tells Node of a line of the console, in JSON.
    pub(crate) fn log(&self, lane: u32, hooks: u32, entry: &str) {
        let mut queue = lock(&self.queue);
        if let Some(last) = queue.events.back_mut()
            && let What::Log { hooks: to, entries } = &mut last.what
            && (last.lane, *to) == (lane, hooks)
            && entries.len() < LINES
        {
            entries.push(',');
            entries.push_str(entry);
            return;
        }
        drop(queue);
        let entries = entry.to_owned();
        let what = What::Log { hooks, entries };
        self.send(Event { lane, what });
    }

    /// Tells Node of something that happened, in JSON.
    pub(crate) fn happened(&self, lane: u32, hooks: u32, event: &str) {
        let mut queue = lock(&self.queue);
        if let Some(last) = queue.events.back_mut()
            && let What::Happened { hooks: to, events } = &mut last.what
            && (last.lane, *to) == (lane, hooks)
            && events.len() < LINES
        {
            events.push(',');
            events.push_str(event);
            return;
        }
        drop(queue);
        let events = event.to_owned();
        let what = What::Happened { hooks, events };
        self.send(Event { lane, what });
    }

    /// Tells Node that an operation is over.
    pub(crate) fn done(&self, lane: u32, operation: u32, outcome: Outcome) {
        let what = What::Done { operation, outcome };
        self.send(Event { lane, what });
    }

    /// What has happened since the last time, in its order, and whether there is more than Node should be told at once.
    pub(crate) fn take(&self) -> (Vec<Event>, bool) {
        let mut queue = lock(&self.queue);
        let mut events = Vec::new();
        let mut bytes = 0;
        while events.len() < BATCH
            && bytes < BATCH_BYTES
            && let Some(event) = queue.events.pop_front()
        {
            bytes += event.size();
            events.push(event);
        }
        (events, !queue.events.is_empty())
    }

    /// Calls a function of Node's, from a cell.
    pub(crate) async fn call(
        &self,
        lane: &Lane,
        set: u32,
        call: ToolCall,
    ) -> Result<Reply, ToolError> {
        let bytes = call.arguments.iter().map(Value::heap_size).sum();
        let passage = lane.transit.enter(bytes).await;
        let (sender, receiver) = oneshot::channel();
        let room = call.charge(0).ok().flatten();
        let what = What::Call {
            set,
            tool: call.tool,
            arguments: pack(call.arguments.into_vec()),
            origin: call.origin,
            answer: Caller::paid_by(sender, room),
            passage,
        };
        self.send(Event {
            lane: lane.number,
            what,
        });
        match receiver.await {
            Ok(First::Now(answer)) => answer.read().map(Reply::Value),
            Ok(First::Later(answer)) => Ok(Reply::Later(Box::pin(async move {
                answer.await.map_err(|_| gone())?.read()
            }))),
            Err(_) => Err(gone()),
        }
    }

    /// Asks Node whether a call may take place.
    pub(crate) async fn ask(
        &self,
        lane: &Lane,
        hooks: u32,
        request: ApprovalRequest,
    ) -> Result<First, oneshot::Canceled> {
        let bytes = request.arguments.iter().map(Value::heap_size).sum();
        let passage = lane.transit.enter(bytes).await;
        let (sender, receiver) = oneshot::channel();
        let what = What::Approval {
            hooks,
            tool: request.tool,
            arguments: pack(request.arguments.into_vec()),
            answer: Caller::unpaid(sender),
            passage,
        };
        self.send(Event {
            lane: lane.number,
            what,
        });
        receiver.await
    }

    /// Calls that Node has not settled yet.
    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }

    /// A function returned or threw, or the promise it returned was settled. True if Node's thread is to go on with it.
    pub(crate) fn answer(&self, call: u32, weight: Weight, answer: Answer) -> bool {
        self.main_thread
            .wake_here(weight, || self.calls.answer(call, answer))
    }

    /// A function returned a promise. True if Node's thread is to go on with what called it.
    pub(crate) fn later(&self, call: u32) -> bool {
        self.main_thread
            .wake_here(Weight::Light, || self.calls.later(call))
    }

    /// Does something, here or on the pool. It ends with the environment, if not before. True if Node's thread is to begin
    /// with it.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        id: u32,
        weight: Weight,
        affinity: &Arc<Affinity>,
        future: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        let bridge = Arc::clone(self);
        let future = async move {
            future.await;
            let own = lock(&bridge.tasks).remove(&id);
            if let Some(own) = own {
                own.detach();
            }
        };
        let bridge = Arc::clone(self);
        let schedule = move |runnable, info| bridge.main_thread.schedule(runnable, info);
        let (runnable, task) = async_task::Builder::new()
            .metadata(Arc::clone(affinity))
            .spawn(|_| future, WithInfo(schedule));
        lock(&self.tasks).insert(id, task);
        self.main_thread.begin(runnable, weight)
    }

    /// The environment ends, and with it all that it started.
    pub(crate) fn close(&self) {
        let events = {
            let mut queue = lock(&self.queue);
            queue.closed = true;
            std::mem::take(&mut queue.events)
        };
        drop(events);
        self.calls.clear();
        self.main_thread.clear();
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        drop(tasks);
    }
}

fn gone() -> ToolError {
    ToolError::from("the host ended before the tool could answer")
}
