//! The bytes of a frozen executor: what it knows, then its cell.
//!
//! A header (magic, seal, checksum, length), then JSON, then the snapshot of the cell, which has a checksum of its own. The bytes
//! may come from anywhere. What they hold is state: names of tools and variables, and the memory of a cell. What an executor may
//! do is not in them. With a key, bytes that it did not seal are refused before anything else is done with them.

use std::error::Error;

use hotcell_cell::{CellError, SnapshotKey};
use hotcell_prepare::Diagnostic;
use hotcell_prompt::{NameKind, ToolSpec, check_name};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{ErrorCode, ExecutorError, chain};

const MAGIC: [u8; 8] = *b"HCEXEC\x00\x02";
const NO_SEAL: [u8; 32] = [0; 32];

/// What an executor knows beside its cell.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Each with whether the prompt leaves it out.
    pub(crate) tools: Vec<(ToolSpec, bool)>,
    pub(crate) globals: Vec<String>,
    pub(crate) runs: u64,
}

pub(crate) fn write(
    memory: &Memory,
    cell: &[u8],
    key: Option<&SnapshotKey>,
) -> Result<Vec<u8>, ExecutorError> {
    let memory = serde_json::to_vec(memory).map_err(|error| malformed(&error))?;
    let checksum = xxh3_64(&memory).to_le_bytes();
    let length = (memory.len() as u64).to_le_bytes();
    let seal = key.map_or(NO_SEAL, |key| {
        key.seal(&[&MAGIC, &checksum, &length, &memory, cell])
    });
    Ok([&MAGIC[..], &seal, &checksum, &length, &memory, cell].concat())
}

/// What an executor knew, and the snapshot of its cell.
pub(crate) fn read<'s>(
    bytes: &'s [u8],
    key: Option<&SnapshotKey>,
) -> Result<(Memory, &'s [u8]), ExecutorError> {
    let not_one = || refused("not a snapshot of an executor");
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(not_one)?;
    let (seal, sealed) = rest.split_first_chunk::<32>().ok_or_else(not_one)?;
    if let Some(key) = key {
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
    let (length, rest) = rest.split_first_chunk().ok_or_else(not_one)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (memory, cell) = rest.split_at_checked(length).ok_or_else(not_one)?;
    if xxh3_64(memory) != u64::from_le_bytes(*checksum) {
        return Err(refused(
            "the snapshot is damaged: its content does not match its checksum",
        ));
    }
    let memory: Memory = serde_json::from_slice(memory).map_err(|error| malformed(&error))?;
    for (tool, _) in &memory.tools {
        check_name(NameKind::Tool, &tool.name).map_err(|error| malformed(&error))?;
    }
    Ok((memory, cell))
}

/// The content says what cannot be.
fn malformed(error: &dyn Error) -> ExecutorError {
    refused(&format!("the snapshot is malformed: {}", chain(error)))
}

/// The cell did not go along.
pub(crate) fn failed(error: &CellError) -> ExecutorError {
    match error {
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

fn refused(message: &str) -> ExecutorError {
    ExecutorError::refused(Diagnostic::error("snapshot_valid", message))
}
