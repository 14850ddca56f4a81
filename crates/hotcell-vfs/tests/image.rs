//! Trees as bytes, and back.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use hotcell_vfs::{
    ChangeKind, Clock, Errno, Limits, MemVfs, OpenOptions, OverlayVfs, SetTime, Times, Timestamp,
    Vfs, VfsPath, Walk,
};
use proptest::prelude::*;

fn path(text: &str) -> &VfsPath {
    VfsPath::new(text)
}

fn saved(vfs: &MemVfs) -> Vec<u8> {
    let mut bytes = Vec::new();
    vfs.save(&mut bytes).unwrap();
    bytes
}

fn loaded(bytes: &[u8], limits: Limits) -> Result<MemVfs, hotcell_vfs::VfsError> {
    MemVfs::load(&mut &*bytes, limits, Clock::None)
}

fn sample() -> MemVfs {
    let vfs = MemVfs::with(Limits::default(), Clock::Fixed(Timestamp::from_nanos(5)));
    vfs.mkdir_all(path("/a/b/c"), 0o750).unwrap();
    vfs.write_file(path("/a/f"), &vec![7; 200_000]).unwrap();
    vfs.link(path("/a/f"), path("/a/b/g")).unwrap();
    vfs.symlink(path("../f"), path("/a/b/l")).unwrap();
    vfs.mkfifo(path("/a/p"), 0o600).unwrap();
    vfs.write_file(path("/sparse"), b"").unwrap();
    let sparse = vfs.open(path("/sparse"), &OpenOptions::write()).unwrap();
    sparse.write_at(1 << 30, b"far away").unwrap();
    sparse.truncate(1 << 39).unwrap();
    vfs.write_file(path("/odd \u{e9}\n"), b"x").unwrap();
    let times = Times {
        accessed: SetTime::At(Timestamp::from_nanos(-77)),
        modified: SetTime::At(Timestamp::from_nanos(1_234_567_891)),
    };
    vfs.set_times(path("/a/f"), times, true).unwrap();
    vfs.chmod(path("/a/f"), 0o4711).unwrap();
    vfs
}

#[test]
fn everything_comes_back_as_it_was() {
    let vfs = sample();
    let copy = loaded(&saved(&vfs), Limits::default()).unwrap();
    copy.audit().unwrap();
    let told = |vfs: &MemVfs| {
        let all = Walk::new(vfs, VfsPath::ROOT).map(|entry| {
            let path = entry.unwrap().path;
            (vfs.lstat(&path).unwrap(), path)
        });
        all.collect::<Vec<_>>()
    };
    assert_eq!(told(&copy), told(&vfs));
    let used = |vfs: &MemVfs| vfs.usage();
    assert_eq!(used(&copy), used(&vfs));
    assert_eq!(copy.read_file(path("/a/b/g")).unwrap(), vec![7; 200_000]);
    assert_eq!(copy.readlink(path("/a/b/l")).unwrap().as_bytes(), b"../f");
    let far = copy.open(path("/sparse"), &OpenOptions::read()).unwrap();
    let mut near = [1; 8];
    far.read_at(1 << 30, &mut near).unwrap();
    assert_eq!(&near, b"far away");
    // It is one file under both names.
    copy.write_file(path("/a/f"), b"new").unwrap();
    assert_eq!(copy.read_file(path("/a/b/g")).unwrap(), b"new");
    assert_eq!(
        saved(&loaded(&saved(&vfs), Limits::default()).unwrap()),
        saved(&vfs)
    );
}

#[test]
fn an_open_file_without_a_name_is_not_saved() {
    let vfs = MemVfs::new();
    vfs.write_file(path("/gone"), b"x").unwrap();
    let open = vfs.open(path("/gone"), &OpenOptions::read()).unwrap();
    vfs.unlink(path("/gone")).unwrap();
    let copy = loaded(&saved(&vfs), Limits::default()).unwrap();
    assert_eq!(copy.usage().files, 0);
    copy.audit().unwrap();
    drop(open);
}

#[test]
fn the_limits_are_those_of_who_loads() {
    let bytes = saved(&sample());
    let refused = |limits| loaded(&bytes, limits).err().unwrap().errno();
    let all = Limits::default();
    assert_eq!(
        refused(Limits {
            bytes: 100_000,
            ..all
        }),
        Errno::ENOSPC
    );
    assert_eq!(refused(Limits { files: 4, ..all }), Errno::ENOSPC);
    assert_eq!(refused(Limits { links: 0, ..all }), Errno::ENOSPC);
    assert_eq!(
        refused(Limits {
            file_size: 1 << 20,
            ..all
        }),
        Errno::EFBIG
    );
    assert_eq!(refused(Limits { depth: 2, ..all }), Errno::EMLINK);
    assert_eq!(refused(Limits { name: 3, ..all }), Errno::EINVAL);
}

#[test]
fn a_limit_that_is_met_is_counted() {
    let limits = Limits {
        bytes: 10,
        files: 2,
        ..Limits::default()
    };
    let vfs = MemVfs::with(limits, Clock::None);
    vfs.write_file(path("/a"), b"0123456789").unwrap();
    assert_eq!(vfs.usage().refusals, 0);
    vfs.append_file(path("/a"), b"!").unwrap_err();
    vfs.write_file(path("/b"), b"").unwrap();
    vfs.open(path("/c"), &OpenOptions::write().create())
        .err()
        .unwrap();
    vfs.stat(path("/nowhere")).unwrap_err();
    assert_eq!(vfs.usage().refusals, 2);
}

#[test]
fn the_changes_of_an_overlay_come_back() {
    let lower = Arc::new(MemVfs::new());
    for name in ["/keep", "/change", "/remove"] {
        lower.write_file(path(name), b"old").unwrap();
    }
    let lower: Arc<dyn Vfs> = lower;
    let overlay = OverlayVfs::new(Arc::clone(&lower), Limits::default(), Clock::None);
    overlay.write_file(path("/change"), b"new").unwrap();
    overlay.unlink(path("/remove")).unwrap();
    overlay.mkdir(path("/d"), 0o755).unwrap();
    overlay.write_file(path("/d/e"), b"e").unwrap();
    let mut bytes = Vec::new();
    overlay.save(&mut bytes).unwrap();
    let copy = OverlayVfs::load(
        Arc::clone(&lower),
        &mut &*bytes,
        Limits::default(),
        Clock::None,
    )
    .unwrap();
    assert_eq!(copy.changes().unwrap(), overlay.changes().unwrap());
    assert_eq!(copy.changes().unwrap().len(), 4);
    assert_eq!(copy.changes().unwrap()[0].kind, ChangeKind::Modified);
    assert!(!copy.exists(path("/remove")));
    assert_eq!(copy.read_file(path("/keep")).unwrap(), b"old");
    // What lies below can still be told from what somebody else changed meanwhile.
    lower.write_file(path("/change"), b"by others").unwrap();
    let target = MemVfs::new();
    target.write_file(path("/change"), b"by others").unwrap();
    copy.apply(&target, hotcell_vfs::Overwrite::Refuse)
        .unwrap_err();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_loading_panic_or_a_tree_that_is_none(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let vfs = MemVfs::new();
        vfs.mkdir_all(path("/a/b"), 0o755).unwrap();
        vfs.write_file(path("/a/f"), b"content").unwrap();
        vfs.link(path("/a/f"), path("/g")).unwrap();
        vfs.symlink(path("f"), path("/a/l")).unwrap();
        let mut bytes = saved(&vfs);
        for (index, value) in flips {
            let index = index.index(bytes.len());
            bytes[index] = value;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(copy) = loaded(&bytes, Limits::default()) {
            prop_assert_eq!(copy.audit(), Ok(()));
            for entry in Walk::new(&copy, VfsPath::ROOT) {
                let path = entry.unwrap().path;
                copy.lstat(&path).unwrap();
            }
        }
    }
}
