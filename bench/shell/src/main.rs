//! Measures the shell beside the machine's bash, in turns in one run. Bash starts a process for itself and for each utility,
//! which is what an agent's harness does for each command.
//!
//! Prints one JSON object; `cargo xtask bench shell` turns it into the table in `bench/RESULTS.md`.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod machine;
mod ours;
mod samples;

use bench_measure::{Report, Row, alone, pss, side_by_side};
use machine::Machine;
use ours::Ours;

/// A command, and how it is measured.
struct Command {
    name: &'static str,
    script: &'static str,
    times: usize,
    /// The unit, and how many µs it has.
    unit: (&'static str, f64),
    /// The most that it may take of what bash takes.
    share: f64,
}

const US: (&str, f64) = ("µs", 1.0);
const MS: (&str, f64) = ("ms", 1000.0);

const COMMANDS: [Command; 9] = [
    Command {
        name: "echo",
        script: "echo hello",
        times: 300,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "a pipeline of three",
        script: "printf 'b\\na\\nc\\n' | sort | head -1",
        times: 200,
        unit: US,
        share: 0.02,
    },
    Command {
        name: "a loop of 10,000",
        script: "s=0; for ((i = 0; i < 10000; i++)); do s=$((s + i)); done; echo $s",
        times: 15,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "grep | sort | uniq -c, 50 MB",
        script: "grep -o 'user[0-9]*' log.txt | sort | uniq -c | tail -1",
        times: 3,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "awk sum, 50 MB",
        script: "awk '{ s += $3 } END { print s }' log.txt",
        times: 3,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "sed s///g, 50 MB",
        script: "sed 's/user/person/g' log.txt | tail -c 20",
        times: 3,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "sort -n, 50 MB",
        script: "sort -n -k3 log.txt | tail -1",
        times: 3,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "find over 10,000 files",
        script: "find tree -name '*7.txt' | wc -l",
        times: 9,
        unit: MS,
        share: 1.0,
    },
    Command {
        name: "jq, 10 MB",
        script: "jq '[.[] | select(.score > 50) | .score] | add' records.json",
        times: 3,
        unit: MS,
        share: 1.0,
    },
];

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let machine = Machine::new();
    let mut report = Report::new(Machine::name());
    if only.is_empty() {
        shells(&mut report);
    }
    for command in COMMANDS
        .iter()
        .filter(|command| command.name.contains(&only))
    {
        let mut ours = Ours::new(machine.folder());
        assert_eq!(
            ours.run(command.script),
            machine.run(command.script),
            "{} comes to the same",
            command.name
        );
        let (here, there) = side_by_side(
            &mut || drop(ours.run(command.script)),
            &mut || drop(machine.run(command.script)),
            command.times,
        );
        let (unit, size) = command.unit;
        report.add(Row {
            name: command.name.into(),
            unit: unit.into(),
            bar: Some(there / size * command.share),
            hotcell: here / size,
            beside: Some(there / size),
            note: None,
        });
    }
    report.print();
}

/// What a shell costs that nobody uses.
fn shells(report: &mut Report) {
    report.add(Row {
        name: "creation of a shell".into(),
        unit: "µs".into(),
        bar: Some(50.0),
        hotcell: alone(2000, ours::shell),
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
        ..Row::default()
    });
}
