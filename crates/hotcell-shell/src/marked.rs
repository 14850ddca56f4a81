//! Text of which some was quoted.

use std::ops::Range;

use bstr::{BString, ByteSlice};

/// What expansions make: bytes, and which of them were quoted and so stand for themselves in a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) text: BString,
    /// In order, not empty, not touching.
    quoted: Vec<Range<usize>>,
    /// Something that was not quoted may be part of a pattern.
    may_glob: bool,
}

impl Marked {
    /// Text without any quotes.
    pub(crate) fn unquoted(text: impl Into<BString>) -> Self {
        Self {
            text: text.into(),
            quoted: Vec::new(),
            may_glob: true,
        }
    }

    /// Whether what was not quoted may be a pattern.
    pub(crate) fn may_glob(&self) -> bool {
        self.may_glob
    }

    /// Adds text that was not quoted.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.may_glob |= memchr::memchr3(b'*', b'?', b'[', text).is_some()
            || memchr::memchr(b'(', text).is_some();
    }

    /// Adds text that was quoted.
    pub(crate) fn push_quoted(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.extend_from_slice(text);
        let end = self.text.len();
        match self.quoted.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.quoted.push(start..end),
        }
    }

    /// Each byte and whether it was quoted.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = (u8, bool)> {
        let mut ranges = self.quoted.iter().peekable();
        self.text.bytes().enumerate().map(move |(at, byte)| {
            while ranges.next_if(|range| range.end <= at).is_some() {}
            let is_quoted = ranges.peek().is_some_and(|range| range.start <= at);
            (byte, is_quoted)
        })
    }
}
