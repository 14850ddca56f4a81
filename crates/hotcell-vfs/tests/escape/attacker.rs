//! A second process that rearranges files while a test works with them.
//!
//! It is the test's own program, started again with [`PLAN`] in its environment. It tells after each lap through its moves,
//! so that a test can be sure that it was attacked, and stops when its standard input ends: with the test, however that
//! ends. Other crates of this repository use this file as their own module of the same name.

use std::io::{Read, Write, stderr, stdin};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The environment variable that makes the attacker of a test.
const PLAN: &str = "HOTCELL_TEST_ATTACK";
/// How often all moves are made before it is told.
const LAP: usize = 50;
/// What the attacker says after a lap; everything else is an error message.
const TOLD: u8 = 1;

/// One move; both names exist, or one of them does.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "not every user of this file makes every move")]
pub(crate) enum Move<'a> {
    /// The two names change places, in one step.
    Swap(&'a Path, &'a Path),
    /// The first name becomes the second, and is it again.
    ThereAndBack(&'a Path, &'a Path),
}

/// The second process, for as long as this lives.
pub(crate) struct Attacker {
    child: Child,
    laps: ChildStderr,
}

impl Attacker {
    /// Starts it, and waits until it has begun.
    pub(crate) fn start(moves: &[Move<'_>]) -> Self {
        let line = |step: &Move<'_>| {
            let (kind, a, b) = match step {
                Move::Swap(a, b) => ("swap", a, b),
                Move::ThereAndBack(a, b) => ("move", a, b),
            };
            format!("{kind}\t{}\t{}", a.display(), b.display())
        };
        let plan: Vec<String> = moves.iter().map(line).collect();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "attacker::second_process", "--nocapture"])
            .env(PLAN, plan.join("\n"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let laps = child.stderr.take().unwrap();
        let mut attacker = Self { child, laps };
        attacker.wait_for_lap();
        attacker
    }

    /// Waits until it has gone through its moves another time.
    pub(crate) fn wait_for_lap(&mut self) {
        let mut said = [0];
        self.laps
            .read_exact(&mut said)
            .expect("the attacker is still there");
        if said != [TOLD] {
            let mut rest = String::new();
            let _whatever = self.laps.read_to_string(&mut rest);
            panic!("the attacker failed: {}{rest}", said[0] as char);
        }
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It may be telling of a lap to somebody who does not listen any more.
        let mut rest = Vec::new();
        let _whatever = self.laps.read_to_end(&mut rest);
        let _gone = self.child.wait();
    }
}

/// What the second process does. As a test of its own it has nothing to do.
#[test]
fn second_process() {
    let Ok(plan) = std::env::var(PLAN) else {
        return;
    };
    let moves: Vec<Vec<&str>> = plan
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let _whatever = stdin().read_to_end(&mut Vec::new());
            stop.store(true, Ordering::Relaxed);
        });
        while !stop.load(Ordering::Relaxed) {
            for _ in 0..LAP {
                for step in &moves {
                    let [kind, a, b] = step[..] else {
                        panic!("not a move: {step:?}");
                    };
                    make(kind, Path::new(a), Path::new(b));
                }
            }
            if stderr().write_all(&[TOLD]).is_err() {
                break;
            }
        }
    });
}

/// Makes a move. Either name may be gone for a moment, if that is what the other side is doing.
fn make(kind: &str, a: &Path, b: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if kind == "swap" {
        let _swapped = renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE);
    } else {
        let _moved = renameat_with(CWD, a, CWD, b, RenameFlags::NOREPLACE);
        let _moved = renameat_with(CWD, b, CWD, a, RenameFlags::NOREPLACE);
    }
}
