//! The methods of an executor whose code runs in a worker process.

use hotcell_cell::{Value, leave};
use hotcell_prepare::is_foreign_global;
use serde_json::Value as Json;

use super::{
    Answer, Body, Executor, MAX_NAMES, Slot, Started, Suspension, clock::Clock, is_name_to_keep,
    suspend::UnderWay, turn::Turn,
};
use crate::{
    error::{ErrorCode, ExecutorError},
    failure::{KEPT, LOST},
    isolation::Isolation,
    log,
    options::{ExecutorOptions, NO_TIMEOUT},
    output::{Execution, Run},
    process::{Beginning, Gone, Remote, Time, Told},
    snapshot,
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
        let options = &self.0.options;
        let begun = Remote::begin(options, &self.0.hooks.account, beginning).await?;
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
            slot.runs = slot.runs.wrapping_add(1);
            slot.runs
        };
        let time = match Self::time(clock) {
            Ok(time) => time,
            Err(error) => return Started::Complete(Execution::refused(error)),
        };
        let under_way = UnderWay::new(run.clone(), clock.times, number);
        leave().await;
        let remote = match turn.remote("run") {
            Ok(remote) => remote,
            Err(error) => return Started::Complete(Execution::refused(error)),
        };
        let began = |canceller| self.0.slot().cancel_with(canceller);
        let told = remote.run(run, may_suspend, time, began).await;
        self.take_told(told, Box::new(under_way), turn)
            .unwrap_or_else(|error| Started::Complete(Execution::refused(error)))
    }

    /// Goes on with the suspended run.
    pub(super) async fn resume_elsewhere(
        &self,
        mut under_way: Box<UnderWay>,
        answers: &[(String, Answer)],
        turn: &mut Turn,
        clock: &Clock,
    ) -> Result<Started, ExecutorError> {
        leave().await;
        let time = Self::time(clock)?;
        let began = |canceller| self.0.slot().cancel_with(canceller);
        let remote = match turn.remote("resume") {
            Ok(remote) => remote,
            Err(error) => return Err(error),
        };
        let told = remote.resume(answers, time, began).await;
        if let Err(Gone::Refused(error)) = told {
            // None of the answers was taken.
            turn.suspended = Some(under_way);
            return Err(error);
        }
        under_way.spent.wall += clock.began.elapsed();
        self.take_told(told, under_way, turn)
    }

    /// A worker that does as it likes is ended by nothing but this time.
    fn time(clock: &Clock) -> Result<Time<'_>, ExecutorError> {
        let (Some(timeout), Some(left)) = (clock.times.timeout, clock.left()) else {
            return Err(ExecutorError::new(
                ErrorCode::ValidationFailed,
                format!("Validation failed: {NO_TIMEOUT}"),
            )
            .with("hint", "give the run a timeoutMs"));
        };
        Ok(Time {
            timeout,
            left,
            stop: &clock.stop,
            pauses: clock.times.pauses,
        })
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
                return Ok(Started::Complete(of_dead(error, entries)));
            }
        };
        turn.is_dirty = told.is_dirty;
        let mut told = told;
        if told.is_dirty
            && let Started::Complete(execution) = &mut told.started
            && let Some(error) = &mut execution.error
        {
            nothing_is_kept(error);
        }
        {
            let mut slot = self.0.slot();
            slot.note_told(&told, &self.0.options);
        }
        if let Started::Suspended(suspension) = &told.started {
            let mut under_way = under_way;
            under_way.spent.wall = suspension.stats.wall;
            under_way.spent.cpu = suspension.stats.cpu;
            turn.suspended = Some(under_way);
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
        turn: &mut Turn,
    ) -> Result<Option<Suspension>, ExecutorError> {
        let told = turn.remote("suspension")?.suspension().await;
        turn.take(told)
    }

    pub(super) async fn abandon_elsewhere(turn: &mut Turn) -> Result<(), ExecutorError> {
        let told = turn.remote("abandon")?.abandon().await;
        turn.take(told)
    }

    /// What the worker says of its executor, read as the snapshot from anywhere that it is; and where the sequence of random
    /// numbers is.
    pub(super) async fn snapshot_elsewhere(
        turn: &mut Turn,
    ) -> Result<(Vec<u8>, [u8; 8]), ExecutorError> {
        leave().await;
        let told = turn.remote("snapshot")?.snapshot().await;
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
fn of_dead(mut error: ExecutorError, entries: Vec<log::LogEntry>) -> Execution {
    let logs = log::join(&entries);
    error.logs = Some(logs.clone());
    error.entries.clone_from(&entries);
    Execution {
        logs,
        entries,
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
