//! `timeout`.

use std::{
    io,
    task::Poll,
    time::{Duration, Instant},
};

use bstr::ByteSlice;
use hotcell_process::{LookupError, Process, Signal, Status};

use super::duration;
use crate::{Opt, Usage, Utility, quote::quote};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "timeout",
    synopsis: "[OPTION] DURATION COMMAND [ARG]...",
    summary: "Start COMMAND, and kill it if still running after DURATION.",
    options: &[
        Opt::flag(
            '\0',
            "preserve-status",
            "exit with the same status as COMMAND,\neven when the command times out",
        ),
        Opt::flag(
            '\0',
            "foreground",
            "when not running timeout directly from a shell prompt,\nallow COMMAND to read from the TTY and get TTY signals",
        ),
        Opt::value(
            'k',
            "kill-after",
            "DURATION",
            "also send a KILL signal if COMMAND is still running\nthis long after the initial signal was sent",
        ),
        Opt::value(
            's',
            "signal",
            "SIGNAL",
            "specify the signal to be sent on timeout",
        ),
        Opt::flag(
            'v',
            "verbose",
            "diagnose to stderr any signal sent upon timeout",
        ),
    ],
    notes: "If the command times out, and --preserve-status is not set, then exit with\n\
            status 124.  Otherwise, exit with the status of COMMAND.",
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let (Some(limit), true) = (parsed.operands.first(), parsed.operands.len() > 1) else {
        let name = process.name();
        let _ = std::io::Write::write_all(
            &mut process.stderr(),
            format!("Try '{name} --help' for more information.\n").as_bytes(),
        );
        process.exit(125);
    };
    let interval = |text: &[u8]| {
        duration::parse(text).unwrap_or_else(|| {
            USAGE.fail(
                process,
                [b"invalid time interval ", quote(text).as_slice()].concat(),
            )
        })
    };
    let limit = interval(limit);
    let kill_after = parsed.value("kill-after").map(|text| interval(text));
    let signal = match parsed.value("signal") {
        None => Signal::TERM,
        Some(text) => {
            let name = text.to_str().unwrap_or_default();
            let known = name
                .parse()
                .ok()
                .and_then(Signal::from_number)
                .or_else(|| Signal::from_name(name));
            known.unwrap_or_else(|| {
                USAGE.fail(
                    process,
                    [quote(text).as_slice(), b": invalid signal"].concat(),
                )
            })
        }
    };
    let words = parsed.operands.get(1..).unwrap_or_default();
    let name = words.first().cloned().unwrap_or_default();
    let child = match process.execute_beside(process.spec(words.iter().cloned())) {
        Ok(child) => child?,
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
            return Ok(error.code());
        }
    };
    let wait = |duration: Duration| match Instant::now().checked_add(duration) {
        Some(time) if !duration.is_zero() => process.wait_until(child, time),
        // No limit at all.
        _ => Poll::Ready(process.wait(child)),
    };
    if let Poll::Ready(status) = wait(limit) {
        return Ok(status.map_or(125, Status::code));
    }
    let send = |signal: Signal| {
        if parsed.has("verbose") {
            process.complain(
                [
                    format!("sending signal {} to command ", signal.name()).as_bytes(),
                    &quote(&name),
                ]
                .concat(),
            );
        }
        if parsed.has("foreground") {
            process.kill(child, signal);
        } else {
            // What the command has begun is in its group.
            process.kill_tree(child, signal);
        }
    };
    send(signal);
    let status = match kill_after.map(wait) {
        Some(Poll::Pending) => {
            send(Signal::KILL);
            process.wait(child)
        }
        Some(Poll::Ready(status)) => status,
        None => process.wait(child),
    };
    let was_killed = status == Some(Status::Signaled(Signal::KILL));
    if parsed.has("preserve-status") || was_killed {
        return Ok(status.map_or(125, Status::code));
    }
    Ok(124)
}
