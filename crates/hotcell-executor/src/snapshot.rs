//! The bytes of a frozen executor: what it knows, then its cell.
//!
//! A header (magic, seal, checksum, lengths), then JSON, then files, the companion, what a run has shown, then the snapshot of the
//! cell, which has a checksum of its own. The bytes may come from anywhere. What they hold is state: names of tools and variables,
//! files, and the memory of a cell. What an executor may do is not in them. With a key, bytes that it did not seal are refused before
//! anything else is done with them.

mod inspect;

use std::error::Error;

use hotcell_cell::{CellError, SnapshotError};
use hotcell_prepare::{Diagnostic, is_foreign_global};
use hotcell_prompt::{NameKind, ToolSpec, check_name};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{
    content::{self, ContentItem},
    error::{ErrorCode, ExecutorError, chain},
    executor::{MAX_NAMES, SuspendedCall, is_name_to_keep},
    files::{Files, SavedKind},
    json::to_json,
    ledger::{SavedCall, SuspendReason, size},
    options::ExecutorOptions,
};

pub use inspect::{SnapshotCall, SnapshotInfo, SnapshotItem, SnapshotRun, inspect_snapshot};

/// What all of them begin with; the last byte is the version.
const MAGIC: [u8; 8] = *b"HCEXEC\x00\x05";
/// Arguments of calls that wait are told to who inspects a snapshot up to this size; the cell has all of them.
const MAX_ASKED_BYTES: usize = 64 << 10;
const NO_SEAL: [u8; 32] = [0; 32];
/// JSON takes at most so many times its length when it is read: `[0,0]` has 32 bytes for each two.
const READ_FACTOR: usize = 32;

/// What an executor knows beside its cell.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Each with whether the prompt leaves it out.
    pub(crate) tools: Vec<(ToolSpec, bool)>,
    pub(crate) globals: Vec<String>,
    /// Names of variables and declarations.
    pub(crate) names: Vec<String>,
    pub(crate) knows_all_names: bool,
    pub(crate) runs: u64,
    /// The run that waits for answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<SavedRun>,
}

/// A suspended run, all but what its cell knows. How long it may take is not in it: that is for who restores to say.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRun {
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) number: u64,
    pub(crate) calls_function: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<String>,
    pub(crate) operations: u64,
    pub(crate) tool_calls: u64,
    pub(crate) wall_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) calls: Vec<SavedCall>,
    /// What the calls that wait look like from outside, for who inspects a snapshot. Nothing is restored from it.
    #[serde(default)]
    pub(crate) asked: Vec<SavedAsk>,
    /// Level, text, and milliseconds since 1970.
    pub(crate) logs: Vec<(String, String, f64)>,
}

/// A call that waits.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedAsk {
    pub(crate) id: String,
    pub(crate) tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Vec<serde_json::Value>>,
    pub(crate) reason: SuspendReason,
}

/// Files on their way through a snapshot, compressed.
pub(crate) struct SavedFiles {
    pub(crate) kind: SavedKind,
    bytes: Vec<u8>,
}

/// Snapshots are taken while somebody waits.
const LEVEL: i32 = 1;
/// More than that a decoder may not ask for: 8 MiB.
const MAX_WINDOW_LOG: u32 = 23;

/// Those of the files that belong to the state of an executor.
pub(crate) fn save_files(files: &[Files]) -> Result<Vec<SavedFiles>, ExecutorError> {
    let mut all = Vec::new();
    for files in files {
        let saved = files.save().map_err(|error| unsaved(&error))?;
        if let Some((kind, bytes)) = saved {
            let bytes = zstd::bulk::compress(&bytes, LEVEL).map_err(|error| malformed(&error))?;
            all.push(SavedFiles { kind, bytes });
        }
    }
    Ok(all)
}

impl SavedFiles {
    /// Puts them into `files`, which are of their kind, within the limits of those.
    pub(crate) fn load_into(&self, files: &Files) -> Result<(), ExecutorError> {
        let mut decoder = zstd::stream::read::Decoder::new(self.bytes.as_slice())
            .map_err(|error| malformed(&error))?;
        decoder
            .window_log_max(MAX_WINDOW_LOG)
            .map_err(|error| malformed(&error))?;
        match files.load(&mut decoder) {
            Ok(true) => Ok(()),
            Ok(false) => Err(refused(
                "the snapshot holds files, and there is something in these already: send tools with fresh ones",
            )),
            Err(error) => Err(malformed(&error)),
        }
    }
}

fn put_files(files: &[SavedFiles]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for SavedFiles { kind, bytes: saved } in files {
        bytes.push(*kind as u8);
        bytes.extend((saved.len() as u64).to_le_bytes());
        bytes.extend(saved);
    }
    bytes
}

fn read_files(mut bytes: &[u8]) -> Option<Vec<SavedFiles>> {
    let mut files = Vec::new();
    while let Some((kind, rest)) = bytes.split_first() {
        let kind = SavedKind::of(*kind)?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (saved, rest) = rest.split_at_checked(length)?;
        files.push(SavedFiles {
            kind,
            bytes: saved.to_vec(),
        });
        bytes = rest;
    }
    Some(files)
}

pub(crate) fn write(
    memory: &Memory,
    files: &[SavedFiles],
    companion: &[u8],
    content: &[u8],
    cell: &[u8],
    options: &ExecutorOptions,
) -> Result<Vec<u8>, ExecutorError> {
    let memory = serde_json::to_vec(memory).map_err(|error| malformed(&error))?;
    check_size(memory.len(), options)?;
    let key = options.snapshot_key.as_ref();
    let known = [
        memory,
        put_files(files),
        companion.to_vec(),
        content.to_vec(),
    ];
    let lengths = known
        .each_ref()
        .map(|part| (part.len() as u64).to_le_bytes());
    let lengths = lengths.concat();
    let known = known.concat();
    let checksum = xxh3_64(&known).to_le_bytes();
    let seal = key.map_or(NO_SEAL, |key| {
        key.seal(&[&MAGIC, &checksum, &lengths, &known, cell])
    });
    let bytes = [&MAGIC[..], &seal, &checksum, &lengths, &known, cell].concat();
    check_bytes(bytes.len(), options)?;
    Ok(bytes)
}

/// What the calls that wait look like, as far as there is room.
pub(crate) fn asked(calls: Vec<SuspendedCall>) -> Vec<SavedAsk> {
    let mut room = MAX_ASKED_BYTES;
    let ask = |call: SuspendedCall| {
        let bytes = call
            .arguments
            .iter()
            .map(size)
            .fold(0, usize::saturating_add);
        let left = room.checked_sub(bytes);
        // Of those behind one that is too large nothing is kept either, as in the list of calls.
        room = left.unwrap_or_default();
        SavedAsk {
            id: call.id,
            tool: call.tool,
            arguments: left.map(|_| call.arguments.iter().map(to_json).collect()),
            reason: call.reason,
        }
    };
    calls.into_iter().map(ask).collect()
}

/// How large a snapshot may be is for its owner to say.
fn check_bytes(bytes: usize, options: &ExecutorOptions) -> Result<(), ExecutorError> {
    let most = options.max_snapshot_bytes;
    if bytes <= most {
        return Ok(());
    }
    Err(refused(&format!(
        "the snapshot has {bytes} bytes: at most {most} are allowed (maxSnapshotBytes)"
    )))
}

/// What a snapshot holds: what the executor knew, its files, its companion, what its run has shown, and its cell.
pub(crate) struct Parts<'s> {
    pub(crate) memory: Memory,
    pub(crate) files: Vec<SavedFiles>,
    pub(crate) companion: Option<&'s [u8]>,
    pub(crate) content: Vec<ContentItem>,
    pub(crate) cell: &'s [u8],
    seal: [u8; 32],
}

/// Where each of the parts before the cell is.
fn split<'s>(lengths: &[u8; 32], rest: &'s [u8]) -> Option<([&'s [u8]; 5], &'s [u8])> {
    let mut parts = [rest; 5];
    let (lengths, _) = lengths.as_chunks::<8>();
    for (index, length) in lengths.iter().enumerate() {
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (part, after) = parts[index].split_at_checked(length)?;
        parts[index] = part;
        parts[index + 1] = after;
    }
    let known = rest.len() - parts[4].len();
    Some((parts, &rest[..known]))
}

pub(crate) fn read<'s>(
    bytes: &'s [u8],
    options: &ExecutorOptions,
) -> Result<Parts<'s>, ExecutorError> {
    let not_one = || refused("not a snapshot of an executor");
    check_bytes(bytes.len(), options)?;
    let rest = bytes
        .strip_prefix(&MAGIC)
        .ok_or_else(|| match bytes.get(..MAGIC.len()) {
            Some(begin) if begin[..7] == MAGIC[..7] => foreign(&format!(
                "it has the format {}, and this build the format {}",
                begin[7], MAGIC[7]
            )),
            _ => not_one(),
        })?;
    let (seal, sealed) = rest.split_first_chunk::<32>().ok_or_else(not_one)?;
    if let Some(key) = &options.snapshot_key {
        if *seal == NO_SEAL {
            return Err(refused(
                "the snapshot is not sealed, and only snapshots with the right seal are accepted here",
            ));
        }
        if !key.fits(*seal, &[&MAGIC, sealed]) {
            return Err(refused(
                "the seal of the snapshot does not fit: it was made with another key, or altered",
            ));
        }
    }
    let (checksum, rest) = sealed.split_first_chunk().ok_or_else(not_one)?;
    let (lengths, rest) = rest.split_first_chunk().ok_or_else(not_one)?;
    let ([memory, files, companion, content, cell], known) =
        split(lengths, rest).ok_or_else(not_one)?;
    check_size(memory.len(), options)?;
    if xxh3_64(known) != u64::from_le_bytes(*checksum) {
        return Err(refused(
            "the snapshot is damaged: its content does not match its checksum",
        ));
    }
    let mut memory: Memory = serde_json::from_slice(memory).map_err(|error| malformed(&error))?;
    for (tool, _) in &memory.tools {
        check_name(NameKind::Tool, &tool.name).map_err(|error| malformed(&error))?;
    }
    // No others are ever noted, and of these there are few.
    memory.globals.retain(|name| is_foreign_global(name));
    memory.globals.sort_unstable();
    memory.globals.dedup();
    memory.names.retain(|name| is_name_to_keep(name));
    memory.names.truncate(MAX_NAMES);
    let files = read_files(files).ok_or_else(not_one)?;
    if content.len() > options.max_content_bytes.saturating_mul(2) {
        return Err(refused(
            "what the run in the snapshot has shown is larger than maxContentBytes",
        ));
    }
    let content = content::read(content, options.max_content_items).map_err(|unreadable| {
        match unreadable {
            content::Unreadable::Malformed => not_one(),
            content::Unreadable::TooMany => refused(&format!(
                "the run in the snapshot has shown more items than maxContentItems, which is {}",
                options.max_content_items
            )),
        }
    })?;
    Ok(Parts {
        memory,
        files,
        companion: Some(companion).filter(|bytes| !bytes.is_empty()),
        content,
        cell,
        seal: *seal,
    })
}

/// The file system did not go along.
pub(crate) fn unsaved(error: &dyn Error) -> ExecutorError {
    refused(&format!("the files cannot be copied: {}", chain(error)))
}

/// What is said of tools and variables is read at once, and on no run's clock.
fn check_size(bytes: usize, options: &ExecutorOptions) -> Result<(), ExecutorError> {
    let most = options.host_memory() / READ_FACTOR;
    if bytes <= most {
        return Ok(());
    }
    Err(refused(&format!(
        "what the snapshot says of tools and variables takes {bytes} bytes: at most {most}, a part of maxHostMemoryBytes"
    )))
}

/// The content says what cannot be.
fn malformed(error: &dyn Error) -> ExecutorError {
    refused(&format!("the snapshot is malformed: {}", chain(error)))
}

/// The cell did not go along.
pub(crate) fn failed(error: &CellError) -> ExecutorError {
    match error {
        CellError::Snapshot(error @ SnapshotError::Foreign { .. }) => foreign(&error.to_string()),
        CellError::Snapshot(_) => refused(&chain(error)),
        CellError::TooManyCells { .. }
        | CellError::MemoryLimitTooSmall { .. }
        | CellError::Machine { .. }
        | CellError::Image(_) => ExecutorError::init_failed(error),
        _ => ExecutorError::new(
            ErrorCode::RuntimeException,
            format!("Runtime exception: {}", chain(error)),
        ),
    }
}

/// It was made by another build of hotcell, which nobody can know the cells of.
fn foreign(details: &str) -> ExecutorError {
    ExecutorError::new(
        ErrorCode::ForeignSnapshot,
        format!("Snapshot of another build: {details}"),
    )
    .with(
        "hint",
        "a snapshot is good for the build that made it: restore it with that version of hotcell, or begin anew with this one",
    )
}

pub(crate) fn refused(message: &str) -> ExecutorError {
    ExecutorError::refused(Diagnostic::error("snapshot_valid", message))
}
