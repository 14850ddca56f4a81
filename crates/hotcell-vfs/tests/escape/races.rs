//! Another process swaps directories for links while the guest works in them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hotcell_vfs::{
    Clock, Errno, Limits, LinkPolicy, MemVfs, OpenOptions, OverlayVfs, Overwrite, SetTime,
    TarLimits, Times, Timestamp, Vfs, VfsPath, View, Walk, export_tar, import_tar,
};

use crate::attacker::{Attacker, Move};
use crate::fixture::{Fixture, Form, NEXT_DOOR, SECRET};

/// How often the guest tries, at least.
const ROUNDS: usize = 200;
/// How many rounds come before the guest makes sure that somebody is attacking.
const STRETCH: usize = 50;

/// Lets another process exchange two names of the mounted directory, again and again, while the guest does its `round`.
fn while_swapping(fixture: &Fixture, a: &str, b: &str, mut round: impl FnMut(usize)) {
    let (a, b) = (fixture.inside.join(a), fixture.inside.join(b));
    let mut attacker = Attacker::start(&[Move::Swap(&a, &b)]);
    for number in 0..ROUNDS {
        round(number);
        if number % STRETCH == 0 {
            attacker.wait_for_lap();
        }
    }
    drop(attacker);
    // An odd number of swaps would leave the link where the next guest expects the directory.
    if a.is_symlink() {
        fs::rename(&a, fixture.inside.join("between")).unwrap();
        fs::rename(&b, &a).unwrap();
        fs::rename(fixture.inside.join("between"), &b).unwrap();
    }
}

/// Everything that reads, below `dir`; what is found must not be any of `forbidden`.
fn read_everything((form, vfs, base): &Form, dir: &str, forbidden: &[&[u8]]) {
    for name in ["file", "../dir/file", "deep/../file"] {
        let path = base.join(dir).join(name);
        let seen = vfs.read_file(&path).unwrap_or_default();
        assert!(!forbidden.contains(&seen.as_slice()), "{form} {path}");
        let copy = base.join("copy");
        if vfs.copy(&path, &copy).is_ok() {
            let seen = vfs.read_file(&copy).unwrap_or_default();
            assert!(
                !forbidden.contains(&seen.as_slice()),
                "{form} copy of {path}"
            );
        }
    }
    let dir = base.join(dir);
    let listed = vfs.readdir(&dir).unwrap_or_default();
    assert!(
        listed.iter().all(|entry| entry.name != b"telltale"),
        "{form}"
    );
    for walk in [
        Walk::new(&**vfs, &dir),
        Walk::new(&**vfs, &dir).follow_links(),
    ] {
        for entry in walk.take(100).flatten() {
            let name = entry.path.file_name();
            assert_ne!(name, Some(b"telltale".as_slice()), "{form}");
        }
    }
}

/// Everything that changes something, below `dir`. All of it may fail.
fn change_everything((_, vfs, base): &Form, dir: &str, round: usize) {
    let dir = base.join(dir);
    let (file, new) = (dir.join("file"), dir.join("new"));
    let _anything = vfs.write_file(&file, b"inside");
    let _anything = vfs.append_file(&new, b"x");
    let _anything = vfs.truncate(&file, 3);
    let _anything = vfs.chmod(&file, 0o700);
    let epoch = Times::both(SetTime::At(Timestamp::EPOCH));
    let _anything = vfs.set_times(&file, epoch, round.is_multiple_of(2));
    let _anything = vfs.copy(&file, &dir.join("copied"));
    let _anything = vfs.mkdir(&dir.join("sub"), 0o755);
    let _anything = vfs.rename(&new, &dir.join("sub/moved"));
    let _anything = vfs.rename(&dir.join("sub/moved"), &dir.join("back"));
    let _anything = vfs.symlink(&file, &dir.join("link"));
    let _anything = vfs.link(&file, &dir.join("hard"));
    for name in ["link", "hard", "back", "new", "copied", "sub/moved"] {
        let _anything = vfs.unlink(&dir.join(name));
    }
    let _anything = vfs.rmdir(&dir.join("sub"));
}

#[test]
fn reader_never_sees_outside_while_directories_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("dir"), "trap");
    for form in fixture.forms() {
        while_swapping(&fixture, "dir", "trap", |_| {
            read_everything(&form, "dir", &[SECRET]);
            read_everything(&form, "trap", &[SECRET]);
        });
    }
    fixture.assert_outside_untouched();
}

#[test]
fn reader_never_sees_outside_while_files_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("secret"), "trap");
    for (form, vfs, base) in fixture.forms() {
        while_swapping(&fixture, "file", "trap", |_| {
            for name in ["file", "trap"] {
                let seen = vfs.read_file(&base.join(name)).unwrap_or_default();
                assert_ne!(seen, SECRET, "{form} {name}");
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
    for form in fixture.forms() {
        for trap in ["trap", "above"] {
            while_swapping(&fixture, "dir", trap, |round| {
                change_everything(&form, "dir", round);
            });
            fixture.assert_outside_untouched();
        }
    }
}

#[test]
fn writer_never_reaches_outside_while_files_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("secret"), "trap");
    for (_, vfs, base) in fixture.forms() {
        while_swapping(&fixture, "file", "trap", |_| {
            let file = base.join("file");
            let _anything = vfs.write_file(&file, b"inside");
            let _anything = vfs.append_file(&file, b"more");
            let _anything = vfs.truncate(&file, 1);
            let _anything = vfs.chmod(&file, 0o777);
            let _anything = vfs.set_times(&file, Times::both(SetTime::Now), true);
        });
        fixture.assert_outside_untouched();
    }
}

#[test]
fn views_are_not_left_while_directories_become_links() {
    // The links lead to where the mount reaches and the view does not.
    let fixture = Fixture::new().with_work();
    fixture.plant("../private/dir", "work/trap");
    for form in fixture.views() {
        while_swapping(&fixture, "work/dir", "work/trap", |round| {
            read_everything(&form, "dir", &[SECRET, NEXT_DOOR]);
            change_everything(&form, "dir", round);
        });
        fixture.assert_next_door_untouched();
    }
    fixture.assert_outside_untouched();
}

#[test]
fn view_does_not_follow_its_own_directory_elsewhere() {
    // Whoever may rename what is above the view's directory cannot give the view another one.
    let fixture = Fixture::new().with_work();
    fixture.plant("private", "trap");
    for form in fixture.views() {
        while_swapping(&fixture, "work", "trap", |round| {
            read_everything(&form, "dir", &[SECRET, NEXT_DOOR]);
            change_everything(&form, "dir", round);
            let (_, vfs, base) = &form;
            let _anything = vfs.chmod(base, 0o700);
            let _anything = vfs.set_times(base, Times::both(SetTime::Now), false);
        });
        fixture.assert_next_door_untouched();
    }
}

#[test]
fn archives_and_applied_changes_stay_inside_while_directories_become_links() {
    let fixture = Fixture::new();
    fixture.plant(fixture.outside.join("dir"), "trap");
    let limits = TarLimits {
        links: LinkPolicy::Any,
        ..TarLimits::default()
    };
    let mut sample = Vec::new();
    export_tar(&fixture.host(), VfsPath::new("/dir"), &mut sample, &limits).unwrap();
    while_swapping(&fixture, "dir", "trap", |_| {
        let host = fixture.host();
        let mut archive = Vec::new();
        let _anything = export_tar(&host, VfsPath::ROOT, &mut archive, &limits);
        let leaked = archive.windows(SECRET.len()).any(|part| part == SECRET);
        assert!(!leaked, "the archive has the secret in it");
        let _anything = import_tar(&host, VfsPath::new("/dir"), sample.as_slice(), &limits);

        let overlay = OverlayVfs::new(Arc::new(host), Limits::default(), Clock::None);
        let form: Form = (
            "overlay",
            Arc::new(overlay.fork()),
            VfsPath::ROOT.to_owned(),
        );
        change_everything(&form, "dir", 0);
        let _anything = overlay.write_file(VfsPath::new("/dir/file"), b"inside");
        let _anything = overlay.unlink(VfsPath::new("/dir/deep/none"));
        let _anything = overlay.apply(&fixture.host(), Overwrite::Force);
    });
    fixture.assert_outside_untouched();
}

/// Stops the attacker when the guest is done, also if it is done because an assertion failed.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn moved_away_directory_takes_nobody_along() {
    // The oldest trick: `a/b/..` is `a` until somebody moves `b` elsewhere.
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.inside.join("a/b/c")).unwrap();
    let (deep, up) = (fixture.inside.join("a/b/c"), fixture.inside.join("c"));
    for (form, vfs, base) in fixture.forms() {
        let mut attacker = Attacker::start(&[Move::ThereAndBack(&deep, &up)]);
        for number in 0..ROUNDS {
            for path in ["a/b/c/../../../../outside/secret", "c/../../outside/secret"] {
                let seen = vfs.read_file(&base.join(path)).unwrap_or_default();
                assert_ne!(seen, SECRET, "{form}");
            }
            if number % STRETCH == 0 {
                attacker.wait_for_lap();
            }
        }
    }
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
