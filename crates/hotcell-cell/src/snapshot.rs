//! The state of a cell as bytes.
//!
//! A header (magic, build of the image, seal, checksum, length, base), then, compressed: what the host knows, and the pages of
//! memory that differ from a fresh cell's; or, if it has a base, from those of that earlier snapshot.
//!
//! # A snapshot carries state, not authority
//!
//! The bytes may come from anywhere. Nothing in them raises a limit or allows anything: memory, time, operations, clock,
//! randomness, tools and the account of the host's memory are those of whoever restores. Tools are names, to be connected
//! again. What is not checked here ends up as guest memory, where anything is allowed. The checksum finds accidents. A seal
//! ([`SnapshotKey`]) finds malice, before anything behind the header is looked at.

mod inspect;
mod key;
mod since;
mod state;

use std::io::{self, Read, Write};

use hotcell_image::BuildId;
use hotcell_meter::{Account, OverLimit};

use crate::{guest::place, held::Arguments, memory::PAGE, options::CellOptions, wire::put_value};

pub use inspect::{SnapshotHeader, inspect_snapshot};
pub use key::SnapshotKey;
pub(crate) use since::{Base, differing};
pub(crate) use state::State;

const MAGIC: [u8; 8] = *b"HCSNAP\x00\x03";
const HEADER: usize = 8 + 32 + key::MAC + 16 + 8 + 32;
/// The seal of a snapshot that has none.
const NO_SEAL: [u8; key::MAC] = [0; key::MAC];
/// The base of a snapshot that has none.
const NO_BASE: [u8; 32] = [0; 32];
/// Level 1: a snapshot is taken while somebody waits.
const LEVEL: i32 = 1;
/// What that level needs, and more than that a decoder may not ask for: 1 MiB.
const MAX_WINDOW_LOG: u32 = 20;

/// Why bytes are not a snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// They begin otherwise, or are too short.
    #[error("not a hotcell snapshot")]
    NotASnapshot,
    /// Made with another build of hotcell.
    #[error("the snapshot was made with build {found}, this is build {expected}")]
    Foreign {
        /// The build it was made with.
        found: BuildId,
        /// This build.
        expected: BuildId,
    },
    /// There is a key, and the snapshot was made without one.
    #[error("the snapshot is not sealed, and only snapshots with the right seal are accepted here")]
    Unsealed,
    /// There is a key, and the seal does not fit.
    #[error("the seal of the snapshot does not fit: it was made with another key, or altered")]
    WrongSeal,
    /// Truncated or altered.
    #[error("the snapshot is damaged: its content does not match its checksum")]
    Damaged,
    /// The checksum is right, but the content says what cannot be.
    #[error("the snapshot is malformed")]
    Malformed,
    /// The cell had more memory than this one may have.
    #[error("the snapshot needs {needed} bytes of memory, more than the limit of {limit}")]
    TooLarge {
        /// What it needs.
        needed: u64,
        /// What is allowed.
        limit: u64,
    },
    /// More calls were outstanding than may be.
    #[error("the snapshot has {found} calls outstanding, more than the limit of {limit}")]
    TooManyCalls {
        /// How many there are.
        found: usize,
        /// How many are allowed.
        limit: usize,
    },
    /// What the host would have to keep for it, such as arguments of outstanding calls, is too much.
    #[error("the snapshot has more outside of its cell than may be kept")]
    HostMemory(#[source] OverLimit),
    /// It holds what has changed since another one, and that was not given.
    #[error("the snapshot holds what has changed since another one: that one is needed, too")]
    NeedsBase,
    /// The other one is not the one that it was taken against.
    #[error("the base that was given is not the snapshot that this one was taken against")]
    WrongBase,
    /// The other one cannot be a base.
    #[error(
        "the base holds only changes itself, or is none of an earlier state of this cell: take a whole snapshot first"
    )]
    UnusableBase,
    /// Compression failed, for lack of memory.
    #[error("failed to compress the snapshot")]
    Compress(#[source] io::Error),
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outstanding {
    /// Names it to [`crate::Cell::answer`].
    pub id: u32,
    /// The tool that was called.
    pub tool: String,
    /// What it was called with.
    pub arguments: Arguments,
    /// Whether only [`crate::Cell::answer`] can answer it.
    pub is_deferred: bool,
}

/// The bytes of a snapshot, sealed if there is a key. With a base, `pages` are those that differ from its.
pub(crate) fn write<'a>(
    state: &State,
    pages: impl Iterator<Item = (usize, &'a [u8])>,
    key: Option<&SnapshotKey>,
    base: Option<&Base<'_>>,
) -> Result<Vec<u8>, SnapshotError> {
    let mut known = vec![0; 4];
    put_value(&mut known, &state.to_value()).map_err(|_| SnapshotError::Malformed)?;
    let length = u32::try_from(known.len() - 4).map_err(|_| SnapshotError::Malformed)?;
    known[..4].copy_from_slice(&length.to_le_bytes());
    let pages: Vec<_> = pages.collect();
    let length = known.len() + pages.len() * (4 + PAGE);
    let base = base.map_or(NO_BASE, Base::hash);
    pack(length, key, base, |out| {
        out.write_all(&known)?;
        for (number, page) in pages {
            let number = u32::try_from(number).map_err(io::Error::other)?;
            out.write_all(&number.to_le_bytes())?;
            out.write_all(page)?;
        }
        Ok(())
    })
}

/// Compresses the `length` bytes that `write` writes, and puts the header before them.
fn pack(
    length: usize,
    key: Option<&SnapshotKey>,
    base: [u8; 32],
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Vec<u8>, SnapshotError> {
    let length = length as u64;
    let compress = || {
        let mut encoder = zstd::Encoder::new(vec![0; HEADER], LEVEL)?;
        // So that the decoder needs no larger window than there are bytes.
        encoder.set_pledged_src_size(Some(length))?;
        encoder.include_contentsize(true)?;
        write(&mut encoder)?;
        encoder.finish()
    };
    let mut bytes = compress().map_err(SnapshotError::Compress)?;
    let mut header = Header {
        build_id: *BuildId::CURRENT.as_bytes(),
        seal: NO_SEAL,
        checksum: [0; 16],
        length,
        base,
    };
    if let Some(key) = key {
        header.seal = key.seal(&[&header.to_bytes(), &bytes[HEADER..]]);
    }
    header.checksum = header.checksum_with(&bytes[HEADER..]);
    bytes[..HEADER].copy_from_slice(&header.to_bytes());
    Ok(bytes)
}

/// A snapshot with `content`, whatever that is, for the fuzz target and tests.
#[doc(hidden)]
pub fn seal_for_fuzzing(content: &[u8]) -> Vec<u8> {
    pack(content.len(), None, NO_BASE, |out| out.write_all(content)).unwrap_or_default()
}

/// What is behind the header of a good snapshot, to be altered and sealed again.
#[doc(hidden)]
pub fn unseal_for_fuzzing(bytes: &[u8]) -> Vec<u8> {
    bytes
        .get(HEADER..)
        .and_then(|compressed| zstd::decode_all(compressed).ok())
        .unwrap_or_default()
}

struct Header {
    build_id: [u8; 32],
    seal: [u8; key::MAC],
    checksum: [u8; 16],
    length: u64,
    /// The hash of the snapshot that it was taken against.
    base: [u8; 32],
}

impl Header {
    /// The header, and what is behind it.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (build_id, rest) = rest.split_first_chunk()?;
        let (seal, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (base, rest) = rest.split_first_chunk()?;
        let header = Self {
            build_id: *build_id,
            seal: *seal,
            checksum: *checksum,
            length: u64::from_le_bytes(*length),
            base: *base,
        };
        Some((header, rest))
    }

    fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let parts: [&[u8]; 6] = [
            &MAGIC,
            &self.build_id,
            &self.seal,
            &self.checksum,
            &self.length.to_le_bytes(),
            &self.base,
        ];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        bytes
    }

    /// The checksum of all but itself.
    fn checksum_with(&self, content: &[u8]) -> [u8; 16] {
        let without = Self {
            checksum: [0; 16],
            ..*self
        };
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        hasher.update(&without.to_bytes());
        hasher.update(content);
        hasher.digest128().to_le_bytes()
    }

    /// The seal is about all but itself and the checksum, which comes after it.
    fn check_seal(&self, key: &SnapshotKey, content: &[u8]) -> Result<(), SnapshotError> {
        if self.seal == NO_SEAL {
            return Err(SnapshotError::Unsealed);
        }
        let without = Self {
            seal: NO_SEAL,
            checksum: [0; 16],
            ..*self
        };
        if key.fits(self.seal, &[&without.to_bytes(), content]) {
            Ok(())
        } else {
            Err(SnapshotError::WrongSeal)
        }
    }
}

/// A snapshot whose state has been checked, and whose pages come one by one.
pub(crate) struct Snapshot<'a> {
    content: zstd::Decoder<'static, &'a [u8]>,
    /// Pages that have not been read.
    left: u64,
    /// The page after the last that was read.
    next_page: usize,
    memory_size: usize,
    base: [u8; 32],
}

/// Checks `bytes` by what `options` allow. What the host keeps is charged to `account`.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    options: &CellOptions,
    account: &Account,
) -> Result<(State, Snapshot<'a>), SnapshotError> {
    let (header, compressed) = Header::read(bytes).ok_or(SnapshotError::NotASnapshot)?;
    if header.build_id != *BuildId::CURRENT.as_bytes() {
        return Err(SnapshotError::Foreign {
            found: header.build_id.into(),
            expected: BuildId::CURRENT,
        });
    }
    if let Some(key) = &options.snapshot_key {
        header.check_seal(key, compressed)?;
    }
    if header.checksum != header.checksum_with(compressed) {
        return Err(SnapshotError::Damaged);
    }
    let limit = options.memory_limit;
    // Pages and their numbers, and the state.
    let most = limit + limit / 1024 + State::limit(account) as u64;
    if header.length > most {
        return Err(SnapshotError::TooLarge {
            needed: header.length,
            limit,
        });
    }
    let mut content = open(compressed).map_err(|_| SnapshotError::Malformed)?;
    let (state, state_length) = read_state(&mut content, header.length, account)?;
    if state.memory_size as u64 > limit {
        return Err(SnapshotError::TooLarge {
            needed: state.memory_size as u64,
            limit,
        });
    }
    if state.outstanding() > options.max_calls_in_flight {
        return Err(SnapshotError::TooManyCalls {
            found: state.outstanding(),
            limit: options.max_calls_in_flight,
        });
    }
    let pages = header.length - state_length;
    let entry = (4 + PAGE) as u64;
    if !pages.is_multiple_of(entry) || state.memory_size % 65536 != 0 {
        return Err(SnapshotError::Malformed);
    }
    let snapshot = Snapshot {
        content,
        left: pages / entry,
        next_page: place::STACK_TOP / PAGE,
        memory_size: state.memory_size.max(place::INITIAL_MEMORY),
        base: header.base,
    };
    Ok((state, snapshot))
}

fn open(compressed: &[u8]) -> io::Result<zstd::Decoder<'static, &[u8]>> {
    let mut decoder = zstd::Decoder::with_buffer(compressed)?.single_frame();
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

/// The state, and how many bytes it took.
fn read_state(
    content: &mut impl Read,
    length: u64,
    account: &Account,
) -> Result<(State, u64), SnapshotError> {
    let malformed = |_| SnapshotError::Malformed;
    let mut state_length = [0; 4];
    content.read_exact(&mut state_length).map_err(malformed)?;
    let state_length = u32::from_le_bytes(state_length) as usize;
    if state_length as u64 + 4 > length {
        return Err(SnapshotError::Malformed);
    }
    if state_length > State::limit(account) {
        return Err(State::too_large(account));
    }
    let mut state = vec![0; state_length];
    content.read_exact(&mut state).map_err(malformed)?;
    Ok((State::read(&state, account)?, state_length as u64 + 4))
}

impl Snapshot<'_> {
    /// Reads the pages into `memory`, where they belong. `base` has read its own there before.
    pub(crate) fn restore(
        mut self,
        memory: &mut [u8],
        base: Option<&Base<'_>>,
    ) -> Result<(), SnapshotError> {
        match base {
            _ if self.base == NO_BASE => {}
            None => return Err(SnapshotError::NeedsBase),
            Some(base) if base.hash() != self.base => return Err(SnapshotError::WrongBase),
            Some(base) => base.read()?.restore_pages(memory)?,
        }
        self.restore_pages(memory)
    }

    fn restore_pages(&mut self, memory: &mut [u8]) -> Result<(), SnapshotError> {
        while let Some(number) = self.page_number()? {
            let start = number * PAGE;
            let page = memory
                .get_mut(start..start + PAGE)
                .ok_or(SnapshotError::Malformed)?;
            self.content
                .read_exact(page)
                .map_err(|_| SnapshotError::Malformed)?;
        }
        Ok(())
    }

    /// The number of the next page, whose bytes come next; `None` behind the last one.
    fn page_number(&mut self) -> Result<Option<usize>, SnapshotError> {
        if self.left == 0 {
            // Not a byte more than it says.
            return match self.content.read(&mut [0]) {
                Ok(0) => Ok(None),
                _ => Err(SnapshotError::Malformed),
            };
        }
        let mut number = [0; 4];
        self.content
            .read_exact(&mut number)
            .map_err(|_| SnapshotError::Malformed)?;
        let number = u32::from_le_bytes(number) as usize;
        // In order, so that none comes twice; above the stack, which is empty; and in the memory that it says it has.
        let is_inside = |start: usize| start.saturating_add(PAGE) <= self.memory_size;
        if number < self.next_page || !number.checked_mul(PAGE).is_some_and(is_inside) {
            return Err(SnapshotError::Malformed);
        }
        self.next_page = number + 1;
        self.left -= 1;
        Ok(Some(number))
    }
}
