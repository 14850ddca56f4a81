//! The bytes of a file: chunks that copies, snapshots and forks share until one of them writes.

use std::io::Write;
use std::sync::Arc;

use imbl::OrdMap;

use crate::error::{Errno, Fault};
use crate::file::{WHOLE_FILE_MAX, too_large};
use crate::image::{Source, damaged, put_bytes, put_u64};

/// How long a chunk is at most. A write into a shared chunk copies one chunk, not the file.
const CHUNK: usize = 64 * 1024;

/// What a chunk after the first counts at least. It takes about that much to remember it, and a file with one byte in each of
/// a million places must not get that for a million bytes.
const CHUNK_MIN: usize = 128;

/// Content of any size up to `u64::MAX`; what was never written is not stored and reads as zeros.
#[derive(Clone, Default)]
pub(super) struct Content {
    size: u64,
    stored: u64,
    /// The first chunk, apart from the others because most files have no others.
    head: Arc<Vec<u8>>,
    /// The chunks after it, by their number. A chunk that is short, or not there, goes on with zeros.
    tail: OrdMap<u64, Arc<Vec<u8>>>,
}

impl Content {
    /// How long the file is.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes are kept for it: those that were written, and [`CHUNK_MIN`] for a chunk with fewer.
    pub(super) const fn stored(&self) -> u64 {
        self.stored
    }

    /// The same, counted again.
    pub(super) fn recount(&self) -> u64 {
        let tail = self
            .tail
            .iter()
            .map(|(number, chunk)| charge(*number, chunk.len()));
        charge(0, self.head.len()) + tail.sum::<u64>()
    }

    fn chunk(&self, number: u64) -> &[u8] {
        if number == 0 {
            &self.head
        } else {
            self.tail.get(&number).map_or(&[], |chunk| chunk)
        }
    }

    /// Fills `buf` from `offset` on, as far as there is something; says how far.
    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) -> usize {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = buf.len().min(left);
        let mut room = buf.get_mut(..len).unwrap_or_default();
        for span in spans(offset, len) {
            let (piece, after) = std::mem::take(&mut room).split_at_mut(span.end - span.start);
            room = after;
            let chunk = self.chunk(span.number);
            let stored = chunk
                .get(span.start..span.end.min(chunk.len()))
                .unwrap_or_default();
            let (copied, zeros) = piece.split_at_mut(stored.len());
            copied.copy_from_slice(stored);
            zeros.fill(0);
        }
        len
    }

    /// Everything, if it is not too much for one answer.
    pub(super) fn read_all(&self) -> Result<Vec<u8>, Fault> {
        if self.size > WHOLE_FILE_MAX {
            return Err(too_large(WHOLE_FILE_MAX));
        }
        let size = usize::try_from(self.size).map_err(|_| Errno::ENOMEM)?;
        let mut out = Vec::new();
        out.try_reserve_exact(size).map_err(|_| Errno::ENOMEM)?;
        out.resize(size, 0);
        self.read(0, &mut out);
        Ok(out)
    }

    /// How many more bytes would be kept after writing `len` bytes at `offset`.
    pub(super) fn growth(&self, offset: u64, len: usize) -> u64 {
        let grown = |span: Span| {
            let before = self.chunk(span.number).len();
            charge(span.number, before.max(span.end)) - charge(span.number, before)
        };
        spans(offset, len).map(grown).sum()
    }

    /// Writes `data` at `offset`. The caller has checked that the end can be expressed.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let mut data_left = data;
        for span in spans(offset, data.len()) {
            let (piece, after) = data_left.split_at(span.end - span.start);
            data_left = after;
            let chunk = if span.number == 0 {
                &mut self.head
            } else {
                self.tail.entry(span.number).or_default()
            };
            let before = charge(span.number, chunk.len());
            write_chunk(Arc::make_mut(chunk), span.start, piece);
            self.stored += charge(span.number, chunk.len()) - before;
        }
        self.size = self.size.max(offset.saturating_add(data.len() as u64));
    }

    /// Writes the size, and the chunks that are there.
    pub(super) fn save(&self, out: &mut dyn Write) -> Result<(), Fault> {
        put_u64(out, self.size)?;
        put_u64(out, self.tail.len() as u64)?;
        put_bytes(out, &self.head)?;
        for (number, chunk) in &self.tail {
            put_u64(out, *number)?;
            put_bytes(out, chunk)?;
        }
        Ok(())
    }

    /// Reads what [`Content::save`] wrote, up to so long and so much of it.
    pub(super) fn load(
        source: &mut Source<'_>,
        most_size: u64,
        most_stored: u64,
    ) -> Result<Self, Fault> {
        let size = source.u64()?;
        if size > most_size {
            return Err(Fault::new(
                Errno::EFBIG,
                format!("a file has at most {most_size} bytes"),
            ));
        }
        let chunks = source.u64()?;
        let mut content = Self {
            size,
            ..Self::default()
        };
        content.keep(0, source.bytes(CHUNK)?, most_stored)?;
        for _ in 0..chunks {
            let number = source.u64()?;
            if number == 0 || content.tail.contains_key(&number) {
                return Err(damaged("a piece of a file is there twice"));
            }
            content.keep(number, source.bytes(CHUNK)?, most_stored)?;
        }
        Ok(content)
    }

    /// Puts a chunk where there is none.
    fn keep(&mut self, number: u64, chunk: Vec<u8>, most: u64) -> Result<(), Fault> {
        let start = number.checked_mul(CHUNK as u64);
        let end = start.and_then(|start| start.checked_add(chunk.len() as u64));
        if end.is_none_or(|end| end > self.size) {
            return Err(damaged("a piece of a file is behind its end"));
        }
        self.stored += charge(number, chunk.len());
        if self.stored > most {
            let detail = format!("the files take more than the {most} bytes that are left");
            return Err(Fault::new(Errno::ENOSPC, detail));
        }
        if number == 0 {
            self.head = Arc::new(chunk);
        } else if !chunk.is_empty() {
            self.tail.insert(number, Arc::new(chunk));
        }
        Ok(())
    }

    /// Cuts, or grows by a hole.
    pub(super) fn truncate(&mut self, size: u64) {
        if size < self.size {
            self.cut(size);
        }
        self.size = size;
    }

    fn cut(&mut self, size: u64) {
        let (number, within) = place(size);
        if number == 0 {
            self.tail = OrdMap::new();
            if self.head.len() > within {
                Arc::make_mut(&mut self.head).truncate(within);
            }
            self.stored = self.head.len() as u64;
            return;
        }
        let gone: Vec<u64> = self
            .tail
            .range(number..)
            .map(|(number, _)| *number)
            .collect();
        for at in gone {
            if at == number && within > 0 {
                if let Some(edge) = self.tail.get_mut(&at).filter(|edge| edge.len() > within) {
                    self.stored -= charge(at, edge.len()) - charge(at, within);
                    Arc::make_mut(edge).truncate(within);
                }
            } else if let Some(chunk) = self.tail.remove(&at) {
                self.stored -= charge(at, chunk.len());
            }
        }
    }
}

/// What a chunk of this length counts.
fn charge(number: u64, len: usize) -> u64 {
    let counted = if number == 0 || len == 0 {
        len
    } else {
        len.max(CHUNK_MIN)
    };
    counted as u64
}

impl From<&[u8]> for Content {
    fn from(data: &[u8]) -> Self {
        let mut content = Self::default();
        content.write(0, data);
        content
    }
}

/// Writes into one chunk.
fn write_chunk(chunk: &mut Vec<u8>, start: usize, piece: &[u8]) {
    let before = chunk.len();
    let end = start + piece.len();
    if end > chunk.capacity() {
        // Growth by doubling, but never past the size of a chunk.
        let capacity = chunk
            .capacity()
            .saturating_mul(2)
            .clamp(end, CHUNK.max(end));
        chunk.reserve_exact(capacity - before);
    }
    if before < start {
        chunk.resize(start, 0);
    }
    let overlap = chunk.len().min(end) - start;
    let (over, beyond) = piece.split_at(overlap);
    if let Some(room) = chunk.get_mut(start..start + overlap) {
        room.copy_from_slice(over);
    }
    chunk.extend_from_slice(beyond);
}

/// In which chunk an offset lies, and where in it.
fn place(offset: u64) -> (u64, usize) {
    let chunk = CHUNK as u64;
    // The remainder is below the size of a chunk.
    (offset / chunk, usize::try_from(offset % chunk).unwrap_or(0))
}

/// A part of one chunk.
struct Span {
    number: u64,
    start: usize,
    end: usize,
}

/// The chunks that `len` bytes at `offset` touch.
fn spans(offset: u64, len: usize) -> impl Iterator<Item = Span> {
    let (mut number, mut start) = place(offset);
    let mut left = len;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let end = CHUNK.min(start.saturating_add(left));
        let span = Span { number, start, end };
        left -= end - start;
        number += 1;
        start = 0;
        Some(span)
    })
}
