//! Reading a transcript in the place of a host.

use std::{
    collections::VecDeque,
    fmt,
    io::{BufRead, Read as _},
};

use hotcell_hopper::trace::{self, Trace};

use super::{MAX_REQUEST, Record};
use crate::host::MAX_CALL;

/// The longest line: more than the longest read or write, in base64.
const MAX_LINE: usize = 2 * MAX_CALL;

/// Records of other calls that are passed over while one is looked for. A guest that does the same in the same order needs
/// none.
const MAX_AHEAD: usize = 10_000;

/// The bytes of their lines.
const MAX_AHEAD_BYTES: usize = 64 << 20;

/// How much of two different texts is shown.
const SHOWN: usize = 32;

/// Where a run left its transcript.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {} at record {record}: {detail}", trace.code, trace.msg)]
pub struct Divergence {
    /// Which kind of difference.
    pub trace: Trace,
    /// The number of the record, or of the one that would have come.
    pub record: u64,
    /// What was expected, and what came.
    pub detail: String,
    /// The bytes where they begin to differ, for who has the transcript and asks for them. They may be secret, and are in no
    /// other text.
    pub context: Option<Context>,
}

/// Bytes around the first difference, as hexadecimal numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct Context {
    /// What was recorded.
    pub recorded: String,
    /// What came.
    pub came: String,
}

impl fmt::Debug for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Divergence({self})")
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Context(…)")
    }
}

/// Answers as a transcript says.
pub(crate) struct Replayer {
    input: Box<dyn BufRead + Send>,
    /// What was read and not used yet, and how long the lines were.
    ahead: VecDeque<(Record, usize)>,
    ahead_bytes: usize,
    /// The number of the last record.
    last: u64,
    is_over: bool,
}

/// The recorded run was ended here, and so is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    Diverged(Divergence),
    /// What was recorded as the reason.
    Exit(String),
}

impl Replayer {
    pub(crate) fn new(input: Box<dyn BufRead + Send>) -> Self {
        Self {
            input,
            ahead: VecDeque::new(),
            ahead_bytes: 0,
            last: 0,
            is_over: false,
        }
    }

    /// What a request of `_ctl` was answered with; `None` is −1.
    pub(crate) fn control(&mut self, request: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
        let record = self.find("a request of _ctl", |record| {
            matches!(record, Record::CtlReq { .. })
        })?;
        if let Record::CtlReq { i, len, b64 } = record {
            let trace = trace::SPECIMEN_CTL_MISMATCH;
            let kept = request.get(..MAX_REQUEST).unwrap_or(request);
            if b64.0 != kept {
                return Err(differs(trace, i, &b64.0, kept));
            }
            let expected = len.unwrap_or(b64.0.len());
            if expected != request.len() {
                return Err(another_length(trace, i, expected, request.len()));
            }
        }
        let reply = self.find("a reply of _ctl", |record| {
            matches!(record, Record::CtlRes { .. })
        })?;
        match reply {
            Record::CtlRes { ret: None, b64, .. } => Ok(Some(b64.0)),
            _ => Ok(None),
        }
    }

    /// What a read gave.
    pub(crate) fn read(&mut self, handle: i32, buf: &mut [u8]) -> Result<i32, Stop> {
        let what = format!("a read of handle {handle}");
        let record = self.find(
            &what,
            |record| matches!(record, Record::Read { h, .. } if *h == handle),
        )?;
        let Record::Read { i, ret, b64, .. } = record else {
            return Ok(-1);
        };
        let bytes = &b64.0;
        let is_consistent = is_result(ret, bytes.len());
        // Another size of the buffer is no difference as long as the bytes fit.
        let room = buf.get_mut(..bytes.len());
        let Some(room) = room.filter(|_| is_consistent) else {
            return Err(Stop::Diverged(Divergence {
                trace: trace::SPECIMEN_EOF,
                record: i,
                detail: format!(
                    "{} bytes were read then, and there is room for {} now",
                    bytes.len(),
                    buf.len()
                ),
                context: None,
            }));
        };
        room.copy_from_slice(bytes);
        Ok(ret)
    }

    /// How much of a write was taken.
    pub(crate) fn write(&mut self, handle: i32, offered: &[u8]) -> Result<i32, Stop> {
        let trace = trace::SPECIMEN_WRITE_MISMATCH;
        let what = format!("a write to handle {handle}");
        let record = self.find(
            &what,
            |record| matches!(record, Record::Write { h, .. } if *h == handle),
        )?;
        let Record::Write {
            i, ret, len, b64, ..
        } = record
        else {
            return Ok(-1);
        };
        if !is_result(ret, b64.0.len()) {
            return Err(Stop::Diverged(Divergence {
                trace: trace::SPECIMEN_EOF,
                record: i,
                detail: format!("it says {ret}, and has {} bytes", b64.0.len()),
                context: None,
            }));
        }
        let taken = offered.get(..b64.0.len()).unwrap_or(offered);
        if taken != b64.0 {
            return Err(differs(trace, i, &b64.0, taken));
        }
        let expected = len.unwrap_or(b64.0.len());
        if expected != offered.len() {
            return Err(another_length(trace, i, expected, offered.len()));
        }
        Ok(ret)
    }

    pub(crate) fn end(&mut self, handle: i32) -> Result<(), Stop> {
        let what = format!("an end of handle {handle}");
        self.find(
            &what,
            |record| matches!(record, Record::End { h, .. } if *h == handle),
        )?;
        Ok(())
    }

    pub(crate) fn log(&mut self, topic: &[u8], msg: &[u8]) -> Result<(), Stop> {
        let record = self.find("a line of the log", |record| {
            matches!(record, Record::Log { .. })
        })?;
        if let Record::Log {
            i,
            topic_b64,
            msg_b64,
        } = record
        {
            let trace = trace::SPECIMEN_WRITE_MISMATCH;
            for (expected, came) in [(&topic_b64.0, topic), (&msg_b64.0, msg)] {
                if expected != came {
                    return Err(differs(trace, i, expected, came));
                }
            }
        }
        Ok(())
    }

    /// The run has ended: nothing may be left.
    pub(crate) fn finish(&mut self) -> Result<(), Divergence> {
        loop {
            match self.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Record::Exit { .. } | Record::Head { .. } | Record::Unknown)) => {}
                Ok(Some(record)) => {
                    let (i, what) = summary(&record);
                    return Err(Divergence {
                        trace: trace::SPECIMEN_UNUSED,
                        record: i,
                        detail: format!("{what} was recorded, and did not happen"),
                        context: None,
                    });
                }
                Err(stop) => {
                    return match stop {
                        Stop::Diverged(divergence) => Err(divergence),
                        Stop::Exit(_) => Ok(()),
                    };
                }
            }
        }
    }

    /// The next record that `is_it`; those before it stay for others.
    fn find(&mut self, what: &str, is_it: impl Fn(&Record) -> bool) -> Result<Record, Stop> {
        if let Some(index) = self.ahead.iter().position(|(record, _)| is_it(record))
            && let Some((record, length)) = self.ahead.remove(index)
        {
            self.ahead_bytes -= length;
            return Ok(record);
        }
        let missing = |last: u64, passed: Option<usize>| {
            let within = passed.map(|count| format!(" within {count} records of other calls"));
            Stop::Diverged(Divergence {
                trace: trace::SPECIMEN_EOF,
                record: last + 1,
                detail: format!("{what} was not recorded{}", within.unwrap_or_default()),
                context: None,
            })
        };
        while self.ahead.len() < MAX_AHEAD && self.ahead_bytes < MAX_AHEAD_BYTES {
            let Some((record, length)) = self.next_from_input()? else {
                return Err(missing(self.last, None));
            };
            match record {
                Record::Exit {
                    trap: Some(trap), ..
                } if self.ahead.is_empty() => return Err(Stop::Exit(trap)),
                record if is_it(&record) => return Ok(record),
                Record::Head { .. } | Record::Exit { .. } | Record::Unknown => {}
                record => {
                    self.ahead.push_back((record, length));
                    self.ahead_bytes += length;
                }
            }
        }
        Err(missing(self.last, Some(self.ahead.len())))
    }

    fn next(&mut self) -> Result<Option<Record>, Stop> {
        match self.ahead.pop_front() {
            Some((record, _)) => Ok(Some(record)),
            None => Ok(self.next_from_input()?.map(|(record, _)| record)),
        }
    }

    /// The next record of the input, and how long its line is.
    fn next_from_input(&mut self) -> Result<Option<(Record, usize)>, Stop> {
        while !self.is_over {
            let mut line = Vec::new();
            let mut limited = self.input.by_ref().take(MAX_LINE as u64);
            let read = limited.read_until(b'\n', &mut line);
            match read {
                Err(error) => return Err(self.unreadable(&error)),
                Ok(0) => self.is_over = true,
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(MAX_LINE) => {
                    return Err(
                        self.unreadable(&format_args!("a line is longer than {MAX_LINE} bytes"))
                    );
                }
                Ok(length) => {
                    let record = Record::read(&line).map_err(|error| self.unreadable(&error))?;
                    self.last = summary(&record).0.max(self.last);
                    return Ok(Some((record, length)));
                }
            }
        }
        Ok(None)
    }

    fn unreadable(&self, error: &dyn fmt::Display) -> Stop {
        Stop::Diverged(Divergence {
            trace: trace::SPECIMEN_EOF,
            record: self.last + 1,
            detail: format!("the transcript cannot be read further: {error}"),
            context: None,
        })
    }
}

fn another_length(trace: Trace, record: u64, expected: usize, came: usize) -> Stop {
    Stop::Diverged(Divergence {
        trace,
        record,
        detail: format!("{expected} bytes were written then, {came} now"),
        context: None,
    })
}

/// Whether a call that moved these many bytes returned that: guests rely on it, and nobody knows who wrote a transcript.
fn is_result(ret: i32, length: usize) -> bool {
    usize::try_from(ret).map_or(ret == -1 && length == 0, |count| count == length)
}

/// The number of a record, and what it is.
fn summary(record: &Record) -> (u64, String) {
    match record {
        Record::CtlReq { i, .. } => (*i, "a request of _ctl".into()),
        Record::CtlRes { i, .. } => (*i, "a reply of _ctl".into()),
        Record::Read { i, h, .. } => (*i, format!("a read of handle {h}")),
        Record::Write { i, h, .. } => (*i, format!("a write to handle {h}")),
        Record::End { i, h } => (*i, format!("an end of handle {h}")),
        Record::Log { i, .. } => (*i, "a line of the log".into()),
        Record::Exit { i, .. } => (*i, "the end".into()),
        Record::Head { .. } | Record::Unknown => (0, "nothing".into()),
    }
}

fn differs(trace: Trace, record: u64, expected: &[u8], came: &[u8]) -> Stop {
    let mut pairs = expected.iter().zip(came);
    let place = pairs.position(|(one, other)| one != other);
    let place = place.unwrap_or_else(|| expected.len().min(came.len()));
    let hex = |bytes: &[u8]| {
        let from = place.saturating_sub(SHOWN / 4);
        let part = bytes.iter().skip(from).take(SHOWN);
        let digits: Vec<String> = part.map(|byte| format!("{byte:02x}")).collect();
        digits.join(" ")
    };
    Stop::Diverged(Divergence {
        trace,
        record,
        detail: format!(
            "from byte {place} on, of {} recorded and {} now",
            expected.len(),
            came.len()
        ),
        context: Some(Context {
            recorded: hex(expected),
            came: hex(came),
        }),
    })
}
