//! The lines of all files, and whether there are more.

use std::io::{self, Read, Seek, SeekFrom};

use hotcell_meter::Charge;
use hotcell_process::{Input, Process, limit_error};

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// Lines of one stream.
pub(crate) struct Lines<'p> {
    input: Input<'p>,
    buffer: Vec<u8>,
    start: usize,
    is_over: bool,
    charge: Charge,
}

impl<'p> Lines<'p> {
    pub(crate) fn new(process: &'p Process, input: Input<'p>) -> io::Result<Self> {
        Ok(Self {
            input,
            buffer: Vec::new(),
            start: 0,
            is_over: false,
            charge: process.charge(0)?,
        })
    }

    /// Puts the next line at the end of `out`, without what ends it. Says whether that was there, `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self, end: u8, out: &mut Vec<u8>) -> io::Result<Option<bool>> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            let unseen = rest.get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(end, unseen) {
                let length = searched + at;
                out.extend_from_slice(rest.get(..length).unwrap_or_default());
                self.start += length + 1;
                return Ok(Some(true));
            }
            searched = rest.len();
            if !self.fill()? {
                let rest = self.buffer.get(self.start..).unwrap_or_default();
                if rest.is_empty() {
                    return Ok(None);
                }
                out.extend_from_slice(rest);
                self.start = self.buffer.len();
                return Ok(Some(false));
            }
        }
    }

    /// Whether there is another line.
    pub(crate) fn has_more(&mut self) -> io::Result<bool> {
        Ok(self.start < self.buffer.len() || self.fill()?)
    }

    #[cold]
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let before = self.buffer.len();
        // A long line doubles what is read, so that it is copied a bounded number of times.
        let wanted = before + before.max(PIECE);
        if wanted > self.charge.bytes() {
            self.charge.resize(wanted).map_err(limit_error)?;
        }
        self.buffer.resize(wanted, 0);
        let read = self
            .input
            .read(self.buffer.get_mut(before..).unwrap_or_default());
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        self.is_over = read? == 0;
        Ok(!self.is_over)
    }

    /// What was read too much is for the next reader of the same file. A pipe has no way back.
    pub(crate) fn give_back(&mut self) {
        let unread = self.buffer.len() - self.start;
        if unread > 0 {
            let back = i64::try_from(unread).unwrap_or(0);
            let _ = self.input.seek(SeekFrom::Current(-back));
        }
    }
}
