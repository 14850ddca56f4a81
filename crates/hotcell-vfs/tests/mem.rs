//! `MemVfs` through its public face.

use hotcell_vfs::{
    Clock, Errno, Limits, MemVfs, OpenOptions, SetTime, Times, Timestamp, Vfs, VfsPath,
};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

fn errno<T: std::fmt::Debug>(result: hotcell_vfs::Result<T>) -> Errno {
    result.expect_err("must fail").errno()
}

#[test]
fn fork_and_original_go_their_own_ways() {
    let vfs = MemVfs::new();
    vfs.mkdir(p("/d"), 0o755).unwrap();
    vfs.write_file(p("/d/a"), b"one").unwrap();
    let fork = vfs.fork();
    fork.write_file(p("/d/a"), b"two").unwrap();
    vfs.unlink(p("/d/a")).unwrap();
    assert_eq!(fork.read_file(p("/d/a")).unwrap(), b"two");
    assert_eq!(errno(vfs.read_file(p("/d/a"))), Errno::ENOENT);
    vfs.audit().unwrap();
    fork.audit().unwrap();
}

#[test]
fn unlinked_file_lives_until_closed() {
    let vfs = MemVfs::new();
    let file = vfs
        .open(p("/f"), &OpenOptions::read_write().create())
        .unwrap();
    file.write_all_at(0, b"hello").unwrap();
    vfs.unlink(p("/f")).unwrap();
    assert_eq!(file.read_all().unwrap(), b"hello");
    assert_eq!(file.stat().unwrap().nlink, 0);
    assert_eq!((vfs.usage().bytes, vfs.usage().files), (5, 1));
    let fork = vfs.fork();
    assert_eq!((fork.usage().bytes, fork.usage().files), (0, 0));
    drop(file);
    assert_eq!((vfs.usage().bytes, vfs.usage().files), (0, 0));
    vfs.audit().unwrap();
}

#[test]
fn snapshot_is_not_disturbed_by_writers_and_can_come_back() {
    let vfs = MemVfs::new();
    vfs.write_file(p("/f"), &vec![7; 200_000]).unwrap();
    let kept = vfs.open(p("/f"), &OpenOptions::read()).unwrap();
    let snapshot = vfs.snapshot();
    vfs.append_file(p("/f"), b"more").unwrap();
    let later = vfs
        .open(p("/later"), &OpenOptions::write().create())
        .unwrap();
    assert_eq!(snapshot.to_vfs().stat(p("/f")).unwrap().size, 200_000);
    vfs.restore(&snapshot);
    assert_eq!(kept.read_all().unwrap(), vec![7; 200_000]);
    assert_eq!(errno(later.append(b"x")), Errno::ESTALE);
    vfs.write_file(p("/new"), b"").unwrap();
    assert!(
        vfs.stat(p("/new")).unwrap().ino > 3,
        "numbers are not given out twice"
    );
    vfs.audit().unwrap();
}

#[test]
fn limits_refuse_before_anything_changes() {
    let limits = Limits {
        bytes: 10,
        files: 3,
        links: 1,
        file_size: 100,
        name: 8,
        depth: 2,
    };
    let vfs = MemVfs::with(limits, Clock::None);
    vfs.write_file(p("/a"), b"0123456789").unwrap();
    assert_eq!(errno(vfs.append_file(p("/a"), b"x")), Errno::ENOSPC);
    assert_eq!(errno(vfs.write_file(p("/b"), b"x")), Errno::ENOSPC);
    assert!(
        !vfs.exists(p("/b")),
        "a write that does not fit leaves no empty file behind"
    );
    vfs.write_file(p("/a"), b"9876543210").unwrap();
    assert_eq!(errno(vfs.truncate(p("/a"), 101)), Errno::EFBIG);
    vfs.truncate(p("/a"), 100).unwrap();
    assert_eq!(
        errno(vfs.write_file(p("/123456789"), b"")),
        Errno::ENAMETOOLONG
    );
    vfs.mkdir(p("/d"), 0o755).unwrap();
    vfs.mkdir(p("/d/e"), 0o755).unwrap();
    assert_eq!(errno(vfs.mkdir(p("/f"), 0o755)), Errno::ENOSPC);
    vfs.link(p("/a"), p("/d/l")).unwrap();
    assert_eq!(errno(vfs.link(p("/a"), p("/d/m"))), Errno::ENOSPC);
    assert_eq!(vfs.usage().links, 1);
    assert_eq!(errno(vfs.rename(p("/d/l"), p("/d/e/l"))), Errno::EMLINK);
    vfs.audit().unwrap();
}

#[test]
fn times_come_from_the_clock_that_was_passed_in() {
    let vfs = MemVfs::with(
        Limits::default(),
        Clock::Fixed(Timestamp::from_parts(1000, 5)),
    );
    vfs.write_file(p("/f"), b"").unwrap();
    assert_eq!(
        vfs.stat(p("/f")).unwrap().modified,
        Timestamp::from_parts(1000, 5)
    );
    let past = Timestamp::from_nanos(-1);
    vfs.set_times(
        p("/f"),
        Times {
            accessed: SetTime::Keep,
            modified: SetTime::At(past),
        },
        true,
    )
    .unwrap();
    let meta = vfs.stat(p("/f")).unwrap();
    assert_eq!(
        (meta.modified, meta.accessed),
        (past, Timestamp::from_parts(1000, 5))
    );
}

#[test]
fn copy_shares_and_then_differs() {
    let vfs = MemVfs::new();
    vfs.write_file(p("/a"), &vec![1; 300_000]).unwrap();
    assert_eq!(vfs.copy(p("/a"), p("/b")).unwrap(), 300_000);
    let b = vfs.open(p("/b"), &OpenOptions::read_write()).unwrap();
    b.write_at(100_000, b"!").unwrap();
    assert_eq!(vfs.read_file(p("/a")).unwrap(), vec![1; 300_000]);
    assert_eq!(vfs.read_file(p("/b")).unwrap()[100_000], b'!');
    assert_eq!(errno(vfs.copy(p("/a"), p("/a"))), Errno::EINVAL);
    vfs.audit().unwrap();
}
