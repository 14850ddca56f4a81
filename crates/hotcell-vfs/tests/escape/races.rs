//! Somebody swaps directories for links while the guest works in them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hotcell_vfs::{Errno, MemVfs, OpenOptions, SetTime, Times, Timestamp, Vfs, VfsPath, View};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::fixture::{Fixture, SECRET};

/// How often the guest tries.
const ROUNDS: usize = 400;

/// Stops the attacker when the guest is done, also if it is done because an assertion failed.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Exchanges two names of the mounted directory, again and again, while `guest` runs.
fn while_swapping(fixture: &Fixture, a: &str, b: &str, guest: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (a, b) = (fixture.inside.join(a), fixture.inside.join(b));
            while !stop.load(Ordering::Relaxed) {
                // Either may be gone for a moment, if that is what the guest is doing.
                let _swapped = renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE);
            }
        });
        let _stop = Stop(&stop);
        guest();
    });
}

#[test]
fn reader_never_sees_outside_while_directories_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("dir"), "trap");
    for (form, vfs, base) in fixture.forms() {
        while_swapping(&fixture, "dir", "trap", || {
            for _ in 0..ROUNDS {
                for name in ["dir/file", "trap/file", "dir/deep/../file"] {
                    let path = base.join(name);
                    let seen = vfs.read_file(&path).unwrap_or_default();
                    assert_ne!(seen, SECRET, "{form} {path}");
                }
                let listed = vfs.readdir(&base.join("dir")).unwrap_or_default();
                let strange = listed
                    .iter()
                    .find(|entry| entry.name != b"file" && entry.name != b"deep");
                assert_eq!(strange, None, "{form}");
            }
        });
    }
    fixture.assert_outside_untouched();
}

#[test]
fn reader_never_sees_outside_while_files_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("secret"), "trap");
    for (form, vfs, base) in fixture.forms() {
        while_swapping(&fixture, "file", "trap", || {
            for _ in 0..ROUNDS {
                for name in ["file", "trap"] {
                    let seen = vfs.read_file(&base.join(name)).unwrap_or_default();
                    assert_ne!(seen, SECRET, "{form} {name}");
                }
            }
        });
    }
    fixture.assert_outside_untouched();
}

#[test]
fn writer_never_reaches_outside_while_directories_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("dir"), "trap");
    fixture.plant("../outside", "above");
    for (_, vfs, base) in fixture.forms() {
        for trap in ["trap", "above"] {
            while_swapping(&fixture, "dir", trap, || {
                for round in 0..ROUNDS / 4 {
                    let (file, new) = (base.join("dir/file"), base.join("dir/new"));
                    let _anything = vfs.write_file(&file, b"inside");
                    let _anything = vfs.append_file(&new, b"x");
                    let _anything = vfs.truncate(&file, 3);
                    let _anything = vfs.chmod(&file, 0o700);
                    let epoch = Times::both(SetTime::At(Timestamp::EPOCH));
                    let _anything = vfs.set_times(&file, epoch, round % 2 == 0);
                    let _anything = vfs.mkdir(&base.join("dir/sub"), 0o755);
                    let _anything = vfs.rename(&new, &base.join("dir/sub/moved"));
                    let _anything = vfs.rename(&base.join("dir/sub/moved"), &base.join("dir/back"));
                    let _anything = vfs.symlink(&file, &base.join("dir/link"));
                    let _anything = vfs.link(&file, &base.join("dir/hard"));
                    for name in ["link", "hard", "back", "new"] {
                        let _anything = vfs.unlink(&base.join(&format!("dir/{name}")));
                    }
                    let _anything = vfs.rmdir(&base.join("dir/sub"));
                }
            });
            fixture.assert_outside_untouched();
        }
    }
}

#[test]
fn moved_away_directory_takes_nobody_along() {
    // The oldest trick: `a/b/..` is `a` until somebody moves `b` elsewhere.
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.inside.join("a/b/c")).unwrap();
    fs::create_dir(fixture.inside.join("other")).unwrap();
    let stop = AtomicBool::new(false);
    let vfs = fixture.host();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (deep, up) = (fixture.inside.join("a/b/c"), fixture.inside.join("c"));
            while !stop.load(Ordering::Relaxed) {
                let _moved = fs::rename(&deep, &up);
                let _moved = fs::rename(&up, &deep);
            }
        });
        let _stop = Stop(&stop);
        for _ in 0..ROUNDS {
            let path = VfsPath::new("/a/b/c/../../../../outside/secret");
            assert_ne!(vfs.read_file(path).unwrap_or_default(), SECRET);
        }
    });
    fixture.assert_outside_untouched();
}

#[test]
fn open_handle_stays_with_its_file() {
    let fixture = Fixture::new();
    for (form, vfs, base) in fixture.forms() {
        let file = vfs
            .open(&base.join("dir/file"), &OpenOptions::read())
            .unwrap();
        fs::rename(fixture.inside.join("dir"), fixture.inside.join("gone")).unwrap();
        symlink(fixture.outside.join("dir"), fixture.inside.join("dir")).unwrap();
        assert_eq!(file.read_all().unwrap(), b"inside", "{form}");
        fs::remove_file(fixture.inside.join("dir")).unwrap();
        fs::rename(fixture.inside.join("gone"), fixture.inside.join("dir")).unwrap();
    }
}

#[test]
fn view_in_memory_is_not_left_while_directories_become_links() {
    let memory = Arc::new(MemVfs::new());
    for dir in ["/work", "/work/dir", "/out"] {
        memory.mkdir(VfsPath::new(dir), 0o755).unwrap();
    }
    memory
        .write_file(VfsPath::new("/work/dir/file"), b"inside")
        .unwrap();
    memory
        .write_file(VfsPath::new("/out/file"), SECRET)
        .unwrap();
    memory
        .symlink(VfsPath::new("/out"), VfsPath::new("/work/trap"))
        .unwrap();
    let shared = || Arc::clone(&memory) as Arc<dyn Vfs>;
    let rooted = View::rooted(shared(), VfsPath::new("/work")).unwrap();
    let confined = View::confined(shared(), VfsPath::new("/work")).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let [dir, trap, other] = ["/work/dir", "/work/trap", "/work/other"].map(VfsPath::new);
            while !stop.load(Ordering::Relaxed) {
                for (from, to) in [(dir, other), (trap, dir), (dir, trap), (other, dir)] {
                    memory.rename(from, to).unwrap();
                }
            }
        });
        let _stop = Stop(&stop);
        for _ in 0..ROUNDS * 50 {
            assert_ne!(
                rooted
                    .read_file(VfsPath::new("/dir/file"))
                    .unwrap_or_default(),
                SECRET
            );
            assert_ne!(
                confined
                    .read_file(VfsPath::new("/work/dir/file"))
                    .unwrap_or_default(),
                SECRET
            );
            let _anything = rooted.write_file(VfsPath::new("/dir/new"), b"");
            let _anything = confined.write_file(VfsPath::new("/work/dir/new"), b"");
            let _anything = confined.mkdir(VfsPath::new("/work/dir/sub"), 0o755);
        }
    });
    assert_eq!(memory.read_file(VfsPath::new("/out/file")).unwrap(), SECRET);
    let names = memory.readdir(VfsPath::new("/out")).unwrap();
    assert_eq!(names.len(), 1, "{names:?}");
    let error = confined.read_file(VfsPath::new("/out/file")).unwrap_err();
    assert_eq!(error.errno(), Errno::EACCES);
}
