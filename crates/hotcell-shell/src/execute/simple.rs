//! Simple commands: what they expand to, and who runs them.

use std::sync::Arc;

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::{Process, Status};

use crate::{
    ast::{Argument, Assignment, AssignmentValue, SimpleCommand},
    builtins::{self, Builtin, Operand, Run, arguments::USAGE},
    expand::{Target, element_text},
    flow::{Flow, Outcome},
    redirect::Undo,
    settings::Setting,
    shell::{Current, Shell},
    variables::Scope,
};

use super::keywords::with_keywords;

/// Builtins that keep what they are told, beside variables.
const KEEPERS: [&str; 8] = [
    "alias", "complete", "hash", "history", "pushd", "set", "fc", "trap",
];

/// What a field takes beside its text.
const FIELD: usize = size_of::<BString>();

/// Arguments of so many bytes are not worth asking the account.
const SMALL: usize = 16 << 10;

impl Shell {
    /// Runs a simple command; `$?` and `PIPESTATUS` are its status.
    pub(super) fn run_simple(
        &mut self,
        process: &Process,
        command: &Arc<SimpleCommand>,
    ) -> Outcome {
        if self.before_simple(process, command)? {
            return Ok(self.set_status(0));
        }
        self.run_announced(process, command)
    }

    /// Runs the `DEBUG` trap; says whether the command is to be left out.
    pub(super) fn before_simple(
        &mut self,
        process: &Process,
        command: &Arc<SimpleCommand>,
    ) -> Result<bool, Flow> {
        self.line = command.line;
        if !self.is_in_trap() {
            self.current = Some(Current::Simple(Arc::clone(command)));
        }
        self.run_debug_trap(process)
    }

    /// Runs a simple command whose turn it is.
    pub(super) fn run_announced(
        &mut self,
        process: &Process,
        command: &Arc<SimpleCommand>,
    ) -> Outcome {
        let is_last = std::mem::take(&mut self.is_last);
        self.substituted = None;
        let substitutions = self.open_substitutions.len();
        let outcome = if self.has(Setting::Keyword) {
            let command = with_keywords(command);
            self.run_expanded(process, &command, is_last)
        } else {
            self.run_expanded(process, command, is_last)
        };
        self.close_substitutions(process, substitutions);
        if let Some(signal) = self.program_killed_by.take() {
            self.report_killed(process, Status::Signaled(signal), || {
                crate::describe::simple_command(command)
            });
        }
        let status = outcome?;
        self.set_status(status);
        self.pipe_status.clear();
        self.pipe_status.push(status);
        Ok(status)
    }

    fn run_expanded(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        is_last: bool,
    ) -> Outcome {
        if let Some(builtin) = declaring(command)
            && !self.functions.contains_key(builtin.name.as_bytes())
        {
            return self.run_declaration(process, command, builtin);
        }
        let fields = self.expand_arguments(process, &command.words)?;
        let _charge = self.charge_arguments(process, &fields)?;
        let Some(name) = fields.first() else {
            return self.run_assignments(process, command);
        };
        if let Some(function) = self.functions.get(name).cloned() {
            self.trace_prefix(process, command, &fields);
            let outcome = self.with_redirects(process, &command.redirects, |shell| {
                shell.call_function(process, &function, &fields, &command.assignments)
            });
            self.set_last_argument(&fields);
            return outcome;
        }
        match builtins::find(name).filter(|builtin| !self.disabled.contains(builtin.name)) {
            Some(builtin) => self.run_builtin(process, command, builtin, &fields),
            None => self.run_program(process, command, fields, is_last),
        }
    }

    /// No name is left: the assignments are the shell's own.
    fn run_assignments(&mut self, process: &Process, command: &SimpleCommand) -> Outcome {
        for assignment in &command.assignments {
            self.assign(process, assignment, Target::Visible)?;
        }
        if command.redirects.is_empty() {
            return Ok(self.substituted.unwrap_or(0));
        }
        let mut undo = Undo::default();
        let redirected = self.redirect(process, &command.redirects, &mut undo);
        undo.undo(process);
        Ok(if redirected? {
            self.substituted.unwrap_or(0)
        } else {
            1
        })
    }

    fn run_builtin(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        builtin: &'static Builtin,
        fields: &[BString],
    ) -> Outcome {
        let ends = builtin.is_special && self.has(Setting::Posix);
        let outcome = self.with_assignments(process, command, ends, |shell| {
            shell.trace_words(process, fields);
            shell.under_redirects(process, command, builtin, |shell| {
                shell.call_builtin(process, builtin, fields)
            })
        });
        self.set_last_argument(fields);
        match outcome {
            // What these come to is what was run by them.
            Ok(_) if matches!(builtin.name, "eval" | "." | "source") => outcome,
            Ok(status @ USAGE) if ends && !self.is_interactive => Err(Flow::Exit(status)),
            outcome => outcome,
        }
    }

    /// Runs a builtin that was found by whatever name.
    pub(crate) fn call_builtin(
        &mut self,
        process: &Process,
        builtin: &'static Builtin,
        fields: &[BString],
    ) -> Outcome {
        let status = match builtin.run {
            Run::Fields(run) => run(self, process, fields)?,
            Run::Operands(run) => {
                let operands: Vec<Operand<'_>> =
                    fields.iter().cloned().map(Operand::Field).collect();
                run(self, process, &operands)?
            }
        };
        if KEEPERS.contains(&builtin.name) {
            self.hold(process, fields.iter().map(|field| field.len()).sum())?;
        }
        Ok(status)
    }

    /// Charges the arguments of a command while it runs, if they are worth it: functions that call themselves have as many as
    /// there are levels.
    fn charge_arguments(
        &mut self,
        process: &Process,
        fields: &[BString],
    ) -> Result<Option<Charge>, Flow> {
        let bytes: usize = fields.iter().map(|field| field.len() + FIELD).sum();
        if bytes <= SMALL {
            return Ok(None);
        }
        // The command has a copy.
        match process.charge(2 * bytes) {
            Ok(charge) => Ok(Some(charge)),
            Err(error) => Err(self.out_of_memory(process, &error)),
        }
    }

    /// `declare a=(…)`: arrays reach the builtin as they were written.
    fn run_declaration(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        builtin: &'static Builtin,
    ) -> Outcome {
        let mut operands = Vec::new();
        for word in &command.words {
            match word {
                Argument::Assignment(assignment) if is_array(assignment) => {
                    operands.push(Operand::Array(assignment));
                }
                other => {
                    let fields = self.expand_arguments(process, std::slice::from_ref(other))?;
                    operands.extend(fields.into_iter().map(Operand::Field));
                }
            }
        }
        self.with_assignments(process, command, false, |shell| {
            shell.trace_operands(process, &operands);
            shell.under_redirects(process, command, builtin, |shell| match builtin.run {
                Run::Operands(run) => run(shell, process, &operands),
                Run::Fields(_) => Ok(0),
            })
        })
    }

    /// Runs something while the assignments in front of a command hold.
    fn with_assignments(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        keeps: bool,
        run: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        if command.assignments.is_empty() {
            return run(self);
        }
        if keeps {
            for assignment in &command.assignments {
                self.assign(process, assignment, Target::Visible)?;
            }
            return run(self);
        }
        self.variables.push_scope(Scope::Temporary);
        let outcome = match self.assign_temporarily(process, &command.assignments) {
            Ok(false) if self.has(Setting::Posix) => Ok(1),
            Ok(_) => run(self),
            Err(flow) => Err(flow),
        };
        self.variables.pop_scope();
        outcome
    }

    /// Makes the assignments in front of a command; false if one failed, which keeps the command from running in POSIX mode only.
    pub(super) fn assign_temporarily(
        &mut self,
        process: &Process,
        assignments: &[Assignment],
    ) -> Result<bool, Flow> {
        let mut all = true;
        for assignment in assignments {
            if let Some(subscript) = &assignment.subscript {
                let element = element_text(&assignment.name, subscript);
                let text = [b"`", element.as_slice(), b"': not a valid identifier"].concat();
                self.complain(process, text);
                continue;
            }
            match self.assign(process, assignment, Target::Temporary) {
                Ok(()) => {}
                Err(Flow::Discard(_)) if self.is_readonly(&assignment.name) => all = false,
                Err(flow) => return Err(flow),
            }
        }
        Ok(all)
    }

    /// Redirects for a builtin; those of `exec` stay.
    fn under_redirects(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        builtin: &'static Builtin,
        run: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        if command.redirects.is_empty() {
            return run(self);
        }
        let mut undo = Undo::default();
        let outcome = match self.redirect(process, &command.redirects, &mut undo) {
            Ok(true) => run(self),
            Ok(false) => {
                undo.undo(process);
                // An error of a special builtin ends a POSIX shell.
                if builtin.is_special && self.has(Setting::Posix) {
                    return Err(Flow::Exit(1));
                }
                return Ok(1);
            }
            Err(flow) => Err(flow),
        };
        if builtin.name == "exec" && outcome.is_ok() {
            return outcome;
        }
        undo.undo(process);
        outcome
    }

    fn run_program(
        &mut self,
        process: &Process,
        command: &SimpleCommand,
        fields: Vec<BString>,
        is_last: bool,
    ) -> Outcome {
        self.set_last_argument(&fields);
        self.with_assignments(process, command, false, |shell| {
            shell.trace_words(process, &fields);
            if command.redirects.is_empty() {
                return shell.run_external(process, fields, is_last);
            }
            let mut undo = Undo::default();
            let outcome = match shell.redirect(process, &command.redirects, &mut undo) {
                Ok(true) => shell.run_external(process, fields, is_last),
                Ok(false) => Ok(1),
                // bash has forked by then: it is the child that cannot go on.
                Err(Flow::Exit(status) | Flow::Abort(status)) => Ok(status),
                Err(Flow::Discard(status)) => Ok(shell.discarded(status)),
                Err(flow) => Err(flow),
            };
            undo.undo(process);
            outcome
        })
    }

    /// `$_`
    fn set_last_argument(&mut self, fields: &[BString]) {
        if let Some(last) = fields.last() {
            let before = self.last_argument.capacity();
            let is_shared = if let Some(known) = Arc::get_mut(&mut self.last_argument) {
                known.clone_from(last);
                false
            } else {
                self.last_argument = Arc::new(last.clone());
                true
            };
            let after = self.last_argument.capacity();
            self.variables.give_way(before, is_shared, after);
        }
    }

    fn trace_prefix(&mut self, process: &Process, command: &SimpleCommand, fields: &[BString]) {
        let _ = command;
        self.trace_words(process, fields);
    }
}

/// The builtin of a command that has arrays among its arguments.
fn declaring(command: &SimpleCommand) -> Option<&'static Builtin> {
    let has_array = command
        .words
        .iter()
        .any(|word| matches!(word, Argument::Assignment(assignment) if is_array(assignment)));
    if !has_array {
        return None;
    }
    let mut names = command.words.iter().filter_map(Argument::word);
    let name = names.find(|word| {
        !matches!(
            word.constant().map(|text| &**text),
            Some(b"command" | b"builtin")
        )
    })?;
    let builtin = builtins::find(name.constant()?)?;
    matches!(builtin.run, Run::Operands(_)).then_some(builtin)
}

fn is_array(assignment: &Assignment) -> bool {
    matches!(assignment.value, AssignmentValue::Array(_))
}
