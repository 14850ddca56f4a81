//! Commands given to one shell, through the public interface.
#![expect(clippy::unwrap_used, reason = "tests")]

mod hostile;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hotcell_meter::{Account, StopToken, Stopped};
use hotcell_process::{Capture, Ended, Given, Kernel, KernelOptions, Limits};
use hotcell_shell::{SavedShell, Shell, ShellOptions, ShellPrograms, Streams};
use hotcell_utilities::Utilities;
use hotcell_vfs::{Clock, DevOptions, MemVfs, MountVfs, Vfs, VfsPath, dev};

/// A shell with its files.
struct Session {
    shell: Shell,
    vfs: Arc<dyn Vfs>,
}

impl Session {
    fn new() -> Self {
        Self::with(hotcell_vfs::Limits::default())
    }

    /// With limits of the files.
    fn with(limits: hotcell_vfs::Limits) -> Self {
        let vfs = MountVfs::new(Arc::new(MemVfs::with(limits, Clock::default())));
        for directory in ["/work", "/tmp"] {
            vfs.mkdir(VfsPath::new(directory), 0o755).unwrap();
        }
        let devices = Arc::new(dev(DevOptions::default()));
        vfs.mount(VfsPath::new("/dev"), devices).unwrap();
        Self {
            shell: Shell::new(ShellOptions {
                cwd: VfsPath::new("/work").to_owned(),
                ..ShellOptions::default()
            }),
            vfs: Arc::new(vfs),
        }
    }

    fn options(&self) -> KernelOptions {
        KernelOptions {
            vfs: Arc::clone(&self.vfs),
            programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
            ..KernelOptions::default()
        }
    }

    fn run_with(&mut self, options: KernelOptions, command: impl Into<Vec<u8>>) -> (Ended, String) {
        let kernel = Kernel::new(options);
        let output = Capture::new(kernel.account(), 1 << 20);
        let both = Arc::new(output.clone());
        let streams = Streams {
            stdout: both.clone(),
            stderr: both,
            ..Streams::default()
        };
        let ended = pollster::block_on(self.shell.run(&kernel, command, streams));
        let text = String::from_utf8_lossy(&output.take().bytes).into_owned();
        (ended, text)
    }

    fn run(&mut self, command: &str) -> String {
        self.run_with(self.options(), command).1
    }
}

#[test]
fn state_persists_between_commands() {
    let mut session = Session::new();
    session.run(
        "x=1; a=(p 'q r'); declare -A m=([k]=v); f() { echo \"f $1\"; }; mkdir d; cd d; umask 077; \
         set -f; shopt -s extglob; export e=2; trap 'echo usr' USR1; set -- one two",
    );
    let shown = session.run(
        "echo $x ${a[1]} ${m[k]} $(f y) $PWD $(umask) $- $e $2; shopt -q extglob && echo ext; kill -USR1 $$",
    );
    assert_eq!(shown, "1 q r v f y /work/d 0077 fhB 2 two\next\nusr\n");
}

#[test]
fn aliases_and_status_persist() {
    let mut session = Session::new();
    session.run("shopt -s expand_aliases; alias hi='echo hello'");
    assert_eq!(session.run("hi there; (exit 3)"), "hello there\n");
    assert_eq!(session.run("echo $?"), "3\n");
}

#[test]
fn a_run_that_is_killed_leaves_the_shell_as_it_was() {
    let mut session = Session::new();
    session.run("x=before; cd /");
    let options = KernelOptions {
        stop: StopToken::until(Instant::now() + Duration::from_millis(50)),
        ..session.options()
    };
    let (ended, _) = session.run_with(options, "x=after; cd /work; while :; do :; done");
    assert_eq!(ended.stopped, Some(Stopped::Deadline));
    assert_eq!(session.run("echo $x $PWD"), "before /\n");
}

#[test]
fn exit_ends_a_run_and_not_the_shell() {
    let mut session = Session::new();
    let (ended, text) = session.run_with(
        session.options(),
        "trap 'echo bye' EXIT; x=5; exit 3; echo no",
    );
    assert_eq!((ended.status.code(), text.as_str()), (3, "bye\n"));
    assert_eq!(session.run("echo $x; trap"), "5\n");
}

#[test]
fn an_exit_trap_waits_for_the_exit() {
    let mut session = Session::new();
    assert_eq!(session.run("trap 'echo bye' EXIT; echo set"), "set\n");
    assert_eq!(session.run("echo still"), "still\n");
    assert_eq!(session.run("exit"), "bye\n");
}

#[test]
fn exec_ends_a_run_with_the_program() {
    let mut session = Session::new();
    let (ended, text) = session.run_with(session.options(), "x=1; exec bash -c 'echo in; exit 4'");
    assert_eq!((ended.status.code(), text.as_str()), (4, "in\n"));
    assert_eq!(session.run("echo $x"), "1\n");
}

#[test]
fn a_syntax_error_is_code_2_and_the_shell_lives_on() {
    let mut session = Session::new();
    let (ended, text) = session.run_with(session.options(), "echo a\nif then\n");
    assert_eq!(ended.status.code(), 2);
    assert_eq!(
        text,
        "a\nbash: -c: line 2: syntax error near unexpected token `then'\nbash: -c: line 2: `if then'\n"
    );
    assert_eq!(session.run("echo alive"), "alive\n");
}

#[test]
fn input_is_the_commands() {
    let mut session = Session::new();
    let kernel = Kernel::new(session.options());
    let output = Capture::new(kernel.account(), 1 << 20);
    let streams = Streams {
        stdin: Arc::new(Given::new("one\ntwo\n")),
        stdout: Arc::new(output.clone()),
        ..Streams::default()
    };
    let run = session
        .shell
        .run(&kernel, "read x; read y; echo $y $x", streams);
    pollster::block_on(run);
    assert_eq!(output.take().bytes, b"two one\n");
}

#[test]
fn a_saved_shell_goes_on_elsewhere() {
    let mut session = Session::new();
    session.run(
        "x='a b'; declare -i n=5; declare -r c=1; export e=2; a=([3]=x [7]='y z'); declare -A m=([k 1]='v 1'); \
         f() { local y=$1; for i in 1 2; do echo \"$y$i\"; done; }; export -f f; g() { cat <<EOF\nhere $1\nEOF\n}; \
         b=$'\\xff\\x01'; unset IFS; set -u; shopt -s nullglob; alias q='echo hi'; trap 'echo t' INT; cd /tmp; \
         umask 027; set -- p q; declare -n r=x; pushd /work >/dev/null; history -s 'old one'; (exit 9)",
    );
    let saved = serde_json::to_string(&session.shell.save()).unwrap();
    let loaded: SavedShell = serde_json::from_str(&saved).unwrap();
    assert_eq!(loaded, session.shell.save());
    let show = "echo $?; declare -p x n c e a m b r; echo ${IFS-unset}; f z; g w; bash -c 'f e'; echo $-; \
                shopt -q nullglob && echo nullglob; alias; trap; pwd; umask; echo $@; dirs; history; n=n+1; echo $n";
    let expected = session.run(show);
    session.shell = Shell::load(&loaded).unwrap();
    assert_eq!(session.run(show), expected);
    assert!(
        expected.contains("declare -ai a=") || expected.contains("declare -a a="),
        "{expected}"
    );
}

#[test]
fn data_that_is_no_shell_is_refused() {
    let saved = serde_json::to_value(Session::new().shell.save()).unwrap();
    let with = |key: &str, value: serde_json::Value| {
        let mut changed = saved.clone();
        changed[key] = value;
        let loaded: SavedShell = serde_json::from_value(changed).unwrap();
        Shell::load(&loaded).err().map(|error| error.to_string())
    };
    let function = serde_json::json!([{
        "name": "f", "text": "rm -rf /", "source": "", "line": 1, "attributes": ""
    }]);
    assert_eq!(
        with("functions", function).unwrap(),
        "the saved function f is not one"
    );
    assert!(with("version", 99.into()).unwrap().contains("version 99"));
    assert!(
        with("settings", serde_json::json!(["nope"]))
            .unwrap()
            .contains("an option nope")
    );
    assert!(
        with("traps", serde_json::json!([["NOPE", ""]]))
            .unwrap()
            .contains("a trap for NOPE")
    );
    assert_eq!(with("umask", 0.into()), None);
}

#[test]
fn recursion_without_end_is_an_error_and_the_shell_lives_on() {
    let mut session = Session::new();
    for endless in [
        "f() { f; }; f",
        "f() { (f); }; f",
        "f() { x=$(f); }; f",
        "f() { echo $(f) | f; }; f",
        "x='eval \"$x\"'; eval \"$x\"",
        "echo '. ./s' > s; . ./s",
        "f() { if f; then f; fi; }; f",
        "a=a; echo $((a))",
        "x='x+1'; echo $((x))",
    ] {
        let options = KernelOptions {
            stop: StopToken::until(Instant::now() + Duration::from_secs(20)),
            ..session.options()
        };
        let (ended, text) = session.run_with(options, endless);
        assert_eq!(ended.stopped, None, "{endless}");
        assert!(
            text.contains("exceeded") || text.contains("recursion") || text.contains("fork"),
            "{endless}: {text}"
        );
        assert_eq!(session.run("echo alive"), "alive\n");
    }
}

#[test]
fn too_many_processes_are_an_error() {
    let mut session = Session::new();
    let options = KernelOptions {
        limits: Limits {
            processes: 8,
            ..Limits::default()
        },
        ..session.options()
    };
    let (ended, text) = session.run_with(
        options,
        "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2 & done; wait; echo end",
    );
    assert_eq!(ended.stopped, None);
    assert!(
        text.contains("bash: line 1: fork: Resource temporarily unavailable"),
        "{text}"
    );
    assert!(text.ends_with("end\n"), "{text}");
}

#[test]
fn memory_that_a_script_holds_is_bounded() {
    let mut session = Session::new();
    for hungry in [
        "x=a; while :; do x=$x$x; done",
        "x=$(yes)",
        "while :; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); done",
        "yes | mapfile x",
        "read -d '' x < <(yes)",
        "printf '%99999999999d' 1",
        "printf -v x '%*d' 2000000000 1; echo ${#x}",
        ": {1..100000000}",
        "yes | tr -d '\\n' | while read x; do :; done",
    ] {
        let account = Account::new("memory", 16 << 20);
        let options = KernelOptions {
            stop: StopToken::until(Instant::now() + Duration::from_secs(30)),
            account: account.clone(),
            ..session.options()
        };
        let (ended, text) = session.run_with(options, hungry);
        assert_eq!(ended.stopped, None, "{hungry}: {text}");
        assert!(
            text.contains("limit") || text.contains("memory"),
            "{hungry}: {text}"
        );
        assert!(account.peak() <= 16 << 20);
    }
    assert_eq!(session.run("echo alive"), "alive\n");
}

#[test]
fn whatever_does_not_end_is_ended_at_the_deadline() {
    let mut session = Session::new();
    for endless in [
        "while :; do :; done",
        "until false; do true; done",
        "for ((;;)); do ((i++)); done",
        "sleep 1000",
        "read x < <(sleep 1000)",
        "sleep 1000 & wait",
        "yes > /dev/null",
        "yes | cat > /dev/null",
        "trap '' TERM INT; while :; do sleep 0.01; done",
        "trap 'while :; do :; done' EXIT; exit",
        "coproc cat; read x <&${COPROC[0]}",
        "select x in a; do :; done < <(yes '')",
        "mapfile x < <(sleep 1000)",
        "while :; do case x in y) ;; esac; done",
        "while :; do [[ a == b ]]; done",
        "f() { while :; do return; done; }; while :; do f; done",
        "exec sleep 1000",
        "while :; do exec 3>/dev/null 3>&-; done",
    ] {
        let options = KernelOptions {
            stop: StopToken::until(Instant::now() + Duration::from_millis(60)),
            ..session.options()
        };
        let began = Instant::now();
        let (ended, text) = session.run_with(options, endless);
        assert_eq!(ended.stopped, Some(Stopped::Deadline), "{endless}: {text}");
        assert!(began.elapsed() < Duration::from_secs(5), "{endless}");
    }
}

#[test]
fn a_script_that_replaces_itself_for_ever_is_ended_at_the_deadline() {
    let mut session = Session::new();
    session.run("echo 'exec bash /work/s' > /work/s");
    let options = KernelOptions {
        stop: StopToken::until(Instant::now() + Duration::from_millis(300)),
        ..session.options()
    };
    let (ended, text) = session.run_with(options, "exec bash /work/s");
    assert_eq!(ended.stopped, Some(Stopped::Deadline), "{text}");
}
