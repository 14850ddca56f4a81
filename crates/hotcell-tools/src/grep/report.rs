//! What a search found, as it is shown.

use std::fmt::Write;
use std::io;

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use crate::limits::GREP_LINE_CHARS;
use crate::listing::Listing;
use crate::shown::show;

/// Collects lines from file after file until there are enough.
pub(super) struct Report {
    pub(super) listing: Listing,
    /// Whether there are more matches than were asked for.
    pub(super) more: bool,
    /// Whether a line was cut.
    pub(super) cut: bool,
    /// Whether the current file turned out to be binary.
    pub(super) binary: bool,
    limit: usize,
    context: u64,
    matches: usize,
    /// The current file's name as it is shown.
    file: String,
    /// The line of the last match that counted, in the current file.
    last_match: Option<u64>,
    /// The last line shown of the current file.
    last_shown: Option<u64>,
}

impl Report {
    pub(super) fn new(limit: usize, context: usize) -> Self {
        Self {
            listing: Listing::default(),
            more: false,
            cut: false,
            binary: false,
            limit,
            context: context as u64,
            matches: 0,
            file: String::new(),
            last_match: None,
            last_shown: None,
        }
    }

    pub(super) fn begin(&mut self, path: &[u8]) {
        self.file.clear();
        show(path, &mut self.file);
        self.last_match = None;
        self.last_shown = None;
        self.binary = false;
    }

    /// Whether nothing more will be shown.
    pub(super) const fn is_done(&self) -> bool {
        self.more || self.listing.is_full()
    }

    /// Whether the line belongs to the last match that counts.
    fn is_near(&self, line: u64) -> bool {
        self.last_match
            .is_some_and(|last| line <= last.saturating_add(self.context))
    }

    fn line(&mut self, number: u64, bytes: &[u8], mark: char) -> bool {
        let gap = self.last_shown.is_none_or(|last| number > last + 1);
        if self.context > 0
            && gap
            && !self.listing.is_empty()
            && !self.listing.add(|out| out.push_str("--"))
        {
            return false;
        }
        self.last_shown = Some(number);
        let mut cut = false;
        let file = &self.file;
        let fits = self.listing.add(|out| {
            out.push_str(file);
            let _ = write!(out, "{mark}{number}{mark} ");
            cut = push_line(bytes, out);
        });
        self.cut |= cut;
        fits
    }
}

/// Appends a line without its end; says whether it was cut.
fn push_line(bytes: &[u8], out: &mut String) -> bool {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    // A character has at most four bytes: what is beyond need not be decoded.
    let head = bytes
        .get(..GREP_LINE_CHARS.saturating_mul(4))
        .unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let cut = text.char_indices().nth(GREP_LINE_CHARS);
    let end = cut.map_or(text.len(), |(end, _)| end);
    out.push_str(text.get(..end).unwrap_or_default());
    if cut.is_some() {
        out.push_str("... [truncated]");
    }
    cut.is_some()
}

impl Sink for Report {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or(0);
        if self.matches < self.limit {
            self.matches += 1;
            self.last_match = Some(number);
            return Ok(self.line(number, found.bytes(), ':'));
        }
        self.more = true;
        if self.is_near(number) {
            return Ok(self.line(number, found.bytes(), '-'));
        }
        Ok(false)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or(0);
        // Once all matches are shown, lines before the next one are shown only if they come after the last one.
        if self.matches < self.limit || self.is_near(number) {
            return Ok(self.line(number, context.bytes(), '-'));
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
}
