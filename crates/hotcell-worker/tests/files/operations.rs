//! Every operation of a file system goes through, and every error comes back as it was.

use std::sync::Arc;

use hotcell_vfs::{
    Clock, DevOptions, Errno, FileType, Limits, MemVfs, MountVfs, OpenOptions, SetTime, Times,
    Timestamp, Vfs, VfsPath, dev,
};
use hotcell_worker::MAX_OPEN_FILES;

use crate::support::connect;

fn memory() -> Arc<MemVfs> {
    let clock = Clock::Fixed(Timestamp::from_nanos(7));
    Arc::new(MemVfs::with(Limits::default(), clock))
}

fn path(text: &str) -> &VfsPath {
    VfsPath::new(text)
}

#[test]
fn errors_are_those_of_the_file_system_behind() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    vfs.write_file(path("/f"), b"x").unwrap();
    vfs.mkdir(path("/d"), 0o755).unwrap();
    vfs.write_file(path("/d/inside"), b"").unwrap();
    vfs.symlink(path("loop"), path("/loop")).unwrap();
    type Try = fn(&dyn Vfs) -> String;
    let tries: [Try; 20] = [
        |v| v.stat(path("/no")).unwrap_err().to_string(),
        |v| v.stat(path("/loop")).unwrap_err().to_string(),
        |v| v.stat(path("/f/x")).unwrap_err().to_string(),
        |v| v.lstat(path("")).unwrap_err().to_string(),
        |v| v.readdir(path("/f")).unwrap_err().to_string(),
        |v| v.readdir(path("/no")).unwrap_err().to_string(),
        |v| v.mkdir(path("/d"), 0o755).unwrap_err().to_string(),
        |v| v.rmdir(path("/d")).unwrap_err().to_string(),
        |v| v.rmdir(path("/f")).unwrap_err().to_string(),
        |v| v.unlink(path("/d")).unwrap_err().to_string(),
        |v| {
            v.rename(path("/d"), path("/d/below"))
                .unwrap_err()
                .to_string()
        },
        |v| v.rename(path("/no"), path("/x")).unwrap_err().to_string(),
        |v| v.chmod(path("/no"), 0o600).unwrap_err().to_string(),
        |v| v.link(path("/d"), path("/e")).unwrap_err().to_string(),
        |v| v.readlink(path("/f")).unwrap_err().to_string(),
        |v| v.read_file(path("/d")).unwrap_err().to_string(),
        |v| v.write_file(path("/d"), b"").unwrap_err().to_string(),
        |v| v.truncate(path("/d"), 0).unwrap_err().to_string(),
        |v| v.copy(path("/d"), path("/e")).unwrap_err().to_string(),
        |v| {
            let long = format!("/{}", "n".repeat(300));
            v.mkdir(path(&long), 0o755).unwrap_err().to_string()
        },
    ];
    for (number, attempt) in tries.iter().enumerate() {
        assert_eq!(attempt(&proxy), attempt(&*vfs), "number {number}");
    }
}

#[test]
fn quotas_are_told_with_their_words() {
    let limits = Limits {
        bytes: 1000,
        ..Limits::default()
    };
    let vfs = Arc::new(MemVfs::with(limits, Clock::None));
    let (proxy, _served) = connect(vfs.clone());
    let error = proxy.write_file(path("/f"), &[0; 2000]).unwrap_err();
    assert_eq!(error.errno(), Errno::ENOSPC);
    let direct = vfs.write_file(path("/f"), &[0; 2000]).unwrap_err();
    assert_eq!(error.to_string(), direct.to_string());
    assert_eq!(proxy.usage(), vfs.usage());
}

#[test]
fn names_need_not_be_text() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    let name = VfsPath::from_bytes(b"/\xff\xfe\"\n\x01");
    proxy.write_file(name, b"x").unwrap();
    assert_eq!(vfs.read_file(name).unwrap(), b"x");
    assert_eq!(
        proxy.readdir(VfsPath::ROOT).unwrap(),
        vfs.readdir(VfsPath::ROOT).unwrap()
    );
    proxy
        .symlink(VfsPath::from_bytes(b"\xf0"), path("/link"))
        .unwrap();
    assert_eq!(proxy.readlink(path("/link")).unwrap().as_bytes(), b"\xf0");
    assert_eq!(proxy.realpath(name).unwrap().as_bytes(), name.as_bytes());
    proxy.rename(name, VfsPath::from_bytes(b"/\xfa")).unwrap();
    proxy.unlink(VfsPath::from_bytes(b"/\xfa")).unwrap();
}

#[test]
fn an_open_file_reads_writes_grows_and_shrinks() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    let options = OpenOptions::read_write().create().mode(0o640);
    let file = proxy.open(path("/f"), &options).unwrap();
    assert_eq!(file.write_at(3, b"def").unwrap(), 3);
    assert_eq!(file.append(b"ghi").unwrap(), 6);
    let mut buffer = [1; 20];
    assert_eq!(file.read_at(2, &mut buffer).unwrap(), 7);
    assert_eq!(&buffer[..7], b"\0defghi");
    assert_eq!(file.read_at(100, &mut buffer).unwrap(), 0);
    file.truncate(4).unwrap();
    assert_eq!(file.stat().unwrap().size, 4);
    file.chmod(0o600).unwrap();
    let time = Timestamp::from_nanos(-12_345);
    let times = Times {
        accessed: SetTime::Keep,
        modified: SetTime::At(time),
    };
    file.set_times(times).unwrap();
    file.sync().unwrap();
    assert!(file.is_seekable());
    assert_eq!(file.opened_as(), path("/f"));
    let known = vfs.stat(path("/f")).unwrap();
    assert_eq!(file.stat().unwrap(), known);
    assert_eq!((known.mode, known.modified), (0o600, time));
    let reading = proxy.open(path("/f"), &OpenOptions::read()).unwrap();
    assert_eq!(reading.write_at(0, b"x").unwrap_err().errno(), Errno::EBADF);
}

#[test]
fn an_open_file_outlives_its_name_and_is_closed_when_it_is_dropped() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    proxy.write_file(path("/f"), b"content").unwrap();
    let file = proxy.open(path("/f"), &OpenOptions::read()).unwrap();
    proxy.unlink(path("/f")).unwrap();
    assert_eq!(file.read_all().unwrap(), b"content");
    assert_eq!(vfs.usage().files, 1);
    drop(file);
    // Nobody can ask without telling first what is closed.
    assert_eq!(proxy.usage().files, 0);
}

#[test]
fn there_is_a_limit_to_open_files() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs);
    proxy.write_file(path("/f"), b"").unwrap();
    let open = || proxy.open(path("/f"), &OpenOptions::read());
    let kept: Vec<_> = (0..MAX_OPEN_FILES).map(|_| open().unwrap()).collect();
    let error = open().err().unwrap();
    assert_eq!(error.errno(), Errno::ENFILE);
    drop(kept);
    assert!(open().is_ok());
}

#[test]
fn large_files_go_in_pieces_and_arrive_whole() {
    let vfs = Arc::new(MemVfs::with(
        Limits {
            bytes: 1 << 30,
            ..Limits::default()
        },
        Clock::None,
    ));
    let (proxy, _served) = connect(vfs.clone());
    let content: Vec<u8> = (0..20_000_003_u32).map(|n| (n % 253) as u8).collect();
    proxy.write_file(path("/big"), &content).unwrap();
    assert!(vfs.read_file(path("/big")).unwrap() == content);
    // Larger than the parent holds in one piece, so by ranges.
    assert!(proxy.read_file(path("/big")).unwrap() == content);
    let file = proxy
        .open(path("/big"), &OpenOptions::read_write())
        .unwrap();
    let mut buffer = vec![0; 3_000_000];
    assert_eq!(file.read_at(17, &mut buffer).unwrap(), 3_000_000);
    assert!(buffer == content[17..3_000_017]);
    assert_eq!(file.write_at(5, &buffer).unwrap(), 3_000_000);
    assert_eq!(file.append(&buffer).unwrap(), 20_000_003);
    assert!(vfs.read_file(path("/big")).unwrap()[20_000_003..] == buffer);
    proxy.append_file(path("/big"), b"end").unwrap();
    assert_eq!(vfs.stat(path("/big")).unwrap().size, 23_000_006);
    let small = vec![9; 2 << 20];
    proxy.write_file(path("/small"), &small).unwrap();
    assert!(proxy.read_file(path("/small")).unwrap() == small);
}

#[test]
fn more_than_one_step_may_write_is_an_error_and_leaves_the_file() {
    let vfs = Arc::new(MemVfs::with(
        Limits {
            bytes: 1 << 30,
            ..Limits::default()
        },
        Clock::None,
    ));
    let (proxy, _served) = connect(vfs.clone());
    vfs.write_file(path("/f"), b"old").unwrap();
    let error = proxy
        .write_file(path("/f"), &vec![1; 65 << 20])
        .unwrap_err();
    assert_eq!(error.errno(), Errno::EFBIG);
    assert_eq!(proxy.read_file(path("/f")).unwrap(), b"old");
}

#[test]
fn links_pipes_and_times_go_through() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    proxy.mkdir_all(path("/a/b"), 0o700).unwrap();
    proxy.write_file(path("/a/f"), b"12").unwrap();
    proxy.symlink(path("/a/f"), path("/a/b/s")).unwrap();
    proxy.link(path("/a/f"), path("/a/h")).unwrap();
    proxy.mkfifo(path("/a/p"), 0o600).unwrap();
    assert_eq!(proxy.lstat(path("/a/b/s")).unwrap().kind, FileType::Symlink);
    assert_eq!(proxy.stat(path("/a/b/s")).unwrap().nlink, 2);
    assert_eq!(proxy.lstat(path("/a/p")).unwrap().kind, FileType::Fifo);
    assert_eq!(&*proxy.realpath(path("/a/b/../b/s")).unwrap(), path("/a/f"));
    let early = Times::both(SetTime::At(Timestamp::from_nanos(1)));
    proxy.set_times(path("/a/b/s"), early, false).unwrap();
    assert_eq!(
        vfs.lstat(path("/a/b/s")).unwrap().modified,
        Timestamp::from_nanos(1)
    );
    assert_eq!(
        vfs.stat(path("/a/f")).unwrap().modified,
        Timestamp::from_nanos(7)
    );
    proxy.set_times(path("/a/b/s"), early, true).unwrap();
    assert_eq!(
        vfs.stat(path("/a/f")).unwrap().modified,
        Timestamp::from_nanos(1)
    );
    proxy
        .set_times(path("/a/f"), Times::both(SetTime::Now), true)
        .unwrap();
    assert_eq!(
        vfs.stat(path("/a/f")).unwrap().modified,
        Timestamp::from_nanos(7)
    );
    assert_eq!(proxy.copy(path("/a/f"), path("/copy")).unwrap(), 2);
    proxy.truncate(path("/copy"), 1).unwrap();
    assert_eq!(proxy.read_file(path("/copy")).unwrap(), b"1");
    assert!(proxy.exists(path("/copy")));
}

#[test]
fn it_can_be_mounted_in_a_tree_of_the_worker() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs.clone());
    let tree = MountVfs::new(Arc::new(proxy));
    tree.mount(path("/dev"), Arc::new(dev(DevOptions::default())))
        .unwrap();
    tree.mkdir_all(path("/work/deep"), 0o755).unwrap();
    tree.write_file(path("/work/deep/f"), b"one").unwrap();
    tree.symlink(path("/dev/null"), path("/work/null")).unwrap();
    // The link leads from the parent's files to those of the worker.
    tree.write_file(path("/work/null"), b"gone").unwrap();
    tree.symlink(path("deep/f"), path("/work/s")).unwrap();
    assert_eq!(tree.read_file(path("/work/s")).unwrap(), b"one");
    tree.rename(path("/work/s"), path("/work/t")).unwrap();
    tree.link(path("/work/deep/f"), path("/work/h")).unwrap();
    tree.chmod(path("/work/h"), 0o600).unwrap();
    tree.mkfifo(path("/work/p"), 0o600).unwrap();
    assert_eq!(tree.copy(path("/work/h"), path("/work/c")).unwrap(), 3);
    tree.set_times(path("/work/c"), Times::both(SetTime::Now), true)
        .unwrap();
    tree.unlink(path("/work/c")).unwrap();
    let file = tree
        .open(path("/work/t"), &OpenOptions::read_write())
        .unwrap();
    file.append(b" two").unwrap();
    assert_eq!(vfs.read_file(path("/work/deep/f")).unwrap(), b"one two");
    let names: Vec<_> = tree.readdir(path("/work")).unwrap();
    let names: Vec<_> = names.iter().map(|entry| entry.path().to_string()).collect();
    assert_eq!(names, ["deep", "h", "null", "p", "t"]);
    tree.rmdir(path("/work/deep")).unwrap_err();
    assert_eq!(tree.usage(), vfs.usage());
}

#[test]
fn several_threads_share_a_lane() {
    let vfs = memory();
    let (proxy, _served) = connect(vfs);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let proxy = proxy.clone();
            scope.spawn(move || {
                let name = format!("/{number}");
                let content = vec![number; 10_000 + usize::from(number)];
                for _ in 0..50 {
                    proxy.write_file(path(&name), &content).unwrap();
                    assert_eq!(proxy.read_file(path(&name)).unwrap(), content);
                }
            });
        }
    });
}
