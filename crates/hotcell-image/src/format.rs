//! The file around the machine code: a fixed header, then the module as Wasmtime serialised it, then the memory of a cell.

pub(crate) const MAGIC: [u8; 8] = *b"HOTCELL\x03";
/// A page, of which the header takes the beginning: what is behind it must lie on page boundaries.
pub(crate) const HEADER_LEN: usize = 4096;

/// The header of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Hash of everything that went into the image.
    pub(crate) build_id: [u8; 32],
    /// Length of the module, a multiple of a page.
    pub(crate) module_length: u64,
    /// Length of the memory behind it.
    pub(crate) memory_length: u64,
    /// Where in a cell's memory that belongs. Everything around it is zero.
    pub(crate) memory_start: u64,
    /// XXH3 (128 bits) of module and memory.
    pub(crate) checksum: u128,
}

impl Header {
    #[cfg(feature = "build")]
    pub(crate) fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&self.build_id);
        bytes[40..48].copy_from_slice(&self.module_length.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.memory_length.to_le_bytes());
        bytes[56..64].copy_from_slice(&self.memory_start.to_le_bytes());
        bytes[64..80].copy_from_slice(&self.checksum.to_le_bytes());
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
        Some(Self {
            build_id: field(bytes, 8),
            module_length: u64::from_le_bytes(field(bytes, 40)),
            memory_length: u64::from_le_bytes(field(bytes, 48)),
            memory_start: u64::from_le_bytes(field(bytes, 56)),
            checksum: u128::from_le_bytes(field(bytes, 64)),
        })
    }
}

const fn field<const N: usize>(bytes: &[u8; HEADER_LEN], at: usize) -> [u8; N] {
    let mut field = [0; N];
    let mut i = 0;
    while i < N {
        field[i] = bytes[at + i];
        i += 1;
    }
    field
}

pub(crate) fn checksum(content: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(content)
}
