//! Forks and snapshots of a sandbox with 10,000 files.

use bench_measure::{Report, Row, alone, median, seconds};
use hotcell_sandbox::{Sandbox, SandboxOptions};

const FILES: usize = 10_000;
const FORKS: usize = 1000;

pub(crate) fn measure(report: &mut Report) {
    let origin = crate::sandbox();
    for number in 0..FILES {
        let folder = format!("tree/{}", number % 100);
        origin.mkdir(&*folder, true).unwrap();
        origin
            .write_file(&*format!("{folder}/{number}.txt"), "some text\n")
            .unwrap();
    }
    crate::run(&origin, "x=1; f() { echo $x; }; cd tree");
    report.add(Row {
        name: "fork, 10,000 files".into(),
        unit: "µs".into(),
        bar: Some(50.0),
        hotcell: alone(2000, || origin.fork().unwrap()),
        ..Row::default()
    });
    report.add(Row {
        name: "1,000 forks of it, each of which changes a file".into(),
        unit: "ms".into(),
        bar: Some(100.0),
        hotcell: median((0..9).map(|_| diverge(&origin)).collect()),
        ..Row::default()
    });
    let bytes = origin.snapshot().unwrap();
    report.add(Row {
        name: "snapshot of it".into(),
        unit: "ms".into(),
        hotcell: alone(20, || origin.snapshot().unwrap()) / 1000.0,
        ..Row::default()
    });
    report.add(Row {
        name: "restore of it".into(),
        unit: "ms".into(),
        hotcell: alone(20, || {
            Sandbox::restore(&bytes, SandboxOptions::default()).unwrap()
        }) / 1000.0,
        ..Row::default()
    });
}

/// Milliseconds for all of them; they are dropped outside of the measurement.
fn diverge(origin: &Sandbox) -> f64 {
    let mut forks = Vec::with_capacity(FORKS);
    let took = seconds(|| {
        for number in 0..FORKS {
            let fork = origin.fork().unwrap();
            fork.write_file(&*format!("{}/mine", number % 100), number.to_string())
                .unwrap();
            forks.push(fork);
        }
    });
    took * 1000.0
}
