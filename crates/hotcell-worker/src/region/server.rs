//! The parent's end of a region: take what the worker asks, whatever it is, and answer.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde::Deserialize;

use super::{BINARY_LENGTH, CLOSED, HEADER, METADATA_LENGTH, Region, STATUS, Status};

/// What a worker wrote cannot be a request. There is no use in talking to it any further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Lengths that are negative, or reach beyond the memory.
    #[error("a request of {metadata} and {binary} bytes in a region of {room}")]
    Lengths {
        /// The length of the metadata, as the worker says.
        metadata: i32,
        /// The length of the binary, as the worker says.
        binary: i32,
        /// How many bytes there are.
        room: usize,
    },
    /// More than the parent is willing to read.
    #[error("a request of more than {most} bytes of metadata")]
    TooLarge {
        /// How much may be.
        most: usize,
    },
    /// Not JSON, or not what this operation takes.
    #[error("a request that cannot be read: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
    /// Something that may not be asked now.
    #[error("a request out of turn: {op}")]
    OutOfTurn {
        /// What was asked.
        op: String,
    },
}

/// A request, copied.
#[derive(Debug, Default)]
pub struct Incoming {
    /// The JSON, not looked at yet.
    pub metadata: Vec<u8>,
    /// The bytes.
    pub binary: Vec<u8>,
    /// There were more bytes than the parent takes, and they were dropped.
    pub is_cut: bool,
}

/// How much a worker may send in one request, all pieces together.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// Bytes of JSON.
    pub metadata: usize,
    /// Raw bytes.
    pub binary: usize,
}

/// The parent's end.
#[derive(Debug)]
pub struct Server {
    region: Arc<Region>,
    most: Most,
    /// What came in pieces so far.
    staged: Incoming,
    /// An answer that was too large, and how much of it was fetched.
    rest: Rest,
}

#[derive(Debug, Default)]
struct Rest {
    metadata: Vec<u8>,
    binary: Vec<u8>,
    fetched: usize,
}

/// Requests of the lane itself: payloads in pieces.
#[derive(Deserialize)]
struct OfLane<'a> {
    op: &'a str,
    #[serde(default)]
    of: &'a str,
}

/// No request of the lane itself is longer.
const OF_LANE: usize = 64;

/// How much of an answer that does not fit goes at a time.
const PIECE: usize = 256 << 10;

impl Server {
    /// The parent's end of `region`.
    pub fn new(region: Arc<Region>, most: Most) -> Self {
        Self {
            region,
            most,
            staged: Incoming::default(),
            rest: Rest::default(),
        }
    }

    /// The memory.
    pub fn region(&self) -> &Arc<Region> {
        &self.region
    }

    /// How many raw bytes the worker may send in one request, all pieces together.
    pub fn set_most_binary(&mut self, most: usize) {
        self.most.binary = most;
    }

    /// Takes a request that is there, into `request`. False if it was a part of one, which has been dealt with.
    pub fn take(&mut self, request: &mut Incoming) -> Result<bool, Violation> {
        self.copy_out(request)?;
        if request.metadata.len() <= OF_LANE
            && let Ok(OfLane { op, of }) = serde_json::from_slice(&request.metadata)
        {
            match (op, of) {
                ("piece", "metadata" | "binary") => {
                    let is_binary = of == "binary";
                    return self.stage(&request.binary, is_binary).map(|()| false);
                }
                ("rest", _) => {
                    self.send_rest();
                    return Ok(false);
                }
                ("staged", _) => {
                    request.metadata = std::mem::take(&mut self.staged.metadata);
                }
                _ => {}
            }
        }
        self.check_metadata(request.metadata.len())?;
        let staged = std::mem::take(&mut self.staged);
        if !staged.binary.is_empty() {
            let last = std::mem::replace(&mut request.binary, staged.binary);
            request.binary.extend_from_slice(&last);
        }
        request.is_cut = staged.is_cut || request.binary.len() > self.most.binary;
        if request.is_cut {
            request.binary = Vec::new();
        }
        Ok(true)
    }

    /// Copies what the worker wrote before anything is done with it: it may change every moment. The two lengths are read once.
    fn copy_out(&self, request: &mut Incoming) -> Result<(), Violation> {
        let map = &self.region.map;
        let metadata = map.number(METADATA_LENGTH).load(Ordering::Relaxed);
        let binary = map.number(BINARY_LENGTH).load(Ordering::Relaxed);
        let room = self.region.room();
        let wrong = || Violation::Lengths {
            metadata,
            binary,
            room,
        };
        let metadata_length = usize::try_from(metadata).map_err(|_| wrong())?;
        let binary_length = usize::try_from(binary).map_err(|_| wrong())?;
        if metadata_length.saturating_add(binary_length) > room {
            return Err(wrong());
        }
        self.check_metadata(metadata_length)?;
        resize(&mut request.metadata, metadata_length);
        resize(&mut request.binary, binary_length);
        let is_there = map.read(HEADER, &mut request.metadata)
            && map.read(HEADER + metadata_length, &mut request.binary);
        if is_there { Ok(()) } else { Err(wrong()) }
    }

    fn check_metadata(&self, length: usize) -> Result<(), Violation> {
        let most = self.most.metadata;
        if length > most {
            return Err(Violation::TooLarge { most });
        }
        Ok(())
    }

    fn stage(&mut self, bytes: &[u8], is_binary: bool) -> Result<(), Violation> {
        let staged = &mut self.staged;
        if !is_binary {
            staged.metadata.extend_from_slice(bytes);
            let length = staged.metadata.len();
            self.check_metadata(length)?;
        } else if staged.is_cut || staged.binary.len() + bytes.len() > self.most.binary {
            // The whole request fails when it is complete; until then nothing of it is kept.
            staged.is_cut = true;
            staged.binary = Vec::new();
        } else {
            staged.binary.extend_from_slice(bytes);
        }
        self.put(Status::Response, br#"{"ok":true}"#, &[]);
        Ok(())
    }

    /// Answers. What does not fit is kept until it is fetched.
    pub fn respond(&mut self, is_error: bool, metadata: &[u8], binary: &[u8]) {
        let status = status_of(is_error);
        self.rest = Rest::default();
        if metadata.len() + binary.len() <= self.region.room() {
            self.put(status, metadata, binary);
        } else {
            self.keep(status, metadata.to_vec(), binary.to_vec());
        }
    }

    /// The same, with bytes that nobody else needs.
    pub fn respond_with(&mut self, is_error: bool, metadata: &[u8], binary: Vec<u8>) {
        if metadata.len() + binary.len() <= self.region.room() {
            self.respond(is_error, metadata, &binary);
        } else {
            self.keep(status_of(is_error), metadata.to_vec(), binary);
        }
    }

    fn keep(&mut self, status: Status, metadata: Vec<u8>, binary: Vec<u8>) {
        let lengths = format!(
            r#"{{"rest":{{"metadata":{},"binary":{}}}}}"#,
            metadata.len(),
            binary.len()
        );
        self.rest = Rest {
            metadata,
            binary,
            fetched: 0,
        };
        self.put(status, lengths.as_bytes(), &[]);
    }

    fn send_rest(&mut self) {
        let Rest {
            metadata,
            binary,
            fetched,
        } = &self.rest;
        let most = PIECE.min(self.region.room() - OF_LANE);
        let (part, from) = match fetched.checked_sub(metadata.len()) {
            None => (metadata, *fetched),
            Some(from) => (binary, from),
        };
        let piece = &part[from.min(part.len())..from.saturating_add(most).min(part.len())];
        self.put(Status::Response, b"{}", piece);
        let fetched = *fetched + piece.len();
        if fetched == metadata.len() + binary.len() {
            self.rest = Rest::default();
        } else {
            self.rest.fetched = fetched;
        }
    }

    fn put(&self, status: Status, metadata: &[u8], binary: &[u8]) {
        let map = &self.region.map;
        let fits = map.write(HEADER, metadata) && map.write(HEADER + metadata.len(), binary);
        debug_assert!(fits, "the caller looks after that");
        let as_length = |bytes: &[u8]| i32::try_from(bytes.len()).unwrap_or(0);
        map.number(METADATA_LENGTH)
            .store(as_length(metadata), Ordering::Relaxed);
        map.number(BINARY_LENGTH)
            .store(as_length(binary), Ordering::Relaxed);
        // Closed stays closed: the worker may have died since it asked, and who waits for its next request must hear of that.
        let answered = |now| (now != CLOSED).then_some(status as i32);
        let _ = map
            .number(STATUS)
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, answered);
        map.wake(STATUS);
    }
}

/// What the parent does with a region beside answering.
impl Region {
    /// Whether the worker wants something.
    pub fn is_asked(&self) -> bool {
        self.status() == Status::Request as i32
    }

    fn status(&self) -> i32 {
        self.map.number(STATUS).load(Ordering::Acquire)
    }

    /// Waits until the worker wants something; false once the region is closed.
    pub fn wait_asked(&self) -> bool {
        loop {
            match self.status() {
                CLOSED => return false,
                status if status == Status::Request as i32 => return true,
                status => self.map.wait(STATUS, status.cast_unsigned(), None),
            }
        }
    }

    /// The same, for not longer than `timeout`: whether the worker wants something.
    pub fn wait_asked_for(&self, timeout: Duration) -> bool {
        let status = self.status();
        if status != Status::Request as i32 && status != CLOSED {
            self.map.wait(STATUS, status.cast_unsigned(), Some(timeout));
        }
        self.is_asked()
    }

    /// Tells whoever waits at the parent's end that nothing more will come. Only when the worker is dead: as long as it lives
    /// it can overwrite what is said here.
    pub fn close(&self) {
        self.map.number(STATUS).store(CLOSED, Ordering::Release);
        self.map.wake(STATUS);
    }

    /// Gives memory that large payloads took back to the system. Only while the worker waits or is gone.
    pub fn trim(&self) {
        self.map.discard_from(PIECE);
    }
}

fn status_of(is_error: bool) -> Status {
    if is_error {
        Status::Error
    } else {
        Status::Response
    }
}

/// Makes room without keeping what a single large request needed for ever.
fn resize(buffer: &mut Vec<u8>, length: usize) {
    const KEPT: usize = 4 << 20;
    if buffer.capacity() > KEPT && length <= KEPT {
        *buffer = Vec::new();
    }
    buffer.resize(length, 0);
}
