//! The file around the machine code: a fixed header, then the module as Wasmtime serialised it.

pub(crate) const MAGIC: [u8; 8] = *b"HOTCELL\x02";
/// A page, of which the header takes the beginning: the module behind it must lie on a page boundary.
pub(crate) const HEADER_LEN: usize = 4096;

/// The header of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Hash of everything that went into the image.
    pub(crate) build_id: [u8; 32],
    /// Length of what follows.
    pub(crate) length: u64,
    /// XXH3 (128 bits) of what follows.
    pub(crate) checksum: u128,
}

impl Header {
    #[cfg(feature = "build")]
    pub(crate) fn new(build_id: [u8; 32], module: &[u8]) -> Self {
        Self {
            build_id,
            length: module.len() as u64,
            checksum: checksum(module),
        }
    }

    #[cfg(feature = "build")]
    pub(crate) fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&self.build_id);
        bytes[40..48].copy_from_slice(&self.length.to_le_bytes());
        bytes[48..64].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of `image`. `None` if it is too short or starts otherwise.
    pub(crate) const fn parse(image: &[u8]) -> Option<Self> {
        let Some((bytes, _)) = image.split_first_chunk::<HEADER_LEN>() else {
            return None;
        };
        let mut at = 0;
        while at < MAGIC.len() {
            if bytes[at] != MAGIC[at] {
                return None;
            }
            at += 1;
        }
        let mut build_id = [0; 32];
        while at < 40 {
            build_id[at - 8] = bytes[at];
            at += 1;
        }
        let mut length = [0; 8];
        while at < 48 {
            length[at - 40] = bytes[at];
            at += 1;
        }
        let mut checksum = [0; 16];
        while at < 64 {
            checksum[at - 48] = bytes[at];
            at += 1;
        }
        Some(Self {
            build_id,
            length: u64::from_le_bytes(length),
            checksum: u128::from_le_bytes(checksum),
        })
    }
}

pub(crate) fn checksum(module: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(module)
}
