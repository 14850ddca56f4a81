//! Random operations give the same answers in memory and in a real directory, and leave the same files behind.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the real directory is the point of these tests"
)]

mod ops;
mod real;

use std::sync::Arc;

use hotcell_vfs::{
    Access, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, Vfs, VfsPath, View, Walk,
};
use ops::{Answer, Op, Virtual, memory, op, side};
use proptest::collection::vec;
use proptest::prelude::*;
use real::Real;

/// Runs the operations on both sides, and looks at what is left.
fn agree<V: Vfs>(mut memory: Virtual<V>, ops: &[Op]) -> Result<(), TestCaseError> {
    let mut real = Real::new();
    for (number, op) in ops.iter().enumerate() {
        prop_assert_eq!(
            memory.run(op),
            real.run(op),
            "operation {}: {:?}",
            number,
            op
        );
    }
    let left: Vec<_> = Walk::new(&memory.vfs, &memory.base)
        .collect::<Result<_, _>>()
        .unwrap();
    for entry in left {
        let path = entry
            .path
            .strip_prefix(&memory.base)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let path = if path.is_empty() {
            ".".to_owned()
        } else {
            path
        };
        for op in [
            Op::Lstat(path.clone()),
            Op::Stat(path.clone()),
            Op::Readdir(path.clone()),
            Op::Readlink(path.clone()),
            Op::Realpath(path.clone()),
            Op::ReadFile(path),
        ] {
            prop_assert_eq!(memory.run(&op), real.run(&op), "left behind: {:?}", op);
        }
    }
    Ok(())
}

/// What host files refuse on purpose: set-user-id bits, and changing the mode of what was opened to be read.
fn for_host(op: &Op) -> bool {
    !matches!(op, Op::ChmodHandle(..) | Op::Chmod(_, 0o4711))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_agrees_with_a_real_directory(ops in vec(op(), 1..80)) {
        agree(memory(Limits::default()), &ops)?;
    }

    #[test]
    fn host_directory_agrees_with_a_real_directory(mut ops in vec(op(), 1..60)) {
        ops.retain(for_host);
        let dir = tempfile::tempdir().unwrap();
        let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap().with_links(LinkPolicy::Any);
        agree(side(host), &ops)?;
    }

    #[test]
    fn mounted_memory_agrees_with_a_real_directory(ops in vec(op(), 1..60)) {
        let tree = MountVfs::new(Arc::new(MemVfs::new()));
        tree.mount(VfsPath::new("/x/x"), Arc::new(MemVfs::new())).unwrap();
        agree(side(tree), &ops)?;
    }

    #[test]
    fn rooted_view_agrees_with_a_real_directory(ops in vec(op(), 1..60)) {
        let vfs = MemVfs::new();
        vfs.mkdir(VfsPath::new("/root"), 0o755).unwrap();
        agree(side(View::rooted(Arc::new(vfs), VfsPath::new("/root")).unwrap()), &ops)?;
    }

    #[test]
    fn usage_is_exact_and_within_limits(ops in vec(op(), 1..150)) {
        let limits = Limits { bytes: 200_000, files: 60, links: 3, file_size: 4_000_000, depth: 53, ..Limits::default() };
        let mut memory = memory(limits);
        for op in &ops {
            let before = memory.vfs.usage();
            let answer = memory.run(op);
            let after = memory.vfs.usage();
            memory.vfs.audit().map_err(|wrong| TestCaseError::fail(format!("after {op:?}: {wrong}")))?;
            prop_assert!(after.bytes <= limits.bytes && after.files <= limits.files && after.links <= limits.links);
            if matches!(answer, Answer::Failed(_)) {
                prop_assert_eq!(before, after, "a failed {:?} changed something", op);
            }
        }
        memory.handles.clear();
        memory.vfs.audit().map_err(TestCaseError::fail)?;
    }

    #[test]
    fn a_fork_never_sees_what_happens_later(first in vec(op(), 1..40), second in vec(op(), 1..40)) {
        let mut memory = memory(Limits::default());
        for op in &first {
            memory.run(op);
        }
        let fork = memory.vfs.fork();
        let before = dump(&fork);
        prop_assert_eq!(&before, &dump(&memory.vfs));
        for op in &second {
            memory.run(op);
        }
        prop_assert_eq!(before, dump(&fork));
        fork.audit().map_err(TestCaseError::fail)?;
    }
}

/// Every file with all that is known about it, for comparison.
fn dump(vfs: &dyn Vfs) -> Vec<String> {
    let describe = |entry: hotcell_vfs::Result<hotcell_vfs::WalkEntry>| {
        let path = entry.unwrap().path;
        let meta = vfs.lstat(&path).unwrap();
        let body = match meta.kind {
            hotcell_vfs::FileType::File => vfs.read_file(&path).unwrap(),
            hotcell_vfs::FileType::Symlink => vfs.readlink(&path).unwrap().into_bytes(),
            _ => Vec::new(),
        };
        format!(
            "{path} {meta:?} {}",
            body.iter()
                .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte))
        )
    };
    Walk::new(vfs, hotcell_vfs::VfsPath::ROOT)
        .map(describe)
        .collect()
}
