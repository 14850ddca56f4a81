//! What a worker prints, in memory that outlives it.
//!
//! Output must not cost an exchange per line, and must not be lost when the worker is killed. So the worker appends it to a
//! ring of shared memory; the parent reads when the worker asks for something, when the ring is full (the worker asks for
//! that), now and then while somebody listens, and after the worker's death.
//!
//! ```text
//! [0-7]    u64   written: how many bytes the worker has ever written (its own)
//! [8-15]   u64   read: how many bytes the parent has ever read (the parent's own)
//! [16-19]  u32   bell: changes when a worker that sleeps has to look around
//! [24-31]  u64   offered: how many late answers the parent has ever had (the parent's own)
//! [64..]         the ring: records of [stream: u8][length: u32][bytes]
//! ```
//!
//! The parent believes neither number: it knows how far it has read, and takes `written` for no more than a claim.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use crate::region::map::{Map, sealed_file};

/// How much output waits until the parent is asked to take it.
pub(crate) const RING_BYTES: usize = 256 << 10;

const WRITTEN: usize = 0;
const READ: usize = 8;
const BELL: usize = 16;
const OFFERED: usize = 24;
const START: usize = 64;

/// What a record has beside its bytes.
const RECORD: usize = 5;

/// The shared memory of a ring.
#[derive(Debug)]
pub(crate) struct Ring {
    map: Map,
    capacity: usize,
}

impl Ring {
    /// A ring, and the file behind it.
    pub(crate) fn new() -> io::Result<(Self, OwnedFd)> {
        let file = sealed_file("hotcell-output", START + RING_BYTES)?;
        Ok((Self::from_file(file.as_fd())?, file))
    }

    pub(crate) fn from_file(file: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self {
            map: Map::new(file, START + RING_BYTES)?,
            capacity: RING_BYTES,
        })
    }

    /// Copies `bytes` to position `at` of the endless stream.
    fn put(&self, at: u64, bytes: &[u8]) {
        let (first, second, start) = self.split(at, bytes.len());
        let is_done = self.map.write(start, &bytes[..first])
            && self.map.write(START, &bytes[first..first + second]);
        debug_assert!(is_done, "the ring is as long as it says");
    }

    fn get(&self, at: u64, into: &mut [u8]) {
        let (first, second, start) = self.split(at, into.len());
        let is_done = self.map.read(start, &mut into[..first])
            && self.map.read(START, &mut into[first..first + second]);
        debug_assert!(is_done, "the ring is as long as it says");
    }

    /// How many of `length` bytes come before the end of the ring and how many after it, and where the first are.
    fn split(&self, at: u64, length: usize) -> (usize, usize, usize) {
        // Smaller than the capacity, which is a usize.
        let offset = usize::try_from(at % self.capacity as u64).unwrap_or(0);
        let first = length.min(self.capacity - offset);
        (first, length - first, START + offset)
    }

    /// Rings the bell: there is something for the worker to fetch, or somebody in it has something to do.
    pub(crate) fn ring_bell(&self) {
        self.map.counter(BELL).fetch_add(1, Ordering::Release);
        self.map.wake(BELL);
    }

    /// The parent has one more answer for the worker to fetch.
    pub(crate) fn offer(&self) {
        self.map.position(OFFERED).fetch_add(1, Ordering::Release);
        self.ring_bell();
    }

    /// How many answers the parent has ever had.
    pub(crate) fn offered(&self) -> u64 {
        self.map.position(OFFERED).load(Ordering::Acquire)
    }

    /// Whether the worker says that it has written more than was read.
    pub(crate) fn has_unread(&self) -> bool {
        let written = self.map.position(WRITTEN).load(Ordering::Acquire);
        written != self.map.position(READ).load(Ordering::Relaxed)
    }

    /// How often the bell was rung.
    pub(crate) fn bell(&self) -> u32 {
        self.map.counter(BELL).load(Ordering::Acquire)
    }

    /// Waits until the bell was rung more often than `heard`, not longer than `timeout`, and now and then for no reason.
    pub(crate) fn wait_bell(&self, heard: u32, timeout: Option<Duration>) {
        self.map.wait(BELL, heard, timeout);
    }
}

/// The worker's end.
#[derive(Debug)]
pub(crate) struct Writer {
    ring: Arc<Ring>,
    written: u64,
}

impl Writer {
    pub(crate) fn new(ring: Arc<Ring>) -> Self {
        let written = ring.map.position(WRITTEN).load(Ordering::Acquire);
        Self { ring, written }
    }

    /// Appends a record, or as much of it as there is room for; says how many bytes of it. Zero: the parent has to read first.
    pub(crate) fn append(&mut self, stream: u8, bytes: &[u8]) -> usize {
        let read = self.ring.map.position(READ).load(Ordering::Acquire);
        let used = usize::try_from(self.written.saturating_sub(read)).unwrap_or(usize::MAX);
        let room = self.ring.capacity.saturating_sub(used);
        let Some(most) = room.checked_sub(RECORD).filter(|most| *most > 0) else {
            return 0;
        };
        // A part is only written if all would not fit into an empty ring: records stay whole where they can.
        if bytes.len() > most && bytes.len() <= self.ring.capacity - RECORD {
            return 0;
        }
        let bytes = &bytes[..bytes.len().min(most)];
        let length = u32::try_from(bytes.len()).unwrap_or(0).to_ne_bytes();
        let head = [stream, length[0], length[1], length[2], length[3]];
        self.ring.put(self.written, &head);
        self.ring.put(self.written + RECORD as u64, bytes);
        self.written += (RECORD + bytes.len()) as u64;
        let written = self.ring.map.position(WRITTEN);
        written.store(self.written, Ordering::Release);
        bytes.len()
    }
}

/// The parent's end.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    read: u64,
    buffer: Vec<u8>,
}

/// The worker says it has written what cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nonsense;

impl Reader {
    /// Takes all records that are whole.
    pub(crate) fn drain(
        &mut self,
        ring: &Ring,
        mut each: impl FnMut(u8, &[u8]),
    ) -> Result<(), Nonsense> {
        let written = ring.map.position(WRITTEN).load(Ordering::Acquire);
        let there = written.checked_sub(self.read).ok_or(Nonsense)?;
        let there = usize::try_from(there).map_err(|_| Nonsense)?;
        if there > ring.capacity {
            return Err(Nonsense);
        }
        if there == 0 {
            return Ok(());
        }
        self.buffer.resize(there, 0);
        ring.get(self.read, &mut self.buffer);
        // From here on it is a copy, and stays what it is.
        let mut rest = &*self.buffer;
        while let Some((&[stream, a, b, c, d], after)) = rest.split_first_chunk::<RECORD>() {
            let length = usize::try_from(u32::from_ne_bytes([a, b, c, d])).unwrap_or(usize::MAX);
            // The worker publishes whole records only.
            let (bytes, after) = after.split_at_checked(length).ok_or(Nonsense)?;
            each(stream, bytes);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(Nonsense);
        }
        self.read = written;
        ring.map.position(READ).store(written, Ordering::Release);
        Ok(())
    }
}
