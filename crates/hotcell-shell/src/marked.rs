//! Text of which some was quoted.

use std::ops::Range;

use bstr::{BString, ByteSlice};

/// What expansions make: bytes, and which of them were quoted and so stand for themselves in a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) text: BString,
    /// In order, not empty, not touching.
    quoted: Vec<Range<usize>>,
}

impl Marked {
    /// Text without any quotes.
    pub(crate) fn unquoted(text: impl Into<BString>) -> Self {
        Self {
            text: text.into(),
            quoted: Vec::new(),
        }
    }

    /// Adds text that was not quoted.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
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

    /// Adds other marked text.
    pub(crate) fn append(&mut self, other: &Self) {
        let mut at = 0;
        for range in &other.quoted {
            self.push(other.text.get(at..range.start).unwrap_or_default());
            self.push_quoted(other.text.get(range.clone()).unwrap_or_default());
            at = range.end;
        }
        self.push(other.text.get(at..).unwrap_or_default());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
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
