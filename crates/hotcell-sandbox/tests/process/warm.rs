//! A worker stays from one command to the next, and is replaced when it was killed.

use std::time::Duration;

use hotcell_sandbox::{Command, ErrorClass};

use crate::{run, sandbox, text};

/// A worker of this program, as the system sees it.
pub(crate) struct Seen {
    pub(crate) pid: i32,
    pub(crate) is_zombie: bool,
}

/// The children of this program, which are workers.
pub(crate) fn workers() -> Vec<Seen> {
    let parent = std::process::id().to_string();
    let seen = |entry: std::io::Result<std::fs::DirEntry>| {
        let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Behind the name, which may be anything: state, and parent.
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        (*fields.get(1)? == parent).then_some(Seen {
            pid,
            is_zombie: *fields.first()? == "Z",
        })
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(seen)
        .collect()
}

#[test]
fn the_shell_goes_along_with_its_environment() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "export WORD=one; f() { echo \"f $1\"; }; mkdir d; cd d; a=(1 2 3)",
    );
    assert_eq!(
        text(&sandbox, "f x; pwd; echo $WORD ${a[2]}"),
        "f x\n/workspace/d\none 3\n"
    );
    assert_eq!(sandbox.get_env("WORD").unwrap().unwrap(), "one");
    sandbox.set_env("WORD", "two").unwrap();
    assert_eq!(text(&sandbox, "echo $WORD"), "two\n");
}

#[test]
fn after_a_kill_the_next_command_runs_as_after_the_last_one_that_ended() {
    let sandbox = sandbox();
    text(&sandbox, "x=before");
    let stuck = Command::new("echo begun; x=within; while :; do :; done");
    let result = run(&sandbox, stuck.timeout(Duration::from_millis(300)));
    assert_eq!(
        (result.exit_code, result.error_class),
        (124, Some(ErrorClass::Timeout))
    );
    assert_eq!(result.stdout, b"begun\n");
    assert_eq!(text(&sandbox, "echo $x"), "before\n");
}

/// A program that prints a word.
const HELLO: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "\08\00\00\00\05\00\00\00hello")
    (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)))))"#;

#[test]
fn javascript_and_webassembly_run_in_the_jail() {
    let sandbox = sandbox();
    assert_eq!(text(&sandbox, "js -e 'console.log(6 * 7)' | rev"), "24\n");
    // A module among the files is compiled in the jail.
    let module = wat::parse_str(HELLO).unwrap();
    sandbox.write_file("hello.wasm", module).unwrap();
    assert_eq!(
        text(&sandbox, "chmod +x hello.wasm; ./hello.wasm | rev"),
        "olleh"
    );
}
