//! `read`

use std::{
    io,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use bstr::{BString, ByteSlice};
use hotcell_meter::Charge;
use hotcell_process::{Fd, Process, Stream};

use super::{
    Builtin, Run,
    arguments::{complain, number},
    parse,
};
use crate::{
    fields::{Escaped, Separators},
    flow::{Flow, Outcome},
    names::is_name,
    shell::Shell,
};

pub(super) const READ: Builtin = Builtin {
    name: "read",
    synopsis: "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    help: "Read a line of standard input, split it at the characters of IFS, and assign the fields to variables; the last\n\
           one gets the rest. Without names the line is in REPLY.\n\
           -a ARRAY assign to an array; -d DELIM end at DELIM instead of a newline; -n N read at most N characters;\n\
           -N N read N characters whatever they are; -p TEXT a prompt, on a terminal; -r backslashes are nothing special;\n\
           -t SECONDS give up then; -u FD read from FD; -e, -i, -s are for terminals.",
    is_special: false,
    run: Run::Fields(run),
};

/// How much is asked for at once.
const PIECE: usize = 4096;

/// The status of a read that took too long.
const TIMED_OUT: i32 = 142;

struct Reading {
    stream: Arc<dyn Stream>,
    raw: bool,
    delimiter: u8,
    /// At most so many characters.
    most: Option<usize>,
    /// `-N`: the delimiter is a character as others.
    exactly: bool,
    until: Option<Instant>,
}

/// Why reading ended.
#[derive(PartialEq)]
enum End {
    Delimiter,
    Count,
    Input,
    Timeout,
}

fn run(shell: &mut Shell, process: &Process, fields: &[BString]) -> Outcome {
    let parsed = parse!(READ, shell, process, fields, "ersa:d:i:n:N:p:t:u:");
    let mut fd: Fd = 0;
    let mut reading = Reading {
        stream: Arc::new(hotcell_process::Null),
        raw: parsed.has(b'r'),
        delimiter: b'\n',
        most: None,
        exactly: false,
        until: None,
    };
    let mut polls = false;
    for (letter, value) in parsed.iter() {
        let value = value.unwrap_or_default();
        match letter {
            b'd' => reading.delimiter = value.first().copied().unwrap_or(0),
            b'n' | b'N' => {
                let Some(count) = number(value).and_then(|count| usize::try_from(count).ok())
                else {
                    complain(shell, process, "read", format!("{value}: invalid number"));
                    return Ok(1);
                };
                reading.most = Some(count);
                reading.exactly = letter == b'N';
            }
            b't' => {
                let Some(timeout) = seconds(value) else {
                    complain(
                        shell,
                        process,
                        "read",
                        format!("{value}: invalid timeout specification"),
                    );
                    return Ok(1);
                };
                polls = timeout.is_zero();
                reading.until = Instant::now().checked_add(timeout);
            }
            b'u' => {
                let Some(number) = number(value).and_then(|fd| Fd::try_from(fd).ok()) else {
                    let text = format!("{value}: invalid file descriptor specification");
                    complain(shell, process, "read", text);
                    return Ok(1);
                };
                fd = number;
            }
            _ => {}
        }
    }
    reading.stream = if let Ok(stream) = process.descriptor(fd) {
        stream
    } else {
        let text = format!("{fd}: invalid file descriptor: Bad file descriptor");
        complain(shell, process, "read", text);
        return Ok(1);
    };
    if polls {
        return Ok(i32::from(!reading.stream.is_ready()));
    }
    if let Some(first) = parsed.operands.first()
        && !is_target(first)
    {
        let text = [b"`", first.as_slice(), b"': not a valid identifier"].concat();
        complain(shell, process, "read", text);
        return Ok(1);
    }
    if let Some(prompt) = parsed.value(b'p')
        && reading.stream.is_terminal()
    {
        use std::io::Write;
        let _ = process.stderr().write_all(prompt);
    }
    // What is held for the line stays charged until it is assigned.
    let (line, end, mut charge) = match reading.read(shell, process)? {
        Ok(read) => read,
        Err(error) => {
            let reason = hotcell_process::error_text(&error);
            complain(
                shell,
                process,
                "read",
                format!("read error: {fd}: {reason}"),
            );
            return Ok(1);
        }
    };
    let assigned = shell.evaluating(b"read", |shell| match parsed.value(b'a') {
        Some(array) => assign_array(shell, process, array, &line, &mut charge),
        None => assign(shell, process, parsed.operands, &line, &reading),
    });
    let assigned = Shell::as_status(assigned)?;
    Ok(match end {
        End::Timeout => TIMED_OUT,
        End::Input => 1,
        End::Delimiter | End::Count => assigned,
    })
}

/// Whether something can be assigned to: a name, or an element of an array.
fn is_target(text: &[u8]) -> bool {
    match text.split_once_str("[") {
        Some((name, rest)) => is_name(name) && rest.len() > 1 && rest.ends_with(b"]"),
        None => is_name(text),
    }
}

fn seconds(text: &[u8]) -> Option<Duration> {
    let text = text.to_str().ok()?;
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| is_number)?;
    Duration::try_from_secs_f64(seconds).ok()
}

impl Reading {
    /// Reads up to where it ends; the outer error is for traps.
    fn read(
        &self,
        shell: &mut Shell,
        process: &Process,
    ) -> Result<io::Result<(Escaped, End, Charge)>, Flow> {
        let mut line = Escaped::default();
        let mut is_escaped = false;
        let mut characters = 0;
        let mut piece = [0; PIECE];
        let mut charge = match process.charge(0) {
            Ok(charge) => charge,
            Err(error) => return Ok(Err(error)),
        };
        if self.most == Some(0) {
            return Ok(Ok((line, End::Count, charge)));
        }
        let end = 'read: loop {
            // Characters are counted, so no more than one is taken at once then.
            let room = if self.most.is_some() { 1 } else { PIECE };
            let buffer = piece.get_mut(..room).unwrap_or_default();
            let count = match self.read_piece(shell, process, buffer)? {
                None => break End::Timeout,
                Some(Err(error)) => return Ok(Err(error)),
                Some(Ok(0)) => break End::Input,
                Some(Ok(count)) => count,
            };
            // A stream without an end has something each time, and may have it without waiting.
            process.spend(count);
            for byte in piece.get(..count).unwrap_or_default() {
                if is_escaped {
                    is_escaped = false;
                    if *byte == b'\n' && self.delimiter == b'\n' {
                        continue;
                    }
                    line.push_escaped(*byte);
                } else if *byte == b'\\' && !self.raw {
                    is_escaped = true;
                    continue;
                } else if *byte == self.delimiter && !self.exactly {
                    break 'read End::Delimiter;
                } else if *byte == 0 {
                    continue;
                } else {
                    line.push(*byte);
                }
                if let Some(most) = self.most {
                    characters += usize::from(line.ends_with_character());
                    if characters >= most {
                        break 'read End::Count;
                    }
                }
            }
            // Bytes that are dropped, such as NUL, are not held.
            if let Err(full) = charge.resize(line.held()) {
                return Ok(Err(hotcell_process::limit_error(full)));
            }
        };
        Ok(Ok((line, end, charge)))
    }

    /// A piece of the input that does not go beyond the delimiter; `None` if it took too long.
    fn read_piece(
        &self,
        shell: &mut Shell,
        process: &Process,
        buffer: &mut [u8],
    ) -> Result<Option<io::Result<usize>>, Flow> {
        let end = if self.exactly { b'\n' } else { self.delimiter };
        loop {
            process.spend(1);
            let mut poll = || {
                let read = self.stream.poll_read_until(end, buffer, process.waker());
                match read {
                    Poll::Pending if process.has_caught() => Poll::Ready(None),
                    other => other.map(Some),
                }
            };
            let read = match self.until {
                Some(time) => match process.until(time, poll) {
                    Poll::Ready(read) => read,
                    Poll::Pending => return Ok(None),
                },
                None => process.block_on_poll(|_| poll()),
            };
            match read {
                Some(read) => return Ok(Some(read)),
                None => shell.run_signal_traps(process)?,
            }
        }
    }
}

fn assign(
    shell: &mut Shell,
    process: &Process,
    names: &[BString],
    line: &Escaped,
    reading: &Reading,
) -> Outcome {
    if names.is_empty() {
        shell.set_variable(process, b"REPLY", line.text().into())?;
        return Ok(0);
    }
    let separators = Separators::of(shell, process);
    let mut rest = line.split(&separators, process);
    let mut status = 0;
    for (index, name) in names.iter().enumerate() {
        if !is_target(name) {
            let text = [b"`", name.as_slice(), b"': not a valid identifier"].concat();
            complain(shell, process, "read", text);
            return Ok(1);
        }
        let value = if reading.exactly {
            let whole = if index == 0 { line.text() } else { b"" };
            whole.into()
        } else if index + 1 == names.len() {
            rest.take_last()
        } else {
            rest.next().unwrap_or_default()
        };
        if let Err(flow) = shell.set_variable(process, name, value) {
            status = Shell::as_status(Err(flow))?;
        }
    }
    Ok(status)
}

fn assign_array(
    shell: &mut Shell,
    process: &Process,
    array: &[u8],
    line: &Escaped,
    charge: &mut Charge,
) -> Outcome {
    if !is_name(array) {
        let text = [b"`", array, b"': not a valid identifier"].concat();
        complain(shell, process, "read", text);
        return Ok(1);
    }
    let separators = Separators::of(shell, process);
    let mut fields = Vec::new();
    for field in line.split(&separators, process) {
        // Many short fields take far more room than the line.
        if let Err(full) = charge.grow(field.len() + size_of::<BString>()) {
            complain(shell, process, "read", full.to_string());
            return Ok(1);
        }
        fields.push(field);
    }
    shell.set_array(process, array, fields)?;
    Ok(0)
}
