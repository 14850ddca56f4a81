//! Shells within a shell.

use hotcell_process::Process;

use super::pipeline::child_spec;
use crate::{ast::List, flow::Outcome, settings::Setting, shell::Shell};

impl Shell {
    /// `( … )`: runs in a clone of this shell, on the same stack.
    #[expect(clippy::unnecessary_wraps, reason = "what every command comes to")]
    pub(super) fn run_subshell(&mut self, process: &Process, list: &List) -> Outcome {
        let mut shell = self.subshell();
        shell.jobs.disown_all();
        // The status of the last command is known when it ends.
        let status = process.call(child_spec(process), |child| {
            Ok(shell.run_as_subshell(child, |shell| shell.run_list(child, list)))
        });
        self.report_killed(process, status, || {
            [b"( ", &*crate::print::list_text(list), b" )"].concat()
        });
        self.settle_jobs(process);
        self.pipe_status = vec![status.code()];
        Ok(self.set_status(status.code()))
    }

    /// A clone that is to run as another process.
    pub(crate) fn subshell(&self) -> Self {
        let mut shell = self.clone();
        shell.subshell_depth += 1;
        shell.loops = 0;
        shell.is_subshell = true;
        shell.is_bare_stage = false;
        shell.variables.leave_to_their_shell();
        shell
            .traps
            .enter_subshell(self.has(Setting::ErrTrace), self.has(Setting::FuncTrace));
        shell.jobs.lend();
        shell.evaluator.clear();
        shell
    }

    /// Runs commands in a shell that has a process of its own, with its `EXIT` trap, and returns what the process ends
    /// with.
    pub(crate) fn run_as_subshell(
        &mut self,
        process: &Process,
        run: impl FnOnce(&mut Self) -> Outcome,
    ) -> i32 {
        let outcome = run(self);
        self.finish(process, outcome)
    }
}
