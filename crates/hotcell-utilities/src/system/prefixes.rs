//! `nohup`, `stdbuf`, `nice` and `setsid`: commands that run another in a slightly different way.

use std::io;

use hotcell_process::{Disposition, LookupError, Process, Signal};

use crate::{Opt, Parsed, Usage, Utility, quote::quote};

pub(crate) const NOHUP: Utility = Utility {
    usage: &NOHUP_USAGE,
    main: nohup,
};
pub(crate) const STDBUF: Utility = Utility {
    usage: &STDBUF_USAGE,
    main: stdbuf,
};
pub(crate) const NICE: Utility = Utility {
    usage: &NICE_USAGE,
    main: nice,
};
pub(crate) const SETSID: Utility = Utility {
    usage: &SETSID_USAGE,
    main: setsid,
};

const NOHUP_USAGE: Usage = Usage {
    name: "nohup",
    synopsis: "COMMAND [ARG]...\nOPTION",
    summary: "Run COMMAND, ignoring hangup signals.",
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

const STDBUF_USAGE: Usage = Usage {
    name: "stdbuf",
    synopsis: "OPTION... COMMAND",
    summary: "Run COMMAND, with modified buffering operations for its standard streams.",
    options: &[
        Opt::value(
            'i',
            "input",
            "MODE",
            "adjust standard input stream buffering",
        ),
        Opt::value(
            'o',
            "output",
            "MODE",
            "adjust standard output stream buffering",
        ),
        Opt::value(
            'e',
            "error",
            "MODE",
            "adjust standard error stream buffering",
        ),
    ],
    notes: "Utilities here write when their buffer is full and when they end, whatever MODE is:\n\
            nobody can tell, except at a terminal, where they write at once.",
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

const NICE_USAGE: Usage = Usage {
    name: "nice",
    synopsis: "[OPTION] [COMMAND [ARG]...]",
    summary: "Run COMMAND with an adjusted niceness.  With no COMMAND, print the current niceness.",
    options: &[Opt::value(
        'n',
        "adjustment",
        "N",
        "add integer N to the niceness (default 10)",
    )],
    notes: "There is no niceness here: it is 0, and stays.",
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

const SETSID_USAGE: Usage = Usage {
    name: "setsid",
    synopsis: "[options] <program> [arguments ...]",
    summary: "Run a program in a new session.",
    options: &[
        Opt::flag(
            'c',
            "ctty",
            "set the controlling terminal to the current one",
        ),
        Opt::flag('f', "fork", "always fork"),
        Opt::flag('w', "wait", "wait program to exit, and use the same return"),
    ],
    stops_at_operand: true,
    ..Usage::DEFAULT
};

/// Runs the command that the operands are, in the place of this process.
fn run(process: &Process, parsed: &Parsed) -> i32 {
    let name = parsed.operands.first().cloned().unwrap_or_default();
    match process.execute(process.spec(parsed.operands.iter().cloned())) {
        Ok(status) => status.code(),
        Err(error) => {
            let why = match &error {
                LookupError::NotFound => "No such file or directory".to_owned(),
                other => other.to_string(),
            };
            process.complain(
                [
                    b"failed to run command ",
                    quote(&name).as_slice(),
                    b": ",
                    why.as_bytes(),
                ]
                .concat(),
            );
            error.code()
        }
    }
}

fn nohup(process: &Process) -> io::Result<i32> {
    let parsed = NOHUP_USAGE.parse(process);
    if parsed.operands.is_empty() {
        NOHUP_USAGE.fail(process, "missing operand");
    }
    process.set_disposition(Signal::HUP, Disposition::Ignore);
    Ok(run(process, &parsed))
}

fn stdbuf(process: &Process) -> io::Result<i32> {
    let parsed = STDBUF_USAGE.parse(process);
    if parsed.operands.is_empty() {
        STDBUF_USAGE.fail(process, "missing operand");
    }
    if parsed.iter().next().is_none() {
        STDBUF_USAGE.fail(process, "you must specify a buffering mode option");
    }
    for (_, mode) in parsed.iter() {
        let mode = mode.unwrap_or_default();
        let is_known = mode == "L" || mode == "0" || crate::number::with_suffix(mode).is_some();
        if !is_known {
            process.complain([b"invalid mode ", quote(mode).as_slice()].concat());
            return Ok(125);
        }
    }
    Ok(run(process, &parsed))
}

fn nice(process: &Process) -> io::Result<i32> {
    use std::io::Write;
    let parsed = NICE_USAGE.parse(process);
    if parsed.operands.is_empty() {
        writeln!(process.stdout(), "0")?;
        return Ok(0);
    }
    Ok(run(process, &parsed))
}

fn setsid(process: &Process) -> io::Result<i32> {
    let parsed = SETSID_USAGE.parse(process);
    if parsed.operands.is_empty() {
        SETSID_USAGE.fail(process, "no command specified");
    }
    Ok(run(process, &parsed))
}
