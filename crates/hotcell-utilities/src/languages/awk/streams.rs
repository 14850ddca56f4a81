//! Files and commands that a program reads and writes.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::{Output, Pid, Process, Status, error_text};
use hotcell_vfs::OpenOptions;

use super::{reader::Reader, syntax::RedirectKind};

/// What an open stream takes.
const STREAM: usize = 40 << 10;

/// Something that is written to.
struct Sink<'p> {
    output: Output<'p>,
    command: Option<Pid>,
    _charge: Charge,
}

/// Something that is read from.
struct Tap<'p> {
    reader: Reader<'p>,
    command: Option<Pid>,
    _charge: Charge,
}

/// What distinguishes streams of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    File,
    Command,
    Both,
}

type Name = (Means, BString);

pub(crate) struct Streams<'p> {
    process: &'p Process,
    pub(crate) stdout: Output<'p>,
    stderr: Output<'p>,
    sinks: BTreeMap<Name, Sink<'p>>,
    taps: BTreeMap<Name, Tap<'p>>,
}

impl<'p> Streams<'p> {
    pub(crate) fn new(process: &'p Process) -> Self {
        Self {
            process,
            stdout: process.stdout(),
            stderr: process.stderr(),
            sinks: BTreeMap::new(),
            taps: BTreeMap::new(),
        }
    }

    /// Writes to where a redirection leads, which is opened the first time.
    pub(crate) fn write_to(
        &mut self,
        kind: RedirectKind,
        name: &[u8],
        data: &[u8],
    ) -> Result<(), String> {
        let output = match (kind, name) {
            (RedirectKind::Write | RedirectKind::Append, b"/dev/stdout" | b"-") => &mut self.stdout,
            (RedirectKind::Write | RedirectKind::Append, b"/dev/stderr") => &mut self.stderr,
            _ => self.sink(kind, name)?,
        };
        output.write_all(data).map_err(|error| {
            format!(
                "print to \"{}\" failed: {}",
                BString::from(name),
                error_text(&error)
            )
        })
    }

    fn sink(&mut self, kind: RedirectKind, name: &[u8]) -> Result<&mut Output<'p>, String> {
        let means = match kind {
            RedirectKind::Write | RedirectKind::Append => Means::File,
            RedirectKind::Pipe => Means::Command,
            RedirectKind::Both => Means::Both,
        };
        let key = (means, BString::from(name));
        if !self.sinks.contains_key(&key) {
            let describe = |error: &io::Error| {
                let verb = match means {
                    Means::File => "redirect to",
                    Means::Command | Means::Both => "open pipe",
                };
                format!("cannot {verb} `{}': {}", key.1, error_text(error))
            };
            match means {
                Means::File => {
                    let sink = self
                        .open_sink(kind, name)
                        .map_err(|error| describe(&error))?;
                    self.sinks.insert(key.clone(), sink);
                }
                Means::Command => {
                    let sink = self.begin_writing(name).map_err(|error| describe(&error))?;
                    self.sinks.insert(key.clone(), sink);
                }
                Means::Both => self.begin_both(&key).map_err(|error| describe(&error))?,
            }
        }
        match self.sinks.get_mut(&key) {
            Some(sink) => Ok(&mut sink.output),
            None => Err(format!(
                "cannot write to `{}' any more: it was closed",
                key.1
            )),
        }
    }

    fn open_sink(&self, kind: RedirectKind, name: &[u8]) -> io::Result<Sink<'p>> {
        let options = match kind {
            RedirectKind::Append => OpenOptions::append().create(),
            _ => OpenOptions::write().create().truncate(),
        };
        let stream = self.process.open(name, &options)?;
        Ok(Sink {
            output: self.process.output(stream),
            command: None,
            _charge: self.process.charge(STREAM)?,
        })
    }

    fn begin_writing(&mut self, command: &[u8]) -> io::Result<Sink<'p>> {
        self.flush_all()?;
        let charge = self.process.charge(STREAM)?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdin(reader);
        let pid = begin(self.process, spec)?;
        Ok(Sink {
            output: self.process.output(writer),
            command: Some(pid),
            _charge: charge,
        })
    }

    /// A command that is written to and read from.
    fn begin_both(&mut self, key: &Name) -> io::Result<()> {
        self.flush_all()?;
        let (sink_charge, tap_charge) =
            (self.process.charge(STREAM)?, self.process.charge(STREAM)?);
        let (their_input, our_output) = self.process.pipe()?;
        let (our_input, their_output) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", &key.1])
            .stdin(their_input)
            .stdout(their_output);
        let pid = begin(self.process, spec)?;
        let output = self.process.output(our_output).unbuffered();
        let reader = Reader::new(self.process, self.process.input(our_input))?;
        self.sinks.insert(
            key.clone(),
            Sink {
                output,
                command: Some(pid),
                _charge: sink_charge,
            },
        );
        self.taps.insert(
            key.clone(),
            Tap {
                reader,
                command: Some(pid),
                _charge: tap_charge,
            },
        );
        Ok(())
    }

    /// The reader of a file or a command, which is opened the first time.
    pub(crate) fn reader(&mut self, means: Means, name: &[u8]) -> io::Result<&mut Reader<'p>> {
        let key = (means, BString::from(name));
        if !self.taps.contains_key(&key) {
            match means {
                Means::File => {
                    let charge = self.process.charge(STREAM)?;
                    let input = self.process.open_input(name)?;
                    let tap = Tap {
                        reader: Reader::new(self.process, input)?,
                        command: None,
                        _charge: charge,
                    };
                    self.taps.insert(key.clone(), tap);
                }
                Means::Command => {
                    let tap = self.begin_reading(name)?;
                    self.taps.insert(key.clone(), tap);
                }
                Means::Both => self.begin_both(&key)?,
            }
        }
        let tap = self.taps.get_mut(&key);
        tap.map(|tap| &mut tap.reader)
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn begin_reading(&mut self, command: &[u8]) -> io::Result<Tap<'p>> {
        self.flush_all()?;
        let charge = self.process.charge(STREAM)?;
        let (reader, writer) = self.process.pipe()?;
        let spec = self
            .process
            .spec([&b"sh"[..], b"-c", command])
            .stdout(writer);
        let pid = begin(self.process, spec)?;
        Ok(Tap {
            reader: Reader::new(self.process, self.process.input(reader))?,
            command: Some(pid),
            _charge: charge,
        })
    }

    /// `system`: what the command's status is.
    pub(crate) fn run(&mut self, command: &[u8]) -> io::Result<i32> {
        self.flush_all()?;
        let spec = self.process.spec([&b"sh"[..], b"-c", command]);
        Ok(match self.process.execute(spec) {
            Ok(status) => code(status),
            Err(error) => {
                self.process.complain(format!("sh: {error}"));
                error.code()
            }
        })
    }

    /// Closes whatever has this name: its status, or -1 if nothing has. `to` and `from` name one end of a command that
    /// is written to and read from.
    pub(crate) fn close(&mut self, name: &[u8], end: Option<&[u8]>) -> io::Result<i32> {
        let mut status = None;
        let is_end = |wanted: &[u8]| end.is_none_or(|end| end == wanted);
        for means in [Means::File, Means::Command, Means::Both] {
            let key = (means, BString::from(name));
            let sink = is_end(b"to").then(|| self.sinks.remove(&key)).flatten();
            let tap = is_end(b"from").then(|| self.taps.remove(&key)).flatten();
            if sink.is_none() && tap.is_none() {
                continue;
            }
            let mut command = None;
            if let Some(mut sink) = sink {
                sink.output.flush()?;
                command = command.or(sink.command);
            }
            if let Some(tap) = tap {
                command = command.or(tap.command);
            }
            // One end of two: the command goes on.
            if means == Means::Both
                && (self.sinks.contains_key(&key) || self.taps.contains_key(&key))
            {
                status = Some(0);
                continue;
            }
            status = Some(
                command
                    .and_then(|pid| self.process.wait(pid))
                    .map_or(0, code),
            );
        }
        Ok(status.unwrap_or(-1))
    }

    /// Writes what is in buffers.
    pub(crate) fn flush_all(&mut self) -> io::Result<()> {
        self.stdout.flush()?;
        for sink in self.sinks.values_mut() {
            sink.output.flush()?;
        }
        Ok(())
    }

    /// Writes what is in the buffers of one stream; false if there is none of that name.
    pub(crate) fn flush(&mut self, name: &[u8]) -> io::Result<bool> {
        if matches!(name, b"/dev/stdout" | b"-") {
            self.stdout.flush()?;
            return Ok(true);
        }
        let mut any = name == b"/dev/stderr";
        for means in [Means::File, Means::Command, Means::Both] {
            if let Some(sink) = self.sinks.get_mut(&(means, BString::from(name))) {
                sink.output.flush()?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Closes everything, and waits for the commands.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let mut commands = Vec::new();
        let mut failed = Ok(());
        for mut sink in std::mem::take(&mut self.sinks).into_values() {
            failed = failed.and(sink.output.flush());
            commands.extend(sink.command);
        }
        for tap in std::mem::take(&mut self.taps).into_values() {
            commands.extend(tap.command);
        }
        for command in commands {
            self.process.wait(command);
        }
        failed.and(self.stdout.flush())
    }
}

fn begin(process: &Process, spec: hotcell_process::Spec) -> io::Result<Pid> {
    match process.execute_beside(spec) {
        Ok(pid) => pid,
        Err(error) => Err(io::Error::other(format!("sh: {error}"))),
    }
}

/// A status as `system` and `close` give it.
fn code(status: Status) -> i32 {
    match status {
        Status::Exited(code) => i32::from(code),
        Status::Signaled(signal) => 256 + signal.number(),
    }
}
