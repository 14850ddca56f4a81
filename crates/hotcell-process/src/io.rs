//! Streams as `std::io` has them.

use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    sync::Arc,
};

use crate::{process::Process, stream::Stream};

/// How much [`Output`] gathers before it writes.
const BUFFER: usize = 32 << 10;

/// A stream to read from, without a buffer: what is not asked for stays for the next reader of the same stream.
pub struct Input<'p> {
    process: &'p Process,
    stream: Arc<dyn Stream>,
}

impl<'p> Input<'p> {
    pub(crate) fn new(process: &'p Process, stream: Arc<dyn Stream>) -> Self {
        Self { process, stream }
    }

    /// The stream itself.
    pub fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.process.read(&self.stream, buf)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}

/// A stream to write to, through a buffer. What is in the buffer is written when it is full, by `flush`, and when the
/// output is dropped (where nobody sees an error: flush before, if it matters).
pub struct Output<'p> {
    process: &'p Process,
    stream: Arc<dyn Stream>,
    buffer: Vec<u8>,
    capacity: usize,
}

impl<'p> Output<'p> {
    pub(crate) fn new(process: &'p Process, stream: Arc<dyn Stream>) -> Self {
        // A person wants to see each line.
        let capacity = if stream.is_terminal() { 0 } else { BUFFER };
        Self {
            process,
            stream,
            buffer: Vec::new(),
            capacity,
        }
    }

    /// Writes everything at once from now on, as standard error does.
    #[must_use]
    pub fn unbuffered(mut self) -> Self {
        self.capacity = 0;
        self
    }

    /// The stream itself. What is in the buffer has not reached it.
    pub fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }
}

impl Write for Output<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + data.len() > self.capacity {
            self.flush()?;
            if data.len() >= self.capacity {
                let written = self.process.write(&self.stream, data);
                return written.inspect_err(|_| self.process.note_failed_write());
            }
        }
        self.buffer.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        // Taken out, so that what fails is not written again when the output is dropped.
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = self.process.write_all(&self.stream, &buffer);
        let written = written.inspect_err(|_| self.process.note_failed_write());
        buffer.clear();
        self.buffer = buffer;
        written
    }
}

impl Drop for Output<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.flush();
        }
    }
}
