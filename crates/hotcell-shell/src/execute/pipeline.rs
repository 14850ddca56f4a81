//! Commands joined by `|`.

use std::sync::Arc;

use hotcell_process::{Pid, Process, Spec, Status, Stream, error_text};

use crate::{
    ast::{Command, Pipeline},
    flow::{Flow, Outcome},
    settings::Setting,
    shell::Shell,
};

/// The status of a command that could not be begun because there are too many processes.
const CANNOT_FORK: i32 = 254;

/// What a pipeline began.
pub(super) struct Stages {
    /// Its processes, first to last.
    pub(super) pids: Vec<Pid>,
    /// What the next stage reads.
    pub(super) input: Option<Arc<dyn Stream>>,
}

impl Shell {
    /// Runs a pipeline of at least two commands. All but the last run beside this process; the last one runs on its
    /// stack, in a subshell unless `lastpipe` is on.
    pub(super) fn run_piped(&mut self, process: &Process, pipeline: &Pipeline) -> Outcome {
        let Some((last, first)) = pipeline.rest.split_last() else {
            return self.run_command(process, &pipeline.first);
        };
        let before = std::iter::once(&pipeline.first).chain(first);
        let began = self.begin_stages(process, before, None);
        let (pids, outcome) = match began {
            Ok(Stages { pids, input }) => {
                // Each writes what it has to say before the one that reads it begins, and perhaps ends without reading:
                // of `echo a | true` both succeed.
                process.give_way();
                (pids, self.run_last_stage(process, last, input))
            }
            Err(pids) => (pids, self.pending_flow.take().map_or(Ok(CANNOT_FORK), Err)),
        };
        let mut statuses: Vec<i32> = pids
            .into_iter()
            .map(|pid| {
                let status = process.wait_unless_interrupted(pid);
                status.unwrap_or(Status::SUCCESS).code()
            })
            .collect();
        let status = outcome?;
        statuses.push(status);
        let failed = statuses.iter().rev().copied().find(|status| *status != 0);
        let status = match failed {
            Some(failed) if self.has(Setting::PipeFail) => failed,
            _ => status,
        };
        self.pipe_status = statuses;
        self.settle_jobs(process);
        Ok(self.set_status(status))
    }

    /// Begins commands, each of which writes to the next. If one cannot be begun, returns those that were.
    pub(super) fn begin_stages<'a>(
        &mut self,
        process: &Process,
        commands: impl Iterator<Item = &'a Command>,
        first_input: Option<Arc<dyn Stream>>,
    ) -> Result<Stages, Vec<Pid>> {
        let mut stages = Stages {
            pids: Vec::new(),
            input: first_input,
        };
        for command in commands {
            if let Err(flow) = self.before_stage(process, command) {
                self.pending_flow = Some(flow);
                return Err(stages.pids);
            }
            let pipe = process.pipe();
            let (reader, writer) = match pipe {
                Ok(pipe) => pipe,
                Err(error) => {
                    self.complain(process, format!("pipe error: {}", error_text(&error)));
                    return Err(stages.pids);
                }
            };
            let mut spec = child_spec(process).stdout(writer);
            if let Some(input) = stages.input.replace(reader) {
                spec = spec.stdin(input);
            }
            match self.begin_stage(process, spec, command) {
                Some(pid) => stages.pids.push(pid),
                None => return Err(stages.pids),
            }
        }
        Ok(stages)
    }

    /// What happens for a simple command here and not in the process that it gets: the `DEBUG` trap, and that the `ERR` trap
    /// knows the line.
    pub(super) fn before_stage(
        &mut self,
        process: &Process,
        command: &Command,
    ) -> Result<(), Flow> {
        match command {
            Command::Simple(simple) => self.before_simple(process, simple).map(drop),
            _ => Ok(()),
        }
    }

    /// Begins a command as a process of its own.
    pub(super) fn begin_stage(
        &mut self,
        process: &Process,
        spec: Spec,
        command: &Command,
    ) -> Option<Pid> {
        // Made before the clone: all stages share it. If there is no room for it, each will say so.
        let _ = self.variables.environment(process);
        let mut shell = self.subshell();
        let command = command.clone();
        let pid = process.spawn(spec, move |child| {
            Ok(shell.run_as_subshell(child, |shell| shell.run_stage(child, &command)))
        });
        self.forked(process, pid)
    }

    /// The pid, or the complaint that there is none.
    pub(crate) fn forked(&mut self, process: &Process, pid: std::io::Result<Pid>) -> Option<Pid> {
        match pid {
            Ok(pid) => Some(pid),
            Err(error) => {
                self.complain(process, format!("fork: {}", error_text(&error)));
                None
            }
        }
    }

    /// Runs a command as the only one of its process.
    pub(super) fn run_stage(&mut self, process: &Process, command: &Command) -> Outcome {
        match command {
            Command::Simple(simple) => {
                self.is_last = true;
                self.is_bare_stage = true;
                self.run_announced(process, simple)
            }
            other => self.run_command(process, other),
        }
    }

    fn run_last_stage(
        &mut self,
        process: &Process,
        command: &Command,
        input: Option<Arc<dyn Stream>>,
    ) -> Outcome {
        let Some(input) = input else {
            return Ok(CANNOT_FORK);
        };
        self.before_stage(process, command)?;
        if self.has(Setting::LastPipe) {
            let before = process.descriptor(0).ok();
            // Zero is below any limit.
            let _ = process.set_descriptor(0, input);
            let outcome = self.run_stage_here(process, command);
            match before {
                Some(before) => drop(process.set_descriptor(0, before)),
                None => drop(process.close(0)),
            }
            return outcome;
        }
        let mut shell = self.subshell();
        let status = process.call(child_spec(process).stdin(input), |child| {
            Ok(shell.run_as_subshell(child, |shell| shell.run_stage(child, command)))
        });
        self.report_killed(process, status, || crate::print::command_text(command));
        Ok(status.code())
    }

    fn run_stage_here(&mut self, process: &Process, command: &Command) -> Outcome {
        match command {
            Command::Simple(simple) => self.run_announced(process, simple),
            other => self.run_command(process, other),
        }
    }
}

/// What a child begins with.
pub(crate) fn child_spec(process: &Process) -> Spec {
    process.own_spec()
}
