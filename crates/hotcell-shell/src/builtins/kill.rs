//! `kill`

use std::fmt::Write;

use bstr::{BString, ByteSlice};
use hotcell_process::{Pid, Process, Signal};

use super::{
    Builtin, Run,
    arguments::{complain, print},
};
use crate::{flow::Outcome, shell::Shell, traps::Condition};

pub(super) const KILL: Builtin = Builtin {
    name: "kill",
    synopsis: "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    help: "Send a signal, TERM if none is named, to processes or jobs. Signal 0 only looks whether they are there.\n\
           -l list the names of signals, or translate between names and numbers.",
    is_special: false,
    run: Run::Fields(run),
};

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let arguments = fields.get(1..).unwrap_or_default();
    if let [option, rest @ ..] = arguments
        && (option == "-l" || option == "-L")
    {
        return list(shell, process, rest);
    }
    let (name, mut operands): (&[u8], _) = match arguments {
        [option, rest @ ..] if option == "-s" || option == "-n" => {
            let Some((name, rest)) = rest.split_first() else {
                let text = format!("{option}: option requires an argument");
                complain(shell, process, "kill", text);
                return Ok(KILL.usage(process));
            };
            (name, rest)
        }
        [option, rest @ ..] if option.len() > 1 && option.starts_with(b"-") && option != "--" => {
            (option.get(1..).unwrap_or_default(), rest)
        }
        _ => (b"TERM", arguments),
    };
    let Ok(signal) = named(name) else {
        let text = [name, b": invalid signal specification"].concat();
        complain(shell, process, "kill", text);
        return Ok(1);
    };
    if operands.first().is_some_and(|first| first == "--") {
        operands = operands.get(1..).unwrap_or_default();
    }
    if operands.is_empty() {
        return Ok(KILL.usage(process));
    }
    shell.reap(process);
    let mut sent = 0;
    for operand in operands {
        sent += usize::from(send(shell, process, operand, signal));
    }
    Ok(i32::from(sent == 0))
}

/// The signal of a name or number; `None` for 0.
fn named(name: &[u8]) -> Result<Option<Signal>, ()> {
    if name == b"0" || name.eq_ignore_ascii_case(b"EXIT") {
        return Ok(None);
    }
    let condition = Condition::parse(name).ok_or(())?;
    condition.signal().map(Some).ok_or(())
}

fn send(shell: &mut Shell, process: &Process, operand: &BString, signal: Option<Signal>) -> bool {
    let pids: Vec<Pid> = if operand.starts_with(b"%") {
        let Some(number) = shell.job_number(process, "kill", operand) else {
            return false;
        };
        let jobs = shell.jobs.iter().filter(|job| job.number == number);
        jobs.flat_map(|job| job.processes.iter())
            .filter(|(_, status)| status.is_none())
            .map(|(pid, _)| *pid)
            .collect()
    } else {
        let Some(number) = operand
            .to_str()
            .ok()
            .and_then(|text| text.parse::<i64>().ok())
        else {
            let text = [
                operand.as_slice(),
                b": arguments must be process or job IDs",
            ]
            .concat();
            complain(shell, process, "kill", text);
            return false;
        };
        // All processes of a run are one group: that of the shell.
        let number = if number == 0 {
            i64::from(shell.pid.0)
        } else {
            number.abs()
        };
        vec![Pid(u32::try_from(number).unwrap_or(u32::MAX))]
    };
    let mut any = false;
    for pid in pids {
        let there = match signal {
            Some(signal) => process.kill(pid, signal),
            None => process.is_alive(pid) || pid == process.pid(),
        };
        if !there {
            complain(
                shell,
                process,
                "kill",
                format!("({operand}) - No such process"),
            );
        }
        any |= there;
    }
    any
}

fn list(shell: &mut Shell, process: &Process, operands: &[BString]) -> Outcome {
    if operands.is_empty() {
        return print(shell, process, "kill", signal_table().as_bytes());
    }
    let mut lines = String::new();
    let mut status = 0;
    for operand in operands {
        let text = operand.to_str().unwrap_or_default();
        let shown = match text.parse::<i32>() {
            // An exit status tells the signal, too.
            Ok(number) => {
                let number = if number > 128 { number - 128 } else { number };
                match number {
                    0 => Some("EXIT".to_owned()),
                    number => Signal::from_number(number).map(|signal| signal.name().to_owned()),
                }
            }
            Err(_) => Signal::from_name(text).map(|signal| signal.number().to_string()),
        };
        if let Some(shown) = shown {
            lines.push_str(&shown);
            lines.push('\n');
        } else {
            complain(
                shell,
                process,
                "kill",
                format!("{operand}: invalid signal specification"),
            );
            status = 1;
        }
    }
    let printed = print(shell, process, "kill", lines.as_bytes())?;
    Ok(status.max(printed))
}

/// The names of all signals, five in a line, as `kill -l` and `trap -l` print them.
pub(super) fn signal_table() -> String {
    let mut names: Vec<(i32, String)> = Signal::all()
        .map(|signal| (signal.number(), format!("SIG{}", signal.name())))
        .collect();
    // The ones for programs that agree on their meaning: they exist by name only.
    names.extend((34..=64).map(|number| (number, realtime_name(number))));
    let mut table = String::new();
    for (index, (number, name)) in names.iter().enumerate() {
        let end = if index % 5 == 4 { '\n' } else { '\t' };
        let _ = write!(table, "{number:>2}) {name}{end}");
    }
    if !table.ends_with('\n') {
        table.push('\n');
    }
    table
}

fn realtime_name(number: i32) -> String {
    match number {
        34 => "SIGRTMIN".into(),
        64 => "SIGRTMAX".into(),
        35..=49 => format!("SIGRTMIN+{}", number - 34),
        _ => format!("SIGRTMAX-{}", 64 - number),
    }
}
