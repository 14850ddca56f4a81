//! `time`, and `!`.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use hotcell_process::Process;

use crate::{
    ast::{Pipeline, Timed},
    flow::Outcome,
    shell::Shell,
};

/// What `TIMEFORMAT` is if nobody sets it.
const DEFAULT_FORMAT: &[u8] = b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";

/// The format of `time -p`.
const POSIX_FORMAT: &[u8] = b"real %2R\nuser %2U\nsys %2S";

impl Shell {
    /// Runs a pipeline that is more than one command.
    pub(super) fn run_timed_pipeline(&mut self, process: &Process, pipeline: &Pipeline) -> Outcome {
        if pipeline.timed == Timed::No {
            return self.run_negated_pipeline(process, pipeline);
        }
        let (began, busy) = (Instant::now(), process.busy());
        let outcome = self.run_negated_pipeline(process, pipeline);
        let times = Times {
            real: began.elapsed(),
            // All of it: what the host's kernel does for the run is not told apart.
            user: process.busy().saturating_sub(busy),
        };
        let format = match pipeline.timed {
            Timed::Posix => Some(POSIX_FORMAT.into()),
            _ => self.variable(process, b"TIMEFORMAT"),
        };
        let report = times.format(format.as_ref().map_or(DEFAULT_FORMAT, |format| format));
        if !report.is_empty() {
            let _ = process.stderr().write_all(&report);
        }
        outcome
    }

    fn run_negated_pipeline(&mut self, process: &Process, pipeline: &Pipeline) -> Outcome {
        if !pipeline.negated {
            return self.run_stages(process, pipeline);
        }
        let status = self.forgiving(|shell| shell.run_stages(process, pipeline))?;
        Ok(self.set_status(i32::from(status == 0)))
    }

    fn run_stages(&mut self, process: &Process, pipeline: &Pipeline) -> Outcome {
        if pipeline.rest.is_empty() {
            return self.run_command(process, &pipeline.first);
        }
        let has_trap = self.has_error_trap();
        let status = self.run_piped(process, pipeline)?;
        self.check_failure(process, status, has_trap)
    }
}

struct Times {
    real: Duration,
    user: Duration,
}

impl Times {
    /// What `TIMEFORMAT` makes of the times, with a newline at its end unless there is nothing at all.
    fn format(&self, format: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut bytes = format.iter().copied();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            let mut precision = 3;
            let mut long = false;
            let letter = loop {
                match bytes.next() {
                    Some(digit @ b'0'..=b'9') => precision = usize::from(digit - b'0').min(3),
                    Some(b'l') => long = true,
                    other => break other,
                }
            };
            match letter {
                Some(b'%') | None => text.push(b'%'),
                Some(b'R') => push_time(&mut text, self.real, precision, long),
                Some(b'U') => push_time(&mut text, self.user, precision, long),
                Some(b'S') => push_time(&mut text, Duration::ZERO, precision, long),
                Some(b'P') => {
                    let percent = if self.real.is_zero() {
                        0.0
                    } else {
                        self.user.as_secs_f64() / self.real.as_secs_f64() * 100.0
                    };
                    text.extend_from_slice(format!("{percent:.2}").as_bytes());
                }
                Some(other) => text.extend_from_slice(&[b'%', other]),
            }
        }
        if !text.is_empty() {
            text.push(b'\n');
        }
        text
    }
}

/// `1.234`, or `0m1.234s` if `long`. Digits that do not fit are cut off.
fn push_time(text: &mut Vec<u8>, time: Duration, precision: usize, long: bool) {
    let (minutes, seconds) = if long {
        (time.as_secs() / 60, time.as_secs() % 60)
    } else {
        (0, time.as_secs())
    };
    if long {
        text.extend_from_slice(format!("{minutes}m").as_bytes());
    }
    text.extend_from_slice(seconds.to_string().as_bytes());
    if precision > 0 {
        let millis = format!("{:03}", time.subsec_millis());
        text.push(b'.');
        text.extend(millis.bytes().take(precision));
    }
    if long {
        text.push(b's');
    }
}
