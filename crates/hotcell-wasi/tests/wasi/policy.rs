//! Clocks and chance are what the host says.

use hotcell_vfs::Timestamp;
use hotcell_wasi::{WasiClock, WasiOptions, WasiRandom};

use crate::support::{Machine, engine};

/// Prints eight bytes: of a clock, or of chance.
fn prints(call: &str) -> String {
    format!(
        r#"(module
            (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
            (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "\40\00\00\00\08\00\00\00")
            (func (export "_start")
                (drop {call})
                (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))"#
    )
}

const CLOCK: &str = "(call $clock (i32.const 0) (i64.const 0) (i32.const 64))";
const MONOTONIC: &str = "(call $clock (i32.const 1) (i64.const 0) (i32.const 64))";
const CHANCE: &str = "(call $random (i32.const 64) (i32.const 8))";

fn machine(options: WasiOptions) -> Machine {
    Machine::with(&engine(), options)
        .with_wat("clock", &prints(CLOCK))
        .with_wat("monotonic", &prints(MONOTONIC))
        .with_wat("chance", &prints(CHANCE))
}

#[test]
fn a_fixed_clock_stands_still() {
    let time = Timestamp::from_nanos(0x0102_0304_0506_0708);
    let machine = machine(WasiOptions::default().clock(WasiClock::Fixed(time)));
    for name in ["clock", "monotonic"] {
        let ran = machine.sh(&format!("{name} | od -An -tx8"));
        assert_eq!(ran.ok(), " 0102030405060708", "{name}");
    }
}

#[test]
fn the_wall_clock_is_that_of_the_kernel() {
    let machine = machine(WasiOptions::default());
    let ran = machine.sh("before=$(date +%s); now=$(clock | od -An -td8); after=$(date +%s); echo $((now / 1000000000 >= before && now / 1000000000 <= after))");
    assert_eq!(ran.ok(), "1");
}

#[test]
fn a_seed_decides_chance() {
    let seeded = |seed| machine(WasiOptions::default().random(WasiRandom::Seeded(seed)));
    let bytes = |machine: &Machine| machine.sh("chance | od -An -tx8").ok().to_owned();
    let (one, again, other) = (seeded(1), seeded(1), seeded(2));
    assert_eq!(bytes(&one), bytes(&again));
    assert_eq!(bytes(&one), bytes(&one));
    assert_ne!(bytes(&one), bytes(&other));
    let real = machine(WasiOptions::default());
    assert_ne!(bytes(&real), bytes(&real));
}
