//! The worked examples: WebAssembly text, C, and Rust where there is a compiler for it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hotcell_exec::{Module, Outcome, RunOptions};
use tempfile::tempdir;

use crate::{
    harness::capabilities,
    wasm::{ENGINE, run, under_all_schedules},
};

fn guests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/guests")
}

#[test]
fn the_example_in_text_starts_echo() {
    let echo = ENGINE
        .module(&fs::read(guests().join("echo.wat")).unwrap())
        .unwrap();
    let (ended, output) = run(&echo, capabilities(), b"", RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    assert_eq!((output, ended.started), (b"hi\n".to_vec(), 1));
    assert_eq!(under_all_schedules(&echo, b""), b"hi\n");
}

/// Compiles a guest with the C compiler that `cargo xtask image` installs.
fn compiled(name: &str) -> Module {
    let zig =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/hotcell-image/zig/ziglang/zig");
    assert!(
        zig.is_file(),
        "the C compiler is missing: run `cargo xtask image`"
    );
    let folder = tempdir().unwrap();
    let wasm = folder.path().join("guest.wasm");
    let output = Command::new(zig)
        .args(["cc", "--target=wasm32-freestanding", "-nostdlib", "-O2"])
        .args(["-Wl,--no-entry", "-Wl,--export=lembeh_handle"])
        .arg(guests().join(name))
        .arg("-o")
        .arg(&wasm)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    ENGINE.module(&fs::read(&wasm).unwrap()).unwrap()
}

#[test]
fn the_example_in_c_shouts() {
    let shout = compiled("shout.c");
    let (ended, output) = run(
        &shout,
        capabilities(),
        b"hello\r\nworld",
        RunOptions::default(),
    );
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    assert_eq!(output, b"HELLO\r\nWORLD");
    assert_eq!(under_all_schedules(&shout, b"hello\r\nworld"), output);
    // More than any buffer holds.
    let much: Vec<u8> = (0..1_000_000)
        .map(|n| b'a' + u8::try_from(n % 26).unwrap())
        .collect();
    let (ended, output) = run(&shout, capabilities(), &much, RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    assert_eq!(output, much.to_ascii_uppercase());
}

#[test]
#[ignore = "needs `rustup target add wasm32-unknown-unknown`"]
fn the_example_in_rust_sorts() {
    // As its documentation says, but in a folder of its own.
    let folder = tempdir().unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "-p",
            "hotcell-guest",
            "--example",
            "hello",
        ])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(folder.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let built = "wasm32-unknown-unknown/release/examples/hello.wasm";
    let hello = ENGINE
        .module(&fs::read(folder.path().join(built)).unwrap())
        .unwrap();
    let (ended, output) = run(&hello, capabilities(), b"b\na\nc\n", RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    assert_eq!(output, b"a\nb\nc\n");
    assert_eq!(under_all_schedules(&hello, b"b\na\nc\n"), output);
}
