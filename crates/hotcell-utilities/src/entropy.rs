//! Chance, for utilities that need some.

use std::io::Read;

use hotcell_process::{Input, Process};
use hotcell_vfs::OpenOptions;

/// Bytes that nobody foresees, if the sandbox has a source of chance. Where its policy gives none, they still differ from
/// process to process and from time to time, so that tools work.
pub(crate) struct Entropy<'p> {
    device: Option<Input<'p>>,
    state: u64,
}

impl<'p> Entropy<'p> {
    pub(crate) fn new(process: &'p Process) -> Self {
        let device = process.open("/dev/urandom", &OpenOptions::read());
        Self {
            device: device.ok().map(|stream| process.input(stream)),
            state: u64::from(process.pid().0) << 40 ^ process.now().as_nanos().cast_unsigned(),
        }
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        if let Some(device) = &mut self.device {
            if device.read_exact(bytes).is_ok() {
                return;
            }
            // A device that can be opened need not be connected to anything.
            self.device = None;
        }
        for piece in bytes.chunks_mut(8) {
            let word = self.next_word().to_le_bytes();
            piece
                .iter_mut()
                .zip(word)
                .for_each(|(byte, new)| *byte = new);
        }
    }

    /// A step of `SplitMix64`: a counter whose bits are mixed well.
    fn next_word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
