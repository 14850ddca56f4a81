//! The matcher as printers see it: what they keep of a line, a place for each match and the line with its replacements, is charged
//! before they make it. They would make it in one go, however long the line is.

use std::{
    cell::{Cell, RefCell},
    io,
};

use bstr::ByteSlice;
use grep_matcher::{ByteSet, Captures, LineMatchKind, LineTerminator, Match, Matcher};
use grep_regex::{RegexCaptures, RegexMatcher};
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use hotcell_meter::Charge;
use hotcell_process::{Process, limit_error};

use super::options::{Mode, Settings};

/// What a printer keeps of a match beside its text.
const MATCH: usize = size_of::<Match>();

/// The same of one that is printed as JSON.
const JSON_MATCH: usize = 96;

pub(super) struct Counted<'m> {
    inner: &'m RegexMatcher,
    process: &'m Process,
    /// For the most that was kept of a line: buffers are used again.
    charge: RefCell<Charge>,
    /// What is kept of this line.
    kept: Cell<usize>,
    per_match: usize,
    /// Bytes that each match becomes, and how often the match itself, or a part of it, is among them.
    replacement: Option<(usize, usize)>,
}

impl<'m> Counted<'m> {
    pub(super) fn new(
        process: &'m Process,
        settings: &Settings,
        inner: &'m RegexMatcher,
    ) -> io::Result<Self> {
        let replacement = settings.parsed.value("replace").map(|text| {
            let references = text.find_iter(b"$").count();
            (text.len(), references)
        });
        Ok(Self {
            inner,
            process,
            charge: RefCell::new(process.charge(0)?),
            kept: Cell::new(0),
            per_match: if settings.mode == Mode::Json {
                JSON_MATCH
            } else {
                MATCH
            },
            replacement,
        })
    }

    /// Another line begins.
    fn begin(&self) {
        self.kept.set(0);
    }

    fn keep(&self, bytes: usize) -> io::Result<()> {
        let kept = self.kept.get().saturating_add(bytes);
        self.kept.set(kept);
        let mut charge = self.charge.borrow_mut();
        // Buffers double as they grow.
        let wanted = kept.saturating_mul(2);
        if wanted <= charge.bytes() {
            return Ok(());
        }
        let exact = charge.resize(wanted.saturating_add(64 << 10));
        exact
            .or_else(|_| charge.resize(wanted))
            .map_err(limit_error)
    }
}

impl Matcher for Counted<'_> {
    type Captures = RegexCaptures;
    type Error = io::Error;

    fn find_at(&self, haystack: &[u8], at: usize) -> io::Result<Option<Match>> {
        let found = self.inner.find_at(haystack, at)?;
        if let Some(found) = found {
            self.process.spend(found.end().saturating_sub(at) / 8 + 4);
            self.keep(self.per_match)?;
        }
        Ok(found)
    }

    fn new_captures(&self) -> io::Result<RegexCaptures> {
        let captures = self.inner.new_captures()?;
        Ok(captures)
    }

    fn capture_count(&self) -> usize {
        self.inner.capture_count()
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        self.inner.capture_index(name)
    }

    fn captures_at(
        &self,
        haystack: &[u8],
        at: usize,
        captures: &mut RegexCaptures,
    ) -> io::Result<bool> {
        let is_match = self.inner.captures_at(haystack, at, captures)?;
        if let Some(found) = captures.get(0).filter(|_| is_match) {
            let (literal, references) = self.replacement.unwrap_or_default();
            let length = found.end() - found.start();
            let replaced = literal.saturating_add(length.saturating_mul(references));
            let before = found.start().saturating_sub(at);
            self.process.spend((before + length + replaced) / 8 + 4);
            self.keep(
                self.per_match
                    .saturating_add(before)
                    .saturating_add(replaced),
            )?;
        }
        Ok(is_match)
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> io::Result<Option<usize>> {
        let found = self.inner.shortest_match_at(haystack, at)?;
        Ok(found)
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.inner.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.inner.line_terminator()
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> io::Result<Option<LineMatchKind>> {
        let found = self.inner.find_candidate_line(haystack)?;
        Ok(found)
    }
}

/// A printer that says when it is given another line.
pub(super) struct Lines<'c, S> {
    pub(super) counted: &'c Counted<'c>,
    pub(super) printer: S,
}

impl<S: Sink<Error = io::Error>> Sink for Lines<'_, S> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.counted.begin();
        self.printer.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.counted.begin();
        self.printer.context(searcher, context)
    }

    fn context_break(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.printer.context_break(searcher)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> io::Result<bool> {
        self.printer.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> io::Result<bool> {
        self.counted.begin();
        self.printer.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.printer.finish(searcher, finish)
    }
}
