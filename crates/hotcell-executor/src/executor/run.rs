//! One run: validate, evaluate, and make an output or one error of what comes.

use std::future::ready;

use hotcell_cell::{Cell, CellError, Outcome, Program, Progress, ToolCall, Value};
use hotcell_meter::{StopToken, Stopped, Unwatched, Watch};
use hotcell_prepare::{Diagnostic, PreparedProgram, Severity, code_frame, is_foreign_global, rule};
use serde_json::json;

use super::{
    Executor, Slot, Started,
    clock::{Clock, Times},
    life::FINAL_ANSWER,
    prepare::prepare,
    suspend::UnderWay,
    turn::{Purpose, Turn},
};
use crate::{
    boundary::as_future,
    error::{ExecutorError, TimeLimit},
    failure::{Context, explain, tool_failed},
    hints::Known,
    ledger::told,
    log,
    output::{CodeOutput, Execution, Run, RunStats},
    rejection,
};

/// Names of variables are kept for those who misspell them: so many, and not the long ones.
pub(crate) const MAX_NAMES: usize = 1000;
const MAX_NAME_BYTES: usize = 64;

pub(crate) fn is_name_to_keep(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_whitespace)
}

/// What the value of a run is, before it is an output.
struct Ended {
    value: Value,
    is_final_answer: bool,
    /// Promises that were rejected while nobody listened, printed.
    rejections: Vec<String>,
    remark: Option<Diagnostic>,
}

/// How a run failed.
enum Failed {
    InCell(CellError),
    /// Before or after the code itself.
    Stopped(Stopped),
    /// The host's own `final_answer` did not like the answer.
    Answer(Box<ExecutorError>),
}

impl From<CellError> for Failed {
    fn from(error: CellError) -> Self {
        Self::InCell(error)
    }
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl Executor {
    /// Runs code to its end.
    ///
    /// Its output is the argument of `final_answer`, else what it returns at its top level, else the value of its last
    /// expression. What it declares stays for the next run, also if this one fails.
    pub async fn run(&self, code: impl Into<Run>) -> Result<CodeOutput, ExecutorError> {
        self.execute(code).await.into_result()
    }

    /// Runs code to its end and tells what came of it, the error included.
    pub async fn execute(&self, code: impl Into<Run>) -> Execution {
        self.execute_then(code, |execution, _| execution).await
    }

    /// As [`Executor::execute`]; `finish` makes something else of what came of it.
    ///
    /// That is a part of the run: it is done before the next in line begins, so what it passes on is in the order of the line; and
    /// it is given what says when the run's time is over. It must not wait.
    pub async fn execute_then<T>(
        &self,
        code: impl Into<Run>,
        finish: impl FnOnce(Execution, &dyn Watch) -> T,
    ) -> T {
        self.execute_when(code, ready(()), finish).await
    }

    /// As [`Executor::execute_then`], for hosts whose readers may be slow: when the code has ended, `may_tell` is waited for
    /// before `finish` makes something of it. That counts for no time of the run's, and the next in line waits, too.
    pub async fn execute_when<T>(
        &self,
        code: impl Into<Run>,
        may_tell: impl Future<Output = ()>,
        finish: impl FnOnce(Execution, &dyn Watch) -> T,
    ) -> T {
        let run = code.into();
        let mut turn = match self.turn(Purpose::Run, "run").await {
            Ok(turn) => turn,
            Err(error) => return finish(Execution::refused(error), &Unwatched),
        };
        let mut clock = Clock::start(Times::of(&run, &self.0.options));
        self.0.slot().stop_with(&clock.stop);
        if self.is_elsewhere() {
            let started = self.run_elsewhere(run, &mut turn, &clock, false);
            let execution = match started.await {
                Started::Complete(execution) => execution,
                _ => Execution::refused(never_suspended()),
            };
            clock.begin_grace();
            clock.wait(may_tell).await;
            return self.finished(execution, turn, &clock, finish);
        }
        let execution = match self.begin(run, &mut turn, &clock, false).await {
            Ok(mut run) => self.advance(&mut run, &mut turn, &mut clock).await,
            Err(execution) => Some(execution),
        };
        let execution = execution.unwrap_or_else(|| Execution::refused(never_suspended()));
        clock.wait(may_tell).await;
        self.finished(execution, turn, &clock, finish)
    }

    /// Makes something of what came of a run.
    fn finished<T>(
        &self,
        execution: Execution,
        mut turn: Turn,
        clock: &Clock,
        finish: impl FnOnce(Execution, &dyn Watch) -> T,
    ) -> T {
        // Whoever hears of it may want the next thing at once, and should find the executor ready for it.
        turn.settle();
        self.tell_end(&mut turn, &execution);
        let finished = finish(execution, &clock.stop);
        // Last, so that whoever is next in line does not end before this one.
        drop(turn);
        finished
    }

    /// Prepares code and starts it in the cell; what came of it, if that was not possible.
    pub(super) async fn begin(
        &self,
        run: Run,
        turn: &mut Turn,
        clock: &Clock,
        may_suspend: bool,
    ) -> Result<UnderWay, Execution> {
        self.0.hooks.reset(may_suspend);
        turn.cell("run").map_err(Execution::refused)?;
        let (preparer, number) = {
            let mut slot = self.0.slot();
            let number = run.number.unwrap_or_else(|| slot.next_number());
            slot.under_way = Some(number);
            (slot.preparer.clone(), number)
        };
        let hooks = &self.0.hooks;
        let trace = run.trace.map(|parent| hooks.span_within(parent, number));
        let mut run = UnderWay::new(run, clock.times, number, trace);
        let scene = hooks.set_scene(number, &run.name, trace);
        scene.run_started(&hooks.hub, &run.name);
        turn.is_open = true;
        let preparer = run.preparer(preparer);
        match prepare(preparer, &run.code, &clock.stop).await {
            Ok(program) if program.has_errors() => {
                let mut execution = Execution {
                    diagnostics: program.diagnostics.clone(),
                    ..Execution::refused(ExecutorError::refused_by(&program.diagnostics))
                };
                show_place(&mut execution, &run.code);
                return Err(execution);
            }
            Ok(program) => {
                self.0.hooks.add_source(&run.name, &program);
                run.program = Some(program);
            }
            // Nothing of it is started, and that is told when it is advanced.
            Err(_) => return Ok(run),
        }
        let started = turn
            .cell("run")
            .map(|cell| self.start_in(cell, &run, clock));
        match started {
            Ok(Ok(())) => Ok(run),
            Ok(Err(failed)) => {
                turn.is_dirty = failed.leaves_dirty();
                Err(self.conclude(Err(failed), &run, clock, turn))
            }
            Err(error) => Err(Execution::refused(error)),
        }
    }

    /// The run is over, and whoever watches hears of it.
    pub(super) fn tell_end(&self, turn: &mut Turn, execution: &Execution) {
        if std::mem::take(&mut turn.is_open) {
            self.0.hooks.tell(|scene, hub| scene.ended(hub, execution));
        }
    }

    fn start_in(&self, cell: &mut Cell, run: &UnderWay, clock: &Clock) -> Result<(), Failed> {
        let Some(program) = &run.program else {
            return Ok(());
        };
        clock.stop.check()?;
        let options = &self.0.options;
        let program = Program::new(&program.transformed)
            .name(&run.name)
            .timeout(clock.left())
            .cpu_time(clock.cpu_left())
            .max_operations(options.operations())
            .pause_clock_during_tools(clock.times.pauses);
        cell.start(program)?;
        Ok(())
    }

    /// Takes a run as far as it goes; `None` if it waits for answers of the host's now.
    pub(super) async fn advance(
        &self,
        run: &mut UnderWay,
        turn: &mut Turn,
        clock: &mut Clock,
    ) -> Option<Execution> {
        let before = match turn.cell("run") {
            Ok(cell) => cell.stats(),
            Err(error) => return Some(Execution::refused(error)),
        };
        let ended = match (&run.program, turn.cell("run")) {
            (Some(_), Ok(cell)) => self.evaluate(cell).await,
            (None, _) => Err(clock.stop.stopped().unwrap_or(Stopped::Deadline).into()),
            (_, Err(error)) => return Some(Execution::refused(error)),
        };
        let after = turn.cell("run").map_or(before, |cell| cell.stats());
        let cpu = after.cpu_time.saturating_sub(before.cpu_time);
        run.spent.cpu += cpu;
        if let Ok(None) = ended {
            run.spent.wall += clock.began.elapsed();
            return None;
        }
        let ended = ended.and_then(|ended| ended.ok_or_else(|| CellError::Deferred.into()));
        clock.computed(cpu);
        let ended = match (ended, turn.cell("run")) {
            (Ok(ended), Ok(cell)) => self.finish(ended, cell, clock).await,
            (ended, _) => ended,
        };
        clock.begin_grace();
        self.0.slot().stop = None;
        turn.is_dirty = ended.as_ref().is_err_and(Failed::leaves_dirty);
        let mut execution = self.conclude(ended, run, clock, turn);
        let RunStats {
            operations,
            wall,
            cpu,
            tool_calls,
            ..
        } = run.spent;
        execution.stats = RunStats {
            operations: operations + after.operations.saturating_sub(before.operations),
            wall: wall + clock.began.elapsed(),
            cpu,
            tool_calls: tool_calls + after.tool_calls.saturating_sub(before.tool_calls),
            peak_memory_bytes: after.peak_memory_bytes,
        };
        Some(execution)
    }

    /// What a run that is over has to show, all but what it cost.
    fn conclude(
        &self,
        ended: Result<Ended, Failed>,
        run: &UnderWay,
        clock: &Clock,
        turn: &mut Turn,
    ) -> Execution {
        let hooks = &self.0.hooks;
        let program = run.program.as_deref();
        if let Some(program) = program {
            self.0.slot().note_declarations(program, &self.0.options);
        }
        let mut rejections: Vec<Diagnostic> = Vec::new();
        let ended = ended.map_err(|failed| {
            let known = self.0.slot().known();
            let mut cell = turn.cell("run").ok();
            if let Some(cell) = &mut cell {
                rejections = self.rejections(&cell.take_unhandled_rejections(), run, clock);
            }
            let is_whole = cell.as_ref().is_some_and(|cell| cell.is_alive());
            let stopped_at = cell.and_then(|cell| cell.stopped_at().map(str::to_owned));
            let context = Context {
                options: &self.0.options,
                hooks,
                code: &run.code,
                program: &run.name,
                limit: failed.limit(clock),
                is_whole,
                watch: &clock.stop,
                known: &known,
                stopped_at: stopped_at.as_deref(),
                rejections: &rejections,
            };
            match failed {
                Failed::InCell(error) => explain(error, &context),
                Failed::Stopped(stopped) => context.stopped(stopped),
                Failed::Answer(error) => *error,
            }
        });
        let (entries, log_remark) = hooks.take_logs();
        let content = hooks.take_content();
        let calls = hooks.take_calls();
        let mut diagnostics = Vec::new();
        if let Some(program) = program {
            diagnostics.clone_from(&program.diagnostics);
        }
        let logs = log::join(&entries);
        let (output, is_final_answer, error) = match ended {
            Ok(Ended {
                value,
                is_final_answer,
                rejections,
                remark,
            }) => {
                diagnostics.extend(remark);
                let is_known = |one: &Diagnostic| one.rule == rule::FLOATING_PROMISE;
                if !diagnostics.iter().any(is_known) {
                    diagnostics.extend(printed_promise(&value, &logs));
                }
                diagnostics.extend(self.rejections(&rejections, run, clock));
                (value, is_final_answer, None)
            }
            Err(mut error) => {
                error.logs = Some(logs.clone());
                error.entries.clone_from(&entries);
                error.content.clone_from(&content);
                diagnostics.append(&mut rejections);
                // What was warned of may well be why.
                if !diagnostics.is_empty() && !error.details.contains_key("diagnostics") {
                    error
                        .details
                        .insert("diagnostics".into(), json!(diagnostics));
                }
                if !calls.is_empty() {
                    error.details.insert("calls".into(), json!(told(&calls)));
                }
                (Value::Undefined, false, Some(error))
            }
        };
        diagnostics.extend(log_remark);
        let mut execution = Execution {
            output,
            error,
            logs,
            is_final_answer,
            entries,
            content,
            diagnostics,
            stats: RunStats::default(),
            calls,
        };
        show_place(&mut execution, &run.code);
        execution
    }

    /// Takes the run in the cell further; `None` if it waits for the host.
    async fn evaluate(&self, cell: &mut Cell) -> Result<Option<Ended>, Failed> {
        let interrupter = cell.interrupter();
        let is_cancelled = {
            let mut slot = self.0.slot();
            slot.interrupter = Some(interrupter.clone());
            slot.is_cancelled
        };
        if is_cancelled {
            interrupter.cancel();
        }
        let progress = if self.0.hooks.may_suspend() {
            cell.advance().await
        } else {
            cell.complete().await.map(Progress::Done)
        };
        match progress {
            Ok(Progress::Waiting) => Ok(None),
            Ok(Progress::Done(Outcome {
                value,
                is_final_answer,
                unhandled_rejections,
                ..
            })) => Ok(Some(Ended {
                value,
                is_final_answer,
                rejections: unhandled_rejections,
                remark: None,
            })),
            Err(CellError::Uncloneable {
                reason,
                printed,
                is_final_answer,
            }) => {
                let message = format!(
                    "{reason} and cannot leave the sandbox: the output is its printed form"
                );
                let fix = if reason.contains("promise") {
                    "`await` it: tools return promises, and so do async functions (Promise.all for several)"
                } else {
                    "return plain data: numbers, strings, arrays, objects"
                };
                let remark = Diagnostic::new("result_not_cloneable", Severity::Warning, message)
                    .with_fix(fix);
                Ok(Some(Ended {
                    value: Value::from(printed),
                    is_final_answer,
                    rejections: Vec::new(),
                    remark: Some(remark),
                }))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn rejections(&self, printed: &[String], run: &UnderWay, clock: &Clock) -> Vec<Diagnostic> {
        let sources = self.0.hooks.sources();
        let found = printed
            .iter()
            .map(|one| rejection::finding(one, &run.name, &sources, &clock.stop));
        found.collect()
    }

    /// Lets the host's own `final_answer` have a look at the answer, if it sent one. That still is a part of the run.
    async fn finish(
        &self,
        mut ended: Ended,
        cell: &mut Cell,
        clock: &Clock,
    ) -> Result<Ended, Failed> {
        let tool = self.0.slot().tools.get(FINAL_ANSWER).cloned();
        let Some(tool) = tool.filter(|_| ended.is_final_answer) else {
            return Ok(ended);
        };
        let timeout = clock.left().filter(|_| !clock.times.pauses);
        let value = std::mem::replace(&mut ended.value, Value::Undefined);
        let called = tool.tool.call(ToolCall::new(FINAL_ANSWER, vec![value]));
        match cell.wait_for(as_future(called), timeout).await? {
            Ok(value) => {
                ended.value = value;
                Ok(ended)
            }
            Err(error) => {
                let error = tool_failed(FINAL_ANSWER, error.as_value());
                Err(Failed::Answer(Box::new(error)))
            }
        }
    }
}

/// For a run that nobody would resume, which therefore does not wait for it.
fn never_suspended() -> ExecutorError {
    ExecutorError::new(
        crate::error::ErrorCode::RuntimeException,
        "Runtime exception: the run waits for an answer, and nobody can give one: begin it with start()",
    )
}

/// A promise that became text was not meant to.
fn printed_promise(value: &Value, logs: &str) -> Option<Diagnostic> {
    const TEXT: &str = "[object Promise]";
    let is_in_value = value.as_str().is_some_and(|text| text.contains(TEXT));
    if !is_in_value && !logs.contains(TEXT) {
        return None;
    }
    let message = format!("a promise was made a text (`{TEXT}`): it was not awaited");
    let fix =
        "`await` what tools and async functions return before it is used (Promise.all for several)";
    let warning = Diagnostic::warning(rule::FLOATING_PROMISE, message);
    Some(warning.with_fix(fix))
}

/// Adds what a reader without the code needs: the lines around the place of the error.
fn show_place(execution: &mut Execution, code: &str) {
    if let Some(error) = &mut execution.error
        && let Some(place) = error.location
    {
        let frame = code_frame(code, place);
        error.details.insert("codeFrame".into(), frame.into());
    }
}

impl Slot {
    /// The number of another run.
    pub(super) fn next_number(&mut self) -> u64 {
        self.runs = self.runs.wrapping_add(1);
        self.runs
    }

    /// Lets `stop` end the run from here on, at once if it is to end already.
    pub(super) fn stop_with(&mut self, stop: &StopToken) {
        if self.is_cancelled {
            stop.cancel();
        }
        self.stop = Some(stop.clone());
    }

    /// Names that other hosts have as globals are no mistake once the code has declared them.
    fn note_declarations(
        &mut self,
        program: &PreparedProgram,
        options: &crate::options::ExecutorOptions,
    ) {
        let declared = program.declarations.iter().map(|one| &*one.name);
        let made = program.globals_made.iter().map(|name| &**name);
        self.knows_all_names &= !program.makes_unknown_globals;
        self.note_names(declared.chain(made), options);
    }

    /// These names exist from here on.
    pub(super) fn note_names<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str>,
        options: &crate::options::ExecutorOptions,
    ) {
        let mut is_new = false;
        for name in names {
            if is_foreign_global(name) && !self.globals.iter().any(|known| known == name) {
                self.globals.push(name.to_owned());
                is_new = true;
            }
            let tool = self.tools.get(name);
            is_new |= tool.is_some_and(|tool| tool.tool.is_shadowable());
            if self.names.len() < MAX_NAMES && is_name_to_keep(name) {
                self.names.insert(name.to_owned());
            } else if !self.names.contains(name) {
                self.knows_all_names = false;
            }
        }
        if is_new {
            self.renew_preparer(options);
        }
    }

    /// What code could have meant by a name that there is not.
    pub(super) fn known(&self) -> Known {
        let shown = || self.tools.values().filter(|tool| !tool.is_hidden);
        Known {
            tools: shown().map(|tool| tool.spec.name.clone()).collect(),
            declared: shown()
                .filter(|tool| !tool.spec.deferred && !tool.is_own)
                .map(|tool| tool.spec.name.clone())
                .collect(),
            names: self.names.iter().cloned().collect(),
        }
    }
}

impl Failed {
    /// Which time was over, if one was.
    fn limit(&self, clock: &Clock) -> TimeLimit {
        let Clock { times, .. } = clock;
        match (self, times.timeout, times.cpu) {
            (Self::InCell(CellError::Deadline { .. }), Some(timeout), _) => {
                TimeLimit::Timeout(timeout)
            }
            (Self::InCell(CellError::CpuTime { .. }), _, Some(cpu)) => TimeLimit::Cpu(cpu),
            _ => clock.limit(),
        }
    }

    /// Whether nobody can say what state the code was left in; and that is how a run that was not done in time is taken.
    fn leaves_dirty(&self) -> bool {
        match self {
            Self::InCell(error) => {
                let is_late = matches!(
                    error,
                    CellError::Deadline { .. } | CellError::CpuTime { .. }
                );
                is_late || error.is_fatal()
            }
            Self::Stopped(stopped) => *stopped == Stopped::Deadline,
            Self::Answer(_) => false,
        }
    }
}
