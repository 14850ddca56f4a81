//! What goes over a lane: JSON, and bytes beside it.

use serde::{Deserialize, Serialize};

/// A message: JSON, and bytes beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The text of a JSON object.
    pub metadata: Vec<u8>,
    /// What is not JSON.
    pub binary: Vec<u8>,
}

impl Message {
    /// A message with this JSON. What cannot be written as JSON, which nothing of ours is, becomes an empty object.
    pub fn new(metadata: &impl Serialize, binary: Vec<u8>) -> Self {
        let metadata = serde_json::to_vec(metadata).unwrap_or_else(|_| b"{}".to_vec());
        Self { metadata, binary }
    }

    /// Reads the JSON.
    pub fn read<'m, T: Deserialize<'m>>(&'m self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.metadata)
    }
}

/// Why the other side did not do what was asked: `{"error":true,"code":…,"message":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Refusal {
    error: bool,
    /// A name for it, such as `EACCES`.
    pub code: String,
    /// What happened, for a reader.
    pub message: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            error: true,
            code: code.into(),
            message: message.into(),
        }
    }
}
