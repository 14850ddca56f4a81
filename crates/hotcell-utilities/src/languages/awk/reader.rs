//! Records out of a stream.

use std::io::{self, Read};

use hotcell_meter::Charge;
use hotcell_process::{Input, Process, limit_error};
use hotcell_regex::Regex;

use super::regexes::Regexes;

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// What ends a record.
#[derive(Clone)]
pub(crate) enum Separator {
    Byte(u8),
    /// Empty lines.
    Paragraph,
    Regex(Regex),
    /// A newline that is not in quotes.
    Csv,
}

pub(crate) struct Reader<'p> {
    input: Input<'p>,
    buffer: Vec<u8>,
    /// Where the next record begins.
    start: usize,
    is_over: bool,
    charge: Charge,
    process: &'p Process,
}

/// Where a record ends, and what ended it.
struct Found {
    end: usize,
    /// Where the next one begins.
    next: usize,
}

impl<'p> Reader<'p> {
    pub(crate) fn new(process: &'p Process, input: Input<'p>) -> io::Result<Self> {
        Ok(Self {
            input,
            buffer: Vec::new(),
            start: 0,
            is_over: false,
            charge: process.charge(0)?,
            process,
        })
    }

    /// Reads a record into `record`, and what ended it into `terminator`. False at the end.
    #[inline]
    pub(crate) fn next(
        &mut self,
        separator: &Separator,
        regexes: &Regexes<'_>,
        record: &mut Vec<u8>,
        terminator: &mut Vec<u8>,
    ) -> io::Result<bool> {
        let found = match separator {
            Separator::Byte(byte) => self.until_byte(*byte)?,
            Separator::Paragraph => self.paragraph()?,
            Separator::Regex(regex) => self.until_match(regex, regexes)?,
            Separator::Csv => self.csv_line()?,
        };
        let Some(Found { end, next }) = found else {
            return Ok(false);
        };
        self.process.spend((next - self.start) / 16 + 1);
        record.extend_from_slice(self.buffer.get(self.start..end).unwrap_or_default());
        terminator.clear();
        terminator.extend_from_slice(self.buffer.get(end..next).unwrap_or_default());
        self.start = next;
        Ok(true)
    }

    #[inline]
    fn until_byte(&mut self, byte: u8) -> io::Result<Option<Found>> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.start + searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(byte, rest) {
                let end = self.start + searched + at;
                return Ok(Some(Found { end, next: end + 1 }));
            }
            searched = self.buffer.len() - self.start;
            if !self.fill()? {
                return Ok(self.last());
            }
        }
    }

    /// What is left at the end of the stream, if anything is.
    fn last(&self) -> Option<Found> {
        let end = self.buffer.len();
        (end > self.start).then_some(Found { end, next: end })
    }

    fn paragraph(&mut self) -> io::Result<Option<Found>> {
        // Empty lines before the first line are nobody's.
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            match rest.iter().position(|byte| *byte != b'\n') {
                Some(at) => {
                    self.start += at;
                    break;
                }
                None => {
                    self.start = self.buffer.len();
                    if !self.fill()? {
                        return Ok(None);
                    }
                }
            }
        }
        let mut searched = 0;
        let end = loop {
            let rest = self.buffer.get(self.start + searched..).unwrap_or_default();
            if let Some(at) = memchr::memmem::find(rest, b"\n\n") {
                break self.start + searched + at;
            }
            searched = (self.buffer.len() - self.start).saturating_sub(1);
            if !self.fill()? {
                let end = self.buffer.len();
                let text = self.buffer.get(self.start..).unwrap_or_default();
                let newline = usize::from(text.ends_with(b"\n"));
                return Ok(Some(Found {
                    end: end - newline,
                    next: end,
                }));
            }
        };
        let length = end - self.start;
        let mut newlines = 2;
        loop {
            match self.buffer.get(self.start + length + newlines).copied() {
                Some(b'\n') => newlines += 1,
                Some(_) => break,
                None if self.fill()? => {}
                None => break,
            }
        }
        let end = self.start + length;
        Ok(Some(Found {
            end,
            next: end + newlines,
        }))
    }

    fn until_match(&mut self, regex: &Regex, regexes: &Regexes<'_>) -> io::Result<Option<Found>> {
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            let mut at = 0;
            let found = loop {
                match regexes.find(regex, rest, at)? {
                    Some(found) if found.is_empty() => {
                        at = found.end + 1;
                        if at > rest.len() {
                            break None;
                        }
                    }
                    found => break found,
                }
            };
            // A match at the end of what is there might go on.
            if let Some(found) = found
                && (found.end < rest.len() || self.is_over)
            {
                return Ok(Some(Found {
                    end: self.start + found.start,
                    next: self.start + found.end,
                }));
            }
            if !self.fill()? {
                let rest = self.buffer.get(self.start..).unwrap_or_default();
                let found = regexes.find(regex, rest, at.min(rest.len()))?;
                if let Some(found) = found
                    && !found.is_empty()
                {
                    return Ok(Some(Found {
                        end: self.start + found.start,
                        next: self.start + found.end,
                    }));
                }
                return Ok(self.last());
            }
        }
    }

    fn csv_line(&mut self) -> io::Result<Option<Found>> {
        let mut searched = 0;
        let mut is_quoted = false;
        loop {
            let rest = self.buffer.get(self.start + searched..).unwrap_or_default();
            for at in memchr::memchr2_iter(b'\n', b'"', rest) {
                if rest.get(at) == Some(&b'"') {
                    is_quoted = !is_quoted;
                } else if !is_quoted {
                    let newline = self.start + searched + at;
                    let has_return = at > 0 && rest.get(at - 1) == Some(&b'\r');
                    return Ok(Some(Found {
                        end: newline - usize::from(has_return),
                        next: newline + 1,
                    }));
                }
            }
            searched = self.buffer.len() - self.start;
            if !self.fill()? {
                return Ok(self.last());
            }
        }
    }

    /// Reads on behind what is left; false at the end.
    #[cold]
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let before = self.buffer.len();
        // A long record doubles what is read, so that it is copied a bounded number of times.
        let wanted = before + before.max(PIECE);
        if wanted > self.charge.bytes() {
            self.charge.resize(wanted).map_err(limit_error)?;
        }
        self.buffer.resize(wanted, 0);
        let read = self
            .input
            .read(self.buffer.get_mut(before..).unwrap_or_default());
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        self.is_over = read? == 0;
        Ok(!self.is_over)
    }
}
