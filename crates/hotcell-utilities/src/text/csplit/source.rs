//! The lines of the input, of which some are looked at before they are taken.

use std::{collections::VecDeque, io};

use hotcell_meter::Charge;
use hotcell_process::{Input, Process, limit_error};

use crate::{lines::Lines, list::room_of};

pub(super) struct Source<'p> {
    lines: Lines<'p, Input<'p>>,
    /// Lines that were read and not taken.
    held: VecDeque<Vec<u8>>,
    /// The number of the first line that was not taken.
    first: u64,
    charge: Charge,
}

impl<'p> Source<'p> {
    pub(super) fn new(process: &'p Process, input: Input<'p>) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::new(process, input)?,
            held: VecDeque::new(),
            first: 1,
            charge: process.charge(0)?,
        })
    }

    /// The number of the line that [`Source::take`] takes.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// A line by its number, which stays; none behind the end, or if it was taken.
    pub(super) fn line(&mut self, number: u64) -> io::Result<Option<&[u8]>> {
        let Some(ahead) = number.checked_sub(self.first) else {
            return Ok(None);
        };
        while self.held.len() as u64 <= ahead {
            if !self.hold()? {
                return Ok(None);
            }
        }
        let place = usize::try_from(ahead).ok();
        Ok(place
            .and_then(|place| self.held.get(place))
            .map(Vec::as_slice))
    }

    pub(super) fn is_over(&mut self) -> io::Result<bool> {
        Ok(self.held.is_empty() && !self.hold()?)
    }

    /// The next line; it is gone from here.
    pub(super) fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.is_over()? {
            return Ok(None);
        }
        let line = self.held.pop_front();
        self.first += 1;
        if let Some(line) = &line {
            let rest = self.charge.bytes().saturating_sub(cost(line));
            self.charge.resize(rest).map_err(limit_error)?;
        }
        Ok(line)
    }

    fn hold(&mut self) -> io::Result<bool> {
        let Some(line) = self.lines.next_line()? else {
            return Ok(false);
        };
        self.charge.grow(cost(line)).map_err(limit_error)?;
        self.held.push_back(line.to_vec());
        Ok(true)
    }
}

fn cost(line: &[u8]) -> usize {
    room_of(line)
}
