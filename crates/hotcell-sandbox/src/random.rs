//! Where chance comes from.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use hotcell_vfs::{DevOptions, FixedVfs, RandomSource, Vfs, dev};

/// What `/dev/random` and `/dev/urandom` give.
#[derive(Clone)]
pub(crate) enum Chance {
    None,
    Real,
    /// Where in its sequence a generator is.
    Seeded(Arc<AtomicU64>),
}

impl Chance {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(AtomicU64::new(seed)))
    }

    /// One that goes on where this one is, and then its own way.
    pub(crate) fn fork(&self) -> Self {
        match self {
            Self::Seeded(state) => Self::seeded(state.load(Ordering::Relaxed)),
            other => other.clone(),
        }
    }

    /// Whether two sandboxes can have the same devices.
    pub(crate) fn is_shared(&self) -> bool {
        !matches!(self, Self::Seeded(_))
    }

    /// The devices of a sandbox. Those without a state of their own are made once.
    pub(crate) fn devices(&self) -> Arc<dyn Vfs> {
        static WITHOUT: OnceLock<Arc<FixedVfs>> = OnceLock::new();
        static REAL: OnceLock<Arc<FixedVfs>> = OnceLock::new();
        let make = |random: Option<RandomSource>| {
            Arc::new(dev(DevOptions {
                random,
                ..DevOptions::default()
            }))
        };
        match self {
            Self::None => Arc::clone(WITHOUT.get_or_init(|| make(None))) as Arc<dyn Vfs>,
            Self::Real => {
                Arc::clone(REAL.get_or_init(|| make(Some(Arc::new(real))))) as Arc<dyn Vfs>
            }
            Self::Seeded(state) => {
                let state = Arc::clone(state);
                make(Some(Arc::new(move |bytes| fill(&state, bytes))))
            }
        }
    }
}

fn real(bytes: &mut [u8]) {
    // Without a source of chance there is none: what is there stays, and is no secret.
    let _ = getrandom::fill(bytes);
}

/// `SplitMix64`: a counter whose bits are mixed well.
fn fill(state: &AtomicU64, bytes: &mut [u8]) {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    for piece in bytes.chunks_mut(8) {
        let counter = state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (counter ^ (counter >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let word = (mixed ^ (mixed >> 31)).to_le_bytes();
        for (byte, new) in piece.iter_mut().zip(word) {
            *byte = new;
        }
    }
}
