//! Input nobody would write by hand: each gets a right answer or a clear error.

use std::sync::Arc;

use hotcell_vfs::{
    Clock, Errno, Limits, MemVfs, MountVfs, OpenOptions, OverlayVfs, PATH_MAX, Vfs, VfsPath,
    VfsPathBuf, View, WHOLE_FILE_MAX, Walk,
};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

fn errno<T>(result: hotcell_vfs::Result<T>) -> Errno {
    result.err().expect("must fail").errno()
}

/// An empty file system of each kind that can be written without touching the host.
fn kinds() -> Vec<Arc<dyn Vfs>> {
    let limits = Limits {
        depth: 64,
        bytes: 64 << 20,
        ..Limits::default()
    };
    let memory = || Arc::new(MemVfs::with(limits, Clock::None));
    let mounted = MountVfs::new(memory());
    let mounts = MountVfs::new(memory());
    mounts
        .mount(p("/inner"), memory())
        .expect("an empty tree takes a mount");
    let inner = View::rooted(Arc::new(mounts), p("/inner")).expect("it was mounted");
    vec![
        memory(),
        Arc::new(mounted),
        Arc::new(OverlayVfs::new(memory(), limits, Clock::None)),
        Arc::new(inner),
    ]
}

#[test]
fn names_may_be_any_bytes() {
    for vfs in kinds() {
        let names: [&[u8]; 7] = [
            b"\n",
            b"\xff\xfe",
            b" ",
            b"-rf",
            b"a\tb",
            b"...",
            b"\x1b[31m",
        ];
        for name in names {
            vfs.write_file(VfsPath::new(name), name).unwrap();
            assert_eq!(vfs.read_file(VfsPath::new(name)).unwrap(), name);
        }
        let listed: Vec<Vec<u8>> = vfs
            .readdir(VfsPath::ROOT)
            .unwrap()
            .into_iter()
            .map(|e| e.name)
            .collect();
        let mut sorted: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
        sorted.sort();
        assert_eq!(listed, sorted);
    }
}

#[test]
fn errors_show_strange_names_without_repeating_them() {
    let error = MemVfs::new()
        .stat(VfsPath::new(b"/a\n\xff\x1b[2J"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "ENOENT: no such file or directory, stat '/a\\n\\xff\\u{1b}[2J'"
    );
}

#[test]
fn nul_empty_and_over_long_paths_are_refused() {
    let long = "n".repeat(256);
    let deep = "a/".repeat(PATH_MAX);
    for vfs in kinds() {
        for (path, expected) in [
            ("a\0b", Errno::EINVAL),
            ("/\0", Errno::EINVAL),
            ("", Errno::ENOENT),
            (long.as_str(), Errno::ENAMETOOLONG),
            (deep.as_str(), Errno::ENAMETOOLONG),
        ] {
            let path = p(path);
            assert_eq!(errno(vfs.stat(path)), expected);
            assert_eq!(errno(vfs.write_file(path, b"")), expected);
            assert_eq!(errno(vfs.mkdir(path, 0o755)), expected);
            assert_eq!(errno(vfs.readdir(path)), expected);
            assert_eq!(errno(vfs.unlink(path)), expected);
            assert_eq!(errno(vfs.rename(path, p("/x"))), expected);
            assert_eq!(errno(vfs.symlink(p("x"), path)), expected);
        }
        assert_eq!(errno(vfs.symlink(p(""), p("/l"))), Errno::ENOENT);
        assert_eq!(errno(vfs.symlink(p("a\0"), p("/l"))), Errno::EINVAL);
        assert_eq!(errno(vfs.symlink(p(&deep), p("/l"))), Errno::ENAMETOOLONG);
        vfs.write_file(p(&"n".repeat(255)), b"").unwrap();
    }
}

#[test]
fn depth_bombs_end() {
    for vfs in kinds() {
        let mut path = VfsPathBuf::root();
        let stopped = (0..3000).find_map(|_| {
            path.push("d");
            vfs.mkdir(&path, 0o755).err()
        });
        assert_eq!(stopped.expect("must end").errno(), Errno::EMLINK);
    }
    // Growing from the other end does not help: each round puts the whole tree one level deeper.
    let vfs = MemVfs::with(
        Limits {
            depth: 40,
            ..Limits::default()
        },
        Clock::None,
    );
    vfs.mkdir(p("/a"), 0o755).unwrap();
    let stopped = (0..100).find_map(|_| {
        vfs.mkdir(p("/b"), 0o755).unwrap();
        vfs.rename(p("/a"), p("/b/a"))
            .and_then(|()| vfs.rename(p("/b"), p("/a")))
            .err()
    });
    assert_eq!(stopped.expect("must end").errno(), Errno::EMLINK);
    vfs.audit().unwrap();
}

#[test]
fn link_loops_and_long_chains_end() {
    for vfs in kinds() {
        vfs.symlink(p("loop"), p("/loop")).unwrap();
        assert_eq!(errno(vfs.stat(p("/loop"))), Errno::ELOOP);
        assert_eq!(errno(vfs.write_file(p("/loop/x"), b"")), Errno::ELOOP);
        vfs.write_file(p("/l0"), b"end").unwrap();
        for number in 1..=41 {
            let (target, link) = (format!("l{}", number - 1), format!("/l{number}"));
            vfs.symlink(p(&target), p(&link)).unwrap();
        }
        assert_eq!(vfs.read_file(p("/l40")).unwrap(), b"end");
        assert_eq!(errno(vfs.read_file(p("/l41"))), Errno::ELOOP);
        // Links that double the way at each step: forty of them would be a long walk.
        vfs.mkdir(p("/x"), 0o755).unwrap();
        vfs.symlink(p("."), p("/x/y0")).unwrap();
        for number in 1..30 {
            let target = format!("y{0}/y{0}", number - 1);
            vfs.symlink(p(&target), p(&format!("/x/y{number}")))
                .unwrap();
        }
        assert_eq!(errno(vfs.stat(p("/x/y29"))), Errno::ELOOP);
        // Few links, each with as many names as fit.
        vfs.symlink(p(&"x/../".repeat(800)), p("/wide")).unwrap();
        assert!(vfs.stat(p("/wide/wide")).unwrap().is_dir());
        assert_eq!(errno(vfs.stat(p("/wide/wide/wide"))), Errno::ELOOP);
    }
}

#[test]
fn offsets_near_the_end_of_numbers_are_answered() {
    for vfs in kinds() {
        let file = vfs
            .open(p("/f"), &OpenOptions::read_write().create())
            .unwrap();
        for offset in [u64::MAX, u64::MAX - 1, i64::MAX as u64, 1 << 41] {
            assert_eq!(file.read_at(offset, &mut [0; 10]).unwrap(), 0);
            assert_eq!(errno(file.write_at(offset, b"0123456789")), Errno::EFBIG);
            assert_eq!(file.write_at(offset, b"").unwrap(), 0);
            assert_eq!(errno(file.truncate(offset)), Errno::EFBIG);
        }
        assert_eq!(file.stat().unwrap().size, 0);
    }
}

#[test]
fn holes_cost_nothing() {
    for vfs in kinds() {
        let file = vfs
            .open(p("/f"), &OpenOptions::read_write().create())
            .unwrap();
        file.truncate(1 << 40).unwrap();
        assert_eq!(vfs.usage().bytes, 0);
        file.write_at((1 << 40) - 3, b"end").unwrap();
        let mut end = [1; 8];
        assert_eq!(file.read_at((1 << 40) - 8, &mut end).unwrap(), 8);
        assert_eq!(&end, b"\0\0\0\0\0end");
        assert!(vfs.usage().bytes <= 64 * 1024);
        assert!(file.stat().unwrap().size > WHOLE_FILE_MAX);
        assert_eq!(errno(vfs.read_file(p("/f"))), Errno::EFBIG);
        file.truncate(1).unwrap();
        assert_eq!(vfs.usage().bytes, 0);
        assert_eq!(vfs.read_file(p("/f")).unwrap(), b"\0");
    }
}

#[test]
fn a_byte_here_and_there_is_not_free() {
    let limits = Limits {
        bytes: 1 << 20,
        ..Limits::default()
    };
    let vfs = MemVfs::with(limits, Clock::None);
    let file = vfs.open(p("/f"), &OpenOptions::write().create()).unwrap();
    let full = (0..1_000_000_u64).find(|place| file.write_at(place << 16, b"x").is_err());
    assert!(full.unwrap() < 10_000, "{full:?}");
    vfs.audit().unwrap();
    // A file without holes counts what it is long, whatever its length.
    drop(file);
    vfs.unlink(p("/f")).unwrap();
    vfs.write_file(p("/f"), &vec![1; 1 << 20]).unwrap();
    assert_eq!(vfs.usage().bytes, 1 << 20);
}

#[test]
fn cut_and_grown_file_shows_zeros_where_it_was_cut() {
    let vfs = MemVfs::new();
    vfs.write_file(p("/f"), &vec![7; 100_000]).unwrap();
    vfs.truncate(p("/f"), 70_000).unwrap();
    vfs.truncate(p("/f"), 100_000).unwrap();
    let content = vfs.read_file(p("/f")).unwrap();
    assert!(content[..70_000].iter().all(|byte| *byte == 7));
    assert!(content[70_000..].iter().all(|byte| *byte == 0));
    vfs.audit().unwrap();
}

#[test]
fn a_hundred_thousand_files_in_one_directory() {
    let vfs = MemVfs::new();
    for number in 0..100_000 {
        vfs.write_file(p(&format!("/f{number:06}")), b"x").unwrap();
    }
    let fork = vfs.fork();
    assert_eq!(vfs.readdir(VfsPath::ROOT).unwrap().len(), 100_000);
    assert_eq!(Walk::new(&vfs, VfsPath::ROOT).count(), 100_001);
    for number in 0..100_000 {
        vfs.unlink(p(&format!("/f{number:06}"))).unwrap();
    }
    assert_eq!((vfs.usage().files, fork.usage().files), (0, 100_000));
    fork.audit().unwrap();
}

#[test]
fn too_many_files_are_refused_and_removing_makes_room() {
    let vfs = MemVfs::with(
        Limits {
            files: 100,
            ..Limits::default()
        },
        Clock::None,
    );
    let full = (0..200).find(|number| vfs.write_file(p(&format!("/{number}")), b"").is_err());
    assert_eq!(full, Some(100));
    assert_eq!(errno(vfs.symlink(p("x"), p("/l"))), Errno::ENOSPC);
    vfs.unlink(p("/7")).unwrap();
    vfs.symlink(p("x"), p("/l")).unwrap();
}

#[test]
fn dots_at_the_root_stay_at_the_root() {
    for vfs in kinds() {
        vfs.write_file(p("/f"), b"x").unwrap();
        for path in ["/../../f", "../f", "/./../f", "////f", "/..//.//f"] {
            assert_eq!(vfs.read_file(p(path)).unwrap(), b"x", "{path}");
        }
        assert_eq!(vfs.realpath(p("/../..")).unwrap(), VfsPathBuf::root());
        assert_eq!(errno(vfs.rmdir(p("/"))), Errno::EBUSY);
        assert_eq!(errno(vfs.rename(p("/"), p("/x"))), Errno::EBUSY);
        assert_eq!(errno(vfs.unlink(p("/"))), Errno::EISDIR);
        assert_eq!(errno(vfs.mkdir(p("/"), 0o755)), Errno::EEXIST);
    }
}

#[test]
fn of_many_writers_one_is_seen_whole() {
    for vfs in kinds() {
        vfs.write_file(p("/f"), &[9; 1000]).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4_u8 {
                let vfs = &vfs;
                // Of different lengths, so that what one leaves of another shows.
                let content = vec![worker; 200_000 - usize::from(worker) * 40_000];
                scope.spawn(move || {
                    for _ in 0..100 {
                        vfs.write_file(p("/f"), &content).unwrap();
                        let seen = vfs.read_file(p("/f")).unwrap();
                        let first = seen.first().copied().expect("never empty");
                        assert!(seen.iter().all(|byte| *byte == first), "torn write");
                        assert_eq!(seen.len(), 200_000 - usize::from(first) * 40_000);
                    }
                });
            }
        });
    }
}

#[test]
fn content_that_does_not_fit_leaves_the_old_one() {
    for vfs in kinds() {
        vfs.write_file(p("/f"), b"old").unwrap();
        let file = vfs.open(p("/big"), &OpenOptions::write().create()).unwrap();
        let chunk = vec![1; 1 << 20];
        let full = (0..1000_u64).find(|at| file.write_at(at << 20, &chunk).is_err());
        assert_eq!(full, Some(63));
        assert_eq!(
            errno(vfs.write_file(p("/f"), &vec![2; 1 << 21])),
            Errno::ENOSPC
        );
        assert_eq!(vfs.read_file(p("/f")).unwrap(), b"old");
        assert_eq!(
            errno(vfs.write_file(p("/new"), &vec![2; 1 << 21])),
            Errno::ENOSPC
        );
        assert!(!vfs.exists(p("/new")));
    }
}

#[test]
fn writers_and_readers_on_many_threads_leave_a_whole_tree() {
    let vfs = Arc::new(MemVfs::new());
    std::thread::scope(|scope| {
        for worker in 0..4_u8 {
            let vfs = Arc::clone(&vfs);
            scope.spawn(move || {
                let path = format!("/d{}", worker % 2);
                for round in 0..500 {
                    let _anything = vfs.mkdir(p(&path), 0o755);
                    let file = format!("{path}/f{}", round % 7);
                    let _anything = vfs.write_file(p(&file), &[worker; 1000]);
                    if let Ok(content) = vfs.read_file(p(&file)) {
                        assert!(
                            content.windows(2).all(|pair| pair[0] == pair[1]),
                            "torn write"
                        );
                    }
                    let _anything = vfs.rename(p(&path), p("/moved"));
                    let _anything = vfs.unlink(p(&file));
                    let fork = vfs.fork();
                    assert!(Walk::new(&fork, VfsPath::ROOT).all(|entry| entry.is_ok()));
                }
            });
        }
    });
    vfs.audit().unwrap();
}
