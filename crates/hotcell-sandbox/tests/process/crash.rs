//! A worker that somebody else kills is an error with a name, the files are whole, and the sandbox goes on.

use std::{collections::BTreeSet, sync::mpsc, thread, time::Duration};

use hotcell_sandbox::{Command, ErrorClass, Sandbox};

use crate::{PATIENCE, run, sandbox, text, warm::workers};

/// How often a worker is killed while it writes. `HOTCELL_KILLS=1000` is the long form.
fn kills() -> u64 {
    let said = std::env::var("HOTCELL_KILLS").ok();
    said.and_then(|said| said.parse().ok()).unwrap_or(15)
}

fn kill(pid: i32) {
    // One may be gone since it was seen.
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .output();
    killed.unwrap();
}

/// Kills all workers of this program after a while, those that wait for work included, and sees them dead: one that was not would be
/// given the next command, and die with it.
fn kill_workers(after: Duration) {
    thread::sleep(after);
    let killed: Vec<i32> = workers().iter().map(|seen| seen.pid).collect();
    killed.iter().for_each(|pid| kill(*pid));
    let is_left = || workers().iter().any(|seen| killed.contains(&seen.pid));
    while is_left() {
        thread::sleep(Duration::from_micros(100));
    }
}

fn write_until_killed(sandbox: &Sandbox, after: Duration) {
    let (began, has_begun) = mpsc::channel();
    let killer = thread::spawn(move || {
        has_begun.recv().unwrap();
        kill_workers(after);
    });
    let command = Command::new("x=lost; echo; while :; do cp a f; cp b f; done")
        .on_output(move |_, _| {
            let _ = began.send(());
        })
        .timeout(PATIENCE);
    let result = run(sandbox, command);
    killer.join().unwrap();
    // Nobody but this test kills, so the system is blamed: it does that when memory is short.
    assert_eq!(result.exit_code, 134, "{result:?}");
    assert!(matches!(
        result.error_class,
        Some(ErrorClass::LimitExceeded | ErrorClass::WorkerCrashed)
    ));
    assert!(result.error.unwrap().contains("SIGKILL"));
}

/// It kills every worker of this program, so it has to be alone in its process.
#[test]
fn files_are_whole_wherever_a_worker_dies() {
    let sandbox = sandbox();
    text(
        &sandbox,
        "head -c 100000 /dev/zero | tr '\\0' a > a; tr a b < a > b; cp a f; x=kept",
    );
    let whole = ["a", "b"].map(|name| sandbox.read_file(name).unwrap());
    assert_eq!(whole[0].len(), 100_000);
    let mut seen = BTreeSet::new();
    for round in 0..kills() {
        write_until_killed(&sandbox, Duration::from_micros(977 * (round * 7919 % 60)));
        let found = sandbox.read_file("f").unwrap();
        // `cp` opens, writes in pieces and closes: between these the file is shorter, and no piece is torn.
        let letter = found.first().copied();
        assert!(
            found.iter().all(|byte| Some(*byte) == letter),
            "a torn piece"
        );
        assert_eq!(text(&sandbox, "echo $x"), "kept\n");
        seen.extend(letter);
    }
    assert!(!workers().iter().any(|seen| seen.is_zombie));
}
