//! Writing a row of a page: spaces wait until something follows them, and may become tabs.

use std::io::{self, Write};

use hotcell_process::Output;

pub(super) struct Pen<'a, 'p> {
    out: &'a mut Output<'p>,
    pub(super) column: i64,
    /// Spaces that were not written yet.
    pub(super) blanks: i64,
    /// What spaces become, if they do.
    tabs: Option<(u8, i64)>,
}

impl<'a, 'p> Pen<'a, 'p> {
    pub(super) fn new(out: &'a mut Output<'p>, tabs: Option<(u8, i64)>) -> Self {
        Self {
            out,
            column: 0,
            blanks: 0,
            tabs,
        }
    }

    /// Something as it is.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    pub(super) fn repeat(&mut self, byte: u8, times: i64) -> io::Result<()> {
        const PIECE: usize = 256;
        let mut left = usize::try_from(times).unwrap_or(0);
        let piece = [byte; PIECE];
        while left > 0 {
            let count = left.min(PIECE);
            self.out.write_all(piece.get(..count).unwrap_or_default())?;
            left -= count;
        }
        Ok(())
    }

    /// The beginning of a row.
    pub(super) fn start(&mut self) {
        self.column = 0;
        self.blanks = 0;
    }

    /// Goes to a column.
    pub(super) fn advance_to(&mut self, column: i64) -> io::Result<()> {
        if self.tabs.is_some() {
            self.blanks = column - self.column;
            return Ok(());
        }
        self.repeat(b' ', column - self.column)?;
        self.column = column;
        Ok(())
    }

    /// Writes a character of text.
    pub(super) fn put(&mut self, byte: u8) -> io::Result<()> {
        if self.tabs.is_some() {
            if byte == b' ' {
                self.blanks += 1;
                return Ok(());
            }
            self.flush()?;
            match byte {
                b'\x08' => self.column -= 1,
                b' '..=b'~' => self.column += 1,
                _ => {}
            }
        }
        self.raw(&[byte])
    }

    /// Writes a character of what separates columns, which has a width whatever it is.
    pub(super) fn put_separator(&mut self, byte: u8) -> io::Result<()> {
        if byte == b' ' {
            self.blanks += 1;
            return Ok(());
        }
        self.flush()?;
        self.column += 1;
        self.raw(&[byte])
    }

    /// Writes the spaces that wait.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.blanks <= 0 {
            return Ok(());
        }
        let goal = self.column + self.blanks;
        let (tab, width) = self.tabs.unwrap_or((b'\t', 8));
        // A single space stays one.
        while goal - self.column > 1 {
            let stop = next_stop(self.column, width);
            if stop > goal {
                break;
            }
            self.raw(&[tab])?;
            self.column = stop;
        }
        self.repeat(b' ', goal - self.column)?;
        self.column = goal;
        self.blanks = 0;
        Ok(())
    }
}

/// Where a tab leads from a column.
pub(super) fn next_stop(column: i64, width: i64) -> i64 {
    column + width - column.rem_euclid(width)
}
