//! `rand` and `srand`, with the numbers that gawk has, so that a seed gives what its user has seen elsewhere.
//!
//! It is the additive feedback generator of BSD with 63 words, and a table that its numbers are shuffled in: each number
//! says which place of the table the next one comes from.

/// Words of state.
const WORDS: usize = 63;

/// How far apart the two words are that are added.
const APART: usize = 1;

/// Places in the table.
const PLACES: usize = 512;

#[derive(Default)]
pub(super) struct Random {
    /// Made when it is first needed: it takes some microseconds.
    generator: Option<Generator>,
    seed: f64,
}

struct Generator {
    words: [u32; WORDS],
    front: usize,
    rear: usize,
    table: Vec<u32>,
    last: u32,
}

impl Random {
    /// Begins a sequence, and returns what the one before began with.
    pub(super) fn reseed(&mut self, seed: f64) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "as C converts it"
        )]
        let word = seed as i64 as u32;
        self.generator = Some(Generator::new(word));
        std::mem::replace(&mut self.seed, seed)
    }

    /// A number from 0 to 1, without 1.
    pub(super) fn number(&mut self) -> f64 {
        const DIVISOR: f64 = 2_147_483_648.0;
        let generator = self.generator.get_or_insert_with(|| Generator::new(1));
        loop {
            let low = f64::from(generator.next()) / DIVISOR;
            let number = 0.5 + (low + f64::from(generator.next())) / DIVISOR;
            let number = number - 0.5;
            if number < 1.0 {
                return number;
            }
        }
    }
}

impl Generator {
    fn new(seed: u32) -> Self {
        let mut words = [0; WORDS];
        let mut word = seed;
        for place in &mut words {
            *place = word;
            word = next_word(word);
        }
        let mut generator = Self {
            words,
            front: APART,
            rear: 0,
            table: Vec::new(),
            last: 0,
        };
        generator.table = (0..PLACES).map(|_| generator.raw()).collect();
        generator.last = generator.raw();
        for _ in 0..10 * WORDS {
            generator.next();
        }
        generator
    }

    fn next(&mut self) -> u32 {
        let place = self.last as usize % PLACES;
        let new = self.raw();
        if let Some(kept) = self.table.get_mut(place) {
            self.last = std::mem::replace(kept, new);
        }
        self.last
    }

    fn raw(&mut self) -> u32 {
        let rear = self.words.get(self.rear).copied().unwrap_or_default();
        let mut result = 0;
        if let Some(front) = self.words.get_mut(self.front) {
            *front = front.wrapping_add(rear);
            result = *front >> 1;
        }
        self.front = (self.front + 1) % WORDS;
        self.rear = (self.rear + 1) % WORDS;
        result
    }
}

/// Park and Miller's generator, which the state is filled by.
fn next_word(word: u32) -> u32 {
    // It never leaves zero.
    let word = i64::from(if word == 0 { 123_459_876 } else { word }.cast_signed());
    let next = 16807 * (word % 127_773) - 2836 * (word / 127_773);
    let next = if next < 0 { next + 0x7fff_ffff } else { next };
    u32::try_from(next & 0xffff_ffff).unwrap_or_default()
}
