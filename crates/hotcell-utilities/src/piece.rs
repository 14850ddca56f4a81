//! A buffer for reading a stream piece by piece.

use std::io::{self, Read};

/// How much the first read asks for: most of what commands read is small, and clearing a large buffer for it would cost more
/// than the rest of the command.
pub(crate) const FIRST: usize = 4 << 10;

/// How much is read at once in the end.
pub(crate) const MOST: usize = 64 << 10;

/// A buffer that grows while reads fill it.
#[derive(Default)]
pub(crate) struct Piece {
    buffer: Vec<u8>,
    /// The last read filled it.
    is_full: bool,
}

impl Piece {
    /// Reads the next piece; it is empty at the end.
    pub(crate) fn read(&mut self, input: &mut impl Read) -> io::Result<&mut [u8]> {
        if self.buffer.is_empty() {
            self.buffer = vec![0; FIRST];
        } else if self.is_full && self.buffer.len() < MOST {
            // Not resized: what is in it is not needed.
            self.buffer = vec![0; (self.buffer.len() * 4).min(MOST)];
        }
        let read = input.read(&mut self.buffer)?;
        self.is_full = read == self.buffer.len();
        Ok(self.buffer.get_mut(..read).unwrap_or_default())
    }
}
