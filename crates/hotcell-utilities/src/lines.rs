//! Reading lines, whatever is in them.

use std::io::{self, Read};

use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

use crate::piece::{FIRST, MOST};

/// Reads a stream line by line, as bytes. A line may be as long as the account of memory allows.
pub(crate) struct Lines<'p, R> {
    input: R,
    /// What was read, and behind `filled` room for more.
    buffer: Vec<u8>,
    filled: usize,
    /// Where the next line begins.
    start: usize,
    /// How far the buffer was searched for an end of line.
    searched: usize,
    /// What ends a line: a newline, or NUL.
    end: u8,
    is_over: bool,
    charge: Charge,
    process: &'p Process,
}

impl<'p, R: Read> Lines<'p, R> {
    /// Lines that end with a newline.
    pub(crate) fn new(process: &'p Process, input: R) -> io::Result<Self> {
        Self::ending_with(process, input, b'\n')
    }

    /// Lines that end with another byte.
    pub(crate) fn ending_with(process: &'p Process, input: R, end: u8) -> io::Result<Self> {
        Ok(Self {
            input,
            buffer: Vec::new(),
            filled: 0,
            start: 0,
            searched: 0,
            end,
            is_over: false,
            charge: process.charge(0)?,
            process,
        })
    }

    /// The next line with its end; only the last one may lack it.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            let from = self
                .buffer
                .get(self.searched..self.filled)
                .unwrap_or_default();
            if let Some(found) = memchr::memchr(self.end, from) {
                let start = self.start;
                let end = self.searched + found + 1;
                (self.start, self.searched) = (end, end);
                self.process.spend((end - start) / 16 + 1);
                return Ok(self.buffer.get(start..end));
            }
            if self.is_over {
                let start = self.start;
                (self.start, self.searched) = (self.filled, self.filled);
                let rest = self.buffer.get(start..self.filled);
                return Ok(rest.filter(|line| !line.is_empty()));
            }
            self.fill()?;
        }
    }

    /// Reads on behind what is left.
    fn fill(&mut self) -> io::Result<()> {
        let was_full = self.filled == self.buffer.len();
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        self.searched = self.filled;
        // Reads that are answered in full ask for more the next time. A long line doubles what is read, so that it is
        // copied a bounded number of times.
        let room = self.buffer.len() - self.filled;
        if (was_full && room < MOST) || room < self.filled {
            let wanted = self.filled + (room * 4).clamp(FIRST, MOST).max(self.filled);
            if wanted > self.buffer.len() {
                self.charge.resize(wanted).map_err(limit_error)?;
                self.buffer.resize(wanted, 0);
            }
        }
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        let read = self.input.read(free)?;
        self.filled += read;
        self.is_over = read == 0;
        Ok(())
    }
}
