//! Writing Hopper fields.

use core::fmt;

/// There is no room for what was to be written, or it is longer than a length field can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no room for the frame")
    }
}

impl core::error::Error for Full {}

/// What fields are written to: a [`Buffer`], a `Vec<u8>`, or a [`Count`].
pub trait Sink {
    /// Writes all of these bytes, or none.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full>;

    /// An integer of one byte.
    fn h1(&mut self, value: u8) -> Result<(), Full> {
        self.put(&value.to_le_bytes())
    }

    /// An integer of two bytes.
    fn h2(&mut self, value: u16) -> Result<(), Full> {
        self.put(&value.to_le_bytes())
    }

    /// An integer of four bytes.
    fn h4(&mut self, value: u32) -> Result<(), Full> {
        self.put(&value.to_le_bytes())
    }

    /// An integer of eight bytes.
    fn h8(&mut self, value: u64) -> Result<(), Full> {
        self.put(&value.to_le_bytes())
    }

    /// A length, or a count.
    fn length(&mut self, length: usize) -> Result<(), Full> {
        self.h4(u32::try_from(length).map_err(|_| Full)?)
    }

    /// `HBYTES`, or `HSTR`: a length and that many bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.length(bytes.len())?;
        self.put(bytes)
    }
}

/// A slice that fills up.
pub struct Buffer<'b> {
    bytes: &'b mut [u8],
    used: usize,
}

impl<'b> Buffer<'b> {
    /// An empty one with room for all of `bytes`.
    pub fn new(bytes: &'b mut [u8]) -> Self {
        Self { bytes, used: 0 }
    }

    /// What was written.
    pub fn written(self) -> &'b [u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }
}

impl Sink for Buffer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let end = self.used.checked_add(bytes.len()).ok_or(Full)?;
        let room = self.bytes.get_mut(self.used..end).ok_or(Full)?;
        room.copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }
}

#[cfg(feature = "alloc")]
impl Sink for alloc::vec::Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Counts what would be written.
#[derive(Debug, Default)]
pub struct Count(pub usize);

impl Sink for Count {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.0 = self.0.checked_add(bytes.len()).ok_or(Full)?;
        Ok(())
    }
}

/// Something that has a layout.
pub trait Encode {
    /// Writes it.
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full>;

    /// How long it is; `Full` if no frame could hold it.
    fn encoded_len(&self) -> Result<usize, Full> {
        let mut count = Count::default();
        self.encode(&mut count)?;
        Ok(count.0)
    }

    /// Writes it to the front of a slice, and returns that part.
    fn encode_into<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], Full> {
        let mut buffer = Buffer::new(buffer);
        self.encode(&mut buffer)?;
        Ok(buffer.written())
    }

    /// It as bytes of its own.
    #[cfg(feature = "alloc")]
    fn to_vec(&self) -> Result<alloc::vec::Vec<u8>, Full> {
        let mut bytes = alloc::vec::Vec::with_capacity(self.encoded_len()?);
        self.encode(&mut bytes)?;
        Ok(bytes)
    }

    /// Its length, and then itself: as a field of something larger.
    fn encode_with_length<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.length(self.encoded_len()?)?;
        self.encode(sink)
    }
}

impl<T: Encode> Encode for &T {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        (**self).encode(sink)
    }
}

/// Bytes that were encoded elsewhere, or are not decoded yet.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Raw<'a>(pub &'a [u8]);

impl Encode for Raw<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), Full> {
        sink.put(self.0)
    }
}

impl fmt::Debug for Raw<'_> {
    /// The length alone: what is inside may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.0.len())
    }
}

/// A count, and so many items.
pub(crate) fn encode_list<S: Sink, T: Encode>(items: &[T], sink: &mut S) -> Result<(), Full> {
    sink.length(items.len())?;
    items.iter().try_for_each(|item| item.encode(sink))
}
