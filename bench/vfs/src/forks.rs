//! Trees in memory: forks, and the operations everything is made of.

use std::sync::Arc;

use bench_measure::{Report, alone as time};
use hotcell_vfs::{MemVfs, MountVfs, OpenOptions, Vfs, VfsPath, Walk};

use crate::alone;
use crate::samples::{FORKED, many_files};

pub(crate) fn measure(report: &mut Report) {
    let (path, other) = (VfsPath::new("/d7/e7/f7"), VfsPath::new("/d3/new"));
    let mut vfs = None;
    let made = bench_measure::seconds(|| vfs = Some(many_files()));
    let vfs = vfs.unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a hundred thousand")]
    let each = made * 1e6 / FORKED as f64;

    report.add(alone(
        "fork of a tree with 100,000 files",
        "µs",
        Some(20.0),
        time(2000, || vfs.fork()),
    ));
    report.add(alone(
        "the same, and write one file in the fork",
        "µs",
        None,
        time(2000, || {
            let fork = vfs.fork();
            fork.write_file(other, b"x").unwrap();
            fork
        }),
    ));
    report.add(alone("create a file (100,000 of them)", "µs", None, each));
    report.add(alone("stat", "µs", None, time(20_000, || vfs.stat(path))));
    report.add(alone(
        "read a small file",
        "µs",
        None,
        time(20_000, || vfs.read_file(path)),
    ));
    report.add(alone(
        "overwrite a small file",
        "µs",
        None,
        time(20_000, || vfs.write_file(path, b"other small content\n")),
    ));
    report.add(alone(
        "walk over 100,000 files",
        "ms",
        None,
        time(9, || Walk::new(&vfs, VfsPath::ROOT).count()) / 1e3,
    ));

    let tree = MountVfs::new(Arc::new(vfs));
    for mount in ["/dev", "/proc", "/work"] {
        tree.mount(VfsPath::new(mount), Arc::new(MemVfs::new()))
            .unwrap();
    }
    report.add(alone(
        "fork of a tree with four mounts, 100,000 files",
        "µs",
        Some(20.0),
        time(2000, || tree.fork()),
    ));
    report.add(alone(
        "read a small file in a tree with four mounts",
        "µs",
        None,
        time(20_000, || tree.read_file(path)),
    ));

    let (large, copy) = (VfsPath::new("/large"), VfsPath::new("/copy"));
    let vfs = MemVfs::new();
    vfs.write_file(large, &vec![1; 256 << 20]).unwrap();
    report.add(alone(
        "copy a file of 256 MiB",
        "µs",
        None,
        time(500, || vfs.copy(large, copy)),
    ));
    let file = vfs.open(large, &OpenOptions::read_write()).unwrap();
    report.add(alone(
        "append 100 bytes to 256 MiB that a snapshot shares",
        "µs",
        None,
        time(500, || {
            let snapshot = vfs.snapshot();
            file.append(&[2; 100]).unwrap();
            snapshot
        }),
    ));
}
