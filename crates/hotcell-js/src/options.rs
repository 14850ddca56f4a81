//! What the code of `js` may have.

use hotcell_cell::{Clock, Random};

/// What the code of `js` may have. Time it has as much as its process.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct JsOptions {
    pub(crate) memory_limit: usize,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}

impl Default for JsOptions {
    fn default() -> Self {
        Self {
            memory_limit: 64 << 20,
            clock: Clock::Real,
            random: Random::Real,
        }
    }
}

impl JsOptions {
    /// How much memory each of them may have (64 MiB). It is taken from the account of the process while it runs; where that
    /// has less left, it is half of what is left.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Where the code gets the time (the host's clock).
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Where it gets random numbers (the host's entropy).
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }
}
