//! `time`, the program: the shell has a keyword of this name besides.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use bstr::{BStr, ByteSlice};
use hotcell_process::{LookupError, Process, error_text};
use hotcell_vfs::OpenOptions;

use crate::{Opt, Usage, Utility};

pub(crate) const UTILITY: Utility = Utility {
    usage: &USAGE,
    main,
};

const USAGE: Usage = Usage {
    name: "time",
    synopsis: "[OPTION]... COMMAND [ARG]...",
    summary: "Run COMMAND, then print the time that it took.",
    options: &[
        Opt::flag('a', "append", "with -o FILE, append instead of overwriting"),
        Opt::value(
            'f',
            "format",
            "FORMAT",
            "use the specified FORMAT instead of the default",
        ),
        Opt::value('o', "output", "FILE", "write to FILE instead of STDERR"),
        Opt::flag(
            'p',
            "portability",
            "print POSIX standard 1003.2 conformant string",
        ),
        Opt::flag(
            'q',
            "quiet",
            "do not print information about abnormal program termination",
        ),
        Opt::flag('v', "verbose", "print all resource usage information"),
    ],
    notes: "FORMAT knows %e %E %U %S %P %C %x %%, and as 0 what is not counted here.",
    error_code: 125,
    stops_at_operand: true,
    ..Usage::DEFAULT
};

const USUAL: &str = "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";

const VERBOSE: &str = "\tCommand being timed: \"%C\"
\tUser time (seconds): %U
\tSystem time (seconds): %S
\tPercent of CPU this job got: %P
\tElapsed (wall clock) time (h:mm:ss or m:ss): %E
\tAverage shared text size (kbytes): %X
\tAverage unshared data size (kbytes): %D
\tAverage stack size (kbytes): %p
\tAverage total size (kbytes): %K
\tMaximum resident set size (kbytes): %M
\tAverage resident set size (kbytes): %t
\tMajor (requiring I/O) page faults: %F
\tMinor (reclaiming a frame) page faults: %R
\tVoluntary context switches: %w
\tInvoluntary context switches: %c
\tSwaps: %W
\tFile system inputs: %I
\tFile system outputs: %O
\tSocket messages sent: %s
\tSocket messages received: %r
\tSignals delivered: %k
\tPage size (bytes): %Z
\tExit status: %x";

fn main(process: &Process) -> io::Result<i32> {
    let parsed = USAGE.parse(process);
    let Some(name) = parsed.operands.first() else {
        USAGE.fail(process, "missing program to run");
    };
    let out = match parsed.value("output") {
        None => None,
        Some(file) => {
            let options = if parsed.has("append") {
                OpenOptions::append().create()
            } else {
                OpenOptions::write().create().truncate()
            };
            match process.open(file, &options) {
                Ok(stream) => Some(stream),
                Err(error) => {
                    process.complain(format!("{file}: {}", error_text(&error)));
                    return Ok(125);
                }
            }
        }
    };
    let (began, busy) = (Instant::now(), process.busy());
    let code = match process.execute(process.spec(parsed.operands.iter().cloned())) {
        Ok(status) => status.code(),
        Err(error) => {
            let why = match &error {
                LookupError::NotFound => "No such file or directory".to_owned(),
                other => other.to_string(),
            };
            process.complain(format!("cannot run {name}: {why}"));
            error.code()
        }
    };
    let took = Took {
        elapsed: began.elapsed(),
        computed: process.busy().saturating_sub(busy),
        code,
        command: bstr::join(" ", &parsed.operands),
    };
    let format = match parsed.value("format") {
        Some(format) => format,
        None if parsed.has("verbose") => BStr::new(VERBOSE),
        None if parsed.has("portability") => BStr::new("real %e\nuser %U\nsys %S"),
        None => BStr::new(USUAL),
    };
    let mut text = Vec::new();
    if code != 0 && !parsed.has("quiet") {
        writeln!(text, "Command exited with non-zero status {code}")?;
    }
    took.fill(format, &mut text)?;
    match out {
        Some(stream) => process.write_all(&stream, &text)?,
        None => process.stderr().write_all(&text)?,
    }
    Ok(code)
}

struct Took {
    elapsed: Duration,
    computed: Duration,
    code: i32,
    command: Vec<u8>,
}

impl Took {
    fn fill(&self, format: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        let seconds = self.elapsed.as_secs_f64();
        let mut bytes = format.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'%' => match bytes.next() {
                    Some(b'e') => write!(out, "{seconds:.2}")?,
                    Some(b'E') => {
                        let (minutes, rest) = ((seconds / 60.0).floor(), seconds % 60.0);
                        if minutes >= 60.0 {
                            let hours = (minutes / 60.0).floor();
                            write!(out, "{hours}:{:02}:{:02}", minutes % 60.0, rest.floor())?;
                        } else {
                            write!(out, "{minutes}:{rest:05.2}")?;
                        }
                    }
                    Some(b'U') => write!(out, "{:.2}", self.computed.as_secs_f64())?,
                    Some(b'S') => out.extend_from_slice(b"0.00"),
                    Some(b'P') => {
                        let share = self.computed.as_secs_f64() / seconds.max(1e-9);
                        write!(out, "{:.0}%", (share * 100.0).min(100.0).floor())?;
                    }
                    Some(b'C') => out.extend_from_slice(&self.command),
                    Some(b'x') => write!(out, "{}", self.code)?,
                    Some(b'Z') => out.extend_from_slice(b"4096"),
                    Some(b'%') => out.push(b'%'),
                    Some(letter) if b"XDMIOFRWKtprsckw".contains(letter) => out.push(b'0'),
                    Some(other) => out.extend_from_slice(&[b'?', *other]),
                    None => out.push(b'?'),
                },
                b'\\' => match bytes.next() {
                    Some(b'n') => out.push(b'\n'),
                    Some(b't') => out.push(b'\t'),
                    Some(b'\\') => out.push(b'\\'),
                    Some(other) => out.extend_from_slice(&[b'?', b'\\', *other]),
                    None => out.extend_from_slice(b"?\\"),
                },
                byte => out.push(*byte),
            }
        }
        if !out.as_bstr().ends_with(b"\n") || format.is_empty() || !format.ends_with(b"\n") {
            out.push(b'\n');
        }
        Ok(())
    }
}
