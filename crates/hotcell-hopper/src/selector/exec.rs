//! `exec.start.v1` and `exec.status.v1` of exec/default.

use core::fmt;

use super::{Selector, Text};
use crate::{
    field::{Malformed, Reader, is_text},
    list::List,
    sink::{Encode, Full, Sink, encode_list},
};

/// Starts a program.
pub const START: Selector = Selector {
    kind: "exec",
    name: "default",
    selector: "exec.start.v1",
};
/// Asks how one is.
pub const STATUS: Selector = Selector {
    kind: "exec",
    name: "default",
    selector: "exec.status.v1",
};

/// The guest wants to write the program's standard input.
pub const WANT_STDIN: u32 = 1;
/// The guest wants to read its standard output.
pub const WANT_STDOUT: u32 = 2;
/// The guest wants to read its standard error.
pub const WANT_STDERR: u32 = 4;
/// All bits that mean something.
pub const WANT_ALL: u32 = WANT_STDIN | WANT_STDOUT | WANT_STDERR;

/// What `exec.start.v1` takes, as it was read. That it has the form says nothing of its texts: see [`Start::is_text`].
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Which program.
    pub prog_id: &'a [u8],
    /// Which streams.
    pub flags: u32,
    /// Its arguments, of which the first is its name.
    pub args: List<'a, &'a [u8]>,
    /// Its environment.
    pub env: List<'a, (&'a [u8], &'a [u8])>,
}

impl fmt::Debug for Start<'_> {
    /// Counts alone: programs are told secrets this way.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Start")
            .field("flags", &self.flags)
            .field("args", &self.args)
            .field("env", &self.env)
            .finish_non_exhaustive()
    }
}

impl<'a> Start<'a> {
    /// Reads parameters.
    pub fn decode(params: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let start = Self {
            prog_id: reader.bytes()?,
            flags: reader.h4()?,
            args: List::read(&mut reader)?,
            env: List::read(&mut reader)?,
        };
        reader.end()?;
        Ok(start)
    }

    /// Whether everything that has to be a text is one.
    pub fn is_text(&self) -> bool {
        is_text(self.prog_id)
            && self.args.iter().all(is_text)
            && self
                .env
                .iter()
                .all(|(key, value)| is_text(key) && is_text(value))
    }
}

/// What `exec.start.v1` takes, to be written.
#[derive(Clone, Copy)]
pub struct StartRequest<'a> {
    /// Which program: a name that the host knows, no path.
    pub prog_id: &'a str,
    /// Which streams: [`WANT_STDIN`] and so on.
    pub flags: u32,
    /// Its arguments, of which the first is its name.
    pub args: &'a [&'a str],
    /// Its environment, in this order.
    pub env: &'a [(&'a str, &'a str)],
}

impl fmt::Debug for StartRequest<'_> {
    /// Counts alone: programs are told secrets this way.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartRequest")
            .field("flags", &self.flags)
            .field("args", &self.args.len())
            .field("env", &self.env.len())
            .finish_non_exhaustive()
    }
}

impl Encode for StartRequest<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.prog_id).encode(sink)?;
        sink.h4(self.flags)?;
        sink.length(self.args.len())?;
        for arg in self.args {
            Text(arg).encode(sink)?;
        }
        encode_list(self.env, sink)
    }
}

impl Encode for (&str, &str) {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        Text(self.0).encode(sink)?;
        Text(self.1).encode(sink)
    }
}

/// What `exec.start.v1` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// What to ask for its status with.
    pub exec_id: u32,
    /// Bit 0: started.
    pub status_flags: u32,
    /// Its standard input, a sink; 0: none.
    pub stdin: u32,
    /// Its standard output, a source; 0: none.
    pub stdout: u32,
    /// Its standard error, a source; 0: none.
    pub stderr: u32,
}

impl Started {
    /// The bit that is always set.
    pub const STARTED: u32 = 1;

    /// Reads a value.
    pub fn decode(value: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(value);
        let started = Self {
            exec_id: reader.h4()?,
            status_flags: reader.h4()?,
            stdin: reader.h4()?,
            stdout: reader.h4()?,
            stderr: reader.h4()?,
        };
        reader.end()?;
        Ok(started)
    }

    /// Whether it is what was asked for with these flags: started, and with a handle of its own for each stream that was
    /// wanted and no other.
    pub fn answers(&self, flags: u32) -> bool {
        let handles = [
            (self.stdin, WANT_STDIN),
            (self.stdout, WANT_STDOUT),
            (self.stderr, WANT_STDERR),
        ];
        let is_handle = |handle: u32| handle >= 3 && i32::try_from(handle).is_ok();
        let is_shared = |one: u32, other: u32| one != 0 && one == other;
        let shares = is_shared(self.stdin, self.stdout)
            || is_shared(self.stdin, self.stderr)
            || is_shared(self.stdout, self.stderr);
        self.exec_id != 0
            && !shares
            && self.status_flags & Self::STARTED != 0
            && handles.iter().all(|(handle, bit)| {
                if flags & bit == 0 {
                    *handle == 0
                } else {
                    is_handle(*handle)
                }
            })
    }
}

impl Encode for Started {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        let fields = [
            self.exec_id,
            self.status_flags,
            self.stdin,
            self.stdout,
            self.stderr,
        ];
        fields.iter().try_for_each(|field| sink.h4(*field))
    }
}

/// What `exec.status.v1` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusRequest {
    /// Which one.
    pub exec_id: u32,
}

impl StatusRequest {
    /// Reads parameters.
    pub fn decode(params: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(params);
        let request = Self {
            exec_id: reader.h4()?,
        };
        reader.end()?;
        Ok(request)
    }
}

impl Encode for StatusRequest {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(self.exec_id)
    }
}

/// How a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has not ended.
    Running,
    /// It ended by itself.
    Exited,
    /// It met a limit, or broke.
    Failed,
    /// Its time was over.
    Timeout,
    /// The host ended it.
    Killed,
}

/// What `exec.status.v1` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// How it is.
    pub state: State,
    /// Its exit code, or 124, 125, 137 for timeout, limit and kill.
    pub code: u32,
}

impl Status {
    /// Reads a value.
    pub fn decode(value: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(value);
        let state = match reader.h4()? {
            0 => State::Running,
            1 => State::Exited,
            2 => State::Failed,
            3 => State::Timeout,
            4 => State::Killed,
            _ => return Err(Malformed::Value),
        };
        let code = reader.h4()?;
        reader.end()?;
        Ok(Self { state, code })
    }
}

impl Encode for Status {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.h4(self.state as u32)?;
        sink.h4(self.code)
    }
}
