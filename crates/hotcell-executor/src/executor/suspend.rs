//! Runs that wait for the host: begun, suspended at calls of tools, and resumed with answers, here or elsewhere.
//!
//! A suspended run is in its cell, as everything else that code made: promises that are pending. Beside it stands what the cell
//! does not know ([`UnderWay`]): the code as it was given, and what the run has cost. Calls and logs stay where they are while
//! a run is under way, in the hooks. All of it goes along with snapshot and fork.

use std::{
    collections::{BTreeMap, HashMap},
    future::ready,
    sync::Arc,
    time::Duration,
};

use hotcell_cell::{Arguments, Cell, ToolCall, ToolError, TraceParent, Value};
use hotcell_meter::Stopped;
use hotcell_prepare::{PreparedProgram, Preparer};

use super::{
    Executor,
    background::Running,
    clock::{Clock, Times},
    prepare::prepare,
    turn::{Purpose, Turn},
};
use crate::{
    boundary::{Guarded, denied},
    content::ContentItem,
    error::{ErrorCode, ExecutorError, chain},
    ledger::{CallOutcome, CallRecord, SuspendReason, WaitingCall, outcome_of, words},
    log::{self, LogEntry},
    output::{Execution, Run, RunStats},
    schema::Returns,
    tool::AgentTool,
};

/// So many of the calls that wait are named to who answers one that does not.
const MAX_SHOWN: usize = 20;

/// A run from its begin to its end, over suspensions.
#[derive(Debug, Clone)]
pub(super) struct UnderWay {
    /// As it was given.
    pub(super) code: String,
    /// What stacks call it.
    pub(super) name: String,
    /// Which run of its executor it is.
    pub(super) number: u64,
    /// Whether a function that is all of the code is called.
    pub(super) calls_function: bool,
    /// `None` if there was no time to prepare it.
    pub(super) program: Option<Arc<PreparedProgram>>,
    pub(super) times: Times,
    /// Where it stands in the trace that it is a part of.
    pub(super) trace: Option<TraceParent>,
    /// What it has cost: its time while it was taken further, and its operations and calls in cells before this one.
    pub(super) spent: RunStats,
}

impl UnderWay {
    pub(super) fn new(run: Run, times: Times, number: u64, trace: Option<TraceParent>) -> Self {
        Self {
            code: run.code,
            name: run.name.unwrap_or_else(|| format!("run-{number}.js")),
            number,
            calls_function: run.calls_function,
            program: None,
            times,
            trace,
            spent: RunStats::default(),
        }
    }

    /// What prepares its code, given what prepares that of its executor.
    pub(super) fn preparer(&self, preparer: Preparer) -> Preparer {
        if !self.calls_function {
            return preparer;
        }
        let mut options = preparer.options().clone();
        options.call_function = true;
        preparer.with_options(options)
    }

    /// As it is in a cell that counts anew.
    pub(super) fn in_new_cell(&self, cell: &Cell) -> Self {
        let so_far = cell.run_stats();
        let mut run = self.clone();
        run.spent.operations += so_far.operations;
        run.spent.tool_calls += so_far.tool_calls;
        run
    }
}

/// How far a run has come that [`Executor::start`] began.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "it is made once for a run and taken apart at once"
)]
pub enum Started {
    /// It is over.
    Complete(Execution),
    /// It waits for answers: [`Executor::resume`] takes it further, in this process or another.
    Suspended(Suspension),
    /// It takes longer than [`Run::yield_after`] says, and goes on by itself.
    Running(Running),
}

/// A run that waits for answers of the host's.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Suspension {
    /// The calls that wait. There is at least one.
    pub calls: Vec<SuspendedCall>,
    /// All calls that the run has made, those that wait among them.
    pub made: Vec<CallRecord>,
    /// What it has printed so far, line by line.
    pub logs: String,
    /// The same, with levels and times.
    pub entries: Vec<LogEntry>,
    /// What it has shown so far.
    pub content: Vec<ContentItem>,
    /// What it has cost so far.
    pub stats: RunStats,
}

/// A call that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SuspendedCall {
    /// Names it to [`Executor::resume`]. No other call of this executor has the same.
    pub id: String,
    /// The tool that was called.
    pub tool: String,
    /// What it was called with, as the tool takes it.
    pub arguments: Arguments,
    /// Why it waits.
    pub reason: SuspendReason,
}

/// What a call that waits comes to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// It returns this.
    Value(Value),
    /// It fails with this.
    Error(ToolError),
    /// It may take place: the tool is called now, and its answer is the answer. Only for calls that wait for approval.
    Approve,
    /// It may not take place, for this reason. Only for calls that wait for approval.
    Deny(String),
}

impl Executor {
    /// Runs code to its end, or until it waits for nothing but answers of the host's: to calls of tools that are
    /// [suspending](AgentTool::suspending), that [said so](ToolError::suspended), or that need approval which nobody here can give.
    ///
    /// A suspended run takes no time and no thread, and its code does not notice. [`Executor::resume`] gives the answers;
    /// [`Executor::snapshot`] keeps all of it as bytes, and whoever [restores](Executor::restore) them can resume it there.
    ///
    /// With [`Run::yield_after`] a run that takes longer comes back as [`Started::Running`].
    pub async fn start(&self, code: impl Into<Run>) -> Started {
        self.start_when(code, ready(())).await
    }

    /// As [`Executor::start`], for hosts whose readers may be slow: when the code has ended, `may_tell` is waited for before the
    /// next in line begins. Not for runs that [go on by themselves](Run::yield_after), of which there are few.
    pub async fn start_when(
        &self,
        code: impl Into<Run>,
        may_tell: impl Future<Output = ()>,
    ) -> Started {
        let run = code.into();
        if let Some(patience) = run.yield_after {
            return self.start_in_background(run, patience).await;
        }
        match self.turn(Purpose::Run, "start").await {
            Ok(turn) => self.start_on(run, turn, may_tell).await,
            Err(error) => Started::Complete(Execution::refused(error)),
        }
    }

    /// As [`Executor::start`], and says at once which run it is going to be. It begins when the future is first polled, and ends
    /// if that is dropped; [`Run::yield_after`] is for [`Executor::start`].
    pub fn starting(
        &self,
        code: impl Into<Run>,
    ) -> (String, impl Future<Output = Started> + Send + 'static) {
        let (executor, mut run) = (self.clone(), code.into());
        let number = self.0.slot().next_number();
        run.number = Some(number);
        let started = async move {
            match executor.turn(Purpose::Run, "start").await {
                Ok(turn) => executor.start_on(run, turn, ready(())).await,
                Err(error) => Started::Complete(Execution::refused(error)),
            }
        };
        (number.to_string(), started)
    }

    pub(super) async fn start_on(
        &self,
        run: Run,
        mut turn: Turn,
        may_tell: impl Future<Output = ()>,
    ) -> Started {
        let clock = Clock::start(Times::of(&run, self.options()));
        self.0.slot().stop_with(&clock.stop);
        if self.is_elsewhere() {
            let started = self.run_elsewhere(run, &mut turn, &clock, true).await;
            may_tell.await;
            return self.come_to(started, turn);
        }
        match self.begin(run, &mut turn, &clock, true).await {
            Ok(run) => self.go_on(run, turn, clock, may_tell).await,
            Err(execution) => {
                may_tell.await;
                turn.settle();
                self.tell_end(&mut turn, &execution);
                Started::Complete(execution)
            }
        }
    }

    /// Answers calls of a suspended run, and takes it further. Some calls may be left for later.
    ///
    /// An answer that cannot be taken (no such call, one that was answered, a value that the tool's schema for what it returns
    /// does not allow) is an error, `ERR_INVALID_ANSWER`; then none of them was taken, and the run waits as before.
    pub async fn resume<I: Into<String>>(
        &self,
        answers: impl IntoIterator<Item = (I, Answer)>,
    ) -> Result<Started, ExecutorError> {
        if self.is_elsewhere() {
            return self.resume_elsewhere(listed(answers), None).await;
        }
        let (run, turn, clock) = self.take_answers(listed(answers)).await?;
        Ok(self.go_on(run, turn, clock, ready(())).await)
    }

    /// As [`Executor::resume`]; if the run takes longer than this, it comes back as [`Started::Running`].
    pub async fn resume_within<I: Into<String>>(
        &self,
        answers: impl IntoIterator<Item = (I, Answer)>,
        patience: Duration,
    ) -> Result<Started, ExecutorError> {
        self.resume_in_background(listed(answers), patience).await
    }

    /// Gives the run its answers: what is needed to let it go on.
    pub(super) async fn take_answers(
        &self,
        answers: Vec<(String, Answer)>,
    ) -> Result<(UnderWay, Turn, Clock), ExecutorError> {
        let mut turn = self.turn(Purpose::Resume, "resume").await?;
        let run = self.0.slot().suspended.take();
        let Some(run) = run else {
            return Err(invalid("there is no suspended run"));
        };
        let calls = answers.iter().map(|(id, _)| id.clone()).collect();
        let checked = self.check(&run, answers);
        let taken = checked.and_then(|answers| {
            let cell = turn.cell("resume")?;
            self.0.hooks.tell(|scene, hub| scene.resumed(hub, calls));
            let arguments = arguments_by_call(cell);
            answers
                .into_iter()
                .try_for_each(|(call, answer)| self.answer(cell, &call, answer, &arguments))
        });
        if let Err(error) = taken {
            turn.suspended = Some(run);
            return Err(error);
        }
        let clock = Clock::resume(run.times, &run.spent);
        let preparer = {
            let mut slot = self.0.slot();
            slot.stop_with(&clock.stop);
            slot.under_way = Some(run.number);
            slot.preparer.clone()
        };
        turn.is_open = true;
        let mut run = *run;
        if run.program.is_none() {
            // It was begun elsewhere. What is made of the code here tells its places.
            let preparer = run.preparer(preparer);
            let program = prepare(preparer, &run.code, &clock.stop).await.ok();
            if let Some(program) = &program {
                self.0.hooks.add_source(&run.name, program);
            }
            run.program = program;
        }
        turn.cell("resume")?
            .resume(clock.left(), clock.cpu_left())
            .map_err(|error| invalid(&chain(&error)))?;
        Ok((run, turn, clock))
    }

    /// The run that waits for answers, if there is one.
    pub async fn suspension(&self) -> Option<Suspension> {
        let mut turn = self.turn(Purpose::Work, "suspension").await.ok()?;
        let run = self.0.slot().suspended.clone()?;
        if self.is_elsewhere() {
            return self.suspension_elsewhere(&mut turn).await.ok()?;
        }
        let cell = turn.cell("suspension").ok()?;
        Some(self.describe(&run, cell))
    }

    /// Gives up the run that waits for answers. What it declared stays, and the executor is ready. Without one this does
    /// nothing.
    pub async fn abandon(&self) -> Result<(), ExecutorError> {
        let mut turn = self.turn(Purpose::Work, "abandon").await?;
        if self.is_elsewhere() {
            Self::abandon_elsewhere(&mut turn).await?;
        }
        let run = self.0.slot().suspended.take();
        if run.is_some() {
            let ended = Execution::refused(ExecutorError::stopped(Stopped::Cancelled, None));
            self.0.hooks.tell(|scene, hub| scene.ended(hub, &ended));
        }
        self.0.hooks.reset(false);
        // The cell gives it up when the turn is over.
        drop(turn);
        drop(run);
        Ok(())
    }

    pub(super) async fn go_on(
        &self,
        mut run: UnderWay,
        mut turn: Turn,
        mut clock: Clock,
        may_tell: impl Future<Output = ()>,
    ) -> Started {
        let execution = self.advance(&mut run, &mut turn, &mut clock).await;
        may_tell.await;
        let started = match (execution, turn.cell("start")) {
            (Some(execution), _) => Started::Complete(execution),
            (None, Ok(cell)) => {
                cell.suspend();
                let suspension = self.describe(&run, cell);
                turn.suspended = Some(Box::new(run));
                Started::Suspended(suspension)
            }
            (None, Err(error)) => Started::Complete(Execution::refused(error)),
        };
        self.come_to(started, turn)
    }

    /// The end of a turn that has brought a run that far.
    pub(super) fn come_to(&self, started: Started, mut turn: Turn) -> Started {
        turn.settle();
        match &started {
            Started::Complete(execution) => self.tell_end(&mut turn, execution),
            Started::Suspended(suspension) => {
                turn.is_open = false;
                let hooks = &self.0.hooks;
                hooks.tell(|scene, hub| scene.suspended(hub, suspension));
            }
            Started::Running(_) => {}
        }
        drop(turn);
        started
    }

    pub(super) fn describe(&self, run: &UnderWay, cell: &Cell) -> Suspension {
        let (waiting, made) = {
            let ledger = self.0.hooks.ledger();
            (ledger.waiting(), ledger.records())
        };
        // Code decides how many calls wait, so what is done for each must not depend on how many there are.
        let mut outstanding = arguments_by_call(cell);
        let mut boundaries = HashMap::new();
        let calls = waiting.into_iter().filter_map(|call| {
            let arguments = outstanding.remove(&call.number)?;
            let boundary = boundaries
                .entry(Arc::clone(&call.tool))
                .or_insert_with(|| self.boundary_of(&call.tool));
            let arguments = match boundary {
                Some((_, guarded)) => guarded.packed(ToolCall::new(call.tool.clone(), arguments)),
                None => arguments,
            };
            Some(SuspendedCall {
                id: id(run, call.index),
                tool: call.tool.to_string(),
                arguments,
                reason: call.reason,
            })
        });
        let calls = calls.collect();
        let entries = self.0.hooks.log_entries();
        let so_far = cell.run_stats();
        Suspension {
            calls,
            made,
            logs: log::join(&entries),
            entries,
            content: self.0.hooks.content(),
            stats: RunStats {
                operations: run.spent.operations + so_far.operations,
                tool_calls: run.spent.tool_calls + so_far.tool_calls,
                peak_memory_bytes: so_far.peak_memory_bytes,
                ..run.spent
            },
        }
    }

    /// The tool of that name, if it has a function here.
    fn boundary_of(&self, tool: &str) -> Option<(AgentTool, Guarded)> {
        let tool = self.0.slot().tools.get(tool).cloned()?;
        let guarded = Guarded::new(&tool, &self.0.hooks).ok()?;
        Some((tool, guarded))
    }

    /// The calls that the answers are for, or why one cannot be taken.
    fn check(
        &self,
        run: &UnderWay,
        answers: Vec<(String, Answer)>,
    ) -> Result<Vec<(WaitingCall, Answer)>, ExecutorError> {
        if answers.is_empty() {
            return Err(invalid(
                "there is none: give the answer to at least one call",
            ));
        }
        let (waiting, made) = {
            let ledger = self.0.hooks.ledger();
            (ledger.waiting(), ledger.len())
        };
        let mut waiting: BTreeMap<usize, WaitingCall> =
            waiting.into_iter().map(|call| (call.index, call)).collect();
        let mut checked = Vec::new();
        for (given, answer) in answers {
            let index = index(run, &given);
            let call = index.and_then(|index| waiting.remove(&index));
            let Some(call) = call else {
                let reason = if index.is_some_and(|index| index < made) {
                    "is answered already"
                } else {
                    "does not exist in this run"
                };
                let mut shown: Vec<String> = waiting
                    .keys()
                    .take(MAX_SHOWN)
                    .map(|&index| id(run, index))
                    .collect();
                if waiting.len() > MAX_SHOWN {
                    shown.push(format!("and {} more", waiting.len() - MAX_SHOWN));
                }
                let reason = format!(
                    "the call {given:?} {reason}; these wait: {}",
                    shown.join(", ")
                );
                return Err(invalid(&reason));
            };
            self.check_one(&call, &answer).map_err(|reason| {
                invalid(&format!("for {given:?}, a call of {}: {reason}", call.tool))
            })?;
            checked.push((call, answer));
        }
        Ok(checked)
    }

    fn check_one(&self, call: &WaitingCall, answer: &Answer) -> Result<(), String> {
        match answer {
            Answer::Value(value) => {
                let tool = self.0.slot().tools.get(&*call.tool).cloned();
                let returns = tool.and_then(|tool| Returns::of(&tool.spec));
                returns.map_or(Ok(()), |returns| returns.check(value))
            }
            Answer::Error(error) if error.is_suspension() => {
                Err("a suspension is no answer: leave the call out".into())
            }
            Answer::Approve | Answer::Deny(_) if call.reason != SuspendReason::Approval => {
                Err("it does not wait for approval: answer with a value or an error".into())
            }
            Answer::Approve => match self.boundary_of(&call.tool) {
                Some((tool, _)) if !tool.is_unconnected => Ok(()),
                _ => Err("the tool has no function here: send it first".into()),
            },
            Answer::Error(_) | Answer::Deny(_) => Ok(()),
        }
    }

    fn answer(
        &self,
        cell: &mut Cell,
        waiting: &WaitingCall,
        answer: Answer,
        arguments: &HashMap<u32, Arguments>,
    ) -> Result<(), ExecutorError> {
        let hooks = &self.0.hooks;
        let key = hooks.ledger().key(waiting.index);
        let answered = match answer {
            Answer::Approve => {
                let Some((_, guarded)) = self.boundary_of(&waiting.tool) else {
                    return Err(invalid("the tool is gone"));
                };
                let found = arguments.get(&waiting.number).cloned();
                let arguments = found.unwrap_or_else(|| Vec::new().into());
                let approved = ToolCall::new(waiting.tool.clone(), arguments);
                cell.answer_with(waiting.number, guarded.approved(key, approved))
            }
            Answer::Deny(reason) => {
                let error = denied(&waiting.tool, &reason);
                let refused = CallOutcome::Refused(words(&error.to_string()));
                hooks.end_call(key, refused);
                cell.answer(waiting.number, Err(error))
            }
            Answer::Value(value) => {
                hooks.end_call(key, CallOutcome::Returned);
                cell.answer(waiting.number, Ok(value))
            }
            Answer::Error(error) => {
                let failed: Result<(), _> = Err(error.clone());
                hooks.end_call(key, outcome_of(&failed));
                cell.answer(waiting.number, Err(error))
            }
        };
        answered.map_err(|error| invalid(&chain(&error)))
    }
}

fn listed<I: Into<String>>(
    answers: impl IntoIterator<Item = (I, Answer)>,
) -> Vec<(String, Answer)> {
    let answers = answers.into_iter();
    answers.map(|(id, answer)| (id.into(), answer)).collect()
}

/// What a call is named by: no call of another run of this executor, or of a fork before it, has the same.
fn id(run: &UnderWay, index: usize) -> String {
    format!("{}.{}", run.number, index + 1)
}

/// The place of the call that is named so, if one of this run can be.
fn index(run: &UnderWay, given: &str) -> Option<usize> {
    let (_, place) = given.split_once('.')?;
    let index = place.parse::<usize>().ok()?.checked_sub(1)?;
    (id(run, index) == given).then_some(index)
}

/// What the calls in a cell that have no answer were made with.
pub(super) fn arguments_by_call(cell: &Cell) -> HashMap<u32, Arguments> {
    let outstanding = cell.outstanding().into_iter();
    outstanding.map(|call| (call.id, call.arguments)).collect()
}

pub(super) fn invalid(reason: &str) -> ExecutorError {
    ExecutorError::new(
        ErrorCode::InvalidAnswer,
        format!("Invalid answer: {reason}"),
    )
}
