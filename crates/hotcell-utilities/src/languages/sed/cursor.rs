//! The text of a script, character by character.
//!
//! Messages tell how many characters were read, so those that are read and put back count as in GNU sed.

use bstr::BString;

/// Where a piece of a script comes from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// `-e`, or the first operand: the number.
    Expression(usize),
    File(BString),
}

/// Why a script cannot be run.
#[derive(Debug)]
pub(crate) struct ScriptError {
    pub(crate) message: String,
    pub(crate) code: i32,
}

pub(crate) struct Cursor<'s> {
    text: &'s [u8],
    at: usize,
    origin: Origin,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(text: &'s [u8], origin: Origin) -> Self {
        Self {
            text,
            at: 0,
            origin,
        }
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Puts back what [`Cursor::next`] has given.
    pub(crate) fn put_back(&mut self, byte: Option<u8>) {
        self.at -= usize::from(byte.is_some()).min(self.at);
    }

    pub(crate) fn next_nonblank(&mut self) -> Option<u8> {
        loop {
            match self.next() {
                Some(b' ' | b'\t') => {}
                other => return other,
            }
        }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// A number whose first digit was read.
    pub(crate) fn number(&mut self, first: u8) -> u64 {
        let mut number = u64::from(first.wrapping_sub(b'0'));
        loop {
            match self.next() {
                Some(digit @ b'0'..=b'9') => {
                    number = number
                        .saturating_mul(10)
                        .saturating_add(u64::from(digit - b'0'));
                }
                other => {
                    self.put_back(other);
                    return number;
                }
            }
        }
    }

    /// An error at this place.
    pub(crate) fn error(&self, message: impl AsRef<str>) -> ScriptError {
        self.error_after(self.at, message)
    }

    /// An error in this line, or in this expression as a whole.
    pub(crate) fn error_at_start(&self, message: impl AsRef<str>) -> ScriptError {
        self.error_after(0, message)
    }

    fn error_after(&self, characters: usize, message: impl AsRef<str>) -> ScriptError {
        let message = message.as_ref();
        let message = match &self.origin {
            Origin::Expression(number) => {
                format!("-e expression #{number}, char {characters}: {message}")
            }
            Origin::File(name) => {
                let before = self.text.get(..self.at).unwrap_or(self.text);
                // A newline that was read ends the line that the mistake is on.
                let before = before.strip_suffix(b"\n").unwrap_or(before);
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                format!("file {name} line {line}: {message}")
            }
        };
        ScriptError { message, code: 1 }
    }
}
