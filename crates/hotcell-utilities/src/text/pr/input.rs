//! The files, byte by byte.

use std::io::{self, BufRead, BufReader};

use bstr::BString;
use hotcell_meter::Charge;
use hotcell_process::{Input, Process};
use hotcell_vfs::{Errno, OpenOptions, Timestamp};

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// Whether a file gives lines for the page that is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    /// A form feed ended its page.
    Held,
    Closed,
}

/// A file that is printed.
pub(super) struct Source<'p> {
    input: BufReader<Input<'p>>,
    pub(super) status: Status,
    /// The last page was full: a form feed that comes first on the next one says what is known already.
    pub(super) was_full: bool,
    /// When it was changed; none for standard input.
    pub(super) modified: Option<Timestamp>,
    _charge: Charge,
}

impl<'p> Source<'p> {
    pub(super) fn open(process: &'p Process, name: &BString) -> io::Result<Self> {
        let charge = process.charge(PIECE)?;
        let (input, modified) = if name == "-" {
            (process.stdin(), None)
        } else {
            let stream = process.open(name, &OpenOptions::read())?;
            let metadata = stream.metadata()?;
            if metadata.is_dir() {
                return Err(io::Error::from_raw_os_error(Errno::EISDIR.code()));
            }
            (process.input(stream), Some(metadata.modified))
        };
        Ok(Self {
            input: BufReader::with_capacity(PIECE, input),
            status: Status::Open,
            was_full: false,
            modified,
            _charge: charge,
        })
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// The next byte; none at the end.
    pub(super) fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.input.consume(1);
        }
        Ok(byte)
    }

    /// The first byte of a column on a page. A form feed behind a full page is passed over.
    pub(super) fn first_byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = self.byte()?;
        if byte == Some(b'\x0c') && self.was_full {
            byte = self.byte()?;
            if byte == Some(b'\n') {
                byte = self.byte()?;
            }
        }
        Ok(byte)
    }

    /// A form feed was read: it takes a newline with it.
    pub(super) fn pass_newline(&mut self) -> io::Result<()> {
        if self.peek()? == Some(b'\n') {
            self.input.consume(1);
        }
        Ok(())
    }
}
