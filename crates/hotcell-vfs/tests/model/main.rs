//! Random operations give the same answers in memory and in a real directory, and leave the same files behind.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "the real directory is the point of these tests; operations are tables"
)]

mod ops;
mod real;

use std::sync::Arc;

use hotcell_vfs::{
    Access, Clock, HostVfs, Limits, LinkPolicy, MemVfs, MountVfs, OverlayVfs, Overwrite, TarLimits,
    Usage, Vfs, VfsPath, View, Walk, export_tar, import_tar,
};
use ops::{Answer, Op, Virtual, memory, op, side};
use proptest::collection::vec;
use proptest::prelude::*;
use real::Real;

/// Runs the operations on both sides, and looks at what is left.
fn agree<V: Vfs>(mut memory: Virtual<V>, ops: &[Op]) -> Result<(), TestCaseError> {
    agree_with(&mut Real::new(), &mut memory, ops)
}

fn agree_with<V: Vfs>(
    real: &mut Real,
    memory: &mut Virtual<V>,
    ops: &[Op],
) -> Result<(), TestCaseError> {
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

/// What host files refuse on purpose: set-user-id bits, and changing the mode or times of what was opened to be read.
fn for_host(op: &Op) -> bool {
    !matches!(
        op,
        Op::ChmodHandle(..) | Op::SetTimesHandle(..) | Op::Chmod(_, 0o4711)
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_agrees_with_a_real_directory(ops in vec(op(), 1..80)) {
        agree(memory(Limits::default()), &ops)?;
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
                let after = Usage { refusals: before.refusals, ..after };
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

proptest! {
    // Each of these resolves every name on its own fifty directories deep, or moves megabytes: fewer cases take long
    // enough.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 50, ..ProptestConfig::default() })]

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
    fn archive_brings_any_tree_back(ops in vec(op(), 1..40)) {
        let mut memory = memory(Limits::default());
        for op in &ops {
            memory.run(op);
        }
        let limits = TarLimits { links: LinkPolicy::Any, ..TarLimits::default() };
        let (mut archive, back) = (Vec::new(), MemVfs::new());
        export_tar(&memory.vfs, VfsPath::ROOT, &mut archive, &limits).unwrap();
        import_tar(&back, VfsPath::ROOT, archive.as_slice(), &limits).unwrap();
        prop_assert_eq!(shape(&memory.vfs), shape(&back));
        // An archive has no second names for symlinks: they come back as links of their own.
        if !ops.iter().any(|op| matches!(op, Op::Symlink(..))) {
            prop_assert_eq!(memory.vfs.usage().links, back.usage().links);
        }
        back.audit().map_err(TestCaseError::fail)?;
    }

    #[test]
    fn overlay_agrees_with_a_real_directory_and_applies(
        mut first in vec(op(), 1..40),
        mut second in vec(op(), 1..40),
    ) {
        // An overlay takes the names of a lower file apart, and a lower file that is read is not to be changed.
        first.retain(|op| !matches!(op, Op::Link(..)));
        second.retain(|op| !matches!(op, Op::ChmodHandle(..) | Op::SetTimesHandle(..)));
        let mut real = Real::new();
        let mut below = memory(Limits::default());
        agree_with(&mut real, &mut below, &first)?;
        for slot in [0, 0, 0] {
            real.run(&Op::Close(slot));
        }
        below.handles.clear();

        let target = below.vfs.fork();
        let lower = Arc::new(below.vfs);
        let untouched = dump(&*lower);
        let overlay = OverlayVfs::new(Arc::clone(&lower) as Arc<dyn Vfs>, Limits::default(), Clock::None);
        let mut above = side(overlay);
        agree_with(&mut real, &mut above, &second)?;

        prop_assert_eq!(untouched, dump(&*lower));
        above.vfs.apply(&target, Overwrite::Refuse).unwrap();
        prop_assert_eq!(shape(&above.vfs), shape(&target));
        let again = OverlayVfs::fork(&above.vfs);
        again.reset();
        prop_assert!(again.changes().unwrap().is_empty());
    }
}

/// Every file with what an overlay carries over, for comparison.
fn shape(vfs: &dyn Vfs) -> Vec<String> {
    let describe = |entry: hotcell_vfs::Result<hotcell_vfs::WalkEntry>| {
        let path = entry.unwrap().path;
        let meta = vfs.lstat(&path).unwrap();
        let body = match meta.kind {
            hotcell_vfs::FileType::File => vfs.read_file(&path).unwrap(),
            hotcell_vfs::FileType::Symlink => vfs.readlink(&path).unwrap().into_bytes(),
            _ => Vec::new(),
        };
        // Set-user-id bits are not carried over.
        format!(
            "{path} {:?} {:o} {} {:?}",
            meta.kind,
            meta.mode & 0o1777,
            body.len(),
            body.first()
        )
    };
    Walk::new(vfs, VfsPath::ROOT).map(describe).collect()
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
