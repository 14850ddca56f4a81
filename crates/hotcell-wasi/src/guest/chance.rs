//! Random numbers for a program.

use crate::{abi::Errno, options::WasiRandom};

/// Where a program gets its random numbers.
pub(crate) enum Chance {
    Real,
    /// A stream of the hash of a seed, and how far it has been read.
    Seeded(Box<blake3::OutputReader>),
}

impl Chance {
    pub(crate) fn new(policy: WasiRandom) -> Self {
        match policy {
            WasiRandom::Real => Self::Real,
            WasiRandom::Seeded(seed) => {
                let mut hasher = blake3::Hasher::new_derive_key("hotcell-wasi random_get v1");
                hasher.update(&seed.to_le_bytes());
                Self::Seeded(Box::new(hasher.finalize_xof()))
            }
        }
    }

    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<(), Errno> {
        match self {
            Self::Real => getrandom::fill(buffer).map_err(|_| Errno::Io),
            Self::Seeded(stream) => {
                stream.fill(buffer);
                Ok(())
            }
        }
    }
}
