//! What is measured on, the same in every run.

use hotcell_vfs::{MemVfs, Vfs, VfsPath};

/// How many files are searched.
pub(crate) const SEARCHED: usize = 10_000;
/// How long each of them is: together 100 MB.
const SEARCHED_BYTES: usize = 10_000;

const WORDS: [&str; 16] = [
    "let", "value", "=", "compute(", "index", "+", "offset", ");", "return", "if", "Some(",
    "crossing", "Zebra", "match", "{", "}",
];

/// Text like source code, a hundred files in each directory. One file in a hundred has a needle in it.
pub(crate) fn sources() -> impl Iterator<Item = (String, String)> {
    let mut state = 1_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).unwrap()
    };
    (0..SEARCHED).map(move |number| {
        let mut text = String::with_capacity(SEARCHED_BYTES + 80);
        while text.len() < SEARCHED_BYTES {
            for _ in 0..6 + next() % 6 {
                text.push_str(WORDS[next() % WORDS.len()]);
                text.push(' ');
            }
            text.push('\n');
        }
        if number % 100 == 50 {
            text.push_str("needle_in_hay\n");
        }
        (format!("dir_{:03}/file_{number}.rs", number / 100), text)
    })
}

/// How many files the tree has that is forked.
pub(crate) const FORKED: usize = 100_000;

/// Small files, in a thousand directories.
pub(crate) fn many_files() -> MemVfs {
    let vfs = MemVfs::new();
    for number in 0..FORKED {
        let dir = format!("/d{}/e{}", number % 10, number % 1000);
        if number < 1000 {
            vfs.mkdir_all(VfsPath::new(&dir), 0o755).unwrap();
        }
        let path = format!("{dir}/f{number}");
        vfs.write_file(VfsPath::new(&path), b"some small content\n")
            .unwrap();
    }
    vfs
}

/// One megabyte of lines.
pub(crate) fn megabyte() -> String {
    "A line of text that has sixty-four characters with its line end\n".repeat(16 * 1024)
}
