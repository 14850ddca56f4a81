//! The bytes of a frozen executor: what it knows, then its cell.
//!
//! A header (magic, checksum, length), then JSON, then the snapshot of the cell, which has a checksum of its own. The bytes
//! may come from anywhere; all of them are checked before anything is made of them.

use std::error::Error;

use hotcell_cell::CellError;
use hotcell_prepare::Diagnostic;
use hotcell_prompt::ToolSpec;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{ErrorCode, ExecutorError, chain};

const MAGIC: [u8; 8] = *b"HCEXEC\x00\x02";
const HEADER: usize = 8 + 8 + 8;

/// What an executor knows beside its cell.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Each with whether the prompt leaves it out.
    pub(crate) tools: Vec<(ToolSpec, bool)>,
    pub(crate) globals: Vec<String>,
    pub(crate) runs: u64,
}

pub(crate) fn write(memory: &Memory, cell: &[u8]) -> Result<Vec<u8>, ExecutorError> {
    let memory = serde_json::to_vec(memory).map_err(|error| malformed(&error))?;
    let mut bytes = Vec::with_capacity(HEADER + memory.len() + cell.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&xxh3_64(&memory).to_le_bytes());
    bytes.extend_from_slice(&(memory.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&memory);
    bytes.extend_from_slice(cell);
    Ok(bytes)
}

/// What an executor knew, and the snapshot of its cell.
pub(crate) fn read(bytes: &[u8]) -> Result<(Memory, &[u8]), ExecutorError> {
    let not_one = || refused("not a snapshot of an executor");
    let rest = bytes.strip_prefix(&MAGIC).ok_or_else(not_one)?;
    let (checksum, rest) = rest.split_first_chunk().ok_or_else(not_one)?;
    let (length, rest) = rest.split_first_chunk().ok_or_else(not_one)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (memory, cell) = rest.split_at_checked(length).ok_or_else(not_one)?;
    if xxh3_64(memory) != u64::from_le_bytes(*checksum) {
        return Err(refused(
            "the snapshot is damaged: its content does not match its checksum",
        ));
    }
    let memory = serde_json::from_slice(memory).map_err(|error| malformed(&error))?;
    Ok((memory, cell))
}

/// The content says what cannot be.
pub(crate) fn malformed(error: &dyn Error) -> ExecutorError {
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
