//! The lines of a file that were asked for, picked out of chunks as they come by.

use std::borrow::Cow;

use crate::error::FileToolError;
use crate::limits::{MAX_BYTES, READ_MAX_LINES};
use crate::result::TruncatedBy;

/// What has been seen of a file.
pub(super) struct Window {
    /// The line asked for, as it was given.
    offset: u64,
    /// Lines the caller wants at most.
    wanted: u64,
    /// Line breaks seen.
    breaks: u64,
    bytes: u64,
    last: Option<u8>,
    /// The lines to show. They are kept until they are more than can be shown: by one chunk at most.
    kept: Vec<u8>,
    /// Line breaks in `kept`.
    kept_breaks: u64,
    keeping: bool,
    /// Bytes of the first line to show that were not kept any more.
    first_beyond: u64,
    first_ended: bool,
}

/// What is to be shown.
pub(super) struct Page {
    pub(super) text: String,
    /// The number of the first line, from 1.
    pub(super) first_line: u64,
    pub(super) lines: u64,
    pub(super) total_lines: u64,
    pub(super) total_bytes: u64,
    pub(super) truncated_by: Option<TruncatedBy>,
    /// The length of the first line, if it alone is longer than the limit: then its beginning is shown.
    pub(super) long_line: Option<u64>,
    /// Lines shown that are not UTF-8.
    pub(super) invalid_lines: u64,
}

impl Window {
    pub(super) fn new(offset: Option<u64>, limit: Option<u64>) -> Self {
        Self {
            offset: offset.unwrap_or(1),
            wanted: limit.unwrap_or(u64::MAX),
            breaks: 0,
            bytes: 0,
            last: None,
            kept: Vec::new(),
            kept_breaks: 0,
            keeping: true,
            first_beyond: 0,
            first_ended: false,
        }
    }

    /// Lines before the first one to show.
    const fn skip(&self) -> u64 {
        self.offset.saturating_sub(1)
    }

    pub(super) fn take(&mut self, chunk: &[u8]) {
        self.bytes = self.bytes.saturating_add(chunk.len() as u64);
        self.last = chunk.last().copied().or(self.last);
        let mut rest = chunk;
        while self.breaks < self.skip() {
            let Some(at) = memchr::memchr(b'\n', rest) else {
                return;
            };
            self.breaks += 1;
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        let room = self.wanted.min(READ_MAX_LINES as u64);
        while self.keeping && !rest.is_empty() {
            let (line, after, ended) = split_line(rest);
            rest = after;
            self.kept.extend_from_slice(line);
            if ended {
                self.breaks += 1;
                self.kept_breaks += 1;
                self.first_ended = true;
            }
            self.keeping = self.kept_breaks < room && self.kept.len() <= MAX_BYTES;
        }
        if !self.first_ended {
            let (line, after, ended) = split_line(rest);
            rest = after;
            self.first_beyond = self.first_beyond.saturating_add(line.len() as u64);
            self.first_ended = ended;
            self.breaks += u64::from(ended);
        }
        self.breaks += memchr::memchr_iter(b'\n', rest).count() as u64;
    }

    pub(super) fn finish(self) -> Result<Page, FileToolError> {
        let ends_open = self.last.is_some_and(|last| last != b'\n');
        let total_lines = self.breaks.saturating_add(u64::from(ends_open));
        let skip = self.skip();
        if skip > 0 && skip >= total_lines {
            return Err(FileToolError::OffsetBeyondEnd {
                offset: self.offset,
                lines: total_lines,
            });
        }
        let mut page = Page {
            text: String::with_capacity(self.kept.len().min(MAX_BYTES)),
            first_line: skip.saturating_add(1),
            lines: 0,
            total_lines,
            total_bytes: self.bytes,
            truncated_by: None,
            long_line: None,
            invalid_lines: 0,
        };
        for line in self.kept.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            // Only what had to be changed is not borrowed.
            let invalid = u64::from(matches!(text, Cow::Owned(_)));
            if page.text.len().saturating_add(text.len()) > MAX_BYTES {
                page.truncated_by = Some(TruncatedBy::Bytes);
                if page.lines == 0 {
                    page.long_line = Some(self.first_beyond.saturating_add(line.len() as u64));
                    let text = beginning(line);
                    page.invalid_lines += u64::from(matches!(text, Cow::Owned(_)));
                    page.push(&text);
                }
                break;
            }
            page.push(&text);
            page.invalid_lines += invalid;
        }
        let asked = self.wanted.min(total_lines.saturating_sub(skip));
        if page.truncated_by.is_none() && page.lines < asked {
            page.truncated_by = Some(TruncatedBy::Lines);
        }
        Ok(page)
    }
}

impl Page {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.lines += 1;
    }
}

/// As much of a line as may be shown, without a part of a character at its end.
fn beginning(line: &[u8]) -> Cow<'_, str> {
    let head = line.get(..MAX_BYTES).unwrap_or(line);
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => {
            let whole = head.get(..error.valid_up_to()).unwrap_or_default();
            String::from_utf8_lossy(whole)
        }
        _ => match String::from_utf8_lossy(head) {
            Cow::Owned(mut text) => {
                text.truncate(text.floor_char_boundary(MAX_BYTES));
                Cow::Owned(text)
            }
            Cow::Borrowed(text) => Cow::Borrowed(text),
        },
    }
}

/// The first line with its line break, what comes after it, and whether it had one.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8], bool) {
    match memchr::memchr(b'\n', bytes) {
        Some(at) => {
            let (line, after) = bytes.split_at(at + 1);
            (line, after, true)
        }
        None => (bytes, &[], false),
    }
}
