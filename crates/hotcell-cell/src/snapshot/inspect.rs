//! What a snapshot says of itself, without a cell.

use hotcell_image::BuildId;

use super::{Header, NO_BASE, NO_SEAL, SnapshotError};

/// What stands at the beginning of a snapshot. Whoever wrote the bytes wrote this, too: it is for showing, not for trusting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotHeader {
    /// The build that it was made with; only that can restore it.
    pub build: BuildId,
    /// Whether it has a seal. Only who has the key can tell whether that is right.
    pub is_sealed: bool,
    /// Whether it holds what has changed since another one, and not all.
    pub has_base: bool,
    /// How many bytes it has unpacked.
    pub unpacked: u64,
}

/// Reads the header of a snapshot, and finds accidents: bytes that are missing or altered.
pub fn inspect_snapshot(bytes: &[u8]) -> Result<SnapshotHeader, SnapshotError> {
    let (header, compressed) = Header::read(bytes).ok_or(SnapshotError::NotASnapshot)?;
    if header.checksum != header.checksum_with(compressed) {
        return Err(SnapshotError::Damaged);
    }
    Ok(SnapshotHeader {
        build: header.build_id.into(),
        is_sealed: header.seal != NO_SEAL,
        has_base: header.base != NO_BASE,
        unpacked: header.length,
    })
}
