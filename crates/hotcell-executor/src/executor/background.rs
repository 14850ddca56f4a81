//! Runs that go on by themselves, until somebody asks for them by their id.
//!
//! A future runs where it is polled, and nobody polls that of a run whose caller has gone on to something else. So such a run
//! is given to a spawner from its beginning: that of the host, [`ExecutorOptions::spawner`](crate::ExecutorOptions::spawner), or a
//! pool of threads that all executors of the process share. Its caller waits for it beside the clock, which is that of the
//! watchdog: no runtime, no thread for it.
//!
//! What a run has come to is kept until it is fetched, given up, or the executor is cleaned up. Both count against
//! `maxBackgroundRuns`, so results that nobody fetches do not pile up.

use std::{
    collections::BTreeMap,
    future::{poll_fn, ready},
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use hotcell_cell::Pool;
use hotcell_meter::Stopped;

use super::{
    Executor,
    suspend::{Answer, Started},
    turn::Purpose,
};
use crate::{
    alarm::Alarm,
    content::ContentItem,
    error::{ErrorCode, ExecutorError},
    event::Scene,
    ledger::CallRecord,
    log::{self, LogEntry},
    output::{Execution, Run},
    shorten::shorten,
};

/// A run that goes on by itself, and how far it has come.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Running {
    /// Names it to [`Executor::wait`], [`Executor::cancel_run`] and [`Executor::give_up`], and in events.
    pub id: String,
    /// What it has printed so far, line by line.
    pub logs: String,
    /// The same, with levels and times.
    pub entries: Vec<LogEntry>,
    /// What it has shown so far.
    pub content: Vec<ContentItem>,
    /// The tools that it has called so far.
    pub made: Vec<CallRecord>,
}

/// The runs of one executor that go on by themselves, or have ended and were not fetched.
#[derive(Default)]
pub(super) struct Background(Mutex<BTreeMap<u64, Arc<Task>>>);

struct Task {
    /// Whether it is to end.
    is_called_off: AtomicBool,
    state: Mutex<Outcome>,
}

struct Outcome {
    /// Until it is fetched.
    started: Option<Started>,
    is_over: bool,
    wakers: Vec<Waker>,
    /// Takes it out of the line.
    stop: Option<oneshot::Sender<()>>,
}

impl Background {
    fn tasks(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Task>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets all of them; what they hold is to be dropped.
    pub(super) fn clear(&self) -> impl Sized {
        std::mem::take(&mut *self.tasks())
    }
}

impl Executor {
    pub(super) async fn start_in_background(&self, mut run: Run, patience: Duration) -> Started {
        let number = self.0.slot().next_number();
        run.number = Some(number);
        let (task, stopped) = match self.admit(number, "start") {
            Ok(admitted) => admitted,
            Err(error) => return Started::Complete(Execution::refused(error)),
        };
        // Now, so that it has its place in line whenever it is first polled.
        let place = self.ask(Purpose::Run);
        let (executor, own) = (self.clone(), Arc::clone(&task));
        let work = async move {
            let turn = {
                let granted = pin!(place.granted(&executor, "start"));
                match select(granted, stopped).await {
                    Either::Left((turn, _)) => turn,
                    Either::Right(_) => Err(called_off()),
                }
            };
            let turn = turn.and_then(|turn| {
                // Whoever calls it off from here on finds it under way.
                executor.0.slot().under_way = Some(number);
                if own.is_called_off.load(Ordering::Acquire) {
                    return Err(called_off());
                }
                Ok(turn)
            });
            match turn {
                Ok(turn) => executor.start_on(run, turn, ready(())).await,
                Err(error) => {
                    let execution = Execution::refused(error);
                    // Whoever waits for its end hears of it, though it never began.
                    let scene = Scene::new(number, "", None);
                    scene.ended(&executor.0.hooks.hub, &execution);
                    Started::Complete(execution)
                }
            }
        };
        self.let_go(number, task, work, patience).await
    }

    pub(super) async fn resume_in_background(
        &self,
        answers: Vec<(String, Answer)>,
        patience: Duration,
    ) -> Result<Started, ExecutorError> {
        let number = self.0.slot().suspended.as_ref().map(|run| run.number);
        let Some(number) = number else {
            // It says why not.
            let (run, turn, clock) = self.take_answers(answers).await?;
            return Ok(self.go_on(run, turn, clock, ready(())).await);
        };
        // Answers that were taken are gone, so this comes first.
        let (task, stopped) = self.admit(number, "resume")?;
        if self.is_elsewhere() {
            return self.resume_there(number, answers, task, patience).await;
        }
        let mut caller = Caller {
            executor: self,
            number,
            task: &task,
            is_there: true,
        };
        let (run, turn, clock) = self.take_answers(answers).await?;
        caller.is_there = false;
        drop(caller);
        let executor = self.clone();
        let work = async move {
            // It is not in line any more.
            drop(stopped);
            executor.go_on(run, turn, clock, ready(())).await
        };
        Ok(self.let_go(number, task, work, patience).await)
    }

    /// The same where the code is in a worker, which says whether it takes the answers.
    async fn resume_there(
        &self,
        number: u64,
        answers: Vec<(String, Answer)>,
        task: Arc<Task>,
        patience: Duration,
    ) -> Result<Started, ExecutorError> {
        let (taken, was_taken) = oneshot::channel();
        let (refuse, refused) = oneshot::channel();
        let executor = self.clone();
        let work = async move {
            match executor.resume_elsewhere(answers, Some(taken)).await {
                Ok(started) => started,
                Err(error) => {
                    let execution = Execution::refused(error.clone());
                    // If nobody waits for it, it is in the execution.
                    let _ = refuse.send(error);
                    Started::Complete(execution)
                }
            }
        };
        let mut caller = self.begin_alone(number, &task, work);
        // Refused or dead, the other end is gone.
        if was_taken.await.is_err()
            && let Ok(error) = refused.await
        {
            caller.is_there = false;
            self.forget(number, &task);
            return Err(error);
        }
        Ok(self.stay(caller, patience).await)
    }

    /// Waits for the end of a run that goes on by itself, and fetches what came of it.
    pub async fn wait(&self, id: &str) -> Result<Started, ExecutorError> {
        self.wait_for(id, Duration::MAX).await
    }

    /// As [`Executor::wait`], for so long at most: then it is [`Started::Running`] still, with its output so far.
    pub async fn wait_for(&self, id: &str, patience: Duration) -> Result<Started, ExecutorError> {
        let (number, task) = self.task(id)?;
        match task.ended(patience).await {
            Err(StillGoing) => Ok(Started::Running(self.progress(number))),
            Ok(Some(started)) => {
                self.forget(number, &task);
                Ok(started)
            }
            // Somebody else was faster.
            Ok(None) => Err(unknown(id)),
        }
    }

    /// Ends a run that goes on by itself: it fails with `ERR_CANCELLED`, and what came of it is there to be fetched.
    pub fn cancel_run(&self, id: &str) -> Result<(), ExecutorError> {
        let (number, task) = self.task(id)?;
        self.call_off(number, &task);
        Ok(())
    }

    /// Ends a run that goes on by itself, if it has not ended, and forgets what came of it. If it waits for answers, it is
    /// [abandoned](Executor::abandon).
    pub async fn give_up(&self, id: &str) -> Result<(), ExecutorError> {
        let (number, task) = self.task(id)?;
        self.forget(number, &task);
        self.call_off(number, &task);
        let suspended = self.0.slot().suspended.as_ref().map(|run| run.number);
        if suspended == Some(number) {
            self.abandon().await?;
        }
        Ok(())
    }

    /// The ids of runs that go on by themselves, or have ended and were not fetched. The first is the oldest.
    pub fn background_runs(&self) -> Vec<String> {
        self.0
            .background
            .tasks()
            .keys()
            .map(u64::to_string)
            .collect()
    }

    /// What the run of that id has to show so far. Nothing, if it has not begun or is over.
    pub fn so_far(&self, id: &str) -> Running {
        self.progress(id.parse().unwrap_or_default())
    }

    fn progress(&self, number: u64) -> Running {
        let is_under_way = self.0.slot().under_way == Some(number);
        let (entries, content, made) = if is_under_way {
            let hooks = &self.0.hooks;
            let made = hooks.ledger().records();
            (hooks.log_entries(), hooks.content(), made)
        } else {
            (Vec::new(), Vec::new(), Vec::new())
        };
        Running {
            id: number.to_string(),
            logs: log::join(&entries),
            entries,
            content,
            made,
        }
    }

    /// A place among the runs that go on by themselves.
    fn admit(
        &self,
        number: u64,
        method: &str,
    ) -> Result<(Arc<Task>, oneshot::Receiver<()>), ExecutorError> {
        let most = self.0.options.max_background_runs;
        let (stop, stopped) = oneshot::channel();
        let task = Arc::new(Task {
            is_called_off: AtomicBool::new(false),
            state: Mutex::new(Outcome {
                started: None,
                is_over: false,
                wakers: Vec::new(),
                stop: Some(stop),
            }),
        });
        let mut tasks = self.0.background.tasks();
        // One that is resumed before its suspension was fetched has its place already.
        if tasks.len() >= most && !tasks.contains_key(&number) {
            drop(tasks);
            let hint = format!(
                "{most} runs are in the background already (maxBackgroundRuns): wait() for one, or give_up() one"
            );
            let state = self.state();
            return Err(ExecutorError::invalid_state(state, method, &hint));
        }
        let before = tasks.insert(number, Arc::clone(&task));
        drop(tasks);
        drop(before);
        Ok((task, stopped))
    }

    /// Lets a run go on by itself, and waits for it for a while.
    async fn let_go(
        &self,
        number: u64,
        task: Arc<Task>,
        work: impl Future<Output = Started> + Send + 'static,
        patience: Duration,
    ) -> Started {
        let caller = self.begin_alone(number, &task, work);
        self.stay(caller, patience).await
    }

    /// Lets a run go on by itself. Until it has come back as one that does, it is its caller's.
    fn begin_alone<'a>(
        &'a self,
        number: u64,
        task: &'a Arc<Task>,
        work: impl Future<Output = Started> + Send + 'static,
    ) -> Caller<'a> {
        let ending = Ending(Arc::clone(task));
        self.spawn(async move {
            let started = work.await;
            ending.0.end(started);
        });
        Caller {
            executor: self,
            number,
            task,
            is_there: true,
        }
    }

    /// Waits for a run for a while.
    async fn stay(&self, mut caller: Caller<'_>, patience: Duration) -> Started {
        let ended = caller.task.ended(patience).await;
        caller.is_there = false;
        match ended {
            Ok(Some(started)) => {
                self.forget(caller.number, caller.task);
                started
            }
            _ => Started::Running(self.progress(caller.number)),
        }
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        static POOL: OnceLock<Pool> = OnceLock::new();
        match &self.0.options.spawner {
            Some(spawn) => spawn(Box::pin(work)),
            None => POOL.get_or_init(Pool::new).spawn(work).detach(),
        }
    }

    fn task(&self, id: &str) -> Result<(u64, Arc<Task>), ExecutorError> {
        let number = id.parse::<u64>().ok();
        let number = number.filter(|number| number.to_string() == id);
        let task = number.and_then(|number| {
            let task = self.0.background.tasks().get(&number).cloned();
            task.map(|task| (number, task))
        });
        task.ok_or_else(|| unknown(id))
    }

    fn forget(&self, number: u64, task: &Arc<Task>) {
        let mut tasks = self.0.background.tasks();
        let is_it = |known: &Arc<Task>| Arc::ptr_eq(known, task);
        let gone = tasks
            .get(&number)
            .is_some_and(is_it)
            .then(|| tasks.remove(&number));
        drop(tasks);
        drop(gone);
    }

    fn call_off(&self, number: u64, task: &Task) {
        task.is_called_off.store(true, Ordering::Release);
        let stop = task.state().stop.take();
        if let Some(stop) = stop {
            // If it does not stand in line, nobody listens.
            let _ = stop.send(());
        }
        self.cancel_if(|under_way| under_way == Some(number));
    }
}

impl Task {
    fn state(&self) -> MutexGuard<'_, Outcome> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, started: Started) {
        let wakers = {
            let mut state = self.state();
            state.started = Some(started);
            state.is_over = true;
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// What came of it, for the first to ask.
    async fn ended(&self, patience: Duration) -> Result<Option<Started>, StillGoing> {
        let alarm = Alarm::after(patience);
        poll_fn(|context| match self.poll_ended(context) {
            Poll::Ready(started) => Poll::Ready(Ok(started)),
            Poll::Pending => alarm.poll(context).map(|()| Err(StillGoing)),
        })
        .await
    }

    fn poll_ended(&self, context: &Context<'_>) -> Poll<Option<Started>> {
        let waker = context.waker().clone();
        let mut state = self.state();
        if state.is_over {
            return Poll::Ready(state.started.take());
        }
        let is_known = state.wakers.iter().any(|known| known.will_wake(&waker));
        if !is_known {
            state.wakers.push(waker);
        }
        Poll::Pending
    }
}

/// The run is not over, and patience is.
struct StillGoing;

/// Says how a run ended also if whoever was to poll it dropped it.
struct Ending(Arc<Task>);

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.0.state().is_over {
            self.0
                .end(Started::Complete(Execution::refused(called_off())));
        }
    }
}

/// Who has called [`Executor::start`]. If it goes before the run has come back, so does the run.
struct Caller<'a> {
    executor: &'a Executor,
    number: u64,
    task: &'a Arc<Task>,
    is_there: bool,
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        if self.is_there {
            self.executor.forget(self.number, self.task);
            self.executor.call_off(self.number, self.task);
        }
    }
}

fn called_off() -> ExecutorError {
    ExecutorError::stopped(Stopped::Cancelled, None)
}

fn unknown(id: &str) -> ExecutorError {
    let id = shorten(id, 80);
    ExecutorError::new(
        ErrorCode::UnknownRun,
        format!("Unknown run: there is none with the id {id:?} in the background: what came of it was fetched, or it was given up"),
    )
    .with("hint", "the ids are those that start() gave with the status running; events tell when a run ends")
}
