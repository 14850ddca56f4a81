//! Modules that nobody should run. Whatever they are, there is an answer, and the host is well.

use std::time::Duration;

use hotcell_wasi::{ModuleLimits, WasiEngine, WasiEngineOptions, WasiOptions};

use crate::support::{Machine, Ran};

/// Every function and the types of its arguments: `i` for 32 bits, `l` for 64.
const FUNCTIONS: &[(&str, &str)] = &[
    ("args_get", "ii"),
    ("args_sizes_get", "ii"),
    ("environ_get", "ii"),
    ("environ_sizes_get", "ii"),
    ("clock_res_get", "ii"),
    ("clock_time_get", "ili"),
    ("fd_advise", "illi"),
    ("fd_allocate", "ill"),
    ("fd_close", "i"),
    ("fd_datasync", "i"),
    ("fd_fdstat_get", "ii"),
    ("fd_fdstat_set_flags", "ii"),
    ("fd_fdstat_set_rights", "ill"),
    ("fd_filestat_get", "ii"),
    ("fd_filestat_set_size", "il"),
    ("fd_filestat_set_times", "illi"),
    ("fd_pread", "iiili"),
    ("fd_prestat_get", "ii"),
    ("fd_prestat_dir_name", "iii"),
    ("fd_pwrite", "iiili"),
    ("fd_read", "iiii"),
    ("fd_readdir", "iiili"),
    ("fd_renumber", "ii"),
    ("fd_seek", "ilii"),
    ("fd_sync", "i"),
    ("fd_tell", "ii"),
    ("fd_write", "iiii"),
    ("path_create_directory", "iii"),
    ("path_filestat_get", "iiiii"),
    ("path_filestat_set_times", "iiiilli"),
    ("path_link", "iiiiiii"),
    ("path_open", "iiiiillii"),
    ("path_readlink", "iiiiii"),
    ("path_remove_directory", "iii"),
    ("path_rename", "iiiiii"),
    ("path_symlink", "iiiii"),
    ("path_unlink_file", "iii"),
    ("poll_oneoff", "iiii"),
    ("proc_exit", "i"),
    ("proc_raise", "i"),
    ("sched_yield", ""),
    ("random_get", "ii"),
    ("sock_accept", "iii"),
    ("sock_recv", "iiiiii"),
    ("sock_send", "iiiii"),
    ("sock_shutdown", "ii"),
];

/// Numbers that are the same in each run of the tests.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 20
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[usize::try_from(self.next()).unwrap() % list.len()]
    }
}

const WILD: &[&str] = &[
    "0",
    "1",
    "3",
    "4",
    "5",
    "8",
    "64",
    "255",
    "4096",
    "65528",
    "65535",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "-1",
    "-8",
    "1000000000",
];
const WILD_LONG: &[&str] = &[
    "0",
    "1",
    "100",
    "-1",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0x3fffffff",
];

/// A program that calls a function with numbers of all kinds.
fn calls_wildly(module: &str, name: &str, kinds: &str, chance: &mut Chance) -> String {
    let types: String = kinds
        .chars()
        .map(|kind| if kind == 'i' { " i32" } else { " i64" })
        .collect();
    let has_result = name != "proc_exit";
    let result = if has_result { "(result i32)" } else { "" };
    let mut calls = String::new();
    let count = if name == "random_get" { 20 } else { 150 };
    for _ in 0..count {
        let arguments: String = kinds
            .chars()
            .map(|kind| match kind {
                'i' => format!(" (i32.const {})", chance.of(WILD)),
                _ => format!(" (i64.const {})", chance.of(WILD_LONG)),
            })
            .collect();
        let call = format!("(call $f{arguments})");
        let call = if has_result {
            format!("(drop {call})")
        } else {
            call
        };
        calls += &call;
    }
    format!(
        r#"(module (import "{module}" "{name}" (func $f (param{types}) {result}))
            (memory (export "memory") 1)
            (data (i32.const 0) "\08\00\00\00\40\00\00\00\ff\ff\ff\ff\10\00\00\00")
            (data (i32.const 64) "../../../../etc/passwd\00/dev/fd/1/a/b/c")
            (func (export "_start") {calls}))"#
    )
}

fn is_well(ran: &Ran) {
    assert!(!ran.stderr.contains("internal error"), "{ran}");
    let left = match ran.stopped {
        None => ran.left,
        Some(_) => ran.left_in_the_end(),
    };
    assert_eq!(left, 0, "{ran}");
}

#[test]
fn wild_arguments_get_an_error_code() {
    let mut chance = Chance(1);
    assert_eq!(FUNCTIONS.len(), 46);
    for module in ["wasi_snapshot_preview1", "wasi_unstable"] {
        for (name, kinds) in FUNCTIONS {
            if (module, *name) == ("wasi_unstable", "sock_accept") {
                continue;
            }
            let text = calls_wildly(module, name, kinds, &mut chance);
            let machine = Machine::new().with_wat("wild", &text);
            let ran = machine.sh("timeout 20 wild > /dev/null; echo $?");
            is_well(&ran);
            // None of them is a trap.
            let code: i32 = ran.stdout.trim().parse().unwrap();
            let ends = matches!(*name, "proc_exit" | "proc_raise");
            assert!(code == 0 || ends, "{module}.{name}: {ran}");
        }
    }
}

#[test]
fn every_function_of_both_versions_is_there() {
    for module in ["wasi_snapshot_preview1", "wasi_unstable"] {
        let mut imports = String::new();
        for (name, kinds) in FUNCTIONS {
            if (module, *name) == ("wasi_unstable", "sock_accept") {
                continue;
            }
            let types: String = kinds
                .chars()
                .map(|kind| if kind == 'i' { " i32" } else { " i64" })
                .collect();
            let result = if *name == "proc_exit" {
                ""
            } else {
                "(result i32)"
            };
            let import = format!(r#"(import "{module}" "{name}" (func (param{types}) {result}))"#);
            imports.push_str(&import);
        }
        let text =
            format!(r#"(module {imports} (memory (export "memory") 1) (func (export "_start")))"#);
        assert_eq!(
            Machine::new().with_wat("all", &text).sh("all").ok(),
            "",
            "{module}"
        );
    }
}

/// A module in the text format, and what is said about it.
fn refused(text: &str) -> String {
    let machine = Machine::new().with_wat("bad", text);
    let ran = machine.sh("bad");
    is_well(&ran);
    assert_eq!(ran.code, 126, "{ran}");
    ran.stderr
        .replace("bad: cannot execute: ", "")
        .trim()
        .to_owned()
}

#[test]
fn what_is_no_program_is_told_why() {
    let memory = r#"(memory (export "memory") 1)"#;
    let start = r#"(func (export "_start"))"#;
    for (text, said) in [
        (
            format!(r#"(module (import "env" "puts" (func (param i32))) {memory} {start})"#),
            "it imports env.puts, which is not a function of WASI preview 1",
        ),
        (
            format!(r#"(module (import "wasi_snapshot_preview1" "fd_write" (memory 1)) {start})"#),
            "it imports wasi_snapshot_preview1.fd_write, which is not a function",
        ),
        (
            format!(
                r#"(module (import "wasi_snapshot_preview1" "no_such" (func)) {memory} {start})"#
            ),
            "not a WebAssembly module that can be run: unknown import: `wasi_snapshot_preview1::no_such`",
        ),
        (
            format!(
                r#"(module (import "wasi_snapshot_preview1" "fd_close" (func (param i64))) {memory} {start})"#
            ),
            "not a WebAssembly module that can be run: incompatible import type for `wasi_snapshot_preview1::fd_close`",
        ),
        (
            format!(r#"(module {memory} (func (export "main")))"#),
            "it has no _start: a library or reactor, not a program",
        ),
        (
            format!("(module {start})"),
            "it has no memory that is exported as \"memory\"",
        ),
        (
            format!("(module {memory} {start} (memory 1))"),
            "not a WebAssembly module that can be run: ",
        ),
        (
            format!(r#"(module (memory (export "memory") i64 1) {start})"#),
            "not a WebAssembly module that can be run: ",
        ),
        (
            format!(r#"(module (memory (export "memory") 1 1 shared) {start})"#),
            "not a WebAssembly module that can be run: ",
        ),
        (
            "(component)".into(),
            "a WebAssembly component (WASI preview 2)",
        ),
    ] {
        let is = refused(&text);
        assert!(is.starts_with(said), "{text}\n{is}");
    }
}

#[test]
fn a_main_function_of_another_type_is_told() {
    let text = r#"(module (memory (export "memory") 1) (func (export "_start") (param i32)))"#;
    let ran = Machine::new().with_wat("bad", text).sh("bad");
    is_well(&ran);
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.starts_with("bad: cannot run: "), "{ran}");
}

/// Bytes of a number as modules have them.
fn leb(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let byte = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            out.push(byte);
            return out;
        }
        out.push(byte | 0x80);
    }
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id][..], &leb(content.len()), content].concat()
}

/// A module whose only function has these declarations of locals and this code.
fn with_function(locals: &[u8], code: &[u8]) -> Vec<u8> {
    let body = [locals, code, b"\x0b"].concat();
    let bodies = [&leb(1)[..], &leb(body.len()), &body].concat();
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, b"\x01\x60\0\0"),
        section(3, b"\x01\0"),
        section(5, b"\x01\0\x01"),
        section(7, b"\x02\x06memory\x02\0\x06_start\0\0"),
        section(10, &bodies),
    ]
    .concat()
}

/// Code that adds one to a local.
fn increment(local: usize) -> Vec<u8> {
    [&[0x20][..], &leb(local), b"\x41\x01\x6a\x21", &leb(local)].concat()
}

/// Code that adds one to each of so many.
fn increments(locals: usize) -> Vec<u8> {
    (0..locals).flat_map(increment).collect()
}

/// The locals of a function: so many numbers.
fn numbers(count: usize) -> Vec<u8> {
    [leb(1), leb(count), vec![0x7f]].concat()
}

#[test]
fn modules_of_extremes_are_compiled_or_refused() {
    let nested = |count: usize| [b"\x02\x40".repeat(count), b"\x0b".repeat(count)].concat();
    // Each jumps to one of many blocks.
    let table = |targets: usize| {
        let depths: Vec<u8> = (0..targets).flat_map(|depth| leb(depth % 200)).collect();
        let jump = [b"\x41\x00\x0e".to_vec(), leb(targets), depths, leb(0)].concat();
        [b"\x02\x40".repeat(200), jump, b"\x0b".repeat(200)].concat()
    };
    let declared = [leb(100_000), b"\x01\x7f".repeat(100_000)].concat();
    let modules: &[(&str, Vec<u8>)] = &[
        ("a million locals", with_function(&numbers(1_000_000), b"")),
        (
            "too many locals to count",
            with_function(&numbers(0xffff_ffff), b""),
        ),
        (
            "a hundred thousand declarations",
            with_function(&declared, b""),
        ),
        (
            "all the locals that there may be",
            with_function(&numbers(50_000), b""),
        ),
        ("deep blocks", with_function(b"\0", &nested(100_000))),
        (
            "a long table of jumps",
            with_function(b"\0", &table(100_000)),
        ),
        (
            "a function that is too long",
            with_function(b"\0", &b"\x01".repeat(1 << 20)),
        ),
        (
            "half a million instructions",
            with_function(b"\0", &b"\x01".repeat(500_000)),
        ),
        (
            "many constants",
            with_function(b"\0", &b"\x41\x00\x1a".repeat(150_000)),
        ),
    ];
    let machine = Machine::with(&WasiEngine::new(), WasiOptions::default());
    for (what, module) in modules {
        machine.install("bad", module);
        let ran = machine.sh("bad");
        is_well(&ran);
        assert_eq!(ran.stopped, None, "{what}: {ran}");
        assert!([0, 126].contains(&ran.code), "{what}: {ran}");
        assert!(!ran.stderr.contains("compiler failed"), "{what}: {ran}");
    }
}

/// A machine with an engine of its own that compiles within these limits.
fn compiles_within(time: Duration, memory: usize) -> Machine {
    let limits = ModuleLimits {
        compile_time: time,
        compile_memory: memory,
        ..ModuleLimits::default()
    };
    let engine = WasiEngine::with_options(WasiEngineOptions::default().limits(limits));
    Machine::with(&engine, WasiOptions::default())
}

/// Ten thousand bytes that keep the compiler busy for minutes: a hundred loops within each other, around a thousand numbers.
fn endless_to_compile() -> Vec<u8> {
    let loops = b"\x03\x40".repeat(100);
    let ends = b"\x41\x01\x0d\x00\x0b".repeat(100);
    let code = [loops, increments(1000), ends].concat();
    with_function(&numbers(1000), &code)
}

/// The processes that this one has started.
fn children() -> usize {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let lists = threads.map(|thread| {
        let path = thread.unwrap().path().join("children");
        std::fs::read_to_string(path).unwrap_or_default()
    });
    lists.map(|list| list.split_whitespace().count()).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn a_module_that_keeps_the_compiler_busy_is_ended_by_the_limit() {
    let machine = compiles_within(Duration::from_millis(300), 1 << 30);
    machine.install("bad", &endless_to_compile());
    let ran = machine.sh("bad");
    is_well(&ran);
    assert_eq!(
        ran.failed(126),
        "bad: cannot execute: compiling it takes longer than the limit of 300ms"
    );
    assert!(ran.took < Duration::from_secs(10), "{:?}", ran.took);
    assert_eq!(children(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn compiling_ends_with_the_run_that_waits_for_it() {
    let mut machine = compiles_within(Duration::from_mins(10), 1 << 30);
    machine.install("bad", &endless_to_compile());
    machine.timeout = Duration::from_millis(200);
    let ran = machine.sh("bad");
    is_well(&ran);
    assert_eq!(ran.stopped, Some(hotcell_meter::Stopped::Deadline), "{ran}");
    // It is noticed soon, and the next one is not kept waiting.
    machine.timeout = Duration::from_secs(30);
    let good = r#"(module (memory (export "memory") 1) (func (export "_start")))"#;
    machine.install("good", &wat::parse_str(good).unwrap());
    machine.sh("good").ok();
    assert_eq!(children(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn a_module_that_fills_the_memory_of_the_compiler_is_ended_by_the_limit() {
    // Many decisions, after each of which any of many numbers may have changed.
    let decision = |local| {
        [
            b"\x41\x00\x04\x40".to_vec(),
            increment(local),
            b"\x0b".to_vec(),
        ]
        .concat()
    };
    let decisions: Vec<u8> = (0..10_000).flat_map(decision).collect();
    let code = [decisions, increments(10_000)].concat();
    let machine = compiles_within(Duration::from_mins(5), 100 << 20);
    machine.install("bad", &with_function(&numbers(10_000), &code));
    let ran = machine.sh("bad");
    is_well(&ran);
    assert!(
        ran.failed(126)
            .starts_with("bad: cannot execute: the compiler failed on it (signal 6; it may have 104857600 bytes of memory)"),
        "{ran}"
    );
    assert_eq!(children(), 0);
}

#[test]
fn what_is_cut_off_or_changed_is_no_danger() {
    let text = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1) (table 4 funcref) (global $g (mut i32) (i32.const 1))
        (data (i32.const 0) "\08\00\00\00\03\00\00\00one") (elem (i32.const 0) $f $f)
        (func $f (param i32) (result i32) (i32.add (local.get 0) (global.get $g)))
        (func (export "_start") (local i32)
            (loop $again (br_if $again (i32.lt_u (local.tee 0 (call $f (local.get 0))) (i32.const 10))))
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64)))))"#;
    let good = wat::parse_str(text).unwrap();
    let engine = WasiEngine::new();
    let mut machine = Machine::with(&engine, WasiOptions::default());
    machine.timeout = Duration::from_millis(500);
    for length in 4..good.len() {
        machine.install("bad", &good[..length]);
        is_well(&machine.sh("bad"));
    }
    let mut chance = Chance(2);
    for _ in 0..500 {
        let mut bytes = good.clone();
        for _ in 0..=chance.next() % 3 {
            let at = usize::try_from(chance.next()).unwrap() % (bytes.len() - 4) + 4;
            bytes[at] = u8::try_from(chance.next() & 0xff).unwrap();
        }
        machine.install("bad", &bytes);
        is_well(&machine.sh("bad"));
    }
}

#[test]
fn tables_and_memory_are_charged_and_limited() {
    let memory = r#"(memory (export "memory") 1)"#;
    for (text, code) in [
        // A table of ten million elements at once, one that grows for ever, and twenty of them.
        (
            format!(r#"(module {memory} (table 10000000 funcref) (func (export "_start")))"#),
            vec![0, 137],
        ),
        (
            format!(
                r#"(module {memory} (table $t 1 funcref) (func (export "_start")
                (loop $more (br_if $more (i32.ne (table.grow $t (ref.null func) (i32.const 100000)) (i32.const -1))))))"#
            ),
            vec![0],
        ),
        (
            format!(
                r#"(module {memory} {} (func (export "_start")))"#,
                "(table 10 funcref)".repeat(20)
            ),
            vec![134, 126],
        ),
        (
            r#"(module (memory (export "memory") 65536) (func (export "_start")))"#.into(),
            vec![137],
        ),
        (
            r#"(module (memory (export "memory") 1) (func (export "_start")
                (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))))"#
                .into(),
            vec![0],
        ),
        (
            r#"(module (memory (export "memory") 1) (func (export "_start")
                (drop (memory.grow (i32.const -1))) (drop (memory.grow (i32.const 65535)))))"#
                .into(),
            vec![0],
        ),
    ] {
        let machine = Machine::new().with_wat("bad", &text);
        let ran = machine.sh("bad");
        is_well(&ran);
        assert!(code.contains(&ran.code), "{text}\n{ran}");
        assert!(ran.peak <= 256 << 20, "{text}");
    }
}

#[test]
fn recursion_of_every_kind_ends_as_an_overflow() {
    let memory = r#"(memory (export "memory") 1)"#;
    for text in [
        format!(r#"(module {memory} (func $f (export "_start") (call $f)))"#),
        format!(
            r#"(module {memory} (table 1 funcref) (elem (i32.const 0) $f)
                (func $f (export "_start") (call_indirect (i32.const 0))))"#
        ),
        format!(
            r#"(module {memory} (func $f (param f64 f64 f64 f64 i64) (result i64)
                (i64.add (local.get 4) (call $f (local.get 3) (local.get 2) (local.get 1) (local.get 0) (local.get 4))))
                (func (export "_start")
                    (drop (call $f (f64.const 1) (f64.const 2) (f64.const 3) (f64.const 4) (i64.const 5)))))"#
        ),
        format!(r#"(module {memory} (func $f (call $f)) (start $f) (func (export "_start")))"#),
    ] {
        let ran = Machine::new().with_wat("deep", &text).sh("deep");
        is_well(&ran);
        assert_eq!(ran.code, 139, "{text}\n{ran}");
    }
}

#[test]
fn a_function_that_runs_before_the_program_has_its_memory_too() {
    let text = r#"(module
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1)
        (data (i32.const 0) "\08\00\00\00\06\00\00\00early\n")
        (func $early (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64))))
        (start $early) (func (export "_start")))"#;
    assert_eq!(
        Machine::new().with_wat("early", text).sh("early").ok(),
        "early"
    );
}
