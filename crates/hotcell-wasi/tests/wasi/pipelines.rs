//! Programs among built-in ones.

use std::time::{Duration, Instant};

use crate::support::Machine;

fn machine() -> Machine {
    Machine::new().with_c("cat").with_c("copy").with_c("ends")
}

#[test]
fn programs_and_built_in_ones_stand_in_one_pipeline() {
    let machine = machine();
    let ran = machine.sh("seq 100000 | copy | sort -rn | copy 100 | head -3 | cat.wasm");
    assert_eq!(ran.ok(), "100000\n99999\n99998");
    let ran = machine.sh("yes | cat.wasm | cat.wasm | copy 7 | cat.wasm | head -2");
    assert_eq!(ran.ok(), "y\ny");
    let ran = machine.sh("for i in $(seq 50); do echo $i | copy; done | cat.wasm | wc -l");
    assert_eq!(ran.ok(), "50");
}

#[test]
fn bytes_go_through_unchanged_in_pieces_of_any_size() {
    let machine = machine();
    for size in [1, 100, 4096, 65536, 10_000_000] {
        let ran = machine.sh(&format!(
            "head -c 300000 /dev/zero | tr '\\0' x > in; copy {size} < in > out; cmp in out && copy {size} < in | cmp - in"
        ));
        assert_eq!(ran.ok(), "", "{size}");
    }
}

#[test]
fn a_large_file_is_moved_in_one_call() {
    let machine = machine();
    machine.write("/work/large", vec![b'x'; 20 << 20]);
    let ran = machine.sh("copy 30000000 < large > out; cmp large out && wc -c < out");
    assert_eq!(ran.ok(), "20971520");
}

#[test]
fn a_pipe_that_nobody_reads_ends_the_writer() {
    let machine = machine();
    let ran = machine.sh("yes | copy | head -1; echo ${PIPESTATUS[@]}");
    assert_eq!(ran.ok(), "y\n141 141 0");
    let ran = machine.sh("trap '' PIPE; { copy < /dev/zero; echo $? >&2; } | head -c 1 >/dev/null");
    assert_eq!(
        (ran.code, &*ran.stderr),
        (0, "write: -1 of 4096: Broken pipe\n1\n")
    );
}

#[test]
fn what_a_program_closes_is_closed() {
    // It closes its standard output and goes on: whoever reads it is told at once, not when it ends.
    let closes = r#"(module
        (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "_start")
            (drop (call $close (i32.const 1)))
            (i32.store (i32.const 16) (i32.const 1))
            (i64.store (i32.const 24) (i64.const 300000000))
            (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))))"#;
    let machine = machine().with_wat("closes", closes);
    let ran = machine.sh("closes | { cat; echo first > order; }; echo then >> order; cat order");
    assert_eq!(ran.ok(), "first\nthen");
    let began = Instant::now();
    machine.sh("closes | cat.wasm").ok();
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[test]
fn positions_of_files_are_shared_with_other_processes() {
    let machine = machine();
    machine.write("/work/lines", "one\ntwo\nthree\n");
    let ran = machine.sh("{ read first; copy 4 1; read third; echo \"$first $third\"; } < lines");
    assert_eq!(ran.ok(), "two\none three");
    let ran = machine.sh("{ echo a; echo b | copy; echo c; } > out; echo d | copy >> out; cat out");
    assert_eq!(ran.ok(), "a\nb\nc\nd");
}

#[test]
fn a_named_pipe_waits_for_its_other_end() {
    let machine = machine();
    let ran = machine.sh("mkfifo p; cat.wasm p & sleep 0.05; echo through > p; wait");
    assert_eq!(ran.ok(), "through");
    let ran = machine
        .sh("{ sleep 0.05; cat p; } & copy < /dev/null > p; echo x | copy > p & cat p; wait");
    assert_eq!((ran.code, &*ran.stdout), (0, "x\n"));
}

#[test]
fn a_program_that_computes_lets_others_run() {
    let machine = machine();
    // The loop would hold the only thread for ever.
    let ran = machine.sh("ends loop & pid=$!; for i in 1 2 3; do sleep 0.01; echo $i; done; kill $pid; wait $pid; echo $?");
    assert_eq!(ran.stdout, "before\n1\n2\n3\n143\n");
}

#[test]
fn many_programs_at_once_share_the_time() {
    let machine = machine();
    let ran = machine
        .sh("for i in $(seq 20); do ends loop & done; sleep 0.1; kill $(jobs -p); wait; echo done");
    assert!(ran.stdout.ends_with("done\n"), "{ran}");
    assert_eq!(ran.left, 0);
}
