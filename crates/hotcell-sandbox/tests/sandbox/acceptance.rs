//! The seven acceptance criteria of the design document "Hard Kill via Worker Boundary", each as a test of its name.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use hotcell_sandbox::{Command, ErrorClass, LimitKind, Limits, Sandbox};

use crate::{run, text, with};

/// Runs forever in native code and in WebAssembly: a loop of the shell, one in a cell, and one of a program that is a module.
const ENDLESS: [&str; 3] = [
    "while :; do :; done",
    "js -e 'for (;;) {}'",
    "/tmp/loop.wasm",
];

/// A sandbox that has the module.
fn sandbox() -> Sandbox {
    let sandbox = crate::sandbox();
    let text =
        "(module (memory (export \"memory\") 1) (func (export \"_start\") (loop $l (br $l))))";
    let module = wat::parse_str(text).unwrap();
    sandbox.write_file("/tmp/loop.wasm", module).unwrap();
    sandbox.chmod("/tmp/loop.wasm", 0o755).unwrap();
    sandbox
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn criterion_1_an_infinite_wasm_loop_is_terminated_by_the_hard_timeout() {
    let sandbox = sandbox();
    for endless in ENDLESS {
        let command = Command::new(endless).timeout(Duration::from_millis(100));
        let result = run(&sandbox, command);
        assert_eq!(result.exit_code, 124);
        assert_eq!(result.error_class, Some(ErrorClass::Timeout));
        assert!(!sandbox.is_running());
    }
}

#[test]
fn criterion_2_cancel_terminates_execution_at_once_and_returns_cancelled() {
    for endless in ENDLESS {
        let sandbox = sandbox();
        let other = sandbox.clone();
        let canceller = thread::spawn(move || {
            while !other.cancel() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        let result = run(&sandbox, endless);
        canceller.join().unwrap();
        assert_eq!(result.exit_code, 125);
        assert_eq!(result.error_class, Some(ErrorClass::Cancelled));
    }
}

#[test]
fn criterion_3_no_worker_is_leaked_after_timeout_or_cancel() {
    let sandbox = sandbox();
    // The first of a kind starts what the process keeps: the thread of alarms, the watchdog of cells.
    text(
        &sandbox,
        "sleep 0.01; js -e 1; timeout 1 /tmp/loop.wasm || true",
    );
    let before = threads();
    for _ in 0..20 {
        for endless in ENDLESS {
            run(
                &sandbox,
                Command::new(endless).timeout(Duration::from_millis(5)),
            );
        }
    }
    // Other tests of this binary run beside this one, on threads of their own; what leaks would be sixty more.
    assert!(
        threads() < before + 30,
        "{} threads, before {before}",
        threads()
    );
}

#[test]
fn criterion_4_the_vfs_is_consistent_after_a_kill() {
    let sandbox = sandbox();
    let whole = "x".repeat(10_000);
    sandbox.write_file("f", &whole).unwrap();
    for round in 0..20u64 {
        let script = "x=$(cat f); while :; do printf %s \"$x\" > t; mv t f; sed -i s/y/x/ f; cp f g; mv g f; done";
        let command = Command::new(script).timeout(Duration::from_millis(3 + round));
        assert_eq!(
            run(&sandbox, command).error_class,
            Some(ErrorClass::Timeout)
        );
        assert_eq!(sandbox.read_file("f").unwrap(), whole.as_bytes());
    }
}

#[test]
fn criterion_5_the_next_run_after_a_kill_works() {
    let sandbox = sandbox();
    text(&sandbox, "x=before; f() { echo \"f $x\"; }");
    for endless in ENDLESS {
        let script = format!("x=after; cd /; {endless}");
        run(
            &sandbox,
            Command::new(script).timeout(Duration::from_millis(30)),
        );
        // Its shell is that of the last run that completed.
        assert_eq!(
            text(&sandbox, "f; pwd; js -p 6*7"),
            "f before\n/workspace\n42\n"
        );
    }
}

#[test]
fn criterion_6_limits_fork_and_snapshot_work_as_before_a_kill() {
    let limits = Limits {
        output_bytes: 100,
        ..Limits::default()
    };
    let sandbox = with(crate::options().limits(limits));
    text(&sandbox, "echo kept > f; x=1");
    run(
        &sandbox,
        Command::new(ENDLESS[0]).timeout(Duration::from_millis(20)),
    );

    let result = run(&sandbox, "seq 1000");
    assert_eq!(
        (result.stdout.len(), result.limits),
        (100, vec![LimitKind::Output])
    );
    assert_eq!(result.truncated.stdout, 3893 - 100);
    let fork = sandbox.fork().unwrap();
    assert_eq!(text(&fork, "cat f; echo $x; rm f"), "kept\n1\n");
    let bytes = sandbox.snapshot().unwrap();
    let restored = Sandbox::restore(&bytes, crate::options()).unwrap();
    assert_eq!(text(&restored, "cat f; echo $x"), "kept\n1\n");
}

/// There is no process around it here: the run is a future on this very thread, as it would be in a browser's. The document's own
/// fallback only stops waiting; this one stops the command.
#[test]
fn criterion_7_without_a_process_boundary_the_thread_boundary_still_kills() {
    let sandbox = sandbox();
    let began = Instant::now();
    let command =
        Command::new("echo begun; while :; do :; done").timeout(Duration::from_millis(50));
    let result = run(&sandbox, command);
    assert_eq!((result.exit_code, &*result.stdout), (124, &b"begun\n"[..]));
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(text(&sandbox, "echo after"), "after\n");
}
