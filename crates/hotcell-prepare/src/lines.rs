//! From offsets in a text to lines and columns, and back.

use std::ops::Deref;

use crate::diagnostic::Location;

/// Where the lines of a text begin and how wide its characters are.
///
/// Made in one pass. A place is then found in logarithmic time, however long its line and whatever its characters: code on
/// one line can have as many places to report as it has bytes.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex<T> {
    text: T,
    starts: Vec<usize>,
    /// UTF-16 units before every [`BLOCK`]th byte. Empty if all is ASCII, where bytes and units are the same.
    units: Vec<usize>,
}

/// Bytes that are counted again to find one place.
const BLOCK: usize = 256;

/// Bytes of memory that the index of a text takes, at most and the text itself excepted.
pub(crate) fn index_weight(text: &str) -> usize {
    let may_end_line = |byte: &&u8| matches!(byte, b'\n' | b'\r' | 0xE2);
    let lines = text.as_bytes().iter().filter(may_end_line).count() + 1;
    (lines + text.len() / BLOCK + 1) * size_of::<usize>()
}

impl<T: Deref<Target = str>> LineIndex<T> {
    pub(crate) fn new(text: T) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut at = 0;
        while at < bytes.len() {
            if let Some(length) = line_break(bytes, at) {
                at += length;
                starts.push(at);
            } else {
                at += 1;
            }
        }
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            units.extend(bytes.chunks(BLOCK).map(|block| {
                let at_start = before;
                before += utf16_units(block);
                at_start
            }));
        }
        Self {
            text,
            starts,
            units,
        }
    }

    /// The place of a byte offset; an offset past the end or inside a character counts as the nearest place before it.
    pub(crate) fn locate(&self, offset: usize) -> Location {
        let offset = floor_boundary(&self.text, offset);
        let line = self
            .starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        Location {
            line: count(line + 1),
            column: count(self.width(start, offset) + 1),
        }
    }

    /// The UTF-16 column of a byte column in a line; all count from 1. A line that does not exist has no width to count.
    pub(crate) fn column_of_byte(&self, line: u32, byte_column: u32) -> u32 {
        let Some((start, text)) = self.find(line) else {
            return byte_column;
        };
        let bytes = usize::try_from(byte_column.saturating_sub(1)).unwrap_or(usize::MAX);
        let end = start + floor_boundary(text, bytes);
        count(self.width(start, end) + 1)
    }

    /// The text of a line without its terminator; lines count from 1.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        self.find(line).map(|(_, text)| text)
    }

    pub(crate) fn lines(&self) -> u32 {
        count(self.starts.len())
    }

    fn find(&self, line: u32) -> Option<(usize, &str)> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = self.text.get(start..end)?;
        let line = line.trim_end_matches(['\n', '\r', '\u{2028}', '\u{2029}']);
        Some((start, line))
    }

    /// UTF-16 units between two offsets.
    fn width(&self, start: usize, end: usize) -> usize {
        if self.units.is_empty() {
            end - start
        } else {
            self.units_before(end) - self.units_before(start)
        }
    }

    fn units_before(&self, offset: usize) -> usize {
        // The end of the text is in no block if its last block is full.
        let block = (offset / BLOCK).min(self.units.len().saturating_sub(1));
        let before = self.units.get(block).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(block * BLOCK..offset);
        before + rest.map_or(0, utf16_units)
    }
}

/// The length of the line terminator at `at`, if one is there.
fn line_break(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'\r' if bytes.get(at + 1) == Some(&b'\n') => Some(2),
        b'\n' | b'\r' => Some(1),
        0xE2 if bytes.get(at + 1) == Some(&0x80)
            && matches!(bytes.get(at + 2), Some(0xA8 | 0xA9)) =>
        {
            Some(3)
        }
        _ => None,
    }
}

/// UTF-16 units of the characters that begin in these bytes of a text, wherever it was cut.
fn utf16_units(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0))
        .sum()
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

pub(crate) fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The code with a range of it blanked out: every UTF-16 unit becomes a space, line terminators stay, so that nothing
/// after the range moves to another line or column.
pub(crate) fn push_blank(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(c),
            _ => (0..c.len_utf16()).for_each(|_| out.push(' ')),
        }
    }
}
