//! What a program may have.

use hotcell_vfs::Timestamp;

/// Where programs get the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WasiClock {
    /// The wall clock is that of the kernel ([`KernelOptions::clock`](hotcell_process::KernelOptions)); the monotonic one
    /// counts from the beginning of the program.
    #[default]
    Kernel,
    /// All clocks stand still at this time. Sleeping still takes its time.
    Fixed(Timestamp),
}

/// Where programs get random numbers. Many refuse to begin without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WasiRandom {
    /// The host's entropy.
    #[default]
    Real,
    /// A sequence that this seed decides, the same for each process.
    Seeded(u64),
}

/// What a program may have. Time it has as much as its process.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct WasiOptions {
    pub(crate) memory_limit: usize,
    pub(crate) clock: WasiClock,
    pub(crate) random: WasiRandom,
}

impl Default for WasiOptions {
    fn default() -> Self {
        Self {
            memory_limit: 256 << 20,
            clock: WasiClock::default(),
            random: WasiRandom::default(),
        }
    }
}

impl WasiOptions {
    /// How much memory each program may have (256 MiB). It is taken from the account of the process as the program grows, so
    /// that this is also what is left there, if that is less.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Where programs get the time (the kernel's clock).
    pub fn clock(mut self, clock: WasiClock) -> Self {
        self.clock = clock;
        self
    }

    /// Where they get random numbers (the host's entropy).
    pub fn random(mut self, random: WasiRandom) -> Self {
        self.random = random;
        self
    }
}
