//! Archives: there and back, and those that mean harm.

use hotcell_vfs::{
    Clock, Errno, Limits, LinkPolicy, MemVfs, SetTime, TarLimits, Times, Timestamp, Vfs, VfsPath,
    export_tar, import_tar,
};
use tar::{Builder, EntryType, Header};

fn p(path: &str) -> &VfsPath {
    VfsPath::new(path)
}

/// One entry of an archive, written without any of the checks a decent program makes.
struct Raw<'a> {
    name: &'a [u8],
    kind: EntryType,
    link: &'a [u8],
    claimed: Option<u64>,
    content: &'a [u8],
}

const FILE: Raw<'static> = Raw {
    name: b"file",
    kind: EntryType::Regular,
    link: b"",
    claimed: None,
    content: b"content",
};

fn archive(entries: &[Raw<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_gnu();
        let fields = header.as_old_mut();
        fields.name[..entry.name.len()].copy_from_slice(entry.name);
        fields.linkname[..entry.link.len()].copy_from_slice(entry.link);
        header.set_entry_type(entry.kind);
        header.set_mode(0o644);
        header.set_mtime(7);
        header.set_size(entry.claimed.unwrap_or(entry.content.len() as u64));
        header.set_cksum();
        builder
            .append(&header, entry.content)
            .expect("a vector takes everything");
    }
    builder.into_inner().expect("a vector takes everything")
}

fn import(entries: &[Raw<'_>]) -> (MemVfs, hotcell_vfs::Result<hotcell_vfs::TarCount>) {
    let vfs = MemVfs::new();
    vfs.mkdir(p("/in"), 0o755).expect("it is empty");
    vfs.write_file(p("/outside"), b"untouched")
        .expect("it is empty");
    let result = import_tar(
        &vfs,
        p("/in"),
        archive(entries).as_slice(),
        &TarLimits::default(),
    );
    (vfs, result)
}

fn refused(entries: &[Raw<'_>]) -> Errno {
    let (vfs, result) = import(entries);
    assert_eq!(
        vfs.read_file(p("/outside")).expect("it was written"),
        b"untouched"
    );
    let names = vfs.readdir(VfsPath::ROOT).expect("the root");
    assert_eq!(names.len(), 2, "{names:?}");
    vfs.audit().expect("exact");
    result.expect_err("must be refused").errno()
}

#[test]
fn tree_survives_the_way_there_and_back() {
    let vfs = MemVfs::with(
        Limits::default(),
        Clock::Fixed(Timestamp::from_parts(1_700_000_000, 0)),
    );
    vfs.mkdir_all(p("/t/dir/empty"), 0o750).unwrap();
    vfs.write_file(p("/t/dir/file"), &vec![5; 200_000]).unwrap();
    vfs.link(p("/t/dir/file"), p("/t/hard")).unwrap();
    vfs.symlink(p("dir/file"), p("/t/soft")).unwrap();
    vfs.write_file(VfsPath::new(b"/t/\xff\n"), b"odd name")
        .unwrap();
    let long = format!("/t/{}/{}", "l".repeat(200), "m".repeat(200));
    vfs.mkdir_all(p(&long), 0o755).unwrap();
    vfs.symlink(p(&"x/".repeat(200)), p(&format!("{long}/far")))
        .unwrap();
    vfs.chmod(p("/t/hard"), 0o711).unwrap();
    vfs.set_times(
        p("/t/hard"),
        Times::both(SetTime::At(Timestamp::from_parts(-5, 123_456_789))),
        true,
    )
    .unwrap();

    let (mut first, mut second) = (Vec::new(), Vec::new());
    export_tar(&vfs, p("/t"), &mut first, &TarLimits::default()).unwrap();
    let back = MemVfs::new();
    import_tar(
        &back,
        VfsPath::ROOT,
        first.as_slice(),
        &TarLimits::default(),
    )
    .unwrap();
    export_tar(&back, VfsPath::ROOT, &mut second, &TarLimits::default()).unwrap();
    assert!(first == second, "the same tree is the same archive");
    assert_eq!(back.read_file(p("/hard")).unwrap(), vec![5; 200_000]);
    assert_eq!(
        back.read_file(VfsPath::new(b"/\xff\n")).unwrap(),
        b"odd name"
    );
    let meta = back.stat(p("/dir/file")).unwrap();
    assert_eq!(
        (meta.nlink, meta.mode, meta.modified),
        (2, 0o711, Timestamp::from_parts(-5, 123_456_789))
    );
    back.audit().unwrap();
}

#[test]
fn names_that_lead_out_are_refused() {
    for name in [
        b"/etc/passwd".as_slice(),
        b"../outside",
        b"a/../../outside",
        b"..",
        b"a/..",
        b"//x",
    ] {
        assert_eq!(
            refused(&[Raw { name, ..FILE }]),
            Errno::EPERM,
            "{}",
            VfsPath::new(name)
        );
    }
}

#[test]
fn links_that_lead_out_are_refused() {
    for link in [b"/etc".as_slice(), b"..", b"../outside", b"a/../../x"] {
        let entry = Raw {
            kind: EntryType::Symlink,
            link,
            content: b"",
            ..FILE
        };
        assert_eq!(refused(&[entry]), Errno::EPERM, "{}", VfsPath::new(link));
    }
    for link in [b"/outside".as_slice(), b"../outside"] {
        let entry = Raw {
            kind: EntryType::Link,
            link,
            content: b"",
            ..FILE
        };
        assert_eq!(refused(&[entry]), Errno::EPERM, "{}", VfsPath::new(link));
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let link = Raw {
        name: b"l",
        kind: EntryType::Symlink,
        link: b"dir",
        content: b"",
        ..FILE
    };
    assert_eq!(
        refused(&[
            link,
            Raw {
                name: b"l/file",
                ..FILE
            }
        ]),
        Errno::EPERM
    );
    // A link that an earlier import may have left, to somewhere else entirely.
    let vfs = MemVfs::new();
    vfs.mkdir(p("/in"), 0o755).unwrap();
    vfs.write_file(p("/outside"), b"untouched").unwrap();
    vfs.symlink(p("/outside"), p("/in/file")).unwrap();
    let entries = archive(&[FILE]);
    import_tar(&vfs, p("/in"), entries.as_slice(), &TarLimits::default()).unwrap();
    assert_eq!(vfs.read_file(p("/outside")).unwrap(), b"untouched");
    assert_eq!(vfs.read_file(p("/in/file")).unwrap(), b"content");
}

#[test]
fn absolute_links_are_taken_if_the_host_says_so() {
    let vfs = MemVfs::new();
    let limits = TarLimits {
        links: LinkPolicy::Any,
        ..TarLimits::default()
    };
    let entry = Raw {
        name: b"bin",
        kind: EntryType::Symlink,
        link: b"/usr/bin",
        content: b"",
        ..FILE
    };
    import_tar(&vfs, VfsPath::ROOT, archive(&[entry]).as_slice(), &limits).unwrap();
    assert_eq!(vfs.readlink(p("/bin")).unwrap().to_string(), "/usr/bin");
}

#[test]
fn sizes_that_cannot_be_are_refused_before_they_are_read() {
    assert_eq!(
        refused(&[Raw {
            claimed: Some(1 << 50),
            ..FILE
        }]),
        Errno::EFBIG
    );
    assert_eq!(
        refused(&[Raw {
            claimed: Some(1 << 20),
            ..FILE
        }]),
        Errno::EINVAL
    );
    let name = Raw {
        kind: EntryType::GNULongName,
        claimed: Some(1 << 33),
        ..FILE
    };
    assert_eq!(refused(&[name]), Errno::ENAMETOOLONG);
    let pax = Raw {
        kind: EntryType::XHeader,
        claimed: Some(1 << 40),
        ..FILE
    };
    assert_eq!(refused(&[pax]), Errno::ENAMETOOLONG);
}

#[test]
fn devices_and_nonsense_are_refused() {
    for kind in [
        EntryType::Char,
        EntryType::Block,
        EntryType::GNUSparse,
        EntryType::new(b'?'),
    ] {
        assert_eq!(
            refused(&[Raw {
                kind,
                content: b"",
                ..FILE
            }]),
            Errno::EINVAL,
            "{kind:?}"
        );
    }
    for content in [
        b"garbage".as_slice(),
        b"99 path=x\n",
        b"5 path\n",
        b"15 size=100000\n",
        b"-1 a=b\n",
    ] {
        let pax = Raw {
            kind: EntryType::XHeader,
            content,
            ..FILE
        };
        assert_eq!(
            refused(&[pax, FILE]),
            Errno::EINVAL,
            "{}",
            VfsPath::new(content)
        );
    }
    let vfs = MemVfs::new();
    let noise = vec![0xA5; 10_000];
    let result = import_tar(&vfs, VfsPath::ROOT, noise.as_slice(), &TarLimits::default());
    assert_eq!(result.unwrap_err().errno(), Errno::EINVAL);
}

#[test]
fn archives_keep_to_both_limits() {
    let many: Vec<Vec<u8>> = (0..50)
        .map(|number| format!("f{number}").into_bytes())
        .collect();
    let entries: Vec<Raw<'_>> = many.iter().map(|name| Raw { name, ..FILE }).collect();
    let archive = archive(&entries);

    let limits = TarLimits {
        entries: 20,
        ..TarLimits::default()
    };
    let error = import_tar(&MemVfs::new(), VfsPath::ROOT, archive.as_slice(), &limits).unwrap_err();
    assert_eq!(error.errno(), Errno::EFBIG);
    let limits = TarLimits {
        bytes: 100,
        ..TarLimits::default()
    };
    let error = import_tar(&MemVfs::new(), VfsPath::ROOT, archive.as_slice(), &limits).unwrap_err();
    assert_eq!(error.errno(), Errno::EFBIG);
    for limits in [
        Limits {
            files: 20,
            ..Limits::default()
        },
        Limits {
            bytes: 100,
            ..Limits::default()
        },
    ] {
        let vfs = MemVfs::with(limits, Clock::None);
        let error = import_tar(
            &vfs,
            VfsPath::ROOT,
            archive.as_slice(),
            &TarLimits::default(),
        )
        .unwrap_err();
        assert_eq!(error.errno(), Errno::ENOSPC);
        vfs.audit().unwrap();
    }

    let vfs = MemVfs::new();
    vfs.write_file(p("/f"), b"").unwrap();
    vfs.truncate(p("/f"), 1 << 39).unwrap();
    let error =
        export_tar(&vfs, VfsPath::ROOT, std::io::sink(), &TarLimits::default()).unwrap_err();
    assert_eq!(error.errno(), Errno::EFBIG);
}

#[test]
fn time_and_long_names_of_extended_headers_are_used() {
    let pax = Raw {
        kind: EntryType::XHeader,
        content: b"16 path=a\nb/long\n22 mtime=1234.000000567\n",
        ..FILE
    };
    let (vfs, result) = import(&[
        Raw {
            content: b"17 path=a\nb/long\n24 mtime=1234.000000567\n",
            ..pax
        },
        FILE,
    ]);
    result.unwrap();
    let meta = vfs.stat(p("/in/a\nb/long")).unwrap();
    assert_eq!(
        (meta.modified, meta.size),
        (Timestamp::from_parts(1234, 567), 7)
    );
}

/// An archive with every kind of entry, and where its headers are.
fn sample() -> (Vec<u8>, Vec<usize>) {
    let name = "n".repeat(120) + "\0";
    let entries = [
        Raw {
            name: b"dir/",
            kind: EntryType::Directory,
            content: b"",
            ..FILE
        },
        Raw {
            name: b"dir/file",
            ..FILE
        },
        Raw {
            name: b"dir/soft",
            kind: EntryType::Symlink,
            link: b"file",
            content: b"",
            ..FILE
        },
        Raw {
            name: b"hard",
            kind: EntryType::Link,
            link: b"dir/file",
            content: b"",
            ..FILE
        },
        Raw {
            kind: EntryType::GNULongName,
            content: name.as_bytes(),
            ..FILE
        },
        FILE,
        Raw {
            kind: EntryType::XHeader,
            content: b"12 path=a/b\n",
            ..FILE
        },
        FILE,
    ];
    let mut at = 0;
    let headers = entries.iter().map(|entry| {
        let header = at;
        at += 512 + entry.content.len().next_multiple_of(512);
        header
    });
    let headers = headers.collect();
    (archive(&entries), headers)
}

fn repair_checksum(header: &mut [u8]) {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        failure_persistence: None,
        cases: 2000,
        ..Default::default()
    })]

    #[test]
    fn damaged_archives_do_no_damage(
        damage in proptest::collection::vec((0..8_usize, 0..1024_usize, proptest::prelude::any::<u8>()), 1..6),
        cut in proptest::option::of(0..6000_usize),
    ) {
        let (mut bytes, headers) = sample();
        for (header, offset, byte) in damage {
            if let Some(place) = bytes.get_mut(headers[header] + offset) {
                *place = byte;
            }
        }
        for header in headers {
            repair_checksum(&mut bytes[header..header + 512]);
        }
        bytes.truncate(cut.unwrap_or(bytes.len()));
        let vfs = MemVfs::new();
        vfs.mkdir(p("/in"), 0o755).unwrap();
        vfs.write_file(p("/outside"), b"untouched").unwrap();
        let _anything = import_tar(&vfs, p("/in"), bytes.as_slice(), &TarLimits::default());
        proptest::prop_assert_eq!(vfs.read_file(p("/outside")).unwrap(), b"untouched");
        proptest::prop_assert_eq!(vfs.readdir(VfsPath::ROOT).unwrap().len(), 2);
        vfs.audit().unwrap();
    }
}
