//! What commands work on.

use std::{fmt::Write as _, fs, path::Path};

const LOG_BYTES: usize = 50_000_000;
const RECORDS: u64 = 100_000;
const FILES: u64 = 10_000;

/// Writes `log.txt` (50 MB), `records.json` (10 MB) and `tree` (10,000 files).
pub(crate) fn write(folder: &Path) {
    fs::write(folder.join("log.txt"), log()).unwrap();
    fs::write(folder.join("records.json"), records()).unwrap();
    for number in 0..FILES {
        let place = folder.join(format!("tree/{}/{}", number % 10, number / 10 % 10));
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(format!("{number}.txt")), "text\n").unwrap();
    }
}

/// Numbers that look random, the same each time.
fn scramble(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33
}

fn log() -> String {
    let mut text = String::with_capacity(LOG_BYTES + 100);
    for number in 1.. {
        if text.len() >= LOG_BYTES {
            break;
        }
        let random = scramble(number);
        let (user, bytes) = (random % 1000, random % 100_000);
        let _ = writeln!(
            text,
            "{number} user{user} {bytes} GET /index/{user}.html done"
        );
    }
    text
}

fn records() -> String {
    let mut text = String::from("[");
    for number in 0..RECORDS {
        let score = scramble(number) % 100;
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n{{\"id\":{number},\"name\":\"name {number}\",\"score\":{score},\"nested\":{{\"x\":{score},\"list\":[1,2,3]}},\"flag\":true}}"
        );
    }
    text + "\n]\n"
}
