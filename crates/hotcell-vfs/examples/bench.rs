//! How long the file system takes: `cargo run --release -p hotcell-vfs --example bench`.
//!
//! Each line is one operation: median and 99th percentile over many runs, in microseconds.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark needs a clock and says what it measured"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, MemVfs, MountVfs, OpenOptions, OverlayVfs, Result, Vfs,
    VfsPath, Walk,
};

const FILES: usize = 100_000;

/// Runs `op` often enough and prints how long it took. What it returns is dropped outside of the measurement.
fn measure<T>(name: &str, runs: usize, mut op: impl FnMut(usize) -> T) {
    let mut times: Vec<u128> = (0..runs)
        .map(|run| {
            let start = Instant::now();
            let result = black_box(op(run));
            let time = start.elapsed().as_nanos();
            drop(result);
            time
        })
        .collect();
    times.sort_unstable();
    let at = |part: usize| {
        times
            .get(times.len() * part / 100)
            .map_or(0.0, |nanos| *nanos as f64 / 1000.0)
    };
    println!("{name:<52} {:>10.2} {:>10.2}", at(50), at(99));
}

fn path(text: &str) -> &VfsPath {
    VfsPath::new(text)
}

/// A hundred thousand files in a thousand directories.
fn big_tree() -> Result<MemVfs> {
    let vfs = MemVfs::new();
    for number in 0..FILES {
        let dir = format!("/d{}/e{}", number % 32, number % 1000);
        if number < 1000 * 32 {
            vfs.mkdir_all(path(&dir), 0o755)?;
        }
        vfs.write_file(path(&format!("{dir}/f{number}")), b"some small content\n")?;
    }
    Ok(vfs)
}

fn main() -> Result<()> {
    println!("{:<52} {:>10} {:>10}", "operation", "median µs", "p99 µs");
    let start = Instant::now();
    let vfs = big_tree()?;
    let each = start.elapsed().as_micros() as f64 / FILES as f64;
    println!(
        "{:<52} {each:>10.2}",
        format!("create a file, {FILES} times, each")
    );

    measure("fork, 100,000 files", 2000, |_| vfs.fork());
    measure("snapshot, 100,000 files", 2000, |_| vfs.snapshot());
    measure("fork and write one file", 2000, |_| {
        let fork = vfs.fork();
        fork.write_file(path("/d3/new"), b"x").map(|()| fork)
    });
    let file = "/d7/e7/f7";
    measure("stat", 20_000, |_| vfs.stat(path(file)));
    measure("read a small file", 20_000, |_| vfs.read_file(path(file)));
    measure("overwrite a small file", 20_000, |_| {
        vfs.write_file(path(file), b"other small content\n")
    });
    measure("rename a directory", 5000, |run| {
        let (a, b) = (path("/d1"), path("/renamed"));
        if run % 2 == 0 {
            vfs.rename(a, b)
        } else {
            vfs.rename(b, a)
        }
    });
    measure("walk 100,000 files", 5, |_| {
        Walk::new(&vfs, VfsPath::ROOT).count()
    });

    let large = MemVfs::new();
    large.write_file(path("/large"), &vec![1; 256 << 20])?;
    let handle = large.open(path("/large"), &OpenOptions::read_write())?;
    measure("append 100 bytes to 256 MiB", 5000, |_| {
        handle.append(&[2; 100])
    });
    measure("append 100 bytes to 256 MiB after a snapshot", 500, |_| {
        let snapshot = large.snapshot();
        handle.append(&[2; 100]).map(|_| snapshot)
    });
    measure(
        "write 100 bytes inside 256 MiB after a snapshot",
        500,
        |run| {
            let snapshot = large.snapshot();
            handle
                .write_at((run as u64 + 1) * 300_000, &[2; 100])
                .map(|_| snapshot)
        },
    );
    measure("copy a file of 256 MiB", 500, |_| {
        large.copy(path("/large"), path("/copy"))
    });

    let tree = MountVfs::new(Arc::new(vfs));
    for mount in ["/dev", "/proc", "/work"] {
        tree.mount(path(mount), Arc::new(MemVfs::new()))?;
    }
    measure("fork of a tree with four mounts", 2000, |_| tree.fork());
    measure("stat in a tree with four mounts", 20_000, |_| {
        tree.stat(path(file))
    });
    measure(
        "read a small file in a tree with four mounts",
        20_000,
        |_| tree.read_file(path(file)),
    );

    let Ok(host) = HostVfs::open("crates/hotcell-vfs", Access::ReadOnly) else {
        println!("(not started in the repository: no host directory to measure)");
        return Ok(());
    };
    measure("stat in a host directory", 5000, |_| {
        host.stat(path("/src/mem/tree.rs"))
    });
    measure("read a file in a host directory", 5000, |_| {
        host.read_file(path("/src/mem/tree.rs"))
    });
    let overlay = OverlayVfs::new(Arc::new(host), Limits::default(), Clock::None);
    overlay.append_file(path("/src/mem/tree.rs"), b"\n")?;
    measure("fork of an overlay", 2000, |_| overlay.fork());
    measure("read a changed file in an overlay", 5000, |_| {
        overlay.read_file(path("/src/mem/tree.rs"))
    });
    Ok(())
}
