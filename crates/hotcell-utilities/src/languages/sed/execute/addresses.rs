//! Which lines a command is for.

use std::{io, rc::Rc};

use hotcell_regex::{Regex, SearchError};

use super::Sed;
use crate::languages::sed::script::{Address, Command, Script};

/// Whether a command that has two addresses is between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    Outside,
    /// Up to and with this line.
    UntilLine(u64),
    /// Until the second address is met.
    Open,
    /// It began at a line that does not come again.
    Over,
}

/// What a range is once it was left.
fn left(first: &Address) -> Range {
    match first {
        Address::Line(_) => Range::Over,
        _ => Range::Outside,
    }
}

impl Sed<'_> {
    pub(super) fn reset_ranges(&mut self, script: &Script) {
        let begin = |command: &Command| match (&command.first, &command.last) {
            // The pattern that ends the range is looked for in the first line, too.
            (Some(Address::Line(0)), Some(_)) => Range::Open,
            _ => Range::Outside,
        };
        self.ranges = script.commands.iter().map(begin).collect();
    }

    /// A regular expression, or the last one that was used.
    pub(in crate::languages::sed) fn regex(
        &mut self,
        pattern: Option<&Rc<Regex>>,
    ) -> io::Result<Rc<Regex>> {
        if let Some(pattern) = pattern {
            let is_known = self
                .last_regex
                .as_ref()
                .is_some_and(|last| Rc::ptr_eq(last, pattern));
            if !is_known {
                self.last_regex = Some(Rc::clone(pattern));
            }
            return Ok(Rc::clone(pattern));
        }
        match &self.last_regex {
            Some(last) => Ok(Rc::clone(last)),
            None => {
                let place = self.setup.place.clone();
                let _ = self.out().flush();
                self.process
                    .complain(format!("{place}no previous regular expression"));
                self.process.exit(1);
            }
        }
    }

    pub(in crate::languages::sed) fn search_failed(&self, error: SearchError) -> io::Error {
        if let SearchError::Stopped(_) = error {
            // The process ends here.
            self.process.spend(usize::MAX);
        }
        io::Error::other(error)
    }

    fn matches(&mut self, address: &Address) -> io::Result<bool> {
        Ok(match address {
            Address::Line(line) => self.line == *line,
            Address::Step(first, step) => {
                self.line >= *first && (self.line - first).is_multiple_of(*step.max(&1))
            }
            Address::Last => self.is_last()?,
            Address::Regex(pattern) => {
                let regex = self.regex(pattern.as_ref())?;
                self.process.spend(self.pattern.len() / 16);
                let is_match = regex.is_match(&self.pattern, &mut self.pace);
                is_match.map_err(|error| self.search_failed(error))?
            }
            Address::Plus(_) | Address::Multiple(_) => false,
        })
    }

    /// Whether a command applies to this line.
    #[inline]
    pub(super) fn is_selected(&mut self, number: usize, command: &Command) -> io::Result<bool> {
        let Some(first) = &command.first else {
            return Ok(!command.is_negated);
        };
        let is_selected = match &command.last {
            None => self.matches(first)?,
            Some(last) => self.is_in_range(number, first, last)?,
        };
        Ok(is_selected != command.is_negated)
    }

    fn is_in_range(&mut self, number: usize, first: &Address, last: &Address) -> io::Result<bool> {
        let range = self.ranges.get(number).copied().unwrap_or(Range::Outside);
        let (is_inside, next) = match range {
            Range::Outside => self.enter_range(first, last)?,
            Range::UntilLine(end) => {
                // Lines may have been skipped: then a line that is named is over, but one that is counted is not.
                let is_inside = self.line <= end || !matches!(last, Address::Line(_));
                (
                    is_inside,
                    if self.line >= end { left(first) } else { range },
                )
            }
            Range::Open => {
                let next = if self.matches(last)? {
                    left(first)
                } else {
                    range
                };
                (true, next)
            }
            Range::Over => (false, range),
        };
        if let Some(place) = self.ranges.get_mut(number) {
            *place = next;
        }
        Ok(is_inside)
    }

    /// Whether a range begins at this line, and what it is then.
    fn enter_range(&mut self, first: &Address, last: &Address) -> io::Result<(bool, Range)> {
        let begins = match first {
            // The line itself may have been skipped.
            Address::Line(line) => self.line >= *line,
            first => self.matches(first)?,
        };
        if !begins {
            return Ok((false, Range::Outside));
        }
        let end = match last {
            Address::Line(line) => {
                let is_first = matches!(first, Address::Line(first) if self.line == *first);
                if self.line > *line && matches!(first, Address::Line(_)) && !is_first {
                    return Ok((false, Range::Over));
                }
                *line
            }
            Address::Plus(count) => self.line.saturating_add(*count),
            Address::Multiple(of) => {
                let of = (*of).max(1);
                (self.line / of + 1).saturating_mul(of)
            }
            _ => return Ok((true, Range::Open)),
        };
        if end <= self.line {
            return Ok((true, left(first)));
        }
        Ok((true, Range::UntilLine(end)))
    }
}
