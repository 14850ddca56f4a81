//! The methods of an executor whose code runs in a worker process.

use futures_channel::oneshot;
use hotcell_cell::{Value, leave};
use hotcell_prepare::is_foreign_global;
use serde_json::Value as Json;

use super::{
    Answer, Body, Executor, MAX_NAMES, Slot, Started, Suspension,
    clock::Clock,
    is_name_to_keep,
    suspend::{UnderWay, invalid},
    turn::{Purpose, Turn},
};
use crate::{
    content::ContentItem,
    error::ExecutorError,
    failure::{KEPT, LOST},
    isolation::Isolation,
    log,
    options::ExecutorOptions,
    output::{Execution, Run},
    process::{Beginning, Gone, Remote, Time, Told},
    snapshot,
    state::State,
    tool::AgentTool,
};

impl Executor {
    /// Whether its code runs in a process of its own.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.0.options.isolation == Isolation::Process
    }

    /// A worker with an executor of these options.
    pub(super) async fn begin_elsewhere(
        &self,
        beginning: Beginning<'_>,
    ) -> Result<Body, ExecutorError> {
        // Starting a process, or taking a snapshot apart, is nothing for a thread that has something else to do.
        leave().await;
        let begun = Remote::begin(&self.0.hooks, beginning).await?;
        Ok(Body::There(Box::new(begun)))
    }

    /// Runs code, as far as it goes.
    pub(super) async fn run_elsewhere(
        &self,
        run: Run,
        turn: &mut Turn,
        clock: &Clock,
        may_suspend: bool,
    ) -> Started {
        let number = {
            let mut slot = self.0.slot();
            let number = run.number.unwrap_or_else(|| slot.next_number());
            slot.under_way = Some(number);
            number
        };
        let time = Self::time(clock);
        let hooks = &self.0.hooks;
        hooks.reset(may_suspend);
        let trace = run.trace.map(|parent| hooks.span_within(parent, number));
        let mut run = run;
        run.trace = trace;
        let under_way = UnderWay::new(run.clone(), clock.times, number, trace);
        leave().await;
        let scene = hooks.set_scene(number, &under_way.name, trace);
        scene.run_started(&hooks.hub, &under_way.name);
        turn.is_open = true;
        let remote = match turn.remote("run") {
            Ok(remote) => remote,
            Err(error) => return Started::Complete(Execution::refused(error)),
        };
        let began = |canceller| self.0.slot().cancel_with(canceller);
        let told = remote.run(run, number, may_suspend, time, began).await;
        self.take_told(told, Box::new(under_way), turn)
            .unwrap_or_else(|error| Started::Complete(Execution::refused(error)))
    }

    /// Goes on with the suspended run. `taken` is told once the answers were taken.
    pub(super) async fn resume_elsewhere(
        &self,
        answers: Vec<(String, Answer)>,
        mut taken: Option<oneshot::Sender<()>>,
    ) -> Result<Started, ExecutorError> {
        let mut turn = self.turn(Purpose::Resume, "resume").await?;
        let Some(mut under_way) = self.0.slot().suspended.take() else {
            return Err(invalid("there is no suspended run"));
        };
        let clock = Clock::resume(under_way.times, &under_way.spent);
        let time = Self::time(&clock);
        {
            let mut slot = self.0.slot();
            slot.stop_with(&clock.stop);
            slot.under_way = Some(under_way.number);
        }
        leave().await;
        let mut was_taken = || {
            if let Some(taken) = taken.take() {
                // Whoever does not wait for it has gone.
                let _ = taken.send(());
            }
        };
        let began = |canceller| self.0.slot().cancel_with(canceller);
        turn.is_open = true;
        let remote = turn.remote("resume")?;
        let told = remote.resume(&answers, time, began, &mut was_taken).await;
        if let Err(Gone::Refused(error)) = told {
            // None of the answers was taken.
            turn.is_open = false;
            turn.suspended = Some(under_way);
            return Err(error);
        }
        was_taken();
        under_way.spent.wall += clock.began.elapsed();
        let started = self.take_told(told, under_way, &mut turn)?;
        Ok(self.come_to(started, turn))
    }

    /// What ends a worker that does as it likes.
    fn time(clock: &Clock) -> Time<'_> {
        Time {
            timeout: clock.times.timeout,
            left: clock.left(),
            cpu: clock.times.cpu,
            cpu_left: clock.cpu_left(),
            stop: &clock.stop,
            pauses: clock.times.pauses,
        }
    }

    fn take_told(
        &self,
        told: Result<Told, Gone>,
        under_way: Box<UnderWay>,
        turn: &mut Turn,
    ) -> Result<Started, ExecutorError> {
        let told = match told {
            Ok(told) => told,
            Err(Gone::Refused(error)) => return Err(error),
            Err(Gone::Dead(error, entries)) => {
                turn.is_dirty = true;
                return Ok(Started::Complete(of_dead(
                    error,
                    entries,
                    self.0.hooks.take_content(),
                )));
            }
        };
        turn.is_dirty = told.is_dirty;
        turn.is_whole = told.is_whole;
        let mut told = told;
        if told.is_dirty
            && !told.is_whole
            && let Started::Complete(execution) = &mut told.started
            && let Some(error) = &mut execution.error
        {
            nothing_is_kept(error);
        }
        {
            let mut slot = self.0.slot();
            slot.note_told(&told, &self.0.options);
        }
        match &mut told.started {
            Started::Complete(execution) => {
                execution.content = self.0.hooks.take_content();
                if let Some(error) = &mut execution.error {
                    error.content.clone_from(&execution.content);
                }
            }
            Started::Suspended(suspension) => {
                suspension.content = self.0.hooks.content();
                let mut under_way = under_way;
                under_way.spent.wall = suspension.stats.wall;
                under_way.spent.cpu = suspension.stats.cpu;
                turn.suspended = Some(under_way);
            }
            Started::Running(_) => {}
        }
        Ok(told.started)
    }

    pub(super) async fn send_variables_elsewhere(
        turn: &mut Turn,
        variables: &[(String, Value)],
    ) -> Result<(), ExecutorError> {
        let sent = turn
            .remote("sendVariables")?
            .send_variables(variables)
            .await;
        turn.take(sent)
    }

    pub(super) async fn send_tools_elsewhere(
        turn: &mut Turn,
        tools: &[AgentTool],
    ) -> Result<(), ExecutorError> {
        let sent = turn.remote("sendTools")?.send_tools(tools).await;
        turn.take(sent)
    }

    pub(super) async fn suspension_elsewhere(
        &self,
        turn: &mut Turn,
    ) -> Result<Option<Suspension>, ExecutorError> {
        let told = turn.remote("suspension")?.suspension().await;
        let mut told = turn.take(told)?;
        if let Some(suspension) = &mut told {
            suspension.content = self.0.hooks.content();
        }
        Ok(told)
    }

    /// Goes on with what is left of a run that had to be ended.
    pub(super) async fn take_up(&self, mut body: Body) -> Result<(), ExecutorError> {
        if let Some(remote) = body.remote() {
            leave().await;
            // If it cannot, it is dropped, and its process with it.
            remote.recover().await.map_err(Gone::into_error)?;
        }
        let mut slot = self.0.slot();
        // Somebody may have cleaned up meanwhile.
        if slot.state == State::Dirty {
            slot.cell = Some(body);
            slot.state = State::Ready;
        }
        Ok(())
    }

    pub(super) async fn abandon_elsewhere(turn: &mut Turn) -> Result<(), ExecutorError> {
        let told = turn.remote("abandon")?.abandon().await;
        turn.take(told)
    }

    /// What the worker says of its executor, read as the snapshot from anywhere that it is; and where the sequence of random
    /// numbers is.
    pub(super) async fn snapshot_elsewhere(
        turn: &mut Turn,
        since: Option<&[u8]>,
    ) -> Result<(Vec<u8>, [u8; 8]), ExecutorError> {
        leave().await;
        let told = turn.remote("snapshot")?.snapshot(since).await;
        turn.take(told)
    }
}

impl Turn {
    /// What the worker answered. If it is dead, so is the executor.
    pub(super) fn take<T>(&mut self, told: Result<T, Gone>) -> Result<T, ExecutorError> {
        told.map_err(|gone| {
            self.is_dirty |= matches!(gone, Gone::Dead(..));
            gone.into_error()
        })
    }
}

impl Slot {
    /// Takes in names that code has declared in a worker, which may say anything.
    fn note_told(&mut self, told: &Told, options: &ExecutorOptions) {
        let names = told.names.iter().take(MAX_NAMES).map(String::as_str);
        let names = names.filter(|name| is_name_to_keep(name));
        let globals = told.globals.iter().map(String::as_str);
        let globals = globals.filter(|name| is_foreign_global(name));
        self.note_names(names.chain(globals), options);
        self.knows_all_names &= told.knows_all_names;
    }
}

/// The cell of a run that timed out may be whole, but it goes with its worker.
fn nothing_is_kept(error: &mut ExecutorError) {
    let details = &mut error.details;
    if let Some(is_recoverable) = details.get_mut("recoverable") {
        *is_recoverable = false.into();
    }
    if let Some(Json::String(hint)) = details.get_mut("hint") {
        *hint = hint.replace(KEPT, LOST);
    }
}

/// What is left of a run whose worker is dead.
fn of_dead(
    mut error: ExecutorError,
    entries: Vec<log::LogEntry>,
    content: Vec<ContentItem>,
) -> Execution {
    let logs = log::join(&entries);
    error.logs = Some(logs.clone());
    error.entries.clone_from(&entries);
    error.content.clone_from(&content);
    Execution {
        logs,
        entries,
        content,
        ..Execution::refused(error)
    }
}

/// Options with which nothing is sealed or unsealed: a worker is not to know the key.
pub(super) fn unsealed(options: &ExecutorOptions) -> ExecutorOptions {
    let mut options = options.clone();
    options.snapshot_key = None;
    options
}

/// A snapshot for a worker: what an executor knows, and its cell.
pub(super) fn for_worker(
    memory: &snapshot::Memory,
    cell: &[u8],
    options: &ExecutorOptions,
) -> Result<Vec<u8>, ExecutorError> {
    snapshot::write(memory, &[], &[], &[], cell, &unsealed(options))
}
