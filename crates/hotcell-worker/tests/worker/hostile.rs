//! Workers that do not keep to the protocol: they have the shared memory, and write into it what they like.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use hotcell_vfs::{MemVfs, Vfs};
use hotcell_worker::{End, Event, Message, Parent, Service, Why};
use serde::{Deserialize, Serialize};

use crate::support::worker_with;

#[derive(Debug, Serialize, Deserialize)]
enum Lie {
    /// A request of these lengths, with this JSON.
    Request {
        metadata: i32,
        binary: i32,
        json: String,
        lane: usize,
    },
    /// The ring says that so much was written.
    Ring(u64),
    /// Bytes from a generator, everywhere, for a while, over and over.
    Garbage(u64),
    /// Requests without end, as fast as possible.
    Flood,
}

/// Where the shared memory lies: two lanes and the ring.
struct Liar {
    maps: Vec<(usize, usize)>,
}

/// Made before the jail is entered, so that it can look where its memory is.
pub(crate) fn be_a_liar() -> Result<Box<dyn Service>, String> {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
    // The kernel gives later mappings lower addresses.
    let find = |name: &str| {
        let lines = maps.lines().rev().filter(|line| line.contains(name));
        let ranges = lines.map(|line| {
            let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(start), number(end) - number(start))
        });
        ranges.collect::<Vec<_>>()
    };
    let maps = [find("memfd:hotcell-region"), find("memfd:hotcell-output")].concat();
    assert_eq!(maps.len(), 3);
    Ok(Box::new(Liar { maps }))
}

impl Liar {
    fn number(&self, map: usize, offset: usize) -> &AtomicI32 {
        let (start, length) = self.maps[map];
        assert!(offset + 4 <= length);
        // SAFETY: it is mapped, and aligned.
        unsafe { AtomicI32::from_ptr(std::ptr::with_exposed_provenance_mut(start + offset)) }
    }

    fn write(&self, map: usize, offset: usize, bytes: &[u8]) {
        let (start, length) = self.maps[map];
        let most = length.saturating_sub(offset).min(bytes.len());
        let to = std::ptr::with_exposed_provenance_mut::<u8>(start + offset);
        // SAFETY: it is mapped, so far.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, most) };
    }

    fn ask(&self, lane: usize, metadata: i32, binary: i32, json: &str) {
        self.write(lane, 12, json.as_bytes());
        self.number(lane, 4).store(metadata, Ordering::SeqCst);
        self.number(lane, 8).store(binary, Ordering::SeqCst);
        self.number(lane, 0).store(1, Ordering::SeqCst);
        self.wake(lane);
    }

    fn wake(&self, lane: usize) {
        // SAFETY: a wake only looks at the address.
        unsafe { libc::syscall(libc::SYS_futex, self.number(lane, 0).as_ptr(), 1, i32::MAX) };
    }
}

impl Service for Liar {
    #[expect(clippy::cast_possible_truncation, reason = "noise")]
    fn handle(&mut self, command: Message, _: &Parent) -> Message {
        match command.read().unwrap() {
            Lie::Request {
                metadata,
                binary,
                json,
                lane,
            } => self.ask(lane, metadata, binary, &json),
            Lie::Ring(written) => {
                self.write(2, 0, &written.to_ne_bytes());
                self.ask(0, 15, 0, r#"{"op":"output"}"#);
            }
            Lie::Flood => loop {
                self.ask(0, 15, 0, r#"{"op":"output"}"#);
                self.ask(1, 14, 0, r#"{"op":"usage"}"#);
            },
            Lie::Garbage(seed) => {
                let mut state = seed | 1;
                let mut next = move || {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state
                };
                loop {
                    let map = (next() % 3) as usize;
                    let bytes: Vec<u8> = (0..next() % 64).map(|_| next() as u8).collect();
                    self.write(map, (next() % 80) as usize, &bytes);
                    let status = [0, 1, 1, 1, 2, 3, -1, 7][(next() % 8) as usize];
                    let length = [0, 5, 20, -1, i32::MAX, 100_000][(next() % 6) as usize];
                    self.number(map % 2, 4).store(length, Ordering::SeqCst);
                    self.number(map % 2, 8)
                        .store((next() % 100) as i32, Ordering::SeqCst);
                    self.number(map % 2, 0).store(status, Ordering::SeqCst);
                    self.wake(map % 2);
                    std::thread::sleep(Duration::from_micros(next() % 50));
                }
            }
        }
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}

/// What becomes of a worker that lies, and of its files.
fn lie(lie: &Lie, timeout: Duration) -> End {
    let liar = hotcell_worker::WorkerOptions::new("liar", crate::service::BUILD)
        .spares(0)
        .region_bytes(64 << 10);
    let mut worker = worker_with(&liar);
    let vfs = Arc::new(MemVfs::new());
    worker.serve_files(vfs.clone(), None, 1 << 20).unwrap();
    let _limit = worker.limit(std::time::Instant::now() + timeout);
    worker.command(&Message::new(lie, Vec::new()));
    let mut printed = 0;
    let end = pollster::block_on(async {
        loop {
            match worker.next(&mut |_, bytes| printed += bytes.len()).await {
                Event::Died(death) => return death.end,
                Event::Request(_) => worker.defer(),
                // It may say that it is done, and then it waits like any other.
                Event::Done(_) => return End::Unknown,
                _ => unreachable!(),
            }
        }
    });
    vfs.audit().unwrap();
    let _ = vfs.usage();
    end
}

fn violation(end: &End) -> &str {
    match end {
        End::Killed(Why::Violation(what)) => what,
        _ => "none",
    }
}

#[test]
fn lengths_that_cannot_be_are_noticed() {
    for (metadata, binary) in [
        (-1, 0),
        (0, -1),
        (i32::MAX, 0),
        (0, i32::MAX),
        (i32::MAX, i32::MAX),
        (40_000, 40_000),
    ] {
        for lane in [0, 1] {
            let json = String::new();
            let told = lie(
                &Lie::Request {
                    metadata,
                    binary,
                    json,
                    lane,
                },
                Duration::from_secs(20),
            );
            assert!(violation(&told).contains("in a region of"), "{told:?}");
        }
    }
}

#[test]
fn requests_that_cannot_be_read_are_noticed() {
    for json in ["x", "{}", "[1]", r#"{"op":1}"#, "\u{1}\u{2}"] {
        for lane in [0, 1] {
            let told = lie(
                &Lie::Request {
                    metadata: i32::try_from(json.len()).unwrap(),
                    binary: 0,
                    json: json.to_owned(),
                    lane,
                },
                Duration::from_secs(20),
            );
            assert!(violation(&told).contains("cannot be read"), "{told:?}");
        }
    }
}

#[test]
fn a_second_start_is_a_violation_or_ignored() {
    let json = r#"{"op":"ready","jail":{"parts":[]}}"#;
    let metadata = i32::try_from(json.len()).unwrap();
    let told = lie(
        &Lie::Request {
            metadata,
            binary: 0,
            json: json.to_owned(),
            lane: 0,
        },
        Duration::from_millis(50),
    );
    assert!(matches!(told, End::Killed(_)), "{told:?}");
}

#[test]
fn a_ring_that_says_too_much_is_noticed() {
    for written in [u64::MAX, 1 << 40, 3, 262_145] {
        let told = lie(&Lie::Ring(written), Duration::from_secs(20));
        assert!(violation(&told).contains("output"), "{written}: {told:?}");
    }
}

#[test]
fn a_flood_of_requests_ends_at_the_deadline() {
    let told = lie(&Lie::Flood, Duration::from_millis(100));
    // At the latest: a request that is overwritten while it is answered may also become one that cannot be read.
    assert!(matches!(told, End::Killed(_)), "{told:?}");
}

#[test]
fn garbage_never_hangs_or_harms_the_parent() {
    for seed in 1..200_u64 {
        let told = lie(
            &Lie::Garbage(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            Duration::from_millis(15),
        );
        assert!(matches!(told, End::Killed(_) | End::Unknown), "{told:?}");
    }
}
