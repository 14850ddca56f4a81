//! `{ …; }`, `( … )`, `if`, `case`, `((…))`.

use hotcell_process::Process;

use crate::{
    ast::{Arithmetic, Case, CaseTerminator, CompoundCommand, CompoundKind, If},
    flow::Outcome,
    shell::{Current, Shell},
};

impl Shell {
    /// Runs a compound command under its redirections.
    pub(super) fn run_compound(&mut self, process: &Process, command: &CompoundCommand) -> Outcome {
        let substitutions = self.open_substitutions.len();
        let outcome = if command.redirects.is_empty() {
            self.run_compound_kind(process, command)
        } else {
            self.line = command.line;
            self.with_redirects(process, &command.redirects, |shell| {
                shell.run_compound_kind(process, command)
            })
        };
        self.close_substitutions(process, substitutions);
        outcome
    }

    fn run_compound_kind(&mut self, process: &Process, command: &CompoundCommand) -> Outcome {
        match &command.kind {
            CompoundKind::Group(list) => self.run_list(process, list),
            CompoundKind::Subshell(list) => {
                let outcome = self.run_subshell(process, list);
                // For the `ERR` trap.
                self.line = command.line;
                if self.has_error_trap() && !self.is_in_trap() {
                    let text = [b"( ", &*crate::print::list_text(list), b" )"].concat();
                    self.current = Some(Current::Text(text.into()));
                }
                outcome
            }
            CompoundKind::If(command) => self.run_if(process, command),
            CompoundKind::While(body) => self.run_while(process, body, true),
            CompoundKind::Until(body) => self.run_while(process, body, false),
            CompoundKind::For(body) => self.run_for(process, body, command.line),
            CompoundKind::ArithmeticFor(body) => {
                self.run_arithmetic_for(process, body, command.line)
            }
            CompoundKind::Select(body) => self.run_select(process, body, command.line),
            CompoundKind::Case(case) => self.run_case(process, case, command.line),
            CompoundKind::Condition(condition) => {
                self.run_condition(process, condition, command.line)
            }
            CompoundKind::Arithmetic(expression) => {
                self.run_arithmetic(process, expression, command.line)
            }
        }
    }

    fn run_if(&mut self, process: &Process, command: &If) -> Outcome {
        for branch in &command.branches {
            let status = self.forgiving(|shell| shell.run_list(process, &branch.condition))?;
            if status == 0 {
                return self.run_list(process, &branch.body);
            }
        }
        match &command.otherwise {
            Some(list) => self.run_list(process, list),
            None => Ok(self.set_status(0)),
        }
    }

    fn run_case(&mut self, process: &Process, case: &Case, line: u32) -> Outcome {
        self.line = line;
        self.trace(process, || crate::describe::case_head(case));
        self.before_compound(process, || {
            [&*crate::describe::case_head(case), b" "].concat()
        })?;
        let word = self.expand_string(process, &case.word)?;
        let mut status = 0;
        let mut falls_through = false;
        for clause in &case.clauses {
            if !falls_through && !self.matches_any(process, &word, &clause.patterns)? {
                continue;
            }
            status = self.run_list(process, &clause.body)?;
            match clause.terminator {
                CaseTerminator::Break => return Ok(self.set_status(status)),
                CaseTerminator::FallThrough => falls_through = true,
                CaseTerminator::Continue => falls_through = false,
            }
        }
        Ok(self.set_status(status))
    }

    fn matches_any(
        &mut self,
        process: &Process,
        text: &[u8],
        patterns: &[crate::ast::Word],
    ) -> Result<bool, crate::flow::Flow> {
        for pattern in patterns {
            process.spend(1);
            if self.matches_pattern(process, text, pattern, false)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn run_arithmetic(&mut self, process: &Process, expression: &Arithmetic, line: u32) -> Outcome {
        self.line = line;
        self.before_compound(process, || crate::describe::arithmetic(expression))?;
        let text = self.arithmetic_text(process, expression)?;
        self.trace(process, || [b"(( ", &*text, b" ))"].concat());
        let outcome = self.evaluating(b"((", |shell| shell.evaluate_text(process, &text));
        let status = Self::as_status(outcome.map(|value| i32::from(value == 0)))?;
        self.pipe_status = vec![status];
        Ok(self.set_status(status))
    }

    /// Evaluates arithmetic whose errors are those of a command.
    pub(crate) fn evaluating<T>(&mut self, name: &[u8], run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.evaluator, name.into());
        let result = run(self);
        self.evaluator = before;
        result
    }

    /// Makes a status `$?`.
    pub(crate) fn set_status(&mut self, status: i32) -> i32 {
        self.status = status;
        status
    }
}
