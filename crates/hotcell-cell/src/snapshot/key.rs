//! Telling one's own snapshots from others.

use std::fmt;

pub(super) const MAC: usize = 32;

/// A secret that snapshots are sealed with, so that nobody else can make or change one unnoticed.
///
/// See [`CellOptions::snapshot_key`](crate::CellOptions::snapshot_key).
#[derive(Clone)]
pub struct SnapshotKey([u8; 32]);

impl SnapshotKey {
    /// The key with these bytes, which should be random.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A key made from a secret of any length. It should be hard to guess: a password is not, a token of 128 random bits is.
    pub fn from_secret(secret: impl AsRef<[u8]>) -> Self {
        Self(blake3::derive_key(
            "hotcell 2026-11 seal of snapshots",
            secret.as_ref(),
        ))
    }

    /// What only somebody with the key can tell of `parts`, one after the other: for what is kept together with a snapshot. It
    /// should begin with what it is, so that it cannot be taken for something else, and say how long its parts are.
    pub fn seal(&self, parts: &[&[u8]]) -> [u8; MAC] {
        *self.hash(parts).as_bytes()
    }

    /// Whether `mac` is the seal of `parts`. Takes as long whatever the answer.
    pub fn fits(&self, mac: [u8; MAC], parts: &[&[u8]]) -> bool {
        self.hash(parts) == blake3::Hash::from_bytes(mac)
    }

    fn hash(&self, parts: &[&[u8]]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            hasher.update(part);
        }
        hasher.finalize()
    }
}

impl fmt::Debug for SnapshotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SnapshotKey(…)")
    }
}
