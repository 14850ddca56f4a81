//! Named pipes as files: where they can be made, and what keeps them.
#![cfg(unix)]

use std::sync::Arc;

use hotcell_vfs::{
    Access, ChangeKind, Clock, Errno, FileType, HostVfs, Limits, MemVfs, MountVfs, OpenOptions,
    OverlayVfs, Overwrite, TarLimits, Vfs, VfsPath, View, export_tar, import_tar,
};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

fn overlay(lower: Arc<dyn Vfs>) -> OverlayVfs {
    OverlayVfs::new(lower, Limits::default(), Clock::None)
}

#[test]
fn a_pipe_in_memory_is_a_file_of_its_kind() {
    let vfs = MemVfs::new();
    vfs.mkfifo(p("/p"), 0o640).unwrap();
    let meta = vfs.stat(p("/p")).unwrap();
    assert_eq!(
        (meta.kind, meta.mode, meta.size),
        (FileType::Fifo, 0o640, 0)
    );
    assert_eq!(vfs.readdir(p("/")).unwrap()[0].kind, FileType::Fifo);
    assert_eq!(
        vfs.mkfifo(p("/p"), 0o640).unwrap_err().errno(),
        Errno::EEXIST
    );
    assert_eq!(
        vfs.mkfifo(p("/no/p"), 0o640).unwrap_err().errno(),
        Errno::ENOENT
    );
    vfs.link(p("/p"), p("/q")).unwrap();
    vfs.rename(p("/p"), p("/r")).unwrap();
    assert_eq!(
        vfs.stat(p("/q")).unwrap().ino,
        vfs.stat(p("/r")).unwrap().ino
    );
    vfs.unlink(p("/q")).unwrap();
    vfs.unlink(p("/r")).unwrap();
    assert_eq!(vfs.usage().files, 0);
    vfs.audit().unwrap();
}

#[test]
fn a_pipe_counts_as_a_file() {
    let limits = Limits {
        files: 1,
        ..Limits::default()
    };
    let vfs = MemVfs::with(limits, Clock::None);
    vfs.mkfifo(p("/p"), 0o600).unwrap();
    assert!(vfs.mkfifo(p("/q"), 0o600).is_err());
}

#[test]
fn a_pipe_has_no_content_and_is_no_place_to_seek() {
    let vfs = MemVfs::new();
    vfs.mkfifo(p("/p"), 0o600).unwrap();
    let options = OpenOptions::write().create().truncate();
    let file = vfs.open(p("/p"), &options).unwrap();
    assert!(!file.is_seekable());
    assert_eq!(file.write_at(0, b"x").unwrap_err().errno(), Errno::ENXIO);
    assert_eq!(vfs.read_file(p("/p")).unwrap_err().errno(), Errno::ENXIO);
    assert_eq!(
        vfs.write_file(p("/p"), b"x").unwrap_err().errno(),
        Errno::ENXIO
    );
}

#[test]
fn snapshots_forks_mounts_and_views_have_the_pipes() {
    let vfs = MemVfs::new();
    let before = vfs.snapshot();
    vfs.mkfifo(p("/p"), 0o600).unwrap();
    assert_eq!(vfs.fork().stat(p("/p")).unwrap().kind, FileType::Fifo);
    let later = vfs.snapshot();
    vfs.restore(&before);
    assert!(!vfs.exists(p("/p")));
    assert_eq!(later.to_vfs().stat(p("/p")).unwrap().kind, FileType::Fifo);
    let tree = Arc::new(MountVfs::new(Arc::new(MemVfs::new())));
    tree.mount(p("/m"), Arc::new(vfs)).unwrap();
    tree.mkfifo(p("/m/p"), 0o600).unwrap();
    let view = View::rooted(Arc::clone(&tree) as Arc<dyn Vfs>, p("/m")).unwrap();
    assert_eq!(view.stat(p("/p")).unwrap().kind, FileType::Fifo);
    assert_eq!(
        view.read_only().mkfifo(p("/q"), 0o600).unwrap_err().errno(),
        Errno::EROFS
    );
}

#[test]
fn an_overlay_lists_and_applies_its_pipes() {
    let lower = Arc::new(MemVfs::new());
    lower.mkfifo(p("/old"), 0o600).unwrap();
    let top = overlay(Arc::clone(&lower) as Arc<dyn Vfs>);
    top.mkfifo(p("/new"), 0o644).unwrap();
    top.chmod(p("/old"), 0o666).unwrap();
    let changes = top.changes().unwrap();
    let listed: Vec<_> = changes
        .iter()
        .map(|change| (change.kind, change.file))
        .collect();
    let expected = [
        (ChangeKind::Added, FileType::Fifo),
        (ChangeKind::Metadata, FileType::Fifo),
    ];
    assert_eq!(listed, expected);
    top.apply(&*lower, Overwrite::Refuse).unwrap();
    let new = lower.stat(p("/new")).unwrap();
    assert_eq!((new.kind, new.mode), (FileType::Fifo, 0o644));
    assert_eq!(lower.stat(p("/old")).unwrap().mode, 0o666);
}

#[test]
fn who_reads_and_who_writes_a_pipe_under_an_overlay_have_the_same_one() {
    let lower = MemVfs::new();
    lower.mkfifo(p("/p"), 0o600).unwrap();
    let top = overlay(Arc::new(lower));
    let reader = top.open(p("/p"), &OpenOptions::read()).unwrap();
    let writer = top.open(p("/p"), &OpenOptions::write()).unwrap();
    let (reader, writer) = (reader.stat().unwrap(), writer.stat().unwrap());
    assert_eq!((reader.dev, reader.ino), (writer.dev, writer.ino));
}

#[test]
fn archives_have_the_pipes() {
    let vfs = MemVfs::new();
    vfs.mkfifo(p("/p"), 0o640).unwrap();
    let mut bytes = Vec::new();
    export_tar(&vfs, p("/"), &mut bytes, &TarLimits::default()).unwrap();
    let other = MemVfs::new();
    import_tar(&other, p("/"), bytes.as_slice(), &TarLimits::default()).unwrap();
    let meta = other.stat(p("/p")).unwrap();
    assert_eq!((meta.kind, meta.mode), (FileType::Fifo, 0o640));
}

#[test]
fn no_pipe_is_made_in_a_directory_of_the_host_and_none_is_opened_there() {
    let dir = tempfile::tempdir().unwrap();
    let host = HostVfs::open(dir.path(), Access::ReadWrite).unwrap();
    let error = host.mkfifo(p("/p"), 0o600).unwrap_err();
    assert_eq!(error.errno(), Errno::ENOTSUP);
    assert!(error.to_string().contains("host directories"), "{error}");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        dir.path().join("real"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let error = host.open(p("/real"), &OpenOptions::read()).err().unwrap();
    assert_eq!(error.errno(), Errno::ENXIO);
    let top = overlay(Arc::new(host));
    for options in [OpenOptions::read(), OpenOptions::write()] {
        assert_eq!(
            top.open(p("/real"), &options).err().unwrap().errno(),
            Errno::ENXIO
        );
    }
}
