//! One run: validate, evaluate, and make an output or one error of what comes.

use std::{sync::Arc, time::Duration};

use hotcell_cell::{Cell, CellError, Outcome, Program, ToolCall, Value};
use hotcell_meter::{StopToken, Stopped, Unwatched, Watch};
use hotcell_prepare::{Diagnostic, PreparedProgram, Severity, is_foreign_global};

use super::{
    Executor, Slot,
    clock::Clock,
    life::FINAL_ANSWER,
    turn::{Purpose, Turn},
};
use crate::{
    boundary::as_future,
    error::ExecutorError,
    failure::{Context, explain, tool_failed},
    log,
    output::{CodeOutput, Execution, Run, RunStats},
    shorten::shorten,
};

/// Of a promise that nobody handled, so many bytes are told.
const MAX_REJECTION_BYTES: usize = 10_000;

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
        let run = code.into();
        let mut turn = match self.turn(Purpose::Run, "run").await {
            Ok(turn) => turn,
            Err(error) => return finish(Execution::refused(error), &Unwatched),
        };
        let timeout = run.timeout.unwrap_or(self.0.options.timeout_duration());
        let mut clock = Clock::start(timeout);
        self.0.slot().stop_with(&clock.stop);
        let execution = self.execute_now(&run, &mut turn, &mut clock).await;
        // Whoever hears of it may want the next thing at once, and should find the executor ready for it.
        turn.settle();
        let finished = finish(execution, &clock.stop);
        // Last, so that whoever is next in line does not end before this one.
        drop(turn);
        finished
    }

    async fn execute_now(&self, run: &Run, turn: &mut Turn, clock: &mut Clock) -> Execution {
        self.0.hooks.reset();
        let before = match turn.cell("run") {
            Ok(cell) => cell.stats(),
            Err(error) => return Execution::refused(error),
        };
        let (preparer, number) = {
            let mut slot = self.0.slot();
            slot.runs = slot.runs.wrapping_add(1);
            (slot.preparer.clone(), slot.runs)
        };
        let name = match &run.name {
            Some(name) => name.clone(),
            None => format!("run-{number}.js"),
        };
        let program = preparer.prepare_watched(&run.code, &clock.stop);
        if let Ok(program) = &program
            && program.has_errors()
        {
            return Execution {
                diagnostics: program.diagnostics.clone(),
                ..Execution::refused(ExecutorError::refused_by(&program.diagnostics))
            };
        }
        let ended = match (&program, turn.cell("run")) {
            (Ok(program), Ok(cell)) => {
                self.0.hooks.add_source(&name, program);
                self.evaluate(cell, clock, &name, program).await
            }
            (Err(stopped), _) => Err((*stopped).into()),
            (_, Err(error)) => return Execution::refused(error),
        };
        let after = turn.cell("run").map_or(before, |cell| cell.stats());
        let cpu = after.cpu_time.saturating_sub(before.cpu_time);
        if self.0.options.pause_clock_during_tools {
            clock.count_only(cpu);
        }
        let ended = match (ended, turn.cell("run")) {
            (Ok(ended), Ok(cell)) => self.finish(ended, cell, clock).await,
            (ended, _) => ended,
        };
        clock.begin_grace();
        self.0.slot().stop = None;
        turn.is_dirty = ended.as_ref().is_err_and(Failed::leaves_dirty);
        let mut execution = self.conclude(ended, &name, program.as_deref().ok(), clock);
        execution.stats = RunStats {
            operations: after.operations.saturating_sub(before.operations),
            wall: clock.began.elapsed(),
            cpu,
            tool_calls: after.tool_calls.saturating_sub(before.tool_calls),
            peak_memory_bytes: after.peak_memory_bytes,
        };
        execution
    }

    /// What a run that is over has to show, all but what it cost.
    fn conclude(
        &self,
        ended: Result<Ended, Failed>,
        name: &str,
        program: Option<&PreparedProgram>,
        clock: &Clock,
    ) -> Execution {
        let hooks = &self.0.hooks;
        let ended = ended.map_err(|failed| {
            let context = Context {
                options: &self.0.options,
                hooks,
                program: name,
                timeout: clock.timeout,
                watch: &clock.stop,
            };
            match failed {
                Failed::InCell(error) => explain(error, &context),
                Failed::Stopped(stopped) => context.stopped(stopped),
                Failed::Answer(error) => *error,
            }
        });
        let (entries, log_remark) = hooks.take_logs();
        let calls = hooks.take_calls();
        let mut diagnostics = Vec::new();
        if let Some(program) = program {
            diagnostics.clone_from(&program.diagnostics);
            self.0.slot().note_declarations(program, &self.0.options);
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
                let told = rejections.iter();
                diagnostics.extend(told.map(|text| self.rejection(text, &clock.stop)));
                (value, is_final_answer, None)
            }
            Err(mut error) => {
                error.logs = Some(logs.clone());
                error.entries.clone_from(&entries);
                (Value::Undefined, false, Some(error))
            }
        };
        diagnostics.extend(log_remark);
        Execution {
            output,
            error,
            logs,
            is_final_answer,
            entries,
            diagnostics,
            stats: RunStats::default(),
            calls,
        }
    }

    async fn evaluate(
        &self,
        cell: &mut Cell,
        clock: &Clock,
        name: &str,
        program: &Arc<PreparedProgram>,
    ) -> Result<Ended, Failed> {
        clock.stop.check()?;
        let options = &self.0.options;
        let program = Program::new(&program.transformed)
            .name(name)
            .timeout(clock.left())
            .max_operations(options.operations())
            .pause_clock_during_tools(options.pause_clock_during_tools);
        cell.start(program)?;
        let interrupter = cell.interrupter();
        let is_cancelled = {
            let mut slot = self.0.slot();
            slot.interrupter = Some(interrupter.clone());
            slot.is_cancelled
        };
        if is_cancelled {
            interrupter.cancel();
        }
        match cell.complete().await {
            Ok(Outcome {
                value,
                is_final_answer,
                unhandled_rejections,
                ..
            }) => Ok(Ended {
                value,
                is_final_answer,
                rejections: unhandled_rejections,
                remark: None,
            }),
            Err(CellError::Uncloneable {
                reason,
                printed,
                is_final_answer,
            }) => {
                let message = format!(
                    "{reason} and cannot leave the sandbox: the output is its printed form"
                );
                let remark = Diagnostic::new("result_not_cloneable", Severity::Warning, message)
                    .with_fix("return plain data: numbers, strings, arrays, objects");
                Ok(Ended {
                    value: Value::from(printed),
                    is_final_answer,
                    rejections: Vec::new(),
                    remark: Some(remark),
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn rejection(&self, printed: &str, watch: &dyn Watch) -> Diagnostic {
        let printed = shorten(printed, MAX_REJECTION_BYTES);
        let translated = self.0.hooks.sources().translate(&printed, watch).ok();
        let printed = translated.as_deref().unwrap_or(&printed);
        let message = format!("a promise was rejected and nobody handled it: {printed}");
        Diagnostic::new("unhandled_rejection", Severity::Warning, message)
            .with_fix("`await` the promise, or add a `.catch()`")
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
        let timeout = if self.0.options.pause_clock_during_tools {
            Duration::MAX
        } else {
            clock.left()
        };
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

impl Slot {
    /// Lets `stop` end the run from here on, at once if it is to end already.
    fn stop_with(&mut self, stop: &StopToken) {
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
        let mut is_new = false;
        for declaration in &program.declarations {
            let name = &declaration.name;
            if is_foreign_global(name) && !self.globals.contains(name) {
                self.globals.push(name.clone());
                is_new = true;
            }
        }
        if is_new {
            self.renew_preparer(options);
        }
    }
}

impl Failed {
    /// Whether nobody can say what state the code was left in; and that is how a run that was not done in time is taken.
    fn leaves_dirty(&self) -> bool {
        match self {
            Self::InCell(error) => error.is_fatal() || matches!(error, CellError::Deadline { .. }),
            Self::Stopped(stopped) => *stopped == Stopped::Deadline,
            Self::Answer(_) => false,
        }
    }
}
