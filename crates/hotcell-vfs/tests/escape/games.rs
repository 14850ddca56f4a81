//! Links, dots and slashes that point outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hotcell_vfs::{
    Access, Errno, HostVfs, LinkPolicy, OpenOptions, SetTime, Times, Timestamp, Vfs, VfsPath, Walk,
};

use crate::fixture::{Fixture, SECRET};

/// Links that lead outside, or would if somebody read them carelessly.
fn plant_all(fixture: &Fixture) -> Vec<String> {
    let outside = fixture.outside.to_str().unwrap();
    let root = "../".repeat(30);
    let targets = [
        outside.to_owned(),
        "../outside".to_owned(),
        "dir/../../outside".to_owned(),
        "dir/deep/../../../outside".to_owned(),
        format!("{root}{}", outside.trim_start_matches('/')),
        format!("/{outside}"),
        format!("/proc/self/root{outside}"),
        "./.././outside/".to_owned(),
        "first/../outside".to_owned(),
    ];
    fixture.plant("..", "first");
    let mut names = vec!["first/outside".to_owned()];
    for (number, target) in targets.iter().enumerate() {
        let name = format!("link{number}");
        fixture.plant(target, &name);
        fixture.plant(&name, &format!("chain{number}"));
        names.extend([
            name,
            format!("chain{number}"),
            format!("dir/../link{number}"),
        ]);
    }
    names
}

/// Paths that lead outside without a link.
fn dots(fixture: &Fixture) -> Vec<String> {
    let outside = fixture.outside.to_str().unwrap();
    vec![
        "../outside".to_owned(),
        "../../../../../../../../outside".to_owned(),
        "dir/../../outside".to_owned(),
        "dir/deep/../../../outside".to_owned(),
        "./../outside".to_owned(),
        ".//..//outside".to_owned(),
        outside.to_owned(),
        format!("/{outside}"),
        format!("{}{outside}", "/..".repeat(20)),
    ]
}

#[test]
fn nothing_outside_can_be_read() {
    let fixture = Fixture::new();
    let mut ways = plant_all(&fixture);
    ways.extend(dots(&fixture));
    for (form, vfs, base) in fixture.forms() {
        for way in &ways {
            let way = VfsPath::new(base.as_bytes()).join(way.as_str());
            for name in ["secret", "dir/file"] {
                let path = way.join(name);
                let content = vfs.read_file(&path);
                assert!(
                    content.as_ref().is_err() || content.as_ref().unwrap() != SECRET,
                    "{form} {path}"
                );
                assert!(
                    vfs.stat(&path).is_err() || vfs.read_file(&path).unwrap() == b"inside",
                    "{form} {path}"
                );
            }
            let names = vfs.readdir(&way).unwrap_or_default();
            assert!(
                names.iter().all(|entry| entry.name != b"secret"),
                "{form} {way}"
            );
        }
    }
    fixture.assert_outside_untouched();
}

#[test]
fn nothing_outside_can_be_changed() {
    let fixture = Fixture::new();
    let mut ways = plant_all(&fixture);
    ways.extend(dots(&fixture));
    for (form, vfs, base) in fixture.forms() {
        for way in &ways {
            let way = VfsPath::new(base.as_bytes()).join(way.as_str());
            let own = base.join("file");
            for name in ["secret", "dir/file", "new", ""] {
                let path = way.join(name);
                // Some of these succeed inside, where `..` stops at the root; none may happen outside.
                let _anything = vfs.write_file(&path, b"overwritten");
                let _anything = vfs.append_file(&path, b"overwritten");
                let _anything = vfs.truncate(&path, 1);
                let _anything = vfs.mkdir(&path, 0o755);
                let _anything = vfs.chmod(&path, 0o777);
                let _anything =
                    vfs.set_times(&path, Times::both(SetTime::At(Timestamp::EPOCH)), true);
                let _anything = vfs.link(&own, &path);
                let _anything = vfs.link(&path, &base.join("stolen"));
                let _anything = vfs.symlink(&own, &path);
                let _anything = vfs.copy(&own, &path);
                let _anything = vfs.rename(&own, &path);
                let _anything = vfs.rename(&path, &own);
                let _anything = vfs.unlink(&path);
                let _anything = vfs.rmdir(&path);
            }
            fixture.assert_outside_untouched();
            assert_ne!(
                vfs.read_file(&base.join("stolen")).unwrap_or_default(),
                SECRET,
                "{form} {way}"
            );
            let _anything = vfs.unlink(&base.join("stolen"));
        }
    }
    let mode = fs::metadata(fixture.outside.join("secret"))
        .unwrap()
        .permissions()
        .mode();
    assert_ne!(mode & 0o777, 0o777);
}

#[test]
fn links_of_the_guest_lead_nowhere_outside() {
    let fixture = Fixture::new();
    for (form, vfs, base) in fixture.forms() {
        for (number, target) in dots(&fixture).iter().enumerate() {
            let link = base.join(&format!("made-{form}-{number}"));
            vfs.symlink(VfsPath::new(target), &link).unwrap();
            assert_ne!(
                vfs.read_file(&link.join("secret")).unwrap_or_default(),
                SECRET
            );
            let _anything = vfs.write_file(&link.join("planted"), b"");
            let _anything = vfs.mkdir(&link.join("planted"), 0o755);
        }
    }
    fixture.assert_outside_untouched();
}

#[test]
fn walks_do_not_leave_through_links() {
    let fixture = Fixture::new();
    plant_all(&fixture);
    for (form, vfs, base) in fixture.forms() {
        for walk in [
            Walk::new(&*vfs, &base),
            Walk::new(&*vfs, &base).follow_links(),
        ] {
            for entry in walk.take(10_000).flatten() {
                assert_ne!(
                    entry.path.file_name(),
                    Some(b"secret".as_slice()),
                    "{form} {}",
                    entry.path
                );
            }
        }
    }
}

#[test]
fn link_loops_end() {
    let fixture = Fixture::new();
    fixture.plant("loop-b", "loop-a");
    fixture.plant("loop-a", "loop-b");
    fixture.plant("self/self", "self");
    for (_, vfs, base) in fixture.forms() {
        for name in ["loop-a", "loop-b/x", "self"] {
            assert_eq!(
                vfs.read_file(&base.join(name)).unwrap_err().errno(),
                Errno::ELOOP
            );
        }
        assert_eq!(
            vfs.lstat(&base.join("loop-a")).unwrap().kind,
            hotcell_vfs::FileType::Symlink
        );
    }
}

#[test]
fn read_only_mounts_refuse_every_change() {
    let fixture = Fixture::new();
    let vfs = HostVfs::open(&fixture.inside, Access::ReadOnly).unwrap();
    let file = VfsPath::new("/file");
    let new = VfsPath::new("/new");
    let errnos = [
        vfs.write_file(file, b"").unwrap_err().errno(),
        vfs.write_file(new, b"").unwrap_err().errno(),
        vfs.append_file(file, b"x").unwrap_err().errno(),
        vfs.truncate(file, 0).unwrap_err().errno(),
        vfs.mkdir(new, 0o755).unwrap_err().errno(),
        vfs.rmdir(VfsPath::new("/dir/deep")).unwrap_err().errno(),
        vfs.unlink(file).unwrap_err().errno(),
        vfs.rename(file, new).unwrap_err().errno(),
        vfs.link(file, new).unwrap_err().errno(),
        vfs.symlink(file, new).unwrap_err().errno(),
        vfs.chmod(file, 0o777).unwrap_err().errno(),
        vfs.set_times(file, Times::default(), true)
            .unwrap_err()
            .errno(),
        vfs.open(
            file,
            &OpenOptions {
                truncate: true,
                ..OpenOptions::read()
            },
        )
        .err()
        .unwrap()
        .errno(),
    ];
    assert!(
        errnos.iter().all(|errno| *errno == Errno::EROFS),
        "{errnos:?}"
    );
    let handle = vfs.open(file, &OpenOptions::read()).unwrap();
    assert!(handle.write_at(0, b"x").is_err());
    assert!(handle.append(b"x").is_err());
    assert!(handle.truncate(0).is_err());
    assert!(handle.chmod(0o777).is_err());
    assert!(handle.set_times(Times::both(SetTime::Now)).is_err());
    assert_eq!(fs::read(fixture.inside.join("file")).unwrap(), b"inside");
}

#[test]
fn pipes_sockets_and_devices_cannot_be_opened() {
    let fixture = Fixture::new();
    let pipe = fixture.inside.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.inside.join("socket")).unwrap();
    fixture.plant("/dev/zero", "zero");
    let vfs = fixture.host();
    for (name, errno) in [
        ("/pipe", Errno::ENXIO),
        ("/socket", Errno::ENXIO),
        ("/zero", Errno::ENOENT),
    ] {
        for options in [
            OpenOptions::read(),
            OpenOptions::write(),
            OpenOptions::read_write().create(),
        ] {
            if name == "/zero" && options.create {
                continue;
            }
            assert_eq!(
                vfs.open(VfsPath::new(name), &options)
                    .err()
                    .unwrap()
                    .errno(),
                errno,
                "{name}"
            );
        }
    }
}

#[test]
fn times_and_modes_that_nobody_has_are_answered() {
    let fixture = Fixture::new();
    let utmost = |seconds: i64| {
        use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
        let time = Timespec {
            tv_sec: seconds,
            tv_nsec: 999_999_999,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        utimensat(CWD, fixture.inside.join("file"), &times, AtFlags::empty()).unwrap();
    };
    let vfs = fixture.host();
    let file = VfsPath::new("/file");
    for seconds in [i64::MIN, i64::MAX, -1, 0] {
        utmost(seconds);
        assert!(vfs.stat(file).unwrap().is_file(), "{seconds}");
        assert_eq!(vfs.read_file(file).unwrap(), b"inside");
    }
    for nanos in [i64::MIN, i64::MAX, -1, 0] {
        let times = Times::both(SetTime::At(Timestamp::from_nanos(nanos)));
        let _anything = vfs.set_times(file, times, true);
        let handle = vfs.open(file, &OpenOptions::read_write()).unwrap();
        let _anything = handle.set_times(times);
    }
    for mode in [u32::MAX, 0o777_777, 1 << 31, 0o100_644] {
        let _anything = vfs.chmod(file, mode);
        let _anything = vfs.mkdir(VfsPath::new("/new"), mode);
        let options = OpenOptions::write().create().mode(mode);
        let _anything = vfs.open(VfsPath::new("/made"), &options);
    }
}

#[test]
fn set_id_bits_and_outward_links_are_refused_by_default() {
    let fixture = Fixture::new();
    let vfs = HostVfs::open(&fixture.inside, Access::ReadWrite).unwrap();
    assert_eq!(
        vfs.chmod(VfsPath::new("/file"), 0o4755)
            .unwrap_err()
            .errno(),
        Errno::EPERM
    );
    assert_eq!(
        vfs.mkdir(VfsPath::new("/setgid"), 0o2755)
            .unwrap_err()
            .errno(),
        Errno::EPERM
    );
    for target in ["/etc/passwd", "../outside", "dir/../../outside", "dir/.."] {
        let made = vfs.symlink(VfsPath::new(target), VfsPath::new("/l"));
        assert_eq!(made.unwrap_err().errno(), Errno::EPERM, "{target}");
    }
    vfs.symlink(VfsPath::new("../file"), VfsPath::new("/dir/up"))
        .unwrap();
    assert_eq!(vfs.read_file(VfsPath::new("/dir/up")).unwrap(), b"inside");
    assert_eq!(vfs.with_links(LinkPolicy::Any).access(), Access::ReadWrite);
}
