//! Streams that know their direction.

use crate::{error::Error, host::Lembeh};

/// A stream to read: an output of a program, a file, standard input.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    handle: i32,
}

impl Source {
    /// Standard input, whose handle the entry point is given.
    pub fn standard(handle: i32) -> Self {
        Self { handle }
    }

    pub(crate) fn new(handle: u32) -> Result<Self, Error> {
        let handle = i32::try_from(handle).map_err(|_| Error::Malformed)?;
        Ok(Self { handle })
    }

    /// Its number.
    pub fn handle(&self) -> i32 {
        self.handle
    }

    /// Reads some bytes into `buf`, and returns them; none at the end. Waits until there are some.
    pub fn read<'b>(
        &mut self,
        host: &mut impl Lembeh,
        buf: &'b mut [u8],
    ) -> Result<&'b [u8], Error> {
        let count = host.read(self.handle, buf);
        let count = usize::try_from(count).map_err(|_| Error::Stream)?;
        // A host that says it has written more than there is room for is not believed.
        buf.get(..count).ok_or(Error::Malformed)
    }
}

/// A stream to write: the input of a program, standard output.
#[derive(Debug, PartialEq, Eq)]
pub struct Sink {
    handle: i32,
}

impl Sink {
    /// Standard output, whose handle the entry point is given.
    pub fn standard(handle: i32) -> Self {
        Self { handle }
    }

    pub(crate) fn new(handle: u32) -> Result<Self, Error> {
        let handle = i32::try_from(handle).map_err(|_| Error::Malformed)?;
        Ok(Self { handle })
    }

    /// Its number.
    pub fn handle(&self) -> i32 {
        self.handle
    }

    /// Writes some of the bytes, and says how many: none if the other side does not read now. A program that does not may
    /// wait for its own output to be read.
    pub fn write(&mut self, host: &mut impl Lembeh, bytes: &[u8]) -> Result<usize, Error> {
        let count = host.write(self.handle, bytes);
        let count = usize::try_from(count).map_err(|_| Error::Stream)?;
        if count > bytes.len() {
            return Err(Error::Malformed);
        }
        Ok(count)
    }

    /// Writes all of the bytes. [`Error::Full`] if the other side does not read; some may have been written then.
    pub fn write_all(&mut self, host: &mut impl Lembeh, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let count = self.write(host, bytes)?;
            if count == 0 {
                return Err(Error::Full);
            }
            bytes = bytes.get(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Says that nothing more comes.
    pub fn end(self, host: &mut impl Lembeh) {
        host.end(self.handle);
    }
}
