//! How programs end: by themselves, by a fault, by a limit, by force.

use std::{
    thread,
    time::{Duration, Instant},
};

use hotcell_meter::{StopToken, Stopped};

use crate::support::Machine;

fn machine() -> Machine {
    Machine::new().with_c("ends")
}

#[test]
fn exit_codes_are_passed_on() {
    let machine = machine();
    for (command, code) in [
        ("ends", 0),
        ("ends exit 0", 0),
        ("ends exit 7", 7),
        ("ends return 42", 42),
        ("ends exit 255", 255),
        ("ends exit 256", 0),
        ("ends exit -1", 255),
    ] {
        assert_eq!(machine.sh(command).code, code, "{command}");
    }
}

#[test]
fn a_fault_is_the_signal_that_a_process_would_get_and_is_told() {
    let machine = machine();
    for (how, code, text) in [
        (
            "abort",
            134,
            "ends: aborted (the program executed `unreachable`: abort(), a failed assertion, or a panic)",
        ),
        ("divide", 136, "ends: integer division by zero"),
        ("outside", 139, "ends: access outside of its memory"),
        (
            "null-call",
            139,
            "ends: call of a function pointer that is null or has another type",
        ),
        (
            "recurse",
            139,
            "ends: stack overflow (too deep a recursion)",
        ),
    ] {
        let ran = machine.sh(&format!("ends {how}"));
        assert_eq!((ran.code, &*ran.stdout), (code, "before\n"), "{ran}");
        assert!(ran.stderr.starts_with(text), "{how}: {ran}");
    }
}

#[test]
fn a_signal_that_a_program_sends_itself_does_what_it_does() {
    let machine = machine();
    // The numbers of WASI: SIGTERM, SIGKILL, SIGHUP; SIGCHLD is nothing, SIGSTOP impossible, 77 no signal.
    for (number, code) in [(15, 143), (9, 137), (1, 129), (13, 141), (30, 159)] {
        let ran = machine.sh(&format!("ends raise {number}"));
        assert_eq!(
            (ran.code, &*ran.stdout),
            (code, "before\n"),
            "{number}: {ran}"
        );
    }
    for (number, answer) in [(0, 0), (16, 0), (17, 0), (18, 58), (77, 28)] {
        let ran = machine.sh(&format!("ends raise {number}"));
        assert_eq!(ran.stdout, format!("before\nafter, {answer}\n"), "{number}");
    }
}

#[test]
fn memory_ends_at_the_limit_of_the_account() {
    let mut machine = machine();
    machine.memory = 40 << 20;
    let ran = machine.sh("ends eat");
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.stdout.starts_with("before\nno more after "), "{ran}");
    assert!((20 << 20..=40 << 20).contains(&ran.peak), "{}", ran.peak);
    assert_eq!(ran.left, 0);
}

#[test]
fn memory_ends_at_the_limit_of_programs() {
    let options = hotcell_wasi::WasiOptions::default().memory_limit(20 << 20);
    let machine = Machine::with(&crate::support::engine(), options).with_c("ends");
    let ran = machine.sh("ends eat");
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.stdout.starts_with("before\nno more after "), "{ran}");
    // The machine's stack is not the program's memory.
    assert!((10 << 20..=25 << 20).contains(&ran.peak), "{}", ran.peak);
}

#[test]
fn who_gives_up_without_memory_is_killed_for_it() {
    let eats = r#"(module (memory (export "memory") 1)
        (func (export "_start")
            (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
            unreachable))"#;
    let machine = Machine::new().with_wat("eats", eats);
    let ran = machine.sh("eats");
    assert_eq!(ran.code, 137, "{ran}");
    assert!(
        ran.stderr.starts_with("eats: out of memory: it wanted 2"),
        "{ran}"
    );
}

#[test]
fn a_program_that_needs_more_than_there_is_does_not_begin() {
    let large = r#"(module (memory (export "memory") 8192) (func (export "_start")))"#;
    let machine = Machine::new().with_wat("large", large);
    let ran = machine.sh("large");
    assert_eq!(ran.code, 137, "{ran}");
    assert!(
        ran.stderr.starts_with("large: out of memory: it wanted 536870912 bytes in all, and the program memory limit is 268435456"),
        "{ran}"
    );
    assert_eq!(ran.left, 0);
}

/// Commands that never end by themselves.
const ENDLESS: &[&str] = &[
    "ends loop",
    "yes | ends loop | cat",
    "ends loop & ends loop & wait",
    "waits",
    "sleep 1000 | reads",
    "starts",
    "fills",
    "chance",
    "polls",
];

fn endless() -> Machine {
    let waits = r#"(module
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "_start")
            (i32.store (i32.const 16) (i32.const 1))
            (i64.store (i32.const 24) (i64.const -1))
            (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))))"#;
    let reads = r#"(module
        (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (data (i32.const 0) "\10\00\00\00\01\00\00\00")
        (func (export "_start") (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64)))))"#;
    let starts = r#"(module (memory (export "memory") 1)
        (func $spin (loop $again (br $again))) (start $spin) (func (export "_start")))"#;
    let fills = r#"(module (memory (export "memory") 1000)
        (func (export "_start") (loop $again
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536000)) (br $again))))"#;
    let chance = r#"(module
        (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
        (memory (export "memory") 3000)
        (func (export "_start") (loop $again
            (drop (call $random (i32.const 0) (i32.const 190000000))) (br $again))))"#;
    let polls = r#"(module
        (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "_start") (loop $again
            (i32.store8 (i32.const 8) (i32.const 2))
            (i32.store (i32.const 16) (i32.const 1))
            (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128)))
            (br $again))))"#;
    machine()
        .with_wat("waits", waits)
        .with_wat("reads", reads)
        .with_wat("starts", starts)
        .with_wat("fills", fills)
        .with_wat("chance", chance)
        .with_wat("polls", polls)
}

#[test]
fn everything_ends_at_the_deadline() {
    let mut machine = endless();
    // So that nothing is compiled in the time of a run.
    machine.timeout = Duration::from_secs(5);
    machine.sh("for p in waits reads starts fills chance polls; do timeout 0.01 $p; done; ends");
    machine.timeout = Duration::from_millis(100);
    for command in ENDLESS {
        let ran = machine.sh(command);
        assert_eq!(ran.stopped, Some(Stopped::Deadline), "{command}: {ran}");
        // Far more than it takes, as the machine may be busy: what counts is that it ends.
        assert!(
            ran.took < Duration::from_secs(5),
            "{command}: {:?}",
            ran.took
        );
        assert_eq!(ran.left, 0, "{command}");
    }
    assert_eq!(machine.sh("ends").ok(), "before");
}

#[test]
fn everything_ends_when_it_is_cancelled() {
    let machine = endless();
    machine.sh("for p in waits reads starts fills chance polls; do timeout 0.01 $p; done; ends");
    for command in ENDLESS {
        let stop = StopToken::until(Instant::now() + Duration::from_secs(30));
        let canceller = {
            let stop = stop.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(50));
                stop.cancel();
            })
        };
        // A run that only waits is not polled; whoever cancels wakes it, or its deadline does.
        if !command.contains("wait") && !command.contains("reads") {
            let ran = machine.sh_until(command, &stop);
            assert_eq!(ran.stopped, Some(Stopped::Cancelled), "{command}: {ran}");
            assert!(
                ran.took < Duration::from_secs(5),
                "{command}: {:?}",
                ran.took
            );
            assert_eq!(ran.left, 0, "{command}");
        }
        canceller.join().unwrap();
    }
}

#[test]
fn a_signal_ends_a_program_wherever_it_is() {
    let machine = endless();
    for command in [
        "ends loop",
        "waits",
        "starts",
        "sleep 1000 | reads",
        "chance",
    ] {
        let ran = machine.sh(&format!(
            "{command} > /dev/null & sleep 0.05; kill %1; wait %1; echo $?"
        ));
        assert_eq!(ran.stdout, "143\n", "{command}: {ran}");
    }
    assert_eq!(
        machine.sh("timeout 1 ends loop; echo $?").stdout,
        "before\n124\n"
    );
}

#[test]
fn output_so_far_is_kept_when_a_program_is_killed() {
    let mut machine = machine();
    machine.sh("ends").ok();
    machine.timeout = Duration::from_millis(100);
    assert_eq!(machine.sh("ends loop").stdout, "before\n");
}
