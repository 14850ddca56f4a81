//! Files for the host, and what it gets for bad paths.

use hotcell_sandbox::Sandbox;
use hotcell_vfs::{FileType, VfsPath};

use crate::{sandbox, text, with};

fn names(sandbox: &Sandbox, path: &str) -> Vec<String> {
    let entries = sandbox.list(path).unwrap();
    entries
        .iter()
        .map(|entry| String::from_utf8_lossy(&entry.name).into_owned())
        .collect()
}

#[test]
fn the_host_and_commands_see_the_same_files() {
    let sandbox = sandbox();
    sandbox.mkdir("src/deep", true).unwrap();
    sandbox.write_file("src/deep/a.txt", "one\n").unwrap();
    sandbox.append_file("src/deep/a.txt", "two\n").unwrap();
    assert_eq!(
        text(
            &sandbox,
            "cat src/deep/a.txt; echo three > src/b; ln -s b src/l"
        ),
        "one\ntwo\n"
    );
    assert_eq!(sandbox.read_file("src/b").unwrap(), b"three\n");
    assert_eq!(names(&sandbox, "src"), ["b", "deep", "l"]);
    assert_eq!(sandbox.stat("src/l").unwrap().kind, FileType::File);
    assert_eq!(sandbox.lstat("src/l").unwrap().kind, FileType::Symlink);
    assert_eq!(sandbox.stat("src/b").unwrap().size, 6);
    sandbox.rename("src/b", "src/c").unwrap();
    assert!(!sandbox.exists("src/l").unwrap());
    sandbox.chmod("src/c", 0o700).unwrap();
    sandbox.symlink("c", "src/m").unwrap();
    assert_eq!(
        text(&sandbox, "stat -c %a src/c; cat src/m"),
        "700\nthree\n"
    );
    sandbox.remove("src/c", false).unwrap();
    assert_eq!(
        sandbox.remove("src", false).unwrap_err().code(),
        "ENOTEMPTY"
    );
    sandbox.remove("src", true).unwrap();
    assert_eq!(names(&sandbox, "."), Vec::<String>::new());
}

#[test]
fn relative_paths_begin_where_the_next_command_does() {
    let sandbox = sandbox();
    text(&sandbox, "mkdir d; cd d");
    sandbox.write_file("f", "x").unwrap();
    assert_eq!(sandbox.read_file("/workspace/d/f").unwrap(), b"x");
    assert_eq!(sandbox.read_file("../d/f").unwrap(), b"x");
}

#[test]
fn what_is_wrong_with_a_path_is_told_by_its_code() {
    let sandbox = sandbox();
    sandbox.write_file("f", "x").unwrap();
    sandbox.mkdir("d", false).unwrap();
    sandbox.symlink("loop", "loop").unwrap();
    let long = "x".repeat(5000);
    for (path, code) in [
        ("nothing", "ENOENT"),
        ("f/x", "ENOTDIR"),
        ("", "EISDIR"),
        ("d", "EISDIR"),
        ("loop", "ELOOP"),
        ("a\0b", "EINVAL"),
        (&*long, "ENAMETOOLONG"),
    ] {
        let error = sandbox.read_file(path).unwrap_err();
        assert_eq!(error.code(), code, "{path:?}: {error}");
        assert!(error.errno().is_some());
    }
    assert_eq!(sandbox.mkdir("d", false).unwrap_err().code(), "EEXIST");
    sandbox.mkdir("d", true).unwrap();
    assert_eq!(sandbox.mkdir("x/y", false).unwrap_err().code(), "ENOENT");
    assert_eq!(sandbox.write_file("no/f", "").unwrap_err().code(), "ENOENT");
    assert_eq!(
        sandbox.write_file("/dev/new", "").unwrap_err().code(),
        "EROFS"
    );
    assert_eq!(
        sandbox.write_file("/proc/cpuinfo", "").unwrap_err().code(),
        "EROFS"
    );
    assert_eq!(sandbox.rename("nothing", "x").unwrap_err().code(), "ENOENT");
    assert_eq!(
        sandbox.remove("nothing", true).unwrap_err().code(),
        "ENOENT"
    );
    assert_eq!(sandbox.remove("/dev", true).unwrap_err().code(), "EROFS");
    assert_eq!(sandbox.list("f").unwrap_err().code(), "ENOTDIR");
    assert_eq!(
        sandbox.chmod("nothing", 0o644).unwrap_err().code(),
        "ENOENT"
    );
    // Names are bytes.
    let odd = VfsPath::new(b"\xff\xfe");
    sandbox.write_file(odd, "odd").unwrap();
    assert_eq!(text(&sandbox, "cat $'\\xff\\xfe'"), "odd");
    // `..` ends at the root.
    assert_eq!(
        sandbox.read_file("/../../etc/hostname").unwrap(),
        b"hotcell\n"
    );
}

#[test]
fn files_that_cannot_be_there_from_the_beginning_are_an_error() {
    for path in ["/dev/null/x", "/proc/x", "a\0b", ""] {
        let options = crate::options().file(path, "x");
        Sandbox::create(options).unwrap_err();
    }
    Sandbox::create(crate::options().cwd("/dev/null")).unwrap_err();
    let sandbox = with(crate::options().cwd("relative/path"));
    assert_eq!(text(&sandbox, "pwd"), "/relative/path\n");
}

#[test]
fn devices_and_proc_are_the_sandboxs_own() {
    let sandbox = sandbox();
    assert_eq!(
        text(
            &sandbox,
            "head -c 3 /dev/zero | xxd -p; echo gone > /dev/null; ls /dev | head -3"
        ),
        "000000\nfull\nnull\nrandom\n"
    );
    assert_eq!(
        text(&sandbox, "cat /proc/version; head -1 /proc/meminfo"),
        "Linux version 6.0.0-hotcell\nMemTotal:         262144 kB\n"
    );
    let fork = sandbox.fork().unwrap();
    assert_eq!(text(&fork, "cat /proc/sys/kernel/hostname"), "hotcell\n");
}
