//! Measures sandboxes beside processes of the machine's bash and other shells without an operating system, in one run.
//!
//! Prints one JSON object; `cargo xtask bench sandbox` turns it into the table in `bench/RESULTS.md`.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod forks;
mod kills;
mod machine;
#[path = "../../shell/src/peers.rs"]
mod peers;
mod programs;

use bench_measure::{Report, Row, alone, median, pss};
use hotcell_sandbox::{RunResult, Sandbox, SandboxOptions};
use peers::Peer;

fn main() {
    let nothing = tempfile::tempdir().unwrap();
    let mut peers = Peer::all(nothing.path());
    let mut report = Report::new(machine::name());
    report.peers = peers.iter().map(|peer| peer.name.clone()).collect();
    report.add(creation(&mut peers));
    report.add(idle(&mut peers));
    for script in ["echo hi", "seq 3 | sort -r | head -1"] {
        report.add(run_of(script, &mut peers));
    }
    forks::measure(&mut report);
    programs::measure(&mut report);
    kills::measure(&mut report);
    report.print();
}

fn sandbox() -> Sandbox {
    Sandbox::create(SandboxOptions::default()).unwrap()
}

#[track_caller]
fn run(sandbox: &Sandbox, script: &str) -> RunResult {
    let result = pollster::block_on(sandbox.run(script)).unwrap();
    assert_eq!(result.exit_code, 0, "{script}: {}", result.stderr_text());
    result
}

fn creation(peers: &mut [Peer]) -> Row {
    Row {
        name: "creation".into(),
        unit: "µs".into(),
        bar: Some(100.0),
        hotcell: alone(2000, sandbox),
        peers: peers
            .iter_mut()
            .map(|peer| {
                let times: Result<Vec<f64>, String> = (0..100).map(|_| peer.create()).collect();
                times.map(median)
            })
            .collect(),
        ..Row::default()
    }
}

/// What one costs that nobody uses any more.
fn idle(peers: &mut [Peer]) -> Row {
    let count = 1000;
    let used = || {
        let sandbox = sandbox();
        run(&sandbox, "f() { echo $1; }; x=(1 2 3); f $x");
        sandbox
    };
    // The first has more to do.
    drop(used());
    let before = pss();
    let all: Vec<_> = (0..count).map(|_| used()).collect();
    let each = (pss() - before) / f64::from(count);
    drop(all);
    Row {
        name: "memory of one that has run a command".into(),
        unit: "KiB".into(),
        hotcell: each,
        peers: peers.iter_mut().map(|peer| peer.idle(500)).collect(),
        ..Row::default()
    }
}

/// A command in a sandbox that lives, beside a process of bash for it.
fn run_of(script: &str, peers: &mut [Peer]) -> Row {
    let sandbox = sandbox();
    Row {
        name: format!("`run(\"{script}\")`"),
        unit: "µs".into(),
        bar: (script == "echo hi").then_some(50.0),
        hotcell: alone(2000, || run(&sandbox, script)),
        beside: Some(alone(200, || machine::run("bash", &["-c", script]))),
        peers: peers
            .iter_mut()
            .map(|peer| {
                let times: Result<Vec<f64>, String> =
                    (0..200).map(|_| Ok(peer.run(script)?.1)).collect();
                times.map(median)
            })
            .collect(),
        ..Row::default()
    }
}
