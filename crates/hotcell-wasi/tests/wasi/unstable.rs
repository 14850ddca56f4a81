//! What differs in `wasi_unstable`, the version before preview 1.

use crate::support::Machine;

/// A program of the older version: it has a file `f` open as 5 and calls `$check`, which exits with the number of the first
/// thing that is not so.
fn unstable(checks: &str) -> String {
    format!(
        r#"(module
            (import "wasi_unstable" "path_open"
                (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (import "wasi_unstable" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
            (import "wasi_unstable" "fd_filestat_get" (func $stat (param i32 i32) (result i32)))
            (import "wasi_unstable" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
            (import "wasi_unstable" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "f")
            (func $is (param $number i32) (param $is i64) (param $expected i64)
                (if (i64.ne (local.get $is) (local.get $expected)) (then (call $exit (local.get $number)))))
            (func (export "_start")
                (call $is (i32.const 1) (i64.const 0) (i64.extend_i32_u
                    (call $open (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0)
                        (i64.const 0x3fffffff) (i64.const 0) (i32.const 0) (i32.const 64))))
                (call $is (i32.const 2) (i64.extend_i32_u (i32.load (i32.const 64))) (i64.const 5))
                {checks}))"#
    )
}

fn check(checks: &str) {
    let machine = Machine::new().with_wat("old", &unstable(checks));
    machine.write("/work/f", "0123456789");
    assert_eq!(machine.sh("old").ok(), "");
}

#[test]
fn seeking_counts_from_other_ends() {
    check(
        r"
        ;; 0 is from here, 1 from the end, 2 from the start.
        (drop (call $seek (i32.const 5) (i64.const 4) (i32.const 2) (i32.const 64)))
        (call $is (i32.const 3) (i64.load (i32.const 64)) (i64.const 4))
        (drop (call $seek (i32.const 5) (i64.const 2) (i32.const 0) (i32.const 64)))
        (call $is (i32.const 4) (i64.load (i32.const 64)) (i64.const 6))
        (drop (call $seek (i32.const 5) (i64.const -1) (i32.const 1) (i32.const 64)))
        (call $is (i32.const 5) (i64.load (i32.const 64)) (i64.const 9))
        (call $is (i32.const 6) (i64.const 28)
            (i64.extend_i32_u (call $seek (i32.const 5) (i64.const 0) (i32.const -1) (i32.const 64))))",
    );
}

#[test]
fn what_is_told_of_a_file_is_shorter() {
    check(
        r"
        (i64.store (i32.const 184) (i64.const 0x1234))
        (drop (call $stat (i32.const 5) (i32.const 128)))
        (call $is (i32.const 3) (i64.load8_u (i32.const 144)) (i64.const 4))
        (call $is (i32.const 4) (i64.load32_u (i32.const 148)) (i64.const 1))
        (call $is (i32.const 5) (i64.load (i32.const 152)) (i64.const 10))
        ;; What lies behind is left alone.
        (call $is (i32.const 6) (i64.load (i32.const 184)) (i64.const 0x1234))",
    );
}

#[test]
fn what_is_waited_for_is_longer() {
    check(
        r"
        ;; A millisecond of the monotonic clock, and the file to be read.
        (i64.store (i32.const 256) (i64.const 77))
        (i32.store8 (i32.const 264) (i32.const 0))
        (i32.store (i32.const 280) (i32.const 1))
        (i64.store (i32.const 288) (i64.const 1000000))
        (call $is (i32.const 3) (i64.const 0)
            (i64.extend_i32_u (call $poll (i32.const 256) (i32.const 512) (i32.const 1) (i32.const 64))))
        (call $is (i32.const 4) (i64.load32_u (i32.const 64)) (i64.const 1))
        (call $is (i32.const 5) (i64.load (i32.const 512)) (i64.const 77))
        (i64.store (i32.const 312) (i64.const 78))
        (i32.store8 (i32.const 320) (i32.const 1))
        (i32.store (i32.const 328) (i32.const 5))
        (i64.store (i32.const 288) (i64.const 1000000000000))
        (call $is (i32.const 6) (i64.const 0)
            (i64.extend_i32_u (call $poll (i32.const 256) (i32.const 512) (i32.const 2) (i32.const 64))))
        (call $is (i32.const 7) (i64.load32_u (i32.const 64)) (i64.const 1))
        (call $is (i32.const 8) (i64.load (i32.const 512)) (i64.const 78))
        (call $is (i32.const 9) (i64.load (i32.const 528)) (i64.const 10))",
    );
}

#[test]
fn absolute_and_relative_paths_are_told_apart() {
    // The same path below `/` and below `.`: what C libraries of that time pass on.
    let open = |directory: u32| {
        format!(
            r#"(module
                (import "wasi_unstable" "path_open"
                    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
                (import "wasi_unstable" "proc_exit" (func $exit (param i32)))
                (memory (export "memory") 1)
                (data (i32.const 0) "tmp/f")
                (func (export "_start") (call $exit
                    (call $open (i32.const {directory}) (i32.const 0) (i32.const 0) (i32.const 5) (i32.const 0)
                        (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 64)))))"#
        )
    };
    let machine = Machine::new()
        .with_wat("root", &open(3))
        .with_wat("here", &open(4));
    machine.write("/tmp/f", "");
    assert_eq!((machine.sh("root").code, machine.sh("here").code), (0, 44));
    machine.write("/work/tmp/f", "").sh("rm /tmp/f").ok();
    assert_eq!((machine.sh("root").code, machine.sh("here").code), (44, 0));
}
