//! Archives that are bombs, and archives that want to write elsewhere.

use std::io::Write as _;

use hotcell_sandbox::Sandbox;
use tar::{Builder, EntryType, Header};

use crate::{alone, run, says, survives};

/// An archive with one entry of each.
fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        let bytes = if *kind == EntryType::Regular {
            content.as_bytes()
        } else {
            b""
        };
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(*kind);
        // The library would refuse such names.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        if *kind != EntryType::Regular {
            let link = &mut header.as_old_mut().linkname;
            link[..content.len()].copy_from_slice(content.as_bytes());
        }
        header.set_cksum();
        builder.append(&header, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

const HOSTILE: [(&str, EntryType, &str); 5] = [
    ("../../escaped", EntryType::Regular, "x"),
    ("/escaped", EntryType::Regular, "x"),
    ("ok/../../../escaped", EntryType::Regular, "x"),
    ("link", EntryType::Symlink, "/"),
    ("hard", EntryType::Link, "/etc/passwd"),
];

#[test]
fn the_hosts_import_refuses_what_leads_out() {
    let _alone = alone();
    let sandbox = crate::sandbox();
    sandbox.mkdir("in", false).unwrap();
    for entry in HOSTILE {
        let error = sandbox.import("in", &*archive(&[entry])).unwrap_err();
        assert!(
            error.to_string().contains(entry.0.trim_start_matches('/')),
            "{error}"
        );
    }
    // A link, and then something through it.
    let through = [
        ("l", EntryType::Symlink, ".."),
        ("l/escaped", EntryType::Regular, "x"),
    ];
    sandbox.import("in", &*archive(&through)).unwrap_err();
    assert_eq!(run(&sandbox, "find / -name escaped").stdout, b"");
}

#[test]
fn the_hosts_import_is_within_the_limits() {
    let _alone = alone();
    let sandbox = crate::sandbox();
    let mut header = Header::new_gnu();
    header.set_path("big").unwrap();
    header.set_size(1 << 40);
    header.set_mode(0o644);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(&[0; 100_000]);
    sandbox.import(".", &*bytes).unwrap_err();
    let many: Vec<String> = (0..30_000).map(|n| format!("f{n}")).collect();
    let many: Vec<_> = many
        .iter()
        .map(|name| (&**name, EntryType::Regular, ""))
        .collect();
    let error = sandbox.import(".", &*archive(&many)).unwrap_err();
    assert!(
        error.to_string().contains("20000") || error.code() == "ENOSPC",
        "{error}"
    );
    let cut = archive(&[("a", EntryType::Regular, "content")]);
    sandbox.import(".", &cut[..520]).unwrap_err();
}

fn with_archive(bytes: &[u8]) -> Sandbox {
    let sandbox = crate::sandbox();
    sandbox.mkdir("in", false).unwrap();
    sandbox.write_file("a.tar", bytes).unwrap();
    sandbox
}

#[test]
fn tar_inside_does_not_leave_its_directory() {
    let _alone = alone();
    for entry in HOSTILE {
        let sandbox = with_archive(&archive(&[entry]));
        run(&sandbox, "tar xf a.tar -C in");
        assert_eq!(
            run(
                &sandbox,
                "find / -name escaped -not -path '/workspace/in/*'"
            )
            .stdout,
            b"",
            "{entry:?}"
        );
        assert!(
            run(&sandbox, "cat /etc/passwd")
                .stdout
                .starts_with(b"root:x")
        );
    }
    let through = [
        ("l", EntryType::Symlink, "/tmp"),
        ("l/escaped", EntryType::Regular, "x"),
    ];
    let sandbox = with_archive(&archive(&through));
    run(&sandbox, "tar xf a.tar -C in");
    assert_eq!(run(&sandbox, "find /tmp -name escaped").stdout, b"");
}

#[test]
fn unzip_inside_does_not_leave_its_directory() {
    let _alone = alone();
    // Names of the same length take the place of harmless ones.
    let sandbox = crate::sandbox();
    run(
        &sandbox,
        "mkdir in; echo x > aaaaaaaaaaaaa; zip -q z.zip aaaaaaaaaaaaa; sed -i 's|aaaaaaaaaaaaa|../../escaped|g' z.zip; cd in; unzip -o ../z.zip",
    );
    assert_eq!(
        run(
            &sandbox,
            "find / -name escaped -not -path '/workspace/in/*'"
        )
        .stdout,
        b""
    );
}

#[test]
fn bombs_meet_the_limit_of_files_or_memory() {
    let _alone = alone();
    for (pack, unpack) in [
        ("gzip", "gunzip -c"),
        ("bzip2", "bunzip2 -c"),
        ("xz", "unxz -c"),
        ("zstd", "zstd -dc"),
    ] {
        says(
            &format!(
                "head -c 20000000 /dev/zero | {pack} > bomb; {unpack} bomb > f; rm f; echo room > g && cat g"
            ),
            "No space left on device",
        );
        survives(&format!(
            "head -c 20000000 /dev/zero | {pack} > bomb; x=$({unpack} bomb | tr '\\0' x)"
        ));
        survives(&format!(
            "head -c 100000000 /dev/zero | {pack} | {pack} > bomb; {unpack} bomb | {unpack} | wc -c"
        ));
    }
    survives(
        "head -c 100000000 /dev/zero | tar cf - --transform s/x/y/ /dev/null | tar xf -; for i in {1..20000}; do echo; done > f; tar czf t.tgz f; tar xzf t.tgz",
    );
    survives(
        "for i in 1 2 3 4 5 6; do head -c 2000000 /dev/zero > z$i; done; zip -q bomb.zip z?; rm z?; mkdir o; cd o; for i in {1..20}; do mkdir $i; (cd $i; unzip -q ../../bomb.zip); done",
    );
    survives(
        "yes | head -c 30000 | gzip > a; for i in {1..12}; do cat a a > b; mv b a; done; gunzip -c a | wc -c",
    );
}

#[test]
fn archives_of_noise_are_an_error_and_nothing_else() {
    let _alone = alone();
    let sandbox = crate::sandbox();
    let mut noise = Vec::new();
    let mut state = 1u64;
    for _ in 0..50_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        noise.write_all(&state.to_le_bytes()).unwrap();
    }
    sandbox.write_file("noise", &noise).unwrap();
    for prefix in [
        "",
        "\\x1f\\x8b\\x08\\0\\0\\0\\0\\0\\0\\x03",
        "BZh9",
        "\\xfd7zXZ\\0",
        "\\x28\\xb5\\x2f\\xfd",
        "PK\\x03\\x04",
    ] {
        for tool in [
            "gunzip -c",
            "bunzip2 -c",
            "unxz -c",
            "zstd -dc",
            "tar tf",
            "tar xf",
            "tar xzf",
            "unzip -o",
            "unzip -l",
            "file",
            "zcat",
            "7z",
        ] {
            let script =
                format!("printf '{prefix}' > n; cat noise >> n; timeout 20 {tool} n > /dev/null");
            let result = run(&sandbox, &script);
            let said = result.stderr_text();
            assert!(!said.contains("internal error"), "{script}: {said}");
            assert_ne!(result.exit_code, 124, "{script}");
        }
    }
    let _ = sandbox.import(".", &*noise).unwrap_err();
}
