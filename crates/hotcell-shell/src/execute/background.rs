//! `command &`

use std::sync::Arc;

use hotcell_process::{Null, Pid, Process, Signal, Spec};

use super::pipeline::child_spec;
use crate::{
    ast::{AndOr, Pipeline},
    flow::{Flow, Outcome},
    shell::Shell,
};

impl Shell {
    /// Begins a list beside this shell, as a job.
    pub(super) fn run_background(&mut self, process: &Process, list: &AndOr) -> Outcome {
        let plain = list.rest.is_empty()
            && !list.first.negated
            && list.first.timed == crate::ast::Timed::No;
        let pids = if plain {
            self.begin_background_pipeline(process, &list.first)?
        } else {
            let list = list.clone();
            let mut shell = self.subshell();
            shell.jobs.disown_all();
            let pid = process.spawn(job_spec(process), move |child| {
                Ok(shell.run_as_subshell(child, |shell| shell.run_and_or(child, &list)))
            });
            self.forked(process, pid).into_iter().collect()
        };
        if let Some(last) = pids.last() {
            self.background = Some(*last);
            let text = crate::print::and_or_text(list);
            self.jobs.add(pids, text.into());
            return Ok(self.set_status(0));
        }
        Ok(self.set_status(254))
    }

    /// Begins each stage as a process of its own, so that `$!` is the last of them.
    fn begin_background_pipeline(
        &mut self,
        process: &Process,
        pipeline: &Pipeline,
    ) -> Result<Vec<Pid>, Flow> {
        let Some((last, first)) = pipeline.rest.split_last() else {
            self.before_stage(process, &pipeline.first)?;
            let pid = self.begin_stage(process, job_spec(process), &pipeline.first);
            return Ok(pid.into_iter().collect());
        };
        let before = std::iter::once(&pipeline.first).chain(first);
        Ok(
            match self.begin_stages(process, before, Some(Arc::new(Null))) {
                Ok(mut stages) => {
                    self.before_stage(process, last)?;
                    let mut spec = job_spec(process);
                    if let Some(input) = stages.input {
                        spec = spec.stdin(input);
                    }
                    let last = self.begin_stage(process, spec, last);
                    stages.pids.extend(last);
                    stages.pids
                }
                Err(pids) => pids,
            },
        )
    }
}

/// What a job begins with: it does not take the shell's input, nor its keyboard.
fn job_spec(process: &Process) -> Spec {
    child_spec(process)
        .stdin(Arc::new(Null))
        .ignoring(Signal::INT)
        .ignoring(Signal::QUIT)
}
