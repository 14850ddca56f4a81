//! `wait`

use bstr::{BString, ByteSlice};
use hotcell_process::{Pid, Process};

use super::{Builtin, Run, arguments::complain, parse};
use crate::{flow::Outcome, jobs::Job, shell::Shell};

pub(super) const WAIT: Builtin = Builtin {
    name: "wait",
    synopsis: "wait [-fn] [-p var] [id ...]",
    help: "Wait for jobs or processes, for all of them without arguments, and return the status of the last one.\n\
           -n wait for the next one to end; -p VAR set VAR to its process ID; -f wait until it ends, not only stops.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(WAIT, shell, process, fields, "fnp:");
    let variable = parsed.value(b'p').map(ToOwned::to_owned);
    if let Some(variable) = &variable {
        shell.unset_variable(variable);
    }
    if parsed.has(b'n') {
        return wait_next(shell, process, parsed.operands, variable.as_ref());
    }
    if parsed.operands.is_empty() {
        return wait_all(shell, process);
    }
    let mut status = 0;
    for operand in parsed.operands {
        let pid = match pid_of(shell, process, operand) {
            Ok(pid) => pid,
            Err(failed) => {
                status = failed;
                continue;
            }
        };
        match shell.wait_for(process, pid) {
            Some(ended) => {
                shell.jobs.claim(pid);
                status = ended.code();
            }
            None => return Ok(interrupted(process)),
        }
        if let Some(variable) = &variable {
            let _ = shell.set_variable(process, variable, pid.to_string().into());
        }
    }
    Ok(status)
}

fn wait_all(shell: &mut Shell, process: &Process) -> Outcome {
    loop {
        shell.reap(process);
        // The last process substitution, too, if nothing else has been begun since.
        let has_substitution = shell
            .background
            .is_some_and(|pid| shell.jobs.is_hidden(pid));
        let is_done = shell.jobs.iter().next().is_none() && !has_substitution;
        if shell.jobs.is_lent() || is_done {
            shell.jobs.forget();
            return Ok(0);
        }
        if shell.wait_for_any(process).is_none() {
            return Ok(interrupted(process));
        }
    }
}

/// The process that an argument means, if it is a child; otherwise the status.
fn pid_of(shell: &mut Shell, process: &Process, operand: &BString) -> Result<Pid, i32> {
    shell.reap(process);
    if operand.starts_with(b"%") {
        let number = shell.job_number(process, "wait", operand).ok_or(127)?;
        let mut jobs = shell.jobs.iter();
        return jobs
            .find(|job| job.number == number)
            .map(super::super::jobs::Job::pid)
            .ok_or(127);
    }
    let Some(pid) = operand
        .to_str()
        .ok()
        .and_then(|text| text.parse().ok())
        .map(Pid)
    else {
        let text = [b"`", operand.as_slice(), b"': not a pid or valid job spec"].concat();
        complain(shell, process, "wait", text);
        return Err(1);
    };
    let is_child = shell.jobs.of(pid).is_some()
        || shell.jobs.is_hidden(pid)
        || shell.jobs.remembered(pid).is_some();
    if !is_child {
        let text = format!("pid {pid} is not a child of this shell");
        complain(shell, process, "wait", text);
        return Err(127);
    }
    Ok(pid)
}

/// `wait -n`: for whichever of these, or of all, ends first.
fn wait_next(
    shell: &mut Shell,
    process: &Process,
    operands: &[BString],
    variable: Option<&BString>,
) -> Outcome {
    let mut wanted = Vec::new();
    for operand in operands {
        match pid_of(shell, process, operand) {
            Ok(pid) => wanted.push(pid),
            Err(status) => return Ok(status),
        }
    }
    if operands.is_empty() {
        wanted = shell.jobs.fresh().to_vec();
        wanted.extend(shell.jobs.iter().map(Job::pid));
    }
    loop {
        shell.reap(process);
        let ended = wanted
            .iter()
            .copied()
            .find(|pid| shell.jobs.of(*pid).is_none());
        if let Some(pid) = ended {
            let status = shell
                .jobs
                .claim(pid)
                .map_or(127, hotcell_process::Status::code);
            if let Some(variable) = variable {
                let _ = shell.set_variable(process, variable, pid.to_string().into());
            }
            return Ok(status);
        }
        if wanted.is_empty() {
            return Ok(127);
        }
        if shell.wait_for_any(process).is_none() {
            return Ok(interrupted(process));
        }
    }
}

/// The status of a `wait` that a signal ended: the trap runs next.
fn interrupted(process: &Process) -> i32 {
    let signal = process.first_caught();
    128 + signal.map_or(0, hotcell_process::Signal::number)
}
