//! Forks, snapshots, archives.

use std::process;

use hotcell_sandbox::{
    Command, Isolation, Limits, Mount, Random, Sandbox, SandboxError, SnapshotKey,
};

use crate::{run, sandbox, text, with};

const STATE: &str = "x='a b'; a=([3]=x [7]='y z'); declare -A m=([k 1]='v 1'); f() { local y=$1; echo \"f $y\"; }; \
    set -u; shopt -s nullglob; shopt -s expand_aliases; alias q='echo hi'; trap 'echo t' INT; mkdir -p d/e; cd d/e; umask 027; \
    echo content > file; ln -s file link; mkfifo pipe; chmod 600 file; export e=2; b=$'\\xff\\x01'";
const SHOW: &str = "echo \"$x\" \"${a[7]}\" \"${m[k 1]}\" $(f 1) $- $e $PWD $(umask); q; shopt -q nullglob && echo null; trap; \
    cat link; [[ -p pipe ]] && stat -c '%a' file; printf %s \"$b\" | od -An -tx1";

#[test]
fn a_fork_goes_its_own_way() {
    let sandbox = sandbox();
    text(&sandbox, STATE);
    let shown = text(&sandbox, SHOW);
    let fork = sandbox.fork().unwrap();
    assert_eq!(fork.history().unwrap(), sandbox.history().unwrap());
    assert_eq!(text(&fork, SHOW), shown);
    text(&fork, "x=changed; rm -r /workspace/d; cd /; unset -f f");
    text(&sandbox, "echo more >> file");
    assert_eq!(
        text(&sandbox, "echo $x; f 2; cat file"),
        "a b\nf 2\ncontent\nmore\n"
    );
    assert_eq!(text(&fork, "echo $x; ls /workspace"), "changed\n");
}

#[test]
fn a_fork_can_be_had_while_a_command_runs() {
    let sandbox = sandbox();
    text(&sandbox, "x=1");
    let other = sandbox.clone();
    let forks = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = forks.clone();
    let command = Command::new("x=2; echo a > f; echo now; echo b > f").on_output(move |_, _| {
        kept.lock().unwrap().push(other.fork().unwrap());
    });
    run(&sandbox, command);
    let forks = forks.lock().unwrap();
    // The files of that moment, and the shell of before.
    let found = text(&forks[0], "cat f; echo $x");
    // From another process output comes a moment later, and nothing waits for that.
    let is_later = crate::ISOLATION == Isolation::Process && found == "b\n1\n";
    assert!(found == "a\n1\n" || is_later, "{found}");
    assert_eq!(text(&sandbox, "cat f; echo $x"), "b\n2\n");
}

#[test]
fn a_fork_pays_for_what_it_has_from_the_beginning() {
    let limits = Limits {
        memory: 8 << 20,
        ..Limits::default()
    };
    let sandbox = with(crate::options().limits(limits));
    text(&sandbox, "x=$(head -c 2000000 /dev/zero | tr '\\0' x)");
    let fork = sandbox.fork().unwrap();
    let result = run(&fork, "y=$x$x$x$x; echo no");
    assert_eq!(result.stdout, b"", "{result:?}");
    assert_eq!(text(&fork, "echo ${#x}"), "2000000\n");
}

#[test]
fn memory_that_the_shell_keeps_counts_from_run_to_run() {
    let limits = Limits {
        memory: 16 << 20,
        ..Limits::default()
    };
    let sandbox = with(crate::options().limits(limits));
    let mut failed = 0;
    for i in 0..20 {
        let grow = format!("x{i}=$(head -c 1000000 /dev/zero | tr '\\0' x)");
        failed += u32::from(run(&sandbox, grow.as_str()).exit_code != 0);
    }
    assert!((4..=14).contains(&failed), "{failed} of 20 were refused");
    // And is given back.
    text(&sandbox, "for i in {0..19}; do unset x$i; done");
    text(&sandbox, "y=$(head -c 3000000 /dev/zero | tr '\\0' x)");
}

#[test]
fn a_snapshot_goes_on_where_it_was_taken() {
    let sandbox = sandbox();
    text(&sandbox, STATE);
    let shown = text(&sandbox, SHOW);
    let bytes = sandbox.snapshot().unwrap();
    text(&sandbox, "rm -r /workspace/d; x=gone");
    let restored = Sandbox::restore(&bytes, crate::options()).unwrap();
    assert_eq!(restored.history().unwrap().len(), 2);
    assert_eq!(text(&restored, SHOW), shown);
    // And again, to the byte.
    let again = Sandbox::restore(&bytes, crate::options()).unwrap();
    assert_eq!(again.snapshot().unwrap(), bytes);
}

#[test]
fn a_snapshot_is_taken_while_a_command_runs() {
    let sandbox = sandbox();
    let other = sandbox.clone();
    let taken = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = taken.clone();
    let command = Command::new("x=2; echo a > f; echo now; sleep 0.01").on_output(move |_, _| {
        *kept.lock().unwrap() = other.snapshot().unwrap();
    });
    run(&sandbox, command);
    let restored = Sandbox::restore(&taken.lock().unwrap(), crate::options()).unwrap();
    assert_eq!(text(&restored, "cat f; echo ${x-unset}"), "a\nunset\n");
}

/// Run with this variable, the test binary is the other process.
const OTHER: &str = "HOTCELL_TEST_SNAPSHOT";

#[test]
fn a_snapshot_goes_from_one_process_to_another() {
    if let Ok(path) = std::env::var(OTHER) {
        let bytes = std::fs::read(&path).unwrap();
        let restored = Sandbox::restore(&bytes, crate::options()).unwrap();
        std::fs::write(format!("{path}.shown"), text(&restored, SHOW)).unwrap();
        text(&restored, "f again > made; cd ..");
        std::fs::write(path, restored.snapshot().unwrap()).unwrap();
        return;
    }
    let sandbox = sandbox();
    text(&sandbox, STATE);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snapshot");
    std::fs::write(&path, sandbox.snapshot().unwrap()).unwrap();
    let status = process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "state::a_snapshot_goes_from_one_process_to_another",
        ])
        .env(OTHER, &path)
        .stdout(process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let shown = std::fs::read_to_string(format!("{}.shown", path.display())).unwrap();
    assert_eq!(shown, text(&sandbox, SHOW));
    let back = Sandbox::restore(&std::fs::read(&path).unwrap(), crate::options()).unwrap();
    assert_eq!(text(&back, "pwd; cat e/made"), "/workspace/d\nf again\n");
}

#[test]
fn a_snapshot_carries_no_authority() {
    let mut options = crate::options().limits(Limits {
        memory: 1 << 30,
        ..Limits::default()
    });
    options = options.command(
        "secret",
        hotcell_sandbox::HostCommand::new(|_| async { Ok(0) }),
    );
    let sandbox = with(options);
    text(&sandbox, "secret; head -c 3000000 /dev/zero > f");
    let bytes = sandbox.snapshot().unwrap();
    let restored = Sandbox::restore(&bytes, crate::options()).unwrap();
    assert_eq!(run(&restored, "secret").exit_code, 127);
    assert_eq!(restored.limits().memory, Limits::default().memory);
    let small = Limits {
        file_bytes: 1 << 20,
        ..Limits::default()
    };
    let error = Sandbox::restore(&bytes, crate::options().limits(small)).unwrap_err();
    assert!(error.to_string().contains("bytes"), "{error}");
    let few = Limits {
        files: 3,
        ..Limits::default()
    };
    Sandbox::restore(&bytes, crate::options().limits(few)).unwrap_err();
}

#[test]
fn a_sealed_snapshot_is_told_from_others() {
    let key = || SnapshotKey::from_secret("a key that is long enough");
    let sealed = || crate::options().snapshot_key(key());
    let bytes = with(sealed()).snapshot().unwrap();
    Sandbox::restore(&bytes, sealed()).unwrap();
    // Without a key nobody looks at the seal.
    Sandbox::restore(&bytes, crate::options()).unwrap();
    let open = sandbox().snapshot().unwrap();
    let error = Sandbox::restore(&open, sealed()).unwrap_err();
    assert!(error.to_string().contains("not sealed"), "{error}");
    let other = crate::options().snapshot_key(SnapshotKey::from_secret("another key"));
    let error = Sandbox::restore(&bytes, other).unwrap_err();
    assert!(error.to_string().contains("does not fit"), "{error}");
}

#[test]
fn bytes_that_are_no_snapshot_are_refused() {
    let sandbox = sandbox();
    text(&sandbox, "echo hello > f; x=1; f() { echo; }");
    let bytes = sandbox.snapshot().unwrap();
    let refused = |bytes: &[u8]| match Sandbox::restore(bytes, crate::options()) {
        Err(SandboxError::Snapshot(_)) => {}
        other => panic!("{other:?}"),
    };
    refused(b"");
    refused(b"HCSAND\0\x01");
    refused(&bytes[..bytes.len() - 1]);
    for index in (0..bytes.len()).step_by(7) {
        let mut altered = bytes.clone();
        altered[index] ^= 0x55;
        refused(&altered);
    }
}

#[test]
fn changes_on_top_of_a_directory_are_in_the_snapshot_and_the_directory_is_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "below").unwrap();
    std::fs::write(folder.path().join("b"), "below").unwrap();
    let options = || crate::options().mount("/project", Mount::Overlay(folder.path().into()));
    let sandbox = with(options());
    text(&sandbox, "cd /project; echo above > a; rm b; echo new > c");
    let bytes = sandbox.snapshot().unwrap();
    std::fs::write(folder.path().join("d"), "later").unwrap();
    let restored = Sandbox::restore(&bytes, options()).unwrap();
    assert_eq!(
        text(&restored, "pwd; head *"),
        "/project\n==> a <==\nabove\n\n==> c <==\nnew\n\n==> d <==\nlater"
    );
    let error = Sandbox::restore(&bytes, crate::options()).unwrap_err();
    assert!(error.to_string().contains("mount one there"), "{error}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("a")).unwrap(),
        "below"
    );
}

#[test]
fn a_thousand_forks_of_ten_thousand_files_diverge() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "for d in {1..100}; do mkdir $d; (cd $d; for f in {1..100}; do echo $d > $f; done); done",
    );
    let forks: Vec<_> = (0..1000)
        .map(|number| {
            let fork = sandbox.fork().unwrap();
            fork.write_file("own", number.to_string()).unwrap();
            fork
        })
        .collect();
    for (number, fork) in forks.iter().enumerate().step_by(99) {
        assert_eq!(
            text(fork, "cat own; find . -type f | wc -l"),
            format!("{number}10001\n")
        );
    }
    assert!(!sandbox.exists("own").unwrap());
}

#[test]
fn chance_that_is_seeded_is_the_same_again_and_forks_go_on_in_it() {
    let seeded = || with(crate::options().random(Random::Seeded(7)));
    let draw = "head -c 16 /dev/urandom | xxd -p";
    let (one, two) = (seeded(), seeded());
    assert_eq!(text(&one, draw), text(&two, draw));
    let fork = one.fork().unwrap();
    let next = text(&one, draw);
    assert_eq!(text(&fork, draw), next);
    assert_eq!(text(&two, draw), next);
    let none = with(crate::options().random(Random::Off));
    assert_ne!(run(&none, "head -c 1 /dev/urandom").exit_code, 0);
}

#[test]
fn files_go_out_and_in_as_an_archive() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "mkdir -p p/q; echo 1 > p/q/one; ln -s q/one p/link; chmod 755 p/q/one",
    );
    let bytes = sandbox.export("p").unwrap();
    let other = crate::sandbox();
    other.mkdir("there", false).unwrap();
    let count = other.import("there", &*bytes).unwrap();
    assert_eq!(count.entries, 3);
    assert_eq!(
        text(
            &other,
            "cd there; cat link; find . | sort; stat -c %a q/one"
        ),
        "1\n.\n./link\n./q\n./q/one\n755\n"
    );
    // Our own tar reads it, too.
    other.write_file("a.tar", &bytes).unwrap();
    assert_eq!(text(&other, "tar tf a.tar"), "link\nq/\nq/one\n");
    other.import("nowhere", &*bytes).unwrap_err();
    other
        .import(
            "there",
            &b"no archive at all, but long enough to look like a header"[..],
        )
        .unwrap_err();
}

#[test]
fn a_fork_of_a_directory_that_is_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mount = Mount::ReadWrite(folder.path().into());
    let sandbox = with(crate::options().mount("/host", mount));
    text(&sandbox, "echo written > /host/f");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("f")).unwrap(),
        "written\n"
    );
    let error = sandbox.fork().unwrap_err();
    assert!(error.to_string().contains("overlay"), "{error}");
    // Its own files still are.
    let restored = Sandbox::restore(&sandbox.snapshot().unwrap(), crate::options()).unwrap();
    assert_eq!(run(&restored, "ls /host/f").exit_code, 2);
}

#[test]
fn time_inside_is_what_the_host_says() {
    let fixed = hotcell_vfs::Clock::Fixed(hotcell_vfs::Timestamp::from_parts(86400, 0));
    let sandbox = with(crate::options().clock(fixed));
    assert_eq!(
        text(
            &sandbox,
            "date -u +%F; echo > f; stat -c %Y f; js -p 'Date.now()'"
        ),
        "1970-01-02\n86400\n86400000\n"
    );
}
