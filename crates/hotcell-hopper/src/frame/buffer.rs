//! From a stream of bytes to frames.

use super::{BadHeader, Frame, HEADER, Header};
use crate::sink::{Full, Raw, Sink};

/// Where the bytes of a frame wait for the rest of it.
pub trait Storage: Sink {
    /// What was put there.
    fn bytes(&self) -> &[u8];

    /// Makes it empty.
    fn clear(&mut self);
}

#[cfg(feature = "alloc")]
impl Storage for alloc::vec::Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn clear(&mut self) {
        // A large frame is no reason to keep its room.
        if self.capacity() > 4096 {
            *self = Self::new();
        }
        self.clear();
    }
}

/// Room for a frame without an allocator.
pub struct Fixed<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> Default for Fixed<N> {
    fn default() -> Self {
        Self {
            bytes: [0; N],
            used: 0,
        }
    }
}

impl<const N: usize> Sink for Fixed<N> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let end = self.used.checked_add(bytes.len()).ok_or(Full)?;
        let room = self.bytes.get_mut(self.used..end).ok_or(Full)?;
        room.copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }
}

impl<const N: usize> Storage for Fixed<N> {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    fn clear(&mut self) {
        self.used = 0;
    }
}

/// Puts frames together again, whatever pieces they come in. A frame that came in one piece is not copied.
pub struct FrameBuffer<B> {
    kind: u16,
    max_payload: usize,
    partial: B,
    /// What is in `partial` was handed out.
    is_spent: bool,
    /// Bytes of a frame that was too large, which are still to come.
    to_skip: usize,
}

/// What came of some bytes.
#[derive(Debug)]
pub enum Step<'a> {
    /// All were taken, and no frame is complete.
    More,
    /// A frame.
    Frame(Frame<Raw<'a>>),
    /// A frame whose payload is longer than may be. It is skipped.
    TooLarge(Header),
    /// Not a frame of this kind: the stream is of no use any more.
    Broken(BadHeader),
}

impl<B: Storage> FrameBuffer<B> {
    /// For frames of this kind with payloads of at most `max_payload` bytes. `storage` is where frames wait that come in
    /// pieces; what does not fit there is too large, as well.
    pub fn new(kind: u16, max_payload: usize, storage: B) -> Self {
        Self {
            kind,
            max_payload,
            partial: storage,
            is_spent: false,
            to_skip: 0,
        }
    }

    /// How many bytes wait for the rest of their frame.
    pub fn waiting(&self) -> usize {
        if self.is_spent {
            0
        } else {
            self.partial.bytes().len()
        }
    }

    /// Takes bytes from the front of `input`, up to the end of the first frame.
    pub fn step<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Step<'s> {
        if core::mem::take(&mut self.is_spent) {
            self.partial.clear();
        }
        let skipped = self.to_skip.min(input.len());
        *input = input.get(skipped..).unwrap_or_default();
        self.to_skip -= skipped;

        // Whether the header is here, there, or partly both.
        let waiting = self.partial.bytes().len();
        if waiting < HEADER && !(waiting == 0 && input.len() >= HEADER) {
            let taken = take(input, HEADER - waiting);
            if self.partial.put(taken).is_err() {
                return self.broken(0);
            }
        }
        let head = if self.partial.bytes().is_empty() {
            input.first_chunk()
        } else {
            self.partial.bytes().first_chunk()
        };
        let Some(head) = head else {
            return Step::More;
        };
        let header = match Header::decode(head, self.kind) {
            Ok(header) => header,
            Err(bad) => return self.broken(bad.req_id),
        };
        if header.payload() > self.max_payload {
            return self.too_large(header, input);
        }

        let length = HEADER + header.payload();
        if self.partial.bytes().is_empty() && input.len() >= length {
            let whole = take(input, length);
            let payload = whole.get(HEADER..).unwrap_or_default();
            return Step::Frame(Frame::of(header, payload));
        }
        let missing = length - self.partial.bytes().len();
        let piece = input.get(..missing.min(input.len())).unwrap_or_default();
        if self.partial.put(piece).is_err() {
            return self.too_large(header, input);
        }
        take(input, piece.len());
        if self.partial.bytes().len() < length {
            return Step::More;
        }
        self.is_spent = true;
        let payload = self.partial.bytes().get(HEADER..).unwrap_or_default();
        Step::Frame(Frame::of(header, payload))
    }

    fn too_large<'a>(&mut self, header: Header, input: &mut &[u8]) -> Step<'a> {
        let waiting = self.partial.bytes().len();
        let here = if waiting == 0 {
            take(input, HEADER).len()
        } else {
            waiting
        };
        self.to_skip = (HEADER + header.payload()).saturating_sub(here);
        self.partial.clear();
        Step::TooLarge(header)
    }

    fn broken<'a>(&mut self, req_id: u64) -> Step<'a> {
        self.partial.clear();
        Step::Broken(BadHeader { req_id })
    }
}

/// Takes up to `count` bytes from the front.
fn take<'a>(input: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at(count.min(input.len()));
    *input = rest;
    taken
}
