//! Whatever is done to files through the lane, it is as if it had been done without.

use std::sync::Arc;

use hotcell_vfs::{
    Clock, Limits, MemVfs, MountVfs, OpenOptions, SetTime, Times, Timestamp, Vfs, VfsPath,
};
use proptest::{collection::vec, prelude::*};

use crate::support::connect;

#[derive(Debug, Clone)]
enum Op {
    Read(usize),
    Write(usize, Vec<u8>),
    Append(usize, Vec<u8>),
    Truncate(usize, u64),
    Stat(usize),
    Lstat(usize),
    Readdir(usize),
    Mkdir(usize, u32),
    Rmdir(usize),
    Unlink(usize),
    Rename(usize, usize),
    Chmod(usize, u32),
    Symlink(usize, usize),
    Readlink(usize),
    Link(usize, usize),
    Mkfifo(usize),
    Realpath(usize),
    Copy(usize, usize),
    Times(usize, i64, bool),
    Range(usize, u64, Vec<u8>, bool),
    Usage,
}

/// Few, so that operations meet.
const PATHS: [&[u8]; 12] = [
    b"/",
    b"/a",
    b"/b",
    b"/a/b",
    b"/a/b/c",
    b"a/../b",
    b"/a/./b/",
    b"//a//b",
    b"/\xff",
    b"",
    b"/a/b/../..",
    b"/b/x",
];

fn op() -> impl Strategy<Value = Op> {
    let at = || 0..PATHS.len();
    let bytes = || vec(any::<u8>(), 0..40);
    prop_oneof![
        at().prop_map(Op::Read),
        (at(), bytes()).prop_map(|(a, b)| Op::Write(a, b)),
        (at(), bytes()).prop_map(|(a, b)| Op::Append(a, b)),
        (at(), 0_u64..100).prop_map(|(a, b)| Op::Truncate(a, b)),
        at().prop_map(Op::Stat),
        at().prop_map(Op::Lstat),
        at().prop_map(Op::Readdir),
        (at(), any::<u32>()).prop_map(|(a, b)| Op::Mkdir(a, b)),
        at().prop_map(Op::Rmdir),
        at().prop_map(Op::Unlink),
        (at(), at()).prop_map(|(a, b)| Op::Rename(a, b)),
        (at(), any::<u32>()).prop_map(|(a, b)| Op::Chmod(a, b)),
        (at(), at()).prop_map(|(a, b)| Op::Symlink(a, b)),
        at().prop_map(Op::Readlink),
        (at(), at()).prop_map(|(a, b)| Op::Link(a, b)),
        at().prop_map(Op::Mkfifo),
        at().prop_map(Op::Realpath),
        (at(), at()).prop_map(|(a, b)| Op::Copy(a, b)),
        (at(), any::<i64>(), any::<bool>()).prop_map(|(a, b, c)| Op::Times(a, b, c)),
        (at(), 0_u64..60, bytes(), any::<bool>()).prop_map(|(a, b, c, d)| Op::Range(a, b, c, d)),
        Just(Op::Usage),
    ]
}

/// What an operation says, in words.
fn run(vfs: &dyn Vfs, op: &Op) -> String {
    fn said<T: std::fmt::Debug>(result: hotcell_vfs::Result<T>) -> String {
        match result {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.to_string(),
        }
    }
    let at = |index: usize| VfsPath::new(PATHS[index]);
    match op {
        Op::Read(a) => said(vfs.read_file(at(*a))),
        Op::Write(a, bytes) => said(vfs.write_file(at(*a), bytes)),
        Op::Append(a, bytes) => said(vfs.append_file(at(*a), bytes)),
        Op::Truncate(a, size) => said(vfs.truncate(at(*a), *size)),
        Op::Stat(a) => said(vfs.stat(at(*a))),
        Op::Lstat(a) => said(vfs.lstat(at(*a))),
        Op::Readdir(a) => said(vfs.readdir(at(*a))),
        Op::Mkdir(a, mode) => said(vfs.mkdir(at(*a), *mode)),
        Op::Rmdir(a) => said(vfs.rmdir(at(*a))),
        Op::Unlink(a) => said(vfs.unlink(at(*a))),
        Op::Rename(a, b) => said(vfs.rename(at(*a), at(*b))),
        Op::Chmod(a, mode) => said(vfs.chmod(at(*a), *mode)),
        Op::Symlink(a, b) => said(vfs.symlink(at(*a), at(*b))),
        Op::Readlink(a) => said(vfs.readlink(at(*a))),
        Op::Link(a, b) => said(vfs.link(at(*a), at(*b))),
        Op::Mkfifo(a) => said(vfs.mkfifo(at(*a), 0o644)),
        Op::Realpath(a) => said(vfs.realpath(at(*a))),
        Op::Copy(a, b) => said(vfs.copy(at(*a), at(*b))),
        Op::Times(a, time, follow) => {
            let time = SetTime::At(Timestamp::from_nanos(*time));
            said(vfs.set_times(at(*a), Times::both(time), *follow))
        }
        Op::Range(a, offset, bytes, create) => {
            let options = OpenOptions::read_write();
            let options = if *create { options.create() } else { options };
            said(vfs.open(at(*a), &options).and_then(|file| {
                let wrote = file.write_at(*offset, bytes)?;
                let end = file.append(bytes)?;
                let mut buffer = vec![0; 50];
                let read = file.read_at(offset / 2, &mut buffer)?;
                buffer.truncate(read);
                Ok((wrote, end, buffer, file.stat()?))
            }))
        }
        Op::Usage => format!("{:?}", vfs.usage()),
    }
}

fn memory() -> Arc<MemVfs> {
    let limits = Limits {
        bytes: 300,
        files: 8,
        ..Limits::default()
    };
    Arc::new(MemVfs::with(limits, Clock::Fixed(Timestamp::from_nanos(3))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn files_through_a_lane_are_like_files(ops in vec(op(), 1..60)) {
        let (near, far) = (memory(), memory());
        let (proxy, _served) = connect(far.clone());
        for op in &ops {
            prop_assert_eq!(run(&proxy, op), run(&*near, op), "{:?}", op);
        }
        prop_assert!(far.audit().is_ok());
    }

    #[test]
    fn files_through_a_lane_and_a_tree_are_like_files_in_a_tree(ops in vec(op(), 1..60)) {
        let (near, far) = (memory(), memory());
        let (proxy, _served) = connect(far);
        let (near, far) = (MountVfs::new(near), MountVfs::new(Arc::new(proxy)));
        for op in &ops {
            prop_assert_eq!(run(&far, op), run(&near, op), "{:?}", op);
        }
    }
}
