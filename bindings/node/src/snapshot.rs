//! The bytes of a snapshot on their way from Node.

use napi_derive::napi;

/// A copy of bytes that Node has, which may change there at any time. It is made piece by piece: a snapshot may be as large
/// as the memory of a cell.
#[napi]
#[derive(Default)]
pub struct SnapshotBytes {
    bytes: Vec<u8>,
}

#[napi]
impl SnapshotBytes {
    /// None yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// The next piece.
    #[napi]
    pub fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }
}

impl SnapshotBytes {
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}
