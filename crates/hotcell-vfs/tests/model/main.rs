//! Random operations give the same answers in memory and in a real directory, and leave the same files behind.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the real directory is the point of these tests"
)]

mod ops;
mod real;

use hotcell_vfs::{Limits, Vfs, Walk};
use ops::{Answer, Op, memory, op};
use proptest::collection::vec;
use proptest::prelude::*;
use real::Real;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_agrees_with_a_real_directory(ops in vec(op(), 1..80)) {
        let mut memory = memory(Limits::default());
        let mut real = Real::new();
        for (number, op) in ops.iter().enumerate() {
            prop_assert_eq!(memory.run(op), real.run(op), "operation {}: {:?}", number, op);
        }
        memory.vfs.audit().map_err(TestCaseError::fail)?;
        // What is left has to be the same, too.
        let left: Vec<_> = Walk::new(&memory.vfs, &memory.base).collect::<Result<_, _>>().unwrap();
        for entry in left {
            let path = entry.path.strip_prefix(&memory.base).unwrap().to_str().unwrap().to_owned();
            let path = if path.is_empty() { ".".to_owned() } else { path };
            for op in [Op::Lstat(path.clone()), Op::Stat(path.clone()), Op::Readdir(path.clone()),
                       Op::Readlink(path.clone()), Op::Realpath(path.clone()), Op::ReadFile(path)] {
                prop_assert_eq!(memory.run(&op), real.run(&op), "left behind: {:?}", op);
            }
        }
    }

    #[test]
    fn usage_is_exact_and_within_limits(ops in vec(op(), 1..150)) {
        let limits = Limits { bytes: 200_000, files: 140, links: 3, file_size: 4_000_000, depth: 133, ..Limits::default() };
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
