//! `jobs`, `disown`, `fg`, `bg`, `suspend`

use bstr::{BString, ByteSlice};
use hotcell_process::Process;

use super::{
    Builtin, Run,
    arguments::{complain, print},
    parse,
};
use crate::{flow::Outcome, jobs::JobError, settings::Setting, shell::Shell};

pub(super) const JOBS: Builtin = Builtin {
    name: "jobs",
    synopsis: "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
    help: "List the jobs that run in the background.\n\
           -l with process IDs; -p only process IDs; -n only what changed; -r only running ones; -s only stopped ones;\n\
           -x run a command with job specifications replaced by process IDs.",
    is_special: false,
    run: Run::Fields(run_jobs),
};

pub(super) const DISOWN: Builtin = Builtin {
    name: "disown",
    synopsis: "disown [-h] [-ar] [jobspec ... | pid ...]",
    help: "Forget jobs: the current one, those given, all of them with -a, the running ones with -r.\n\
           -h keep them, but do not send them SIGHUP.",
    is_special: false,
    run: Run::Fields(run_disown),
};

pub(super) const FG: Builtin = Builtin {
    name: "fg",
    synopsis: "fg [job_spec]",
    help: "Wait for a job as if it had been started in the foreground. Needs `set -m'.",
    is_special: false,
    run: Run::Fields(run_fg),
};

pub(super) const BG: Builtin = Builtin {
    name: "bg",
    synopsis: "bg [job_spec ...]",
    help: "Let stopped jobs go on in the background. Needs `set -m'.",
    is_special: false,
    run: Run::Fields(run_bg),
};

pub(super) const SUSPEND: Builtin = Builtin {
    name: "suspend",
    synopsis: "suspend [-f]",
    help: "Stop the shell until it is told to go on. There is nobody here who could tell it.",
    is_special: false,
    run: Run::Fields(|shell, process, _| {
        complain(shell, process, "suspend", "cannot suspend: no job control");
        Ok(1)
    }),
};

fn run_jobs(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(JOBS, shell, process, fields, "lpnxrs");
    shell.reap(process);
    if parsed.has(b'x') {
        return run_with_pids(shell, process, parsed.operands);
    }
    let mut numbers = Vec::new();
    let mut status = 0;
    for operand in parsed.operands {
        match shell.job_number(process, "jobs", operand) {
            Some(number) => numbers.push(number),
            None => status = 1,
        }
    }
    let mut shown = Vec::new();
    for job in shell.jobs.iter() {
        let is_wanted = parsed.operands.is_empty() || numbers.contains(&job.number);
        // None ever stops, and changes are told when they happen.
        if !is_wanted || parsed.has(b's') || parsed.has(b'n') {
            continue;
        }
        if parsed.has(b'p') {
            let first = job.processes.first().map_or(0, |(pid, _)| pid.0);
            shown.extend_from_slice(format!("{first}\n").as_bytes());
        } else {
            shown.extend_from_slice(&shell.jobs.line(job, parsed.has(b'l')));
        }
    }
    let printed = print(shell, process, "jobs", &shown)?;
    Ok(status.max(printed))
}

/// `jobs -x`
fn run_with_pids(shell: &mut Shell, process: &Process, operands: &[BString]) -> Outcome {
    let fields: Vec<BString> = operands
        .iter()
        .map(|operand| match shell.jobs.find(operand) {
            Ok(job) if operand.starts_with(b"%") => job.pid().to_string().into(),
            _ => operand.clone(),
        })
        .collect();
    shell.run_words(process, &fields)
}

fn run_disown(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(DISOWN, shell, process, fields, "har");
    shell.reap(process);
    let mut numbers: Vec<usize> = Vec::new();
    let mut status = 0;
    if parsed.operands.is_empty() {
        if parsed.has(b'a') || parsed.has(b'r') {
            numbers = shell.jobs.iter().map(|job| job.number).collect();
        } else if let Some(number) = shell.jobs.current().0 {
            numbers.push(number);
        } else {
            complain(shell, process, "disown", "current: no such job");
            status = 1;
        }
    }
    for operand in parsed.operands {
        match shell.job_number(process, "disown", operand) {
            Some(number) => numbers.push(number),
            None => status = 1,
        }
    }
    if !parsed.has(b'h') {
        for number in numbers {
            shell.jobs.remove(number);
        }
    }
    Ok(status)
}

fn run_fg(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(FG, shell, process, fields, "");
    if !shell.has(Setting::Monitor) {
        complain(shell, process, "fg", "no job control");
        return Ok(1);
    }
    shell.reap(process);
    let spec = parsed.operands.first().cloned();
    let Some(number) = current_or(shell, process, "fg", spec.as_ref()) else {
        return Ok(1);
    };
    let found = shell.jobs.iter().find(|job| job.number == number);
    let Some((pid, text)) = found.map(|job| (job.pid(), job.text.clone())) else {
        return Ok(1);
    };
    print(shell, process, "fg", &[text.as_slice(), b"\n"].concat())?;
    // What is in the foreground is not told about when it ends.
    shell.settings.set(Setting::Monitor, false);
    let status = shell.wait_for(process, pid);
    shell.settings.set(Setting::Monitor, true);
    Ok(status.map_or(128, hotcell_process::Status::code))
}

fn run_bg(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(BG, shell, process, fields, "");
    if !shell.has(Setting::Monitor) {
        complain(shell, process, "bg", "no job control");
        return Ok(1);
    }
    shell.reap(process);
    let spec = parsed.operands.first().cloned();
    match current_or(shell, process, "bg", spec.as_ref()) {
        Some(number) => {
            let text = format!("job {number} already in background");
            complain(shell, process, "bg", text);
            Ok(0)
        }
        None => Ok(1),
    }
}

fn current_or(
    shell: &Shell,
    process: &Process,
    name: &str,
    spec: Option<&BString>,
) -> Option<usize> {
    if let Some(spec) = spec {
        shell.job_number(process, name, spec)
    } else {
        let current = shell.jobs.current().0;
        if current.is_none() {
            complain(shell, process, name, "current: no such job");
        }
        current
    }
}

impl Shell {
    /// The number of the job that an argument means; a complaint if there is none.
    pub(crate) fn job_number(
        &self,
        process: &Process,
        name: &str,
        spec: &BString,
    ) -> Option<usize> {
        let by_pid = spec
            .to_str()
            .ok()
            .and_then(|text| text.parse().ok())
            .and_then(|pid| self.jobs.of(hotcell_process::Pid(pid)));
        if let Some(job) = by_pid {
            return Some(job.number);
        }
        match self.jobs.find(spec) {
            Ok(job) => Some(job.number),
            Err(error) => {
                if let JobError::Ambiguous(text) = error {
                    complain(self, process, name, format!("{text}: ambiguous job spec"));
                }
                complain(self, process, name, format!("{spec}: no such job"));
                None
            }
        }
    }
}
