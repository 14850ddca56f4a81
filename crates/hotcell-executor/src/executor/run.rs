//! One run: validate, evaluate, and make an output or one error of what comes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_cell::{Cell, CellError, Outcome, Program, Stats, ToolCall, Value};
use hotcell_prepare::{Diagnostic, PreparedProgram, Severity, is_foreign_global};

use super::{Executor, Slot, life::FINAL_ANSWER};
use crate::{
    boundary::as_future,
    error::ExecutorError,
    failure::{Context, explain, tool_failed},
    log,
    output::{CodeOutput, Execution, Run, RunStats},
};

/// What the value of a run is, before it is an output.
struct Ended {
    value: Value,
    is_final_answer: bool,
    remarks: Vec<Diagnostic>,
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
        let run = code.into();
        let mut turn = match self.turn().await {
            Ok(turn) => turn,
            Err(error) => return Execution::refused(error),
        };
        let began = Instant::now();
        let hooks = &self.0.hooks;
        hooks.reset();
        let (preparer, number) = {
            let mut slot = self.0.slot();
            slot.runs += 1;
            (slot.preparer.clone(), slot.runs)
        };
        let program = preparer.prepare(&run.code);
        let mut diagnostics = program.diagnostics.clone();
        if program.has_errors() {
            return Execution {
                diagnostics,
                ..Execution::refused(ExecutorError::refused_by(&program.diagnostics))
            };
        }
        let name = run
            .name
            .clone()
            .unwrap_or_else(|| format!("run-{number}.js"));
        hooks.sources().add(&name, &program);

        let before = turn
            .cell()
            .map_or_else(|_| Stats::default(), |cell| cell.stats());
        let ended = match turn.cell() {
            Ok(cell) => self.evaluate(cell, &run, began, &name, &program).await,
            Err(error) => return Execution::refused(error),
        };
        let after = turn.cell().map_or(before, |cell| cell.stats());
        let timeout = run.timeout.unwrap_or(self.0.options.timeout_duration());
        let ended = match (ended, turn.cell()) {
            (Ok(ended), Ok(cell)) => {
                let left = if self.0.options.pause_clock_during_tools {
                    Duration::MAX
                } else {
                    timeout.saturating_sub(began.elapsed())
                };
                self.finish(ended, cell, left).await
            }
            (ended, _) => ended.map(Ok),
        };
        let ended = ended.unwrap_or_else(|error| {
            turn.is_dirty = leaves_dirty(&error);
            let context = Context {
                options: &self.0.options,
                hooks,
                program: &name,
                timeout,
            };
            explain(error, &context)
        });
        let stats = RunStats {
            operations: after.operations.saturating_sub(before.operations),
            wall: began.elapsed(),
            cpu: after.cpu_time.saturating_sub(before.cpu_time),
            tool_calls: after.tool_calls.saturating_sub(before.tool_calls),
            peak_memory_bytes: after.peak_memory_bytes,
        };
        let entries = hooks.take_logs();
        let calls = hooks.take_calls();
        self.0.slot().note_declarations(&program, &self.0.options);

        let logs = log::join(&entries);
        let (output, is_final_answer, error) = match ended {
            Ok(Ended {
                value,
                is_final_answer,
                remarks,
            }) => {
                diagnostics.extend(remarks);
                (value, is_final_answer, None)
            }
            Err(mut error) => {
                error.logs = Some(logs.clone());
                error.entries.clone_from(&entries);
                (Value::Undefined, false, Some(*error))
            }
        };
        let execution = Execution {
            output,
            error,
            logs,
            is_final_answer,
            entries,
            diagnostics,
            stats,
            calls,
        };
        // Last, so that whoever is next in line does not end before this one.
        drop(turn);
        execution
    }

    async fn evaluate(
        &self,
        cell: &mut Cell,
        run: &Run,
        began: Instant,
        name: &str,
        program: &Arc<PreparedProgram>,
    ) -> Result<Ended, CellError> {
        let options = &self.0.options;
        let timeout = run.timeout.unwrap_or(options.timeout_duration());
        let program = Program::new(&program.transformed)
            .name(name)
            .timeout(timeout.saturating_sub(began.elapsed()))
            .max_operations(options.operations())
            .pause_clock_during_tools(options.pause_clock_during_tools);
        cell.start(program)?;
        {
            let interrupter = cell.interrupter();
            let mut slot = self.0.slot();
            if slot.is_cancelled {
                interrupter.cancel();
            }
            slot.interrupter = Some(interrupter);
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
                remarks: unhandled_rejections
                    .iter()
                    .map(|text| self.rejection(text))
                    .collect(),
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
                    remarks: vec![remark],
                })
            }
            Err(error) => Err(error),
        }
    }

    fn rejection(&self, printed: &str) -> Diagnostic {
        let printed = self.0.hooks.sources().translate(printed).into_owned();
        let message = format!("a promise was rejected and nobody handled it: {printed}");
        Diagnostic::new("unhandled_rejection", Severity::Warning, message)
            .with_fix("`await` the promise, or add a `.catch()`")
    }

    /// Lets the host's own `final_answer` have a look at the answer, if it sent one. That still is a part of the run.
    async fn finish(
        &self,
        mut ended: Ended,
        cell: &mut Cell,
        timeout: Duration,
    ) -> Result<Result<Ended, Box<ExecutorError>>, CellError> {
        let tool = self.0.slot().tools.get(FINAL_ANSWER).cloned();
        if let Some(tool) = tool.filter(|_| ended.is_final_answer) {
            let value = std::mem::replace(&mut ended.value, Value::Undefined);
            let called = tool.tool.call(ToolCall::new(FINAL_ANSWER, vec![value]));
            match cell.wait_for(as_future(called), timeout).await? {
                Ok(value) => ended.value = value,
                Err(error) => {
                    return Ok(Err(Box::new(tool_failed(FINAL_ANSWER, error.as_value()))));
                }
            }
        }
        Ok(Ok(ended))
    }
}

impl Slot {
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

/// Whether nobody can say what state the code was left in.
fn leaves_dirty(error: &CellError) -> bool {
    error.is_fatal() || matches!(error, CellError::Deadline { .. })
}
