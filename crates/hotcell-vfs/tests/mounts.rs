//! Several file systems in one tree; devices and `/proc`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hotcell_vfs::{
    Clock, DevOptions, Device, Errno, Fault, FileType, FixedVfs, Limits, MemVfs, MountVfs,
    OpenOptions, OverlayVfs, ProcState, Vfs, VfsPath, VfsPathBuf, View, dev, proc,
};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

fn errno<T>(result: hotcell_vfs::Result<T>) -> Errno {
    result.err().expect("must fail").errno()
}

/// A root with `/mnt` (memory) and `/etc` (fixed) mounted.
fn tree() -> MountVfs {
    let tree = MountVfs::new(Arc::new(MemVfs::new()));
    tree.mount(p("/mnt"), Arc::new(MemVfs::new()))
        .expect("a new directory");
    let etc = FixedVfs::new()
        .file("/hostname", "cell\n")
        .symlink("/self", "/etc/hostname");
    tree.mount(p("/etc"), Arc::new(etc))
        .expect("a new directory");
    tree
}

fn names(vfs: &dyn Vfs, path: &str) -> Vec<String> {
    let entries = vfs.readdir(p(path)).expect("a directory");
    entries
        .into_iter()
        .map(|entry| entry.path().to_string())
        .collect()
}

#[test]
fn links_and_dots_cross_mounts_by_the_paths_of_the_whole_tree() {
    let tree = tree();
    tree.symlink(p("/etc/hostname"), p("/mnt/absolute"))
        .unwrap();
    tree.symlink(p("../etc"), p("/mnt/relative")).unwrap();
    tree.symlink(p("/mnt/absolute"), p("/chain")).unwrap();
    for path in [
        "/mnt/absolute",
        "/mnt/relative/hostname",
        "/chain",
        "/mnt/../etc/self",
        "/etc/../etc/self",
    ] {
        assert_eq!(tree.read_file(p(path)).unwrap(), b"cell\n", "{path}");
    }
    assert_eq!(
        tree.realpath(p("/mnt/relative/..")).unwrap(),
        VfsPathBuf::root()
    );
    assert_eq!(
        tree.realpath(p("/chain")).unwrap().to_string(),
        "/etc/hostname"
    );
}

#[test]
fn files_do_not_move_between_mounts_but_can_be_copied() {
    let tree = tree();
    tree.write_file(p("/a"), b"content").unwrap();
    assert_eq!(errno(tree.rename(p("/a"), p("/mnt/a"))), Errno::EXDEV);
    assert_eq!(errno(tree.link(p("/a"), p("/mnt/a"))), Errno::EXDEV);
    assert_eq!(tree.copy(p("/a"), p("/mnt/a")).unwrap(), 7);
    assert_eq!(tree.read_file(p("/mnt/a")).unwrap(), b"content");
    assert_eq!(errno(tree.copy(p("/a"), p("/etc/a"))), Errno::EROFS);
    // As on Linux: what is there need not be created, so it can be read.
    let options = OpenOptions::read().create();
    assert_eq!(
        tree.open(p("/etc/hostname"), &options)
            .unwrap()
            .read_all()
            .unwrap(),
        b"cell\n"
    );
}

#[test]
fn mount_points_are_in_use_and_listed() {
    let tree = tree();
    assert_eq!(names(&tree, "/"), ["etc", "mnt"]);
    assert_eq!(errno(tree.rmdir(p("/mnt"))), Errno::EBUSY);
    assert_eq!(errno(tree.rename(p("/mnt"), p("/other"))), Errno::EBUSY);
    tree.mkdir_all(p("/a/b"), 0o755).unwrap();
    tree.mount(p("/a/b"), Arc::new(MemVfs::new())).unwrap();
    assert_eq!(errno(tree.rename(p("/a"), p("/c"))), Errno::EBUSY);
    assert_eq!(errno(tree.unmount(p("/a"))), Errno::EINVAL);
    tree.write_file(p("/a/b/x"), b"").unwrap();
    let open = tree.open(p("/a/b/x"), &OpenOptions::read_write()).unwrap();
    tree.unmount(p("/a/b")).unwrap();
    assert_eq!(names(&tree, "/a/b"), Vec::<String>::new());
    open.append(b"still there").unwrap();
    tree.write_file(p("/file"), b"").unwrap();
    assert_eq!(
        errno(tree.mount(p("/file"), Arc::new(MemVfs::new()))),
        Errno::ENOTDIR
    );
    // A mount on a file system that cannot be written exists as a name all the same.
    tree.mount(p("/etc/conf"), Arc::new(MemVfs::new())).unwrap();
    assert_eq!(names(&tree, "/etc"), ["conf", "hostname", "self"]);
    tree.write_file(p("/etc/conf/x"), b"").unwrap();
    assert_eq!(errno(tree.unmount(p("/etc"))), Errno::EBUSY);
}

#[test]
fn each_mount_has_its_device_number() {
    let tree = tree();
    tree.write_file(p("/a"), b"").unwrap();
    tree.write_file(p("/mnt/a"), b"").unwrap();
    let (a, b) = (tree.stat(p("/a")).unwrap(), tree.stat(p("/mnt/a")).unwrap());
    assert_ne!(a.dev, b.dev);
    let open = tree.open(p("/mnt/a"), &OpenOptions::read()).unwrap();
    assert_eq!(open.stat().unwrap(), b);
    assert_eq!(open.write_at(0, b"x").unwrap_err().path(), p("/mnt/a"));
}

#[test]
fn fork_of_a_tree_forks_every_mount() {
    let tree = tree();
    let lower = Arc::new(MemVfs::new());
    lower.write_file(p("/f"), b"lower").unwrap();
    let overlay = OverlayVfs::new(lower, Limits::default(), Clock::None);
    tree.mount(p("/over"), Arc::new(overlay)).unwrap();
    tree.write_file(p("/mnt/a"), b"before").unwrap();
    let fork = tree.fork().unwrap();
    fork.write_file(p("/mnt/a"), b"after").unwrap();
    fork.write_file(p("/over/f"), b"after").unwrap();
    fork.write_file(p("/b"), b"").unwrap();
    assert_eq!(tree.read_file(p("/mnt/a")).unwrap(), b"before");
    assert_eq!(tree.read_file(p("/over/f")).unwrap(), b"lower");
    assert!(!tree.exists(p("/b")));
    assert_eq!(fork.read_file(p("/etc/self")).unwrap(), b"cell\n");
}

/// Remembers what was written.
#[derive(Default)]
struct Record(Mutex<Vec<u8>>);

impl Device for Record {
    fn read(&self, buf: &mut [u8]) -> Result<usize, Fault> {
        buf.fill(b'i');
        Ok(buf.len().min(3))
    }

    fn write(&self, data: &[u8]) -> Result<usize, Fault> {
        self.0
            .lock()
            .expect("nobody panics")
            .extend_from_slice(data);
        Ok(data.len())
    }
}

#[test]
fn devices_do_what_their_names_say() {
    let record = Arc::new(Record::default());
    let options = DevOptions {
        random: Some(Arc::new(|buf: &mut [u8]| buf.fill(4))),
        stdin: Some(Arc::clone(&record) as Arc<dyn Device>),
        stdout: Some(Arc::clone(&record) as Arc<dyn Device>),
        stderr: None,
    };
    let tree = MountVfs::new(Arc::new(MemVfs::new()));
    tree.mount(p("/dev"), Arc::new(dev(options))).unwrap();
    assert_eq!(
        names(&tree, "/dev"),
        [
            "full", "null", "random", "stderr", "stdin", "stdout", "urandom", "zero"
        ]
    );
    let open = |path: &str| tree.open(p(path), &OpenOptions::read_write()).unwrap();
    let mut buf = [9; 5];

    tree.write_file(p("/dev/null"), b"gone").unwrap();
    assert_eq!(tree.read_file(p("/dev/null")).unwrap(), b"");
    assert_eq!(open("/dev/zero").read_at(1 << 50, &mut buf).unwrap(), 5);
    assert_eq!(buf, [0; 5]);
    assert_eq!(open("/dev/urandom").read_at(0, &mut buf).unwrap(), 5);
    assert_eq!(buf, [4; 5]);
    assert_eq!(open("/dev/stdin").read_at(0, &mut buf).unwrap(), 3);
    tree.append_file(p("/dev/stdout"), b"hello").unwrap();
    assert_eq!(record.0.lock().unwrap().as_slice(), b"hello");
    assert_eq!(errno(tree.append_file(p("/dev/full"), b"x")), Errno::ENOSPC);
    assert_eq!(
        errno(tree.append_file(p("/dev/stderr"), b"x")),
        Errno::ENXIO
    );
    assert_eq!(errno(tree.write_file(p("/dev/new"), b"x")), Errno::EROFS);
    assert_eq!(errno(tree.unlink(p("/dev/null"))), Errno::EROFS);
    assert_eq!(
        tree.stat(p("/dev/null")).unwrap().kind,
        FileType::CharDevice
    );
    assert!(!open("/dev/zero").is_seekable());
    // Endless devices have no whole content.
    assert_eq!(errno(tree.read_file(p("/dev/zero"))), Errno::EFBIG);
    assert_eq!(errno(tree.copy(p("/dev/zero"), p("/copy"))), Errno::EFBIG);
}

#[test]
fn proc_tells_about_the_sandbox() {
    let state = || ProcState {
        args: vec![b"/bin/cat".to_vec(), b"x y".to_vec()],
        env: vec![(b"HOME".to_vec(), b"/root".to_vec())],
        cwd: VfsPathBuf::from("/work"),
        cpus: 2,
        uptime: Duration::from_millis(1500),
        mounts: vec![(VfsPathBuf::from("/a b"), "mem".to_owned(), false)],
        ..ProcState::default()
    };
    let tree = MountVfs::new(Arc::new(MemVfs::new()));
    tree.mount(p("/proc"), Arc::new(proc(state))).unwrap();
    tree.mkdir(p("/work"), 0o755).unwrap();
    tree.write_file(p("/work/f"), b"here").unwrap();
    let read = |path: &str| String::from_utf8(tree.read_file(p(path)).unwrap()).unwrap();
    assert_eq!(read("/proc/self/cmdline"), "/bin/cat\0x y\0");
    assert_eq!(read("/proc/self/environ"), "HOME=/root\0");
    assert_eq!(read("/proc/self/comm"), "cat\n");
    assert_eq!(read("/proc/self/cwd/f"), "here");
    assert_eq!(read("/proc/mounts"), "mem /a\\040b mem ro 0 0\n");
    assert_eq!(read("/proc/uptime"), "1.50 0.00\n");
    assert_eq!(read("/proc/cpuinfo").matches("processor").count(), 2);
    assert!(read("/proc/meminfo").starts_with("MemTotal:"));
    assert!(read("/proc/self/status").contains("Name:\tcat\n"));
    assert_eq!(errno(tree.write_file(p("/proc/uptime"), b"")), Errno::EROFS);
}

#[test]
fn read_only_view_refuses_changes_and_shows_everything() {
    let vfs = Arc::new(MemVfs::new());
    vfs.write_file(p("/f"), b"x").unwrap();
    let view = View::all(Arc::clone(&vfs) as Arc<dyn Vfs>).read_only();
    assert_eq!(view.read_file(p("/f")).unwrap(), b"x");
    assert_eq!(errno(view.write_file(p("/f"), b"")), Errno::EROFS);
    assert_eq!(errno(view.unlink(p("/f"))), Errno::EROFS);
    vfs.write_file(p("/f"), b"y").unwrap();
    assert_eq!(view.read_file(p("/f")).unwrap(), b"y");
}

#[test]
fn paths_are_taken_apart_the_same_way_everywhere() {
    let path = |text: &str| VfsPathBuf::from(text);
    assert_eq!(
        p("/a//b/./c/").components().collect::<Vec<_>>(),
        [b"a", b"b", b"c"]
    );
    for (text, parent) in [
        ("/a/b", "/a"),
        ("/a", "/"),
        ("/a/", "/"),
        ("a", ""),
        ("a/b/", "a"),
        ("//a//b", "//a"),
    ] {
        assert_eq!(p(text).parent(), Some(p(parent)), "{text}");
    }
    assert_eq!((p("/").parent(), p("").parent()), (None, None));
    assert_eq!(p("/a/b/../c/.").normalize(), path("/a/c"));
    assert_eq!(p("../../x").normalize(), path("/x"));
    assert_eq!(p("/a/b").strip_prefix(p("/a")), Some(p("b")));
    assert_eq!(p("/ab").strip_prefix(p("/a")), None);
    assert_eq!(p("/a/./b").strip_prefix(p("/a/b")), Some(p("")));
    assert_eq!(p("/a").join("/b"), path("/b"));
    assert_eq!(
        (p("/x.tar.gz").extension(), p("/.rc").extension()),
        (Some(b"gz".as_slice()), None)
    );
}
