//! Measures the shell beside the machine's bash and other shells without an operating system, in turns in one run. Bash starts a
//! process for itself and for each utility, which is what an agent's harness does for each command.
//!
//! Prints one JSON object; `cargo xtask bench shell` turns it into the table in `bench/RESULTS.md`. With part of a row's name as
//! its argument it measures the rows that match. `profile SCRIPT TIMES` runs a script here and nothing else, for profilers;
//! `samples FOLDER` leaves what scripts work on there, and `profile SCRIPT TIMES FOLDER` runs the script over a copy of it.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod machine;
mod ours;
mod peers;
mod samples;

use bench_measure::{Report, Row, alone, median, pss, seconds};
use machine::Machine;
use ours::Ours;
use peers::Peer;

/// A command, and how it is measured.
struct Command {
    name: &'static str,
    script: &'static str,
    /// How many turns each side has, and how many runs a turn is.
    turns: usize,
    runs: usize,
    /// The unit, and how many µs it has.
    unit: (&'static str, f64),
    /// The most that it may take of what bash takes.
    share: f64,
}

/// A peer that takes so many µs is asked once.
const SLOW: f64 = 5e6;

const US: (&str, f64) = ("µs", 1.0);
const MS: (&str, f64) = ("ms", 1000.0);

const COMMANDS: [Command; 11] = [
    Command {
        name: "echo",
        script: "echo hello",
        turns: 40,
        runs: 10,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "a pipeline of three",
        script: "printf 'b\\na\\nc\\n' | sort | head -1",
        turns: 30,
        runs: 10,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "echo, one run at a time between the others'",
        script: "echo hello",
        turns: 100,
        runs: 1,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "a pipeline of three, one run at a time between the others'",
        script: "printf 'b\\na\\nc\\n' | sort | head -1",
        turns: 100,
        runs: 1,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "a loop of 10,000",
        script: "s=0; for ((i = 0; i < 10000; i++)); do s=$((s + i)); done; echo $s",
        turns: 15,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "grep | sort | uniq -c, 50 MB",
        script: "grep -o 'user[0-9]*' log.txt | sort | uniq -c | tail -1",
        turns: 3,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "awk sum, 50 MB",
        script: "awk '{ s += $3 } END { printf \"%.0f\\n\", s }' log.txt",
        turns: 3,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "sed s///g, 50 MB",
        script: "sed 's/user/person/g' log.txt | tail -c 20",
        turns: 3,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "sort -n, 50 MB",
        script: "sort -n -k3 log.txt | tail -1",
        turns: 3,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "find over 10,000 files",
        script: "find tree -name '*7.txt' | wc -l",
        turns: 9,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "jq, 10 MB",
        script: "jq '[.[] | select(.score > 50) | .score] | add' records.json",
        turns: 3,
        runs: 1,
        unit: MS,
        share: 1.0,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["profile", script, times] => profile(Ours::empty(), script, times),
        ["profile", script, times, folder] => profile(Ours::new(folder.as_ref()), script, times),
        ["samples", folder] => samples::write(folder.as_ref()),
        _ => measure(arguments.first().copied().unwrap_or_default()),
    }
}

fn profile(mut ours: Ours, script: &str, times: &str) {
    let times: u32 = times.parse().unwrap();
    let took = seconds(|| {
        for _ in 0..times {
            drop(ours.run(script));
        }
    });
    eprintln!("{:.2} µs each", took * 1e6 / f64::from(times));
}

fn measure(only: &str) {
    let machine = Machine::new();
    let mut peers = Peer::all(machine.folder());
    let mut report = Report::new(Machine::name());
    report.peers = peers.iter().map(|peer| peer.name.clone()).collect();
    if only.is_empty() {
        shells(&mut report, &mut peers);
    }
    for command in COMMANDS
        .iter()
        .filter(|command| command.name.contains(only))
    {
        report.add(row(command, &machine, &mut peers));
    }
    report.print();
}

/// Measures a command here and there, in turns. A turn of a small command is several runs of it: whoever has the machine after
/// others finds its caches cold, and pays more for that than for the command.
fn row(command: &Command, machine: &Machine, peers: &mut [Peer]) -> Row {
    let script = command.script;
    let mut ours = Ours::new(machine.folder());
    let expected = machine.run(script);
    assert_eq!(ours.run(script), expected, "{script}");
    let mut answers: Vec<Result<Vec<f64>, String>> = peers
        .iter_mut()
        .map(|peer| {
            let (output, us) = peer.run(script)?;
            let is_right = output.as_bytes() == expected;
            let times = if us > SLOW { vec![us] } else { Vec::new() };
            is_right.then_some(times).ok_or_else(|| "wrong".into())
        })
        .collect();
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for _ in 0..command.turns {
        for _ in 0..command.runs {
            here.push(seconds(|| ours.run(script)) * 1e6);
        }
        for _ in 0..command.runs {
            there.push(seconds(|| machine.run(script)) * 1e6);
        }
        for (peer, answer) in peers.iter_mut().zip(&mut answers) {
            for _ in 0..command.runs {
                if let Ok(times) = answer
                    && times.first().is_none_or(|us| *us <= SLOW)
                {
                    match peer.run(script) {
                        Ok((_, us)) => times.push(us),
                        Err(why) => *answer = Err(why),
                    }
                }
            }
        }
    }
    let (unit, size) = command.unit;
    let there = median(there) / size;
    Row {
        name: command.name.into(),
        unit: unit.into(),
        bar: Some(there * command.share),
        hotcell: median(here) / size,
        beside: Some(there),
        note: None,
        peers: answers
            .into_iter()
            .map(|answer| answer.map(|times| median(times) / size))
            .collect(),
    }
}

/// What a shell costs that nobody uses.
fn shells(report: &mut Report, peers: &mut [Peer]) {
    report.add(Row {
        name: "creation of a shell".into(),
        unit: "µs".into(),
        bar: Some(50.0),
        hotcell: alone(2000, ours::shell),
        peers: peers
            .iter_mut()
            .map(|peer| {
                let times: Result<Vec<f64>, String> = (0..100).map(|_| peer.create()).collect();
                times.map(median)
            })
            .collect(),
        ..Row::default()
    });
    let count = 2000;
    // The first has more to do.
    drop(ours::shell());
    let before = pss();
    let idle: Vec<_> = (0..count).map(|_| ours::used_shell()).collect();
    let each = (pss() - before) / f64::from(count);
    drop(idle);
    report.add(Row {
        name: "memory of an idle shell that has run a command".into(),
        unit: "KiB".into(),
        bar: Some(64.0),
        hotcell: each,
        peers: peers.iter_mut().map(|peer| peer.idle(500)).collect(),
        ..Row::default()
    });
}
