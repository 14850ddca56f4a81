//! Guests that are WebAssembly, good and hostile.

use std::{
    sync::{Arc, LazyLock},
    time::Instant,
};

use hotcell_exec::{
    Capabilities, Ended, Engine, Host, Module, ModuleError, Outcome, RunOptions, Schedule,
};
use hotcell_meter::{StopToken, Stopped};

use crate::{
    harness::{SHORT, capabilities, standard, vector},
    transcripts::{SCHEDULES, Tape},
};

pub(crate) static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new().unwrap());

/// Runs a guest: how it ended, and what it wrote.
pub(crate) fn run(
    module: &Module,
    capabilities: Capabilities,
    input: &[u8],
    options: RunOptions,
) -> (Ended, Vec<u8>) {
    let (standard, output) = standard(input);
    let host = Host::new(capabilities, standard);
    let ended = pollster::block_on(module.run(host, options));
    (ended, output.take().bytes)
}

pub(crate) fn module(text: &str) -> Module {
    ENGINE.module(text.as_bytes()).unwrap()
}

/// A guest whose entry point is this.
pub(crate) fn body(body: &str) -> Module {
    module(&format!(
        r#"(module
            (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (import "lembeh" "_alloc" (func $alloc (param i32) (result i32)))
            (memory (export "memory") 1)
            (func (export "lembeh_handle") (param i32 i32) {body}))"#
    ))
}

/// A guest that does what its input says: an operation and four numbers, again and again. It writes what each call returned.
static PROBE: LazyLock<Module> = LazyLock::new(|| {
    module(
        r#"(module
            (import "lembeh" "req_read" (func $read (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (import "lembeh" "res_end" (func $end (param i32)))
            (import "lembeh" "log" (func $log (param i32 i32 i32 i32)))
            (import "lembeh" "_alloc" (func $alloc (param i32) (result i32)))
            (import "lembeh" "_free" (func $free (param i32)))
            (import "lembeh" "_ctl" (func $ctl (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1 4)
            (func $do (param $op i32) (param $a i32) (param $b i32) (param $c i32) (param $d i32) (result i32)
              (block $other
                (block $size (block $peek (block $poke (block $ctl (block $free (block $alloc (block $log
                  (block $end (block $write (block $read
                    (br_table $read $write $end $log $alloc $free $ctl $poke $peek $size $other (local.get $op)))
                    (return (call $read (local.get $a) (local.get $b) (local.get $c))))
                    (return (call $write (local.get $a) (local.get $b) (local.get $c))))
                    (call $end (local.get $a)) (return (i32.const 0)))
                    (call $log (local.get $a) (local.get $b) (local.get $c) (local.get $d)) (return (i32.const 0)))
                    (return (call $alloc (local.get $a))))
                    (call $free (local.get $a)) (return (i32.const 0)))
                    (return (call $ctl (local.get $a) (local.get $b) (local.get $c) (local.get $d))))
                    (i32.store (local.get $a) (local.get $b)) (return (i32.const 0)))
                    (return (i32.load (local.get $a))))
                    (return (memory.size)))
              (unreachable))
            (func (export "lembeh_handle") (param i32 i32)
              (local $count i32)
              (block $done
                (loop $again
                  (local.set $count (call $read (i32.const 0) (i32.const 16) (i32.const 20)))
                  (br_if $done (i32.ne (local.get $count) (i32.const 20)))
                  (i32.store (i32.const 40)
                    (call $do (i32.load (i32.const 16)) (i32.load (i32.const 20)) (i32.load (i32.const 24))
                      (i32.load (i32.const 28)) (i32.load (i32.const 32))))
                  (drop (call $write (i32.const 1) (i32.const 40) (i32.const 4)))
                  (br $again)))))"#,
    )
});

#[derive(Clone, Copy)]
enum Do {
    Read(i32, i32, i32),
    Write(i32, i32, i32),
    End(i32),
    Log(i32, i32, i32, i32),
    Alloc(i32),
    Free(i32),
    Ctl(i32, i32, i32, i32),
    Poke(i32, i32),
    Peek(i32),
    Size,
}

/// What calls return, one after the other.
fn probe(calls: &[Do]) -> Vec<i32> {
    let numbers = |call: &Do| match *call {
        Do::Read(a, b, c) => [0, a, b, c, 0],
        Do::Write(a, b, c) => [1, a, b, c, 0],
        Do::End(a) => [2, a, 0, 0, 0],
        Do::Log(a, b, c, d) => [3, a, b, c, d],
        Do::Alloc(a) => [4, a, 0, 0, 0],
        Do::Free(a) => [5, a, 0, 0, 0],
        Do::Ctl(a, b, c, d) => [6, a, b, c, d],
        Do::Poke(a, b) => [7, a, b, 0, 0],
        Do::Peek(a) => [8, a, 0, 0, 0],
        Do::Size => [9, 0, 0, 0, 0],
    };
    let input: Vec<u8> = calls
        .iter()
        .flat_map(numbers)
        .flat_map(i32::to_le_bytes)
        .collect();
    let (ended, output) = run(&PROBE, capabilities(), &input, RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    let words = output.chunks(4);
    words
        .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// Puts bytes into the memory of the probe.
fn poke(at: i32, bytes: &[u8]) -> Vec<Do> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes.chunks(4).zip((at..).step_by(4));
    words
        .map(|(word, at)| Do::Poke(at, i32::from_le_bytes(word.try_into().unwrap())))
        .collect()
}

const PAGE: i32 = 65_536;

#[test]
fn pointers_outside_of_memory_fail_and_touch_nothing() {
    let bad = [
        (-1, 4),
        (0, -1),
        (PAGE, 1),
        (PAGE - 3, 4),
        (0, PAGE + 1),
        (i32::MAX, i32::MAX),
        (i32::MIN, 4),
    ];
    let mut calls = poke(PAGE - 4, b"mark");
    let before = calls.len();
    for (ptr, len) in bad {
        calls.extend([
            Do::Read(0, ptr, len),
            Do::Write(1, ptr, len),
            Do::Ctl(ptr, len, 1000, 100),
            Do::Ctl(64, 24, ptr, len),
        ]);
    }
    let told = probe(&calls);
    assert!(
        told[before..].iter().all(|returned| *returned == -1),
        "{told:?}"
    );
    let mut calls = poke(PAGE - 4, b"mark");
    for (ptr, len) in bad {
        calls.push(Do::Log(ptr, len, 0, 1));
        calls.push(Do::Log(0, 1, ptr, len));
    }
    calls.push(Do::Peek(PAGE - 4));
    assert_eq!(probe(&calls).last(), Some(&i32::from_le_bytes(*b"mark")));
}

#[test]
fn a_request_that_runs_past_the_end_of_memory_fails() {
    assert_eq!(probe(&[Do::Ctl(65_532, 24, 1000, 100)]), [-1]);
}

#[test]
fn the_last_bytes_of_memory_can_be_used() {
    let mut calls = poke(PAGE - 24, &vector("C1"));
    let before = calls.len();
    calls.push(Do::Ctl(PAGE - 24, 24, 1000, 200));
    calls.push(Do::Write(1, PAGE, 0));
    calls.push(Do::Read(0, PAGE, 0));
    let told = probe(&calls);
    assert_eq!(
        told[before..],
        [i32::try_from(vector("C3").len()).unwrap(), 0, 0]
    );
}

#[test]
fn a_reply_without_room_leaves_the_buffer_alone() {
    let mut calls = poke(64, &vector("C1"));
    calls.extend(poke(1000, b"same"));
    calls.extend([
        Do::Ctl(64, 24, 1000, 8),
        Do::Peek(1000),
        Do::Ctl(64, 24, 1000, 0),
    ]);
    let told = probe(&calls);
    assert_eq!(
        told[told.len() - 3..],
        [-1, i32::from_le_bytes(*b"same"), -1]
    );
}

#[test]
fn a_request_and_its_reply_may_lie_upon_each_other() {
    let mut calls = poke(64, &vector("C1"));
    calls.extend([Do::Ctl(64, 24, 64, 200), Do::Peek(64), Do::Peek(64 + 16)]);
    let told = probe(&calls);
    let length = i32::try_from(vector("C3").len()).unwrap();
    let magic = i32::from_le_bytes(*b"ZCL1");
    assert_eq!(told[told.len() - 3..], [length, magic, length - 20]);
}

#[test]
fn handles_that_are_none_fail() {
    let told = probe(&[
        Do::Read(3, 100, 10),
        Do::Read(-1, 100, 10),
        Do::Write(77, 100, 10),
        Do::Write(i32::MIN, 100, 10),
        Do::Read(1, 100, 10),
        Do::Write(0, 100, 10),
        Do::Read(5, 100, 0),
    ]);
    assert_eq!(told, [-1, -1, -1, -1, -1, -1, 0]);
}

#[test]
fn ending_the_log_ends_it_and_nothing_else() {
    let told = probe(&[
        Do::Write(2, 0, 1),
        Do::End(2),
        Do::End(2),
        Do::End(0),
        Do::End(99),
        Do::Write(2, 0, 1),
    ]);
    assert_eq!(told, [1, 0, 0, 0, 0, -1]);
}

#[test]
fn memory_is_given_out_upwards_in_fours() {
    let told = probe(&[
        Do::Alloc(0),
        Do::Alloc(5),
        Do::Alloc(1),
        Do::Alloc(0),
        Do::Free(1),
        Do::Free(-5),
        Do::Alloc(PAGE),
        Do::Size,
        Do::Alloc(-1),
        Do::Alloc(i32::MAX),
        Do::Alloc(PAGE * 4),
        Do::Alloc(4),
        Do::Poke(PAGE, 7),
        Do::Peek(PAGE),
    ]);
    // Without __heap_base it begins behind what the guest was made with; the module allows four pages.
    let top = PAGE + 12;
    assert_eq!(
        told,
        [
            PAGE,
            PAGE,
            PAGE + 8,
            top,
            0,
            0,
            top,
            3,
            -1,
            -1,
            -1,
            top + PAGE,
            0,
            7
        ]
    );
}

#[test]
fn memory_is_given_out_from_the_heap_base() {
    let module = module(
        r#"(module
            (import "lembeh" "alloc" (func $alloc (param i32) (result i32)))
            (import "env" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (global (export "__heap_base") i32 (i32.const 1001))
            (func (export "lembeh_handle") (param i32 i32)
              (i32.store (i32.const 0) (call $alloc (i32.const 8)))
              (i32.store (i32.const 4) (call $alloc (i32.const 8)))
              (drop (call $write (i32.const 1) (i32.const 0) (i32.const 8)))))"#,
    );
    let (_, output) = run(&module, capabilities(), b"", RunOptions::default());
    assert_eq!(
        output,
        [1004_i32.to_le_bytes(), 1012_i32.to_le_bytes()].concat()
    );
}

#[test]
fn the_other_names_are_the_same_functions() {
    for module_name in ["lembeh", "env"] {
        let text = format!(
            r#"(module
                (import "{module_name}" "req_read" (func (param i32 i32 i32) (result i32)))
                (import "{module_name}" "res_write" (func (param i32 i32 i32) (result i32)))
                (import "{module_name}" "res_end" (func (param i32)))
                (import "{module_name}" "log" (func (param i32 i32 i32 i32)))
                (import "{module_name}" "telemetry" (func (param i32 i32 i32 i32)))
                (import "{module_name}" "_alloc" (func (param i32) (result i32)))
                (import "{module_name}" "alloc" (func (param i32) (result i32)))
                (import "{module_name}" "_free" (func (param i32)))
                (import "{module_name}" "free" (func (param i32)))
                (import "{module_name}" "_ctl" (func (param i32 i32 i32 i32) (result i32)))
                (import "{module_name}" "ctl" (func (param i32 i32 i32 i32) (result i32)))
                (import "env" "_cap" (func $cap (param i32) (result i32)))
                (memory (export "memory") 1)
                (func (export "lembeh_handle") (param i32 i32)
                  (if (i32.ne (call $cap (i32.const 0)) (i32.const -1)) (then (unreachable)))))"#
        );
        let (ended, _) = run(&module(&text), capabilities(), b"", RunOptions::default());
        assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    }
}

#[test]
fn other_imports_are_told() {
    let import = |import: &str| {
        let text = format!(
            r#"(module {import} (memory (export "memory") 1) (func (export "lembeh_handle") (param i32 i32)))"#
        );
        ENGINE.module(text.as_bytes()).unwrap_err().to_string()
    };
    let told = import(r#"(import "wasi_snapshot_preview1" "fd_write" (func (param i32)))"#);
    assert!(
        told.contains("\"wasi_snapshot_preview1\" \"fd_write\"") && told.contains("req_read"),
        "{told}"
    );
    // The form with six parameters that one document has.
    let told =
        import(r#"(import "lembeh" "_ctl" (func (param i32 i32 i32 i32 i32 i32) (result i32)))"#);
    assert!(told.contains("\"_ctl\""), "{told}");
    let told = import(r#"(import "lembeh" "_cap" (func (param i32) (result i32)))"#);
    assert!(told.contains("\"_cap\""), "{told}");
    let told = import(r#"(import "lembeh" "stack" (global i32))"#);
    assert!(told.contains("\"stack\""), "{told}");
}

#[test]
fn missing_exports_are_told() {
    for (text, missing) in [
        ("(module)", "memory"),
        (r#"(module (memory (export "memory") 1))"#, "lembeh_handle"),
        (
            r#"(module (memory (export "memory") 1) (func (export "lembeh_handle") (param i32)))"#,
            "lembeh_handle",
        ),
        (
            r#"(module (memory (export "memory") 1) (func (export "lembeh_handle") (param i32 i32) (result i32) i32.const 0))"#,
            "lembeh_handle",
        ),
    ] {
        let error = ENGINE.module(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ModuleError::Export(_)), "{error}");
        assert!(error.to_string().contains(missing), "{error}");
    }
    for bytes in [
        &b""[..],
        b"\0asm",
        b"\0asm\x01\0\0\0\xff",
        b"(module",
        b"text",
        &[0xff; 100],
    ] {
        assert!(ENGINE.module(bytes).is_err(), "{bytes:?}");
    }
    // What is told of a text is not the text.
    let error = ENGINE.module("(".repeat(1 << 20).as_bytes()).unwrap_err();
    let ModuleError::Invalid(why) = error else {
        panic!("{error}");
    };
    let why = why.to_string();
    assert!(why.len() < 1000 && why.contains('…'), "{why}");
    let large = vec![0; (16 << 20) + 1];
    let error = ENGINE.module(&large).unwrap_err();
    assert!(matches!(error, ModuleError::TooLarge { .. }), "{error}");
}

pub(crate) fn escaped(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}

#[test]
fn a_guest_is_recorded_and_replayed_and_traps_are_too() {
    let trap = body("(drop (call $write (i32.const 1) (i32.const 0) (i32.const 4))) (unreachable)");
    let tape = Tape::default();
    let (standard_streams, output) = standard(b"");
    let host = Host::new(capabilities(), standard_streams);
    let host = host.record(tape.writer()).unwrap();
    let ended = pollster::block_on(trap.run(host, RunOptions::default()));
    assert!(matches!(ended.outcome, Outcome::Trapped(_)));
    let first = output.take().bytes;
    assert!(
        tape.text()
            .ends_with("\"trap\":\"wasm `unreachable` instruction executed\"}\n"),
        "{}",
        tape.text()
    );

    let (standard_streams, output) = standard(b"");
    let host = Host::replay(Tape::reader(&tape.text()), standard_streams);
    let ended = pollster::block_on(trap.run(host, RunOptions::default()));
    assert!(matches!(ended.outcome, Outcome::Trapped(_)), "{ended:?}");
    assert_eq!(output.take().bytes, first);
}

#[test]
fn a_recorded_timeout_is_replayed_without_a_clock() {
    let waits = body(
        "(drop (call $write (i32.const 1) (i32.const 0) (i32.const 4)))
         (drop (call $read (i32.const 0) (i32.const 0) (i32.const 10)))",
    );
    let (reader, writer) =
        hotcell_process::pipe(&hotcell_meter::Account::unlimited(), 4096).unwrap();
    let tape = Tape::default();
    let (mut streams, _) = standard(b"");
    streams.input = Arc::new(reader);
    let host = Host::new(capabilities(), streams);
    let host = host.record(tape.writer()).unwrap();
    let options = RunOptions {
        stop: StopToken::until(Instant::now() + SHORT),
        ..RunOptions::default()
    };
    let ended = pollster::block_on(waits.run(host, options));
    assert!(matches!(ended.outcome, Outcome::Stopped(Stopped::Deadline)));
    drop(writer);

    let (streams, _) = standard(b"");
    let host = Host::replay(Tape::reader(&tape.text()), streams);
    let options = RunOptions {
        stop: StopToken::new(),
        ..RunOptions::default()
    };
    let ended = pollster::block_on(waits.run(host, options));
    assert!(
        matches!(ended.outcome, Outcome::Stopped(Stopped::Deadline)),
        "{ended:?}"
    );
}

/// Runs a guest under every schedule: the output has to be one.
pub(crate) fn under_all_schedules(module: &Module, input: &[u8]) -> Vec<u8> {
    let run = |schedule: Schedule| {
        let (streams, output) = standard(input);
        let host = Host::new(capabilities(), streams).chunks(schedule);
        let ended = pollster::block_on(module.run(host, RunOptions::default()));
        assert!(
            matches!(ended.outcome, Outcome::Returned),
            "{schedule:?} {ended:?}"
        );
        output.take().bytes
    };
    let outputs = SCHEDULES.map(run);
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    outputs[0].clone()
}
