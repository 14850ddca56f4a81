//! The worker's end of a region: ask, wait, take the answer.

use std::sync::atomic::Ordering;

use serde::Deserialize;

use super::{BINARY_LENGTH, HEADER, METADATA_LENGTH, Region, STATUS, Status};

/// How much of a payload that is larger than the region goes at a time. Such pieces stay in the processor's cache on their way.
const PIECE: usize = 256 << 10;

/// The worker's end.
#[derive(Debug)]
pub struct Client {
    region: Region,
    /// The last answer.
    metadata: Vec<u8>,
    /// The last answer's bytes, if they did not fit into the region.
    collected: Vec<u8>,
}

/// An answer. The region is idle again when it is dropped.
#[derive(Debug)]
pub struct Reply<'a> {
    client: &'a mut Client,
    is_error: bool,
    /// How many bytes are in the region, behind the metadata; `None` if they were collected.
    in_region: Option<usize>,
    offset: usize,
}

/// What an answer says that is larger than the region: how much there is to fetch.
#[derive(Deserialize)]
struct Rest {
    rest: RestLengths,
}

#[derive(Deserialize)]
struct RestLengths {
    metadata: usize,
    binary: usize,
}

impl Client {
    /// The worker's end of `region`.
    pub fn new(region: Region) -> Self {
        Self {
            region,
            metadata: Vec::new(),
            collected: Vec::new(),
        }
    }

    /// How many bytes fit into one exchange.
    pub fn room(&self) -> usize {
        self.region.room()
    }

    /// Asks, and waits for the answer. What is larger than the region goes in pieces.
    pub fn request(&mut self, metadata: &[u8], binary: &[u8]) -> Reply<'_> {
        let room = self.room();
        let mut metadata = metadata;
        let mut binary = binary;
        if metadata.len() > room {
            self.stage(r#"{"op":"piece","of":"metadata"}"#, metadata);
            metadata = br#"{"op":"staged"}"#;
        }
        if metadata.len() + binary.len() > room {
            let (first, last) = binary.split_at(binary.len() - (room - metadata.len()).min(PIECE));
            self.stage(r#"{"op":"piece","of":"binary"}"#, first);
            binary = last;
        }
        let (status, in_region) = self.exchange(metadata, binary);
        let is_error = status == Status::Error as i32;
        let offset = HEADER + self.metadata.len();
        let rest: Option<Rest> = if self.metadata.starts_with(br#"{"rest":"#) {
            serde_json::from_slice(&self.metadata).ok()
        } else {
            None
        };
        let in_region = match rest {
            None => Some(in_region),
            Some(Rest { rest }) => {
                self.collect(&rest);
                None
            }
        };
        Reply {
            client: self,
            is_error,
            in_region,
            offset,
        }
    }

    /// Sends what does not fit ahead of the request that it belongs to.
    fn stage(&mut self, metadata: &str, bytes: &[u8]) {
        let most = (self.room() - metadata.len()).min(PIECE);
        for piece in bytes.chunks(most) {
            self.exchange(metadata.as_bytes(), piece);
        }
    }

    /// Fetches an answer that does not fit.
    fn collect(&mut self, lengths: &RestLengths) {
        let total = lengths.metadata.saturating_add(lengths.binary);
        let mut all = std::mem::take(&mut self.collected);
        all.clear();
        all.reserve(total);
        while all.len() < total {
            let (_, length) = self.exchange(br#"{"op":"rest"}"#, &[]);
            if length == 0 {
                break;
            }
            let start = all.len();
            all.resize(start + length, 0);
            let offset = HEADER + self.metadata.len();
            let is_there = self.region.map.read(offset, &mut all[start..]);
            debug_assert!(is_there, "the parent says what is there");
        }
        self.metadata.clear();
        let metadata = lengths.metadata.min(all.len());
        self.metadata.extend(all.drain(..metadata));
        self.collected = all;
    }

    /// One request, one answer: its status, and how many bytes there are behind its metadata, which is in `self.metadata`.
    fn exchange(&mut self, metadata: &[u8], binary: &[u8]) -> (i32, usize) {
        let map = &self.region.map;
        let fits = map.write(HEADER, metadata) && map.write(HEADER + metadata.len(), binary);
        debug_assert!(fits, "the caller looks after that");
        map.number(METADATA_LENGTH)
            .store(as_length(metadata.len()), Ordering::Relaxed);
        map.number(BINARY_LENGTH)
            .store(as_length(binary.len()), Ordering::Relaxed);
        let status = map.number(STATUS);
        status.store(Status::Request as i32, Ordering::Release);
        map.wake(STATUS);
        let asked = Status::Request as i32;
        let mut answer = status.load(Ordering::Acquire);
        while answer == asked {
            map.wait(STATUS, asked.cast_unsigned(), None);
            answer = status.load(Ordering::Acquire);
        }
        let length = |offset| usize::try_from(map.number(offset).load(Ordering::Relaxed));
        let metadata = length(METADATA_LENGTH).unwrap_or(0);
        let binary = length(BINARY_LENGTH).unwrap_or(0);
        self.metadata.clear();
        self.metadata.resize(metadata, 0);
        let is_there = map.read(HEADER, &mut self.metadata);
        debug_assert!(is_there, "the parent says what is there");
        (answer, binary)
    }
}

/// A length that fits the region fits the field.
fn as_length(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

impl Reply<'_> {
    /// Whether it says that something went wrong.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The JSON.
    pub fn metadata(&self) -> &[u8] {
        &self.client.metadata
    }

    /// How many bytes come with it.
    pub fn binary_len(&self) -> usize {
        self.in_region.unwrap_or(self.client.collected.len())
    }

    /// Copies the bytes that come with it, as many as fit, and says how many.
    pub fn copy_to(&self, into: &mut [u8]) -> usize {
        let length = self.binary_len().min(into.len());
        let into = &mut into[..length];
        match self.in_region {
            Some(_) => {
                let is_there = self.client.region.map.read(self.offset, into);
                debug_assert!(is_there, "the parent says what is there");
            }
            None => into.copy_from_slice(&self.client.collected[..length]),
        }
        length
    }

    /// The bytes that come with it.
    pub fn to_vec(mut self) -> Vec<u8> {
        self.take_binary()
    }

    /// The bytes that come with it; they are gone then.
    pub fn take_binary(&mut self) -> Vec<u8> {
        if self.in_region.is_none() {
            self.in_region = Some(0);
            return std::mem::take(&mut self.client.collected);
        }
        let mut bytes = vec![0; self.binary_len()];
        self.copy_to(&mut bytes);
        bytes
    }
}

impl Drop for Reply<'_> {
    fn drop(&mut self) {
        self.client.collected = Vec::new();
        let map = &self.client.region.map;
        map.number(STATUS)
            .store(Status::Idle as i32, Ordering::Release);
    }
}
