//! The file around the machine code: a fixed header, then the module as Wasmtime serialised it, then the memory of a cell.

pub(crate) const MAGIC: [u8; 8] = *b"HOTCELL\x03";
/// A page, of which the header takes the beginning: what is behind it must lie on page boundaries.
pub(crate) const HEADER_LEN: usize = 4096;

/// Where things are in every cell's memory. Constants of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// `hc_inbox`.
    pub inbox: u32,
    /// `hc_operations_left`, an `int64_t`: iterations left.
    pub operations_left: u32,
    /// `hc_policy`, a `struct HcPolicy`.
    pub policy: u32,
    /// The stack is everything below.
    pub stack_top: u32,
    /// Size of the memory that a cell begins with.
    pub memory_size: u32,
    /// Where `hc_poll_countdown` points to, an `int32_t`.
    pub poll_countdown: u32,
}

/// The header of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Hash of everything that went into the image.
    pub(crate) build_id: [u8; 32],
    /// Length of the module, a multiple of a page.
    pub(crate) module_length: u32,
    /// Length of the memory behind it: what a cell has above its stack. Everything else is zero.
    pub(crate) memory_length: u32,
    pub(crate) layout: Layout,
    /// XXH3 (128 bits) of module and memory.
    pub(crate) checksum: u128,
}

impl Header {
    #[cfg(feature = "build")]
    pub(crate) fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..40].copy_from_slice(&self.build_id);
        bytes[40..44].copy_from_slice(&self.module_length.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.memory_length.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.layout.inbox.to_le_bytes());
        bytes[52..56].copy_from_slice(&self.layout.operations_left.to_le_bytes());
        bytes[56..60].copy_from_slice(&self.layout.policy.to_le_bytes());
        bytes[60..64].copy_from_slice(&self.layout.stack_top.to_le_bytes());
        bytes[64..68].copy_from_slice(&self.layout.memory_size.to_le_bytes());
        bytes[68..72].copy_from_slice(&self.layout.poll_countdown.to_le_bytes());
        bytes[72..88].copy_from_slice(&self.checksum.to_le_bytes());
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
            module_length: u32::from_le_bytes(field(bytes, 40)),
            memory_length: u32::from_le_bytes(field(bytes, 44)),
            layout: Layout {
                inbox: u32::from_le_bytes(field(bytes, 48)),
                operations_left: u32::from_le_bytes(field(bytes, 52)),
                policy: u32::from_le_bytes(field(bytes, 56)),
                stack_top: u32::from_le_bytes(field(bytes, 60)),
                memory_size: u32::from_le_bytes(field(bytes, 64)),
                poll_countdown: u32::from_le_bytes(field(bytes, 68)),
            },
            checksum: u128::from_le_bytes(field(bytes, 72)),
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
