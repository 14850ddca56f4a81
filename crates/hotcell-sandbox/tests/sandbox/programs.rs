//! Programs of the host's: modules in its files, which run behind either boundary.

use std::{fs, path::PathBuf, time::Duration};

use hotcell_sandbox::{Command, ErrorClass, Sandbox, SandboxOptions};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::{PATIENCE, run, text};

/// A program that prints so many bytes of its memory.
fn says(what: &str) -> String {
    let length = what.len();
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\08\00\00\00")
            (data (i32.const 4) "\{length:02x}\00\00\00")
            (data (i32.const 8) "{what}")
            (func (export "_start") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 100)))))"#
    )
}

/// One that copies its input to its output.
const COPIES: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (func (export "_start")
        (loop $more
            (i32.store (i32.const 0) (i32.const 16))
            (i32.store (i32.const 4) (i32.const 1000))
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
            (br_if $more (i32.load (i32.const 4))))))"#;

/// One that never ends.
const LOOPS: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "_start") (loop $l (br $l))))"#;

fn module(dir: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    fs::write(&path, wat::parse_str(text).unwrap()).unwrap();
    path
}

fn with(programs: Json) -> Sandbox {
    let options = json!({ "programs": programs, "isolation": crate::ISOLATION.name() });
    Sandbox::create(SandboxOptions::from_json(&options).unwrap()).unwrap()
}

#[test]
fn a_module_of_the_host_is_a_command_and_stands_in_pipelines() {
    let dir = tempfile::tempdir().unwrap();
    let hello = module(&dir, "hello.wasm", &says("hello"));
    let copy = module(&dir, "copies.wasm", COPIES);
    let sandbox = with(json!({ "greet": hello, "copy": copy }));
    assert_eq!(text(&sandbox, "greet | copy | tr a-z A-Z"), "HELLO");
    // Each is loaded once, however many ask for it at once.
    assert_eq!(
        text(
            &sandbox,
            "seq 3 | copy | copy | copy | copy; greet; type -t greet"
        ),
        "1\n2\n3\nhellofile\n"
    );
    let fork = sandbox.fork().unwrap();
    assert_eq!(text(&fork, "greet"), "hello");
    let restored = Sandbox::restore(&sandbox.snapshot().unwrap(), crate::options()).unwrap();
    assert_eq!(run(&restored, "greet").exit_code, 127);
}

#[test]
fn a_program_that_never_ends_is_killed_and_the_next_command_has_it_again() {
    let dir = tempfile::tempdir().unwrap();
    let spin = module(&dir, "loops.wasm", LOOPS);
    let hello = module(&dir, "hello.wasm", &says("hello"));
    let sandbox = with(json!({ "spin": spin, "greet": hello }));
    for time in [1, 30, 200] {
        let command = Command::new("echo begun; spin | spin").timeout(Duration::from_millis(time));
        let result = run(&sandbox, command);
        assert_eq!(
            (result.exit_code, result.error_class),
            (124, Some(ErrorClass::Timeout))
        );
        assert_eq!(text(&sandbox, "greet"), "hello");
    }
    // Killed while it is loaded, it is there for the next one.
    let fresh = with(json!({ "spin": spin, "greet": hello }));
    let _late = run(
        &fresh,
        Command::new("greet").timeout(Duration::from_millis(1)),
    );
    assert_eq!(text(&fresh, "greet; greet"), "hellohello");
}

#[test]
fn a_module_that_is_no_program_is_exit_code_126_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let odd = module(&dir, "odd.wasm", "(module)");
    let changed = module(&dir, "changed.wasm", &says("one"));
    let sandbox = with(json!({ "odd": odd, "changed": changed }));
    let result = run(&sandbox, Command::new("odd").timeout(PATIENCE));
    assert_eq!(result.exit_code, 126, "{}", result.stderr_text());
    assert!(
        result.stderr_text().contains("no _start"),
        "{}",
        result.stderr_text()
    );
    // Also the second time.
    assert_eq!(run(&sandbox, "odd").exit_code, 126);
    fs::remove_file(&changed).unwrap();
    let result = run(&sandbox, Command::new("changed").timeout(PATIENCE));
    assert_eq!(result.exit_code, 126, "{}", result.stderr_text());
}

#[test]
fn what_is_wrong_with_programs_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let not_one = dir.path().join("text.wasm");
    fs::write(&not_one, "text").unwrap();
    let of = |programs: Json| {
        let options = json!({ "programs": programs });
        SandboxOptions::from_json(&options).unwrap_err().to_string()
    };
    for (said, told) in [
        (
            of(json!("all")),
            "option programs is \"all\": it must be \"installed\", or an object",
        ),
        (
            of(json!({ "a": 1 })),
            "it must be \"installed\", or an object",
        ),
        (
            of(json!({ "a": "/nowhere/a.wasm" })),
            "failed to read /nowhere/a.wasm: No such file",
        ),
        (of(json!({ "a": not_one })), "is no WebAssembly module"),
        (
            of(json!({ "a/b": not_one })),
            "cannot be the name of a program",
        ),
        (
            of(json!({ "never-added": true })),
            "add it with `hotcell program add`, or give the path of a .wasm file",
        ),
    ] {
        assert!(
            said.contains("option programs") && said.contains(told),
            "{said}"
        );
    }
}

#[test]
fn a_program_that_is_not_there_says_which_option_gives_it() {
    let result = run(&crate::sandbox(), "python3 -c 1");
    assert_eq!(result.exit_code, 127);
    assert_eq!(
        result.stderr_text(),
        "bash: line 1: python3: command not found (not in this sandbox; its host can install it (hotcell program add python) and give it with the option programs)\n"
    );
    let options = crate::options().missing_program("ask for {program}");
    let sandbox = Sandbox::create(options).unwrap();
    assert_eq!(
        run(&sandbox, "ruby").stderr_text(),
        "bash: line 1: ruby: command not found (ask for ruby)\n"
    );
}
