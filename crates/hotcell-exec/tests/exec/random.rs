//! Any commands in any pieces: the host answers, and stays within its bounds.
//!
//! The targets of the fuzzer are tried here, too, with vectors that were damaged: the same inputs every time, as many as there
//! is time for.

#[path = "../../../../fuzz/targets/selectors.rs"]
mod selectors;
#[path = "../../../../fuzz/targets/zax1.rs"]
mod zax1;
#[path = "../../../../fuzz/targets/zcl1.rs"]
mod zcl1;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::{Duration, Instant},
};

use hotcell_exec::{Capabilities, Config, FilePolicy, Grant};
use hotcell_vfs::VfsPath;

use crate::harness::{Native, VECTORS, files, policy, with_policy};

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Seconds that random tests take: four, or as many as `HOTCELL_RANDOM_SECONDS` says.
fn until() -> Instant {
    let seconds = std::env::var("HOTCELL_RANDOM_SECONDS");
    let seconds = seconds.ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    Instant::now() + Duration::from_secs(seconds)
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
            2 if at + 4 <= bytes.len() => {
                let odd = [0, 1, 3, 4, 0x7fff_ffff, u32::MAX][random.below(6)];
                bytes[at..at + 4].copy_from_slice(&odd.to_le_bytes());
            }
            _ if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
}

/// Tries a target of the fuzzer with what `make` makes, and shows what it fails with.
fn try_out(target: fn(&[u8]), mut make: impl FnMut(&mut Random) -> Vec<u8>) {
    let end = until();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tried = 0;
    while Instant::now() < end {
        for _ in 0..100 {
            let data = make(&mut random);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&data))) {
                eprintln!("input {tried}: {}", crate::wasm::escaped(&data));
                resume_unwind(panic);
            }
            tried += 1;
        }
    }
    eprintln!("{tried} inputs");
}

/// A vector whose name begins with one of these letters.
fn any_vector(random: &mut Random, letters: &str) -> Vec<u8> {
    let fits = VECTORS.iter();
    let fits = fits.filter(|(id, _)| id.starts_with(|letter: char| letters.contains(letter)));
    let fits: Vec<_> = fits.collect();
    fits[random.below(fits.len())].1.clone()
}

#[test]
fn any_control_request_is_answered_or_is_none() {
    try_out(zcl1::run, |random| {
        let mut data = any_vector(random, "C");
        damage(&mut data, random);
        data
    });
}

#[test]
fn any_commands_in_any_pieces_are_events_or_the_end() {
    try_out(zax1::run, |random| {
        let mut data = vec![u8::try_from(random.below(256)).unwrap()];
        for number in 0..=random.below(6) {
            let mut frame = if random.below(3) == 0 {
                any_vector(random, "Z")
            } else {
                let source = any_vector(random, "ES");
                let id = u64::try_from(number + 1).unwrap();
                crate::harness::register(id, id, &hotcell_hopper::Raw(&source))
            };
            damage(&mut frame, random);
            data.extend(frame);
        }
        data
    });
}

#[test]
fn any_payload_is_read_and_written_as_the_same_bytes_or_refused() {
    try_out(selectors::run, |random| {
        let mut data = any_vector(random, "CES");
        // Bodies and values are behind headers.
        let from = [0, 0, 24, 48, 52][random.below(5)];
        data.drain(..from.min(data.len()));
        damage(&mut data, random);
        data
    });
}

#[test]
fn any_calls_are_answered() {
    let end = until();
    let mut seed = 1;
    let mut limited = policy();
    limited.limits.time_limit = Duration::from_millis(20);
    let all = Capabilities {
        files: Grant::Given(FilePolicy::new(files(), VfsPath::new("/")).unwrap()),
        config: Grant::Given(Config::default().value("app.env", "prod")),
        max_handles: 12,
        ..with_policy(limited)
    };
    let frames: Vec<&Vec<u8>> = VECTORS
        .iter()
        .filter(|(id, _)| ["Z1", "Z5", "Z7", "Z8", "E4", "E8"].contains(&id.as_str()))
        .map(|(_, bytes)| bytes)
        .collect();
    let sources: Vec<&Vec<u8>> = ["E3", "S3", "S5", "S8", "S10"]
        .iter()
        .map(|id| &VECTORS[*id])
        .collect();
    while Instant::now() < end {
        seed += 1;
        let mut random = Random((seed * 0x9e37_79b9_7f4a_7c15) | 1);
        let mut guest = Native::new(all.clone());
        let hubs = [guest.open(b""), guest.open(b"s"), guest.open(b"s")];
        let mut next = 1_u64;
        for _ in 0..200 {
            let handle = i32::try_from(random.below(16)).unwrap() - 1;
            let hub = hubs[random.below(3)];
            match random.below(8) {
                0 => {
                    let mut request = VECTORS[["C1", "C9", "C10", "C12"][random.below(4)]].clone();
                    damage(&mut request, &mut random);
                    guest.control(&request, random.below(2000));
                }
                1 => drop(guest.write(handle, &vec![b'x'; random.below(1000)])),
                2 if handle != hub => guest.end(handle),
                3 | 4 => {
                    // Reading a hub without anything pending does not wait.
                    let (count, bytes) = guest.read(handle, random.below(3000));
                    assert!(count >= -1 && bytes.len() <= 3000);
                }
                5 => {
                    let mut frame = frames[random.below(frames.len())].clone();
                    frame[36..44].copy_from_slice(&next.to_le_bytes());
                    next += 1;
                    if random.below(4) == 0 {
                        damage(&mut frame, &mut random);
                    }
                    for piece in frame.chunks(1 + random.below(100)) {
                        guest.write(hub, piece);
                    }
                }
                _ => {
                    let mut source = sources[random.below(sources.len())].clone();
                    damage(&mut source, &mut random);
                    let frame = crate::harness::register(next, next, &hotcell_hopper::Raw(&source));
                    next += 1;
                    guest.write(hub, &frame);
                }
            }
        }
        // Whatever happened, what is queued has the form of events.
        for hub in hubs {
            guest.end(hub);
            let (end, _) = guest.read_all(hub);
            assert_eq!(end, 0);
        }
    }
}
