//! Running commands.
//!
//! A command comes to an [`Outcome`]: a status, which is `$?` by then, or a [`Flow`] that says how far out to go. Every
//! command spends a unit, so whatever loops can be killed.

mod background;
mod compound;
mod condition;
mod coproc;
mod errors;
mod external;
mod function;
mod keywords;
mod loops;
mod pipeline;
mod select;
mod simple;
mod subshell;
mod timing;

use hotcell_process::{LimitKind, Notice, Process};

pub(crate) use coproc::{HIGHEST_OWN, free_below};
pub(crate) use external::DEFAULT_PATH;
pub(crate) use pipeline::child_spec;

use crate::{
    ast::{
        AndOr, AndOrOperator, Command, CompoundCommand, CompoundKind, List, Pipeline, Separator,
    },
    flow::{Flow, Outcome},
    settings::Setting,
    shell::{FrameKind, Shell},
};

/// How much stack must be left for one more level of commands. What a level takes is a fraction of it; the rest is for the
/// programs and expansions that it calls.
const STACK_RESERVE: usize = 256 << 10;

impl Shell {
    /// Runs commands one after the other.
    pub(crate) fn run_list(&mut self, process: &Process, list: &List) -> Outcome {
        let mut status = 0;
        for item in &*list.items {
            status = match item.separator {
                Separator::Background => self.run_background(process, &item.command)?,
                Separator::Semicolon | Separator::Newline => {
                    self.run_and_or(process, &item.command)?
                }
            };
            if process.has_caught() {
                self.run_signal_traps(process)?;
            }
        }
        Ok(status)
    }

    /// Runs pipelines joined by `&&` and `||`. A failure of any but the last is what the list is for, and no reason to
    /// exit under `set -e`.
    pub(crate) fn run_and_or(&mut self, process: &Process, list: &AndOr) -> Outcome {
        let Some(final_index) = list.rest.len().checked_sub(1) else {
            return self.run_pipeline(process, &list.first);
        };
        let mut status = self.forgiving(|shell| shell.run_pipeline(process, &list.first))?;
        for (index, (operator, pipeline)) in list.rest.iter().enumerate() {
            if (status == 0) != (*operator == AndOrOperator::And) {
                continue;
            }
            status = if index == final_index {
                self.run_pipeline(process, pipeline)?
            } else {
                self.forgiving(|shell| shell.run_pipeline(process, pipeline))?
            };
        }
        Ok(status)
    }

    fn run_pipeline(&mut self, process: &Process, pipeline: &Pipeline) -> Outcome {
        match pipeline.only() {
            Some(command) => self.run_command(process, command),
            None => self.run_timed_pipeline(process, pipeline),
        }
    }

    /// Runs a command of any kind in this shell.
    pub(crate) fn run_command(&mut self, process: &Process, command: &Command) -> Outcome {
        process.spend(1);
        if process.stack_left() < STACK_RESERVE {
            return Err(self.too_deep(process));
        }
        if self.has(Setting::NoExec) {
            return Ok(self.status);
        }
        // One that the command itself sets is for the next.
        let has_trap = self.has_error_trap();
        match command {
            Command::Simple(simple) => {
                let status = self.run_simple(process, simple)?;
                self.check_failure(process, status, has_trap)
            }
            Command::Compound(body) => self.run_checked(process, body, has_trap),
            Command::Function(definition) => self.define_function(process, definition),
            Command::Coproc(coproc) => self.run_coproc(process, coproc),
        }
    }

    /// Runs a compound command, and looks at its status.
    pub(crate) fn run_checked(
        &mut self,
        process: &Process,
        body: &CompoundCommand,
        has_trap: bool,
    ) -> Outcome {
        let status = self.run_compound(process, body)?;
        match body.kind {
            // The others fail only because a command in them does, and that one has been looked at.
            CompoundKind::Subshell(_)
            | CompoundKind::Condition(_)
            | CompoundKind::Arithmetic(_) => self.check_failure(process, status, has_trap),
            _ => Ok(status),
        }
    }

    /// Runs something whose failure is expected: it neither exits under `set -e` nor is it for the `ERR` trap.
    pub(crate) fn forgiving<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.forgiven += 1;
        let result = run(self);
        self.forgiven -= 1;
        result
    }

    /// What follows from a status that nobody tests: the `ERR` trap, and the end under `set -e`.
    pub(crate) fn check_failure(
        &mut self,
        process: &Process,
        status: i32,
        has_trap: bool,
    ) -> Outcome {
        if status == 0 || self.forgiven > 0 {
            return Ok(status);
        }
        if has_trap {
            self.run_error_trap(process)?;
        }
        if self.has(Setting::ErrExit) {
            return Err(Flow::Exit(status));
        }
        Ok(status)
    }

    /// The end of the stack.
    fn too_deep(&mut self, process: &Process) -> Flow {
        process.notice(Notice::Limit(LimitKind::Recursion));
        let depth = self.function_depth();
        let message = match self.frames.last() {
            Some(frame) if frame.kind == FrameKind::Function => {
                let name = frame.name.clone();
                format!("{name}: maximum function nesting level exceeded ({depth})")
            }
            _ => format!("maximum nesting level exceeded ({depth})"),
        };
        self.complain(process, message);
        self.status = 1;
        Flow::Abort(1)
    }
}
