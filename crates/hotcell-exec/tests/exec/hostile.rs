//! Guests that do not end, wait, grow, trap or do not read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hotcell_exec::{Host, Outcome, RunOptions};
use hotcell_meter::{StopToken, Stopped};

use crate::{
    harness::{SHORT, capabilities, standard, vector},
    wasm::{ENGINE, body, escaped, module, run},
};

/// Counts how often it is dropped.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_guest_that_never_ends_is_ended() {
    let endless = body("(loop $l (br $l))");
    let began = Instant::now();
    let options = RunOptions {
        stop: StopToken::until(Instant::now() + SHORT),
        ..RunOptions::default()
    };
    let (ended, _) = run(&endless, capabilities(), b"", options);
    assert!(
        matches!(ended.outcome, Outcome::Stopped(Stopped::Deadline)),
        "{ended:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_guest_that_waits_for_ever_is_ended() {
    // Its input is a pipe that nobody writes.
    let (reader, writer) =
        hotcell_process::pipe(&hotcell_meter::Account::unlimited(), 4096).unwrap();
    let (mut standard, _) = standard(b"");
    standard.input = Arc::new(reader);
    let waits = body("(drop (call $read (i32.const 0) (i32.const 0) (i32.const 10)))");
    let stop = StopToken::new();
    let options = RunOptions {
        stop: stop.clone(),
        ..RunOptions::default()
    };
    let host = Host::new(capabilities(), standard);
    let cancel = std::thread::spawn(move || {
        std::thread::sleep(SHORT);
        stop.cancel();
    });
    let ended = pollster::block_on(waits.run(host, options));
    cancel.join().unwrap();
    assert!(
        matches!(ended.outcome, Outcome::Stopped(Stopped::Cancelled)),
        "{ended:?}"
    );
    drop(writer);
}

#[test]
fn fuel_ends_a_guest_at_the_same_place() {
    let counts = body(
        r"(loop $l
            (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 4)))
            (br $l))",
    );
    let once = || {
        let options = RunOptions {
            fuel: Some(100_000),
            ..RunOptions::default()
        };
        let (ended, output) = run(&counts, capabilities(), b"", options);
        assert!(matches!(ended.outcome, Outcome::OutOfFuel), "{ended:?}");
        (ended.fuel, output)
    };
    let (fuel, output) = once();
    assert_eq!(fuel, 100_000);
    assert!(output.len() > 1000);
    assert_eq!(once(), (fuel, output));
}

#[test]
fn a_guest_has_as_much_memory_as_it_may() {
    let options = |memory| RunOptions {
        memory,
        ..RunOptions::default()
    };
    let grows = body(
        "(loop $l (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable))) (br $l))",
    );
    let (ended, _) = run(&grows, capabilities(), b"", options(1 << 20));
    assert!(matches!(ended.outcome, Outcome::OutOfMemory), "{ended:?}");
    // Who is refused and goes on is fine.
    let asks = body("(drop (memory.grow (i32.const 1000)))");
    let (ended, _) = run(&asks, capabilities(), b"", options(1 << 20));
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    // Also what it is made with counts.
    let large = module(
        r#"(module (memory (export "memory") 100) (func (export "lembeh_handle") (param i32 i32)))"#,
    );
    let (ended, _) = run(&large, capabilities(), b"", options(1 << 20));
    assert!(matches!(ended.outcome, Outcome::OutOfMemory), "{ended:?}");
    let alloc = body(
        "(if (i32.ne (call $alloc (i32.const 10000000)) (i32.const -1)) (then (unreachable)))",
    );
    let (ended, _) = run(&alloc, capabilities(), b"", options(1 << 20));
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
}

#[test]
fn traps_are_told() {
    for (text, why) in [
        ("(unreachable)", "unreachable"),
        (
            "(drop (i32.load (i32.const 100000)))",
            "out of bounds memory access",
        ),
        (
            "(drop (i32.div_s (i32.const 1) (i32.const 0)))",
            "integer divide by zero",
        ),
    ] {
        let (ended, _) = run(&body(text), capabilities(), b"", RunOptions::default());
        let Outcome::Trapped(told) = &ended.outcome else {
            panic!("{ended:?}");
        };
        assert!(told.contains(why), "{told}");
    }
    let deep = module(
        r#"(module (memory (export "memory") 1) (func $f (call $f)) (func (export "lembeh_handle") (param i32 i32) (call $f)))"#,
    );
    let (ended, _) = run(&deep, capabilities(), b"", RunOptions::default());
    let Outcome::Trapped(told) = &ended.outcome else {
        panic!("{ended:?}");
    };
    assert!(told.contains("call stack exhausted"), "{told}");
}

#[test]
fn a_start_function_may_call_and_is_bounded() {
    let hello = module(
        r#"(module
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 0) "early")
            (func $start (drop (call $write (i32.const 1) (i32.const 0) (i32.const 5))))
            (start $start)
            (func (export "lembeh_handle") (param i32 i32)))"#,
    );
    let (ended, output) = run(&hello, capabilities(), b"", RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned));
    assert_eq!(output, b"early");
    let endless = module(
        r#"(module
            (memory (export "memory") 1)
            (func $start (loop $l (br $l)))
            (start $start)
            (func (export "lembeh_handle") (param i32 i32)))"#,
    );
    let options = RunOptions {
        fuel: Some(1_000_000),
        ..RunOptions::default()
    };
    let (ended, _) = run(&endless, capabilities(), b"", options);
    assert!(matches!(ended.outcome, Outcome::OutOfFuel), "{ended:?}");
}

#[test]
fn a_guest_that_never_reads_holds_no_more_than_it_may() {
    // It starts programs until it is refused, and sends commands until nobody listens.
    let text = format!(
        r#"(module
            (import "lembeh" "_ctl" (func $ctl (param i32 i32 i32 i32) (result i32)))
            (import "lembeh" "res_write" (func $write (param i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (data (i32.const 64) "{}")
            (data (i32.const 128) "{}")
            (func (export "lembeh_handle") (param i32 i32)
              (local $n i32) (local $taken i32) (local $sum i32)
              (drop (call $ctl (i32.const 64) (i32.const 60) (i32.const 1024) (i32.const 256)))
              (loop $again
                (i64.store (i32.const 164) (i64.extend_i32_u (i32.add (local.get $n) (i32.const 1))))
                (local.set $taken (call $write (i32.load (i32.const 1048)) (i32.const 128) (i32.const 133)))
                (local.set $sum (i32.add (local.get $sum) (i32.gt_s (local.get $taken) (i32.const 0))))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $again (i32.lt_u (local.get $n) (i32.const 100000))))
              (i32.store (i32.const 0) (local.get $sum))
              (drop (call $write (i32.const 1) (i32.const 0) (i32.const 4)))))"#,
        escaped(&vector("C10")),
        escaped(&vector("E4")),
    );
    let (ended, output) = run(&module(&text), capabilities(), b"", RunOptions::default());
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    let taken = u32::from_le_bytes(output.try_into().unwrap());
    assert!((32..1000).contains(&taken), "{taken}");
    assert_eq!(ended.started, 0, "nothing is done for who does not read");
}

#[test]
fn programs_end_with_their_guest() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let mut registry = crate::harness::registry();
    let count = Arc::clone(&dropped);
    registry
        .program(
            "tools/echo",
            Arc::new(move |process: &hotcell_process::Process| {
                let _guard = Guard(Arc::clone(&count));
                std::io::Write::write_all(&mut process.stdout().unbuffered(), b"up")?;
                loop {
                    process.sleep(Duration::from_secs(1000));
                }
            }),
        )
        .unwrap();
    let policy = hotcell_exec::ExecPolicy::all(registry, crate::harness::files());
    // Opens the hub, starts, waits for the first bytes, and returns.
    let text = include_str!("../../examples/guests/echo.wat");
    let text = text.replace("(br $copy)", "(br $done)");
    let (ended, output) = run(
        &module(&text),
        crate::harness::with_policy(policy),
        b"",
        RunOptions::default(),
    );
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    assert_eq!(output, b"up");
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn guests_run_beside_each_other_on_one_thread() {
    let echo = ENGINE
        .module(include_bytes!("../../examples/guests/echo.wat"))
        .unwrap();
    let endless = body("(loop $l (br $l))");
    let options = RunOptions {
        stop: StopToken::until(Instant::now() + SHORT),
        ..RunOptions::default()
    };
    let (streams, _) = standard(b"");
    let busy = endless.run(Host::new(capabilities(), streams), options);
    let (streams, output) = standard(b"");
    let quick = echo.run(Host::new(capabilities(), streams), RunOptions::default());
    let both = async {
        let mut busy = std::pin::pin!(busy);
        let mut quick = std::pin::pin!(quick);
        std::future::poll_fn(|context| {
            // The busy one gives way, and the other gets its turn.
            assert!(busy.as_mut().poll(context).is_pending());
            quick.as_mut().poll(context)
        })
        .await
    };
    let ended = pollster::block_on(both);
    assert!(matches!(ended.outcome, Outcome::Returned));
    assert_eq!(output.take().bytes, b"hi\n");
}
