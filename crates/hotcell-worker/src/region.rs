//! The shared memory through which a worker asks its parent for things, one request at a time.
//!
//! ```text
//! Offset   Size    Field
//! [0-3]    i32     status: IDLE=0, REQUEST=1, RESPONSE=2, ERROR=3
//! [4-7]    i32     metadata length (bytes of JSON)
//! [8-11]   i32     binary length (raw bytes)
//! [12..]           JSON metadata (UTF-8)
//! [12+N..]         raw bytes
//! ```
//!
//! The worker writes a request and sets the status to `REQUEST`; the parent writes the answer into its place and sets it to
//! `RESPONSE` or `ERROR`; the worker takes the answer and sets it to `IDLE`. Whoever waits for the other does so with a futex on
//! the status, and sleeps at once: on a busy machine an exchange takes 5 µs that way, and 11 to 47 µs if each side looks for 2
//! to 20 µs before it sleeps, because the one that looks has the core that the other needs. Numbers are in the machine's byte
//! order.
//!
//! # Who trusts whom
//!
//! The worker trusts the parent. The parent trusts nothing here: whatever it reads may change the next moment, so each
//! number is read once, everything else is copied out before it is looked at, and what was copied is checked. The size of the
//! memory is sealed: no worker can cut it off under the parent's hands.

mod client;
pub(crate) mod map;
mod server;

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

pub use client::{Client, Reply};
pub use server::{Incoming, Most, Server, Violation};

use map::Map;

/// How large a region is unless somebody says otherwise. Only what is touched takes memory.
pub const REGION_BYTES: usize = 32 << 20;

/// The least that makes sense: a header, a path, and something to carry.
pub const LEAST_REGION_BYTES: usize = 64 << 10;

/// Where the metadata begins.
pub(crate) const HEADER: usize = 12;

const STATUS: usize = 0;
const METADATA_LENGTH: usize = 4;
const BINARY_LENGTH: usize = 8;

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// Nobody wants anything.
    Idle = 0,
    /// The worker asked, the parent is to answer.
    Request = 1,
    /// The answer is there.
    Response = 2,
    /// The answer is there, and it is an error.
    Error = 3,
}

/// Not one of the four: the parent says it to its own thread when the worker is gone, and nobody else is left to hear it.
pub(crate) const CLOSED: i32 = -1;

/// A piece of memory that two processes share.
#[derive(Debug)]
pub struct Region {
    map: Map,
}

impl Region {
    /// Makes a region of `bytes` bytes, at least [`LEAST_REGION_BYTES`], and the file behind it, which is to be sent to the other
    /// process.
    pub fn new(bytes: usize) -> io::Result<(Self, OwnedFd)> {
        let bytes = bytes.max(LEAST_REGION_BYTES);
        let file = map::sealed_file("hotcell-region", bytes)?;
        Ok((Self::from_file(file.as_fd())?, file))
    }

    /// Takes part in a region that another process made.
    pub fn from_file(file: BorrowedFd<'_>) -> io::Result<Self> {
        let size = rustix::fs::fstat(file)?.st_size;
        let bytes = usize::try_from(size).unwrap_or(0);
        if bytes < LEAST_REGION_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a region of {bytes} bytes: it must have at least {LEAST_REGION_BYTES}"),
            ));
        }
        let map = Map::new(file, bytes)?;
        Ok(Self { map })
    }

    /// How many bytes it has.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// How many bytes of metadata and binary together fit.
    pub(crate) fn room(&self) -> usize {
        self.map.len() - HEADER
    }
}
