//! Any bytes are a value or an error: no panic, no belief in counts, and frames that come in any pieces.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use hotcell_hopper::{
    Encode, Raw,
    control::{self, HubMeta, HubParams, Opened, Reply, Request},
    event::Event,
    failure::Failure,
    frame::{self, Fixed, Frame, FrameBuffer, Fuel, Owner, Step},
    selector::{config, exec, files, net},
    source::Source,
};

/// Reads bytes as everything there is.
fn read_all(bytes: &[u8]) {
    let _ = Request::decode(bytes, 1 << 20);
    if let Ok(reply) = Reply::decode(bytes)
        && let Ok(body) = reply.outcome
    {
        let _ = control::read_capabilities(body.0).map(|list| list.iter().count());
    }
    let _ = control::read_capabilities(bytes).map(|list| list.iter().count());
    let _ = control::DescribeRequest::decode(bytes);
    let _ = control::OpenRequest::decode(bytes);
    let _ = (
        HubParams::decode(bytes),
        HubMeta::decode(bytes),
        Opened::decode(bytes),
    );
    for kind in [frame::COMMAND, frame::EVENT] {
        if let Ok(frame) = Frame::decode(bytes, kind) {
            let _ = Event::decode(&frame);
            let _ = Source::decode(frame.payload.0);
        }
    }
    let _ = (
        Fuel::decode(bytes),
        Owner::decode(bytes),
        Source::decode(bytes),
    );
    let _ = Failure::decode_either(bytes);
    if let Ok(start) = exec::Start::decode(bytes) {
        assert_eq!(start.args.iter().count(), start.args.len());
        assert_eq!(start.env.iter().count(), start.env.len());
        let _ = start.is_text();
    }
    let _ = (exec::Started::decode(bytes), exec::Status::decode(bytes));
    let _ = files::read_entries(bytes).map(|list| list.iter().count());
    let _ = (
        files::ListRequest::decode(bytes),
        files::OpenFileRequest::decode(bytes),
    );
    let _ = config::read_keys(bytes).map(|list| list.iter().count());
    let _ = (
        config::KeyRequest::decode(bytes),
        config::ConfigValue::decode(bytes),
    );
    let _ = net::ConnectRequest::decode(bytes);
}

/// A small generator, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

fn vectors() -> Vec<Vec<u8>> {
    let text = include_str!("data/vectors.json");
    let list: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
    let bytes = |hex: &str| -> Vec<u8> {
        let pairs = hex.as_bytes().chunks(2);
        let pairs = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    };
    list.iter()
        .map(|vector| bytes(vector["hex"].as_str().unwrap()))
        .collect()
}

/// Seconds that random tests take: four, or as many as `HOTCELL_RANDOM_SECONDS` says.
fn until() -> std::time::Instant {
    let seconds = std::env::var("HOTCELL_RANDOM_SECONDS");
    let seconds = seconds.ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    std::time::Instant::now() + std::time::Duration::from_secs(seconds)
}

#[test]
fn any_bytes_are_a_value_or_an_error() {
    let vectors = vectors();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let end = until();
    while std::time::Instant::now() < end {
        for _ in 0..1000 {
            let mut bytes = vectors[random.below(vectors.len())].clone();
            for _ in 0..random.below(6) {
                let at = random.below(bytes.len());
                match random.below(5) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
                    2 if at + 4 <= bytes.len() => {
                        let odd = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX][random.below(5)];
                        bytes[at..at + 4].copy_from_slice(&odd.to_le_bytes());
                    }
                    3 => bytes.extend_from_slice(&vectors[random.below(vectors.len())].clone()),
                    _ if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
                    _ => {}
                }
            }
            read_all(&bytes);
        }
    }
}

#[test]
fn a_count_is_held_against_the_bytes_behind_it() {
    for bytes in [
        // prog_id, flags, argc: four thousand million arguments in no bytes.
        &b"\x01\0\0\0p\0\0\0\0\xff\xff\xff\xff\0\0\0\0"[..],
        b"\x01\0\0\0p\0\0\0\0\0\0\0\0\xff\xff\xff\xff",
    ] {
        assert!(exec::Start::decode(bytes).is_err());
    }
    assert!(files::read_entries(b"\xff\xff\xff\xff").is_err());
    assert!(config::read_keys(b"\xff\xff\xff\x0f1234").is_err());
    assert!(control::read_capabilities(b"\x00\x00\x00\x80").is_err());
}

/// Feeds pieces, and tells what came out: payloads, or what was wrong.
fn feed<B: frame::Storage>(buffer: &mut FrameBuffer<B>, pieces: &[&[u8]]) -> Vec<String> {
    let mut told = Vec::new();
    for mut piece in pieces.iter().copied() {
        loop {
            match buffer.step(&mut piece) {
                Step::More => break,
                Step::Frame(frame) => told.push(format!("{} {:?}", frame.op, frame.payload.0)),
                Step::TooLarge(header) => told.push(format!("too large {}", header.req_id)),
                Step::Broken(bad) => {
                    told.push(format!("broken {}", bad.req_id));
                    return told;
                }
            }
        }
        assert!(piece.is_empty());
    }
    told
}

fn stream() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (op, length) in [(1, 0), (2, 3), (3, 200), (4, 64), (5, 65), (6, 1)] {
        let payload = vec![b'x'; length];
        let frame = Frame::command(op, u64::from(op), 0, Raw(&payload));
        frame.encode(&mut bytes).unwrap();
    }
    bytes
}

#[test]
fn frames_are_the_same_in_whatever_pieces_they_come() {
    let bytes = stream();
    let whole = feed(
        &mut FrameBuffer::new(frame::COMMAND, 64, Vec::new()),
        &[&bytes],
    );
    assert_eq!(whole.len(), 6);
    assert_eq!(whole[2], "too large 3");
    assert_eq!(whole[4], "too large 5");
    for size in 1..200 {
        let pieces: Vec<_> = bytes.chunks(size).collect();
        let mut buffer = FrameBuffer::new(frame::COMMAND, 64, Vec::new());
        assert_eq!(feed(&mut buffer, &pieces), whole, "pieces of {size}");
        let fixed = Fixed::<{ frame::HEADER + 64 }>::default();
        let mut buffer = FrameBuffer::new(frame::COMMAND, 64, fixed);
        assert_eq!(feed(&mut buffer, &pieces), whole, "pieces of {size}");
    }
}

#[test]
fn a_frame_that_does_not_fit_a_fixed_buffer_is_too_large_and_skipped() {
    let bytes = stream();
    let fixed = Fixed::<{ frame::HEADER + 10 }>::default();
    let mut buffer = FrameBuffer::new(frame::COMMAND, 64, fixed);
    let pieces: Vec<_> = bytes.chunks(7).collect();
    let told = feed(&mut buffer, &pieces);
    let wrong = told.iter().filter(|line| line.starts_with("too large"));
    assert_eq!(wrong.count(), 3, "{told:?}");
    assert_eq!(told[5], "6 [120]");
}

#[test]
fn a_stream_that_is_no_frame_is_broken() {
    let mut bytes = Frame::command(1, 77, 0, Raw(&[])).to_vec().unwrap();
    bytes[0] = b'X';
    for size in [1, 5, 48] {
        let mut buffer = FrameBuffer::new(frame::COMMAND, 64, Vec::new());
        let pieces: Vec<_> = bytes.chunks(size).collect();
        assert_eq!(feed(&mut buffer, &pieces), ["broken 77"]);
    }
    // A frame in the other direction is none, either.
    let event = Frame::event(101, 5, 0, Raw(&[])).to_vec().unwrap();
    let mut buffer = FrameBuffer::new(frame::COMMAND, 64, Vec::new());
    assert_eq!(feed(&mut buffer, &[&event]), ["broken 5"]);
}
