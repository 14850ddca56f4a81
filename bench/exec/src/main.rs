//! Measures the exec capability through guests that are WebAssembly: what a guest sees, it sees through its imports.
//!
//! Prints one JSON object; `cargo xtask bench exec` turns it into the table in `bench/RESULTS.md`. Beside stands the machine: a
//! process of its own for each program, with pipes, which is what a host without this would do. `profile NAME` runs one guest and
//! nothing else, for profilers.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod guests;
mod machine;

use std::{
    io::Write as _,
    sync::Arc,
    time::{Duration, Instant},
};

use bench_measure::{Report, Row, median, seconds};
use guests::Guests;
use hotcell_exec::{
    Capabilities, Config, ExecPolicy, Grant, Host, Outcome, Registry, RunOptions, Standard,
};
use hotcell_meter::{Account, StopToken};
use hotcell_process::{Capture, Null, Process};
use hotcell_utilities::Utilities;
use hotcell_vfs::MemVfs;

/// How much goes through the handle.
const STREAM: u64 = 1 << 30;
/// Cycles of start, read and status in one run.
const CYCLES: u32 = 2000;
/// Futures in one run.
const FUTURES: u32 = 10_000;

fn main() {
    let guests = Guests::new();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, name] = arguments.as_slice()
        && word == "profile"
    {
        for _ in 0..20 {
            let took = match name.as_str() {
                "cycle" => cycle(&guests),
                "futures" => futures(&guests),
                _ => stream(&guests),
            };
            eprintln!("{took}");
        }
        return;
    }
    let mut report = Report::new("a process and pipes");
    report.add(Row {
        name: "start `true`, read its output to the end, ask for its status".into(),
        unit: "µs".into(),
        bar: Some(100.0),
        hotcell: middle(15, || cycle(&guests)),
        beside: Some(middle(5, machine::cycle)),
        ..Row::default()
    });
    report.add(Row {
        name: "a future (`config.get.v1`), of 10,000 through one hub".into(),
        unit: "µs".into(),
        hotcell: middle(9, || futures(&guests)),
        ..Row::default()
    });
    report.add(Row {
        name: "1 GiB through a stdout handle, per MB (500 MB/s are 2 ms)".into(),
        unit: "ms".into(),
        bar: Some(2.0),
        hotcell: middle(5, || stream(&guests)),
        beside: Some(middle(5, machine::stream)),
        ..Row::default()
    });
    report.add(Row {
        name: "a guest that does nothing: made, run, dropped".into(),
        unit: "µs".into(),
        hotcell: middle(15, || {
            let times = 200;
            let took = seconds(|| {
                for _ in 0..times {
                    drop(run(&guests.nothing, capabilities(STREAM)));
                }
            });
            took * 1e6 / f64::from(times)
        }),
        ..Row::default()
    });
    report.print();
}

fn middle(times: usize, mut measure: impl FnMut() -> f64) -> f64 {
    measure();
    median((0..times).map(|_| measure()).collect())
}

/// µs for a program that is started, read and asked about.
fn cycle(guests: &Guests) -> f64 {
    let took = seconds(|| {
        let (output, started) = run(&guests.cycle, capabilities(STREAM));
        assert_eq!(output, b"ok");
        assert_eq!(started, CYCLES as usize);
    });
    took * 1e6 / f64::from(CYCLES)
}

/// µs for a future. The guest counts its results, and traps if one is missing.
fn futures(guests: &Guests) -> f64 {
    let took = seconds(|| assert_eq!(run(&guests.futures, capabilities(STREAM)).0, b"ok"));
    took * 1e6 / f64::from(FUTURES)
}

/// ms for a million bytes. The guest counts them.
fn stream(guests: &Guests) -> f64 {
    let took = seconds(|| {
        let (output, _) = run(&guests.stream, capabilities(STREAM));
        assert_eq!(output, STREAM.to_le_bytes());
    });
    took * 1e9 / f64::from(u32::try_from(STREAM).unwrap_or(u32::MAX))
}

fn capabilities(limit: u64) -> Capabilities {
    let mut registry = Registry::new();
    registry.programs("tools", &Utilities);
    // Gives so many bytes.
    registry
        .program(
            "bench/bytes",
            Arc::new(|process: &Process| {
                let piece = vec![b'x'; 64 << 10];
                let mut out = process.stdout();
                for _ in 0..STREAM / piece.len() as u64 {
                    out.write_all(&piece)?;
                }
                Ok(0)
            }),
        )
        .unwrap();
    let mut policy = ExecPolicy::all(registry, Arc::new(MemVfs::new()));
    policy.limits.max_stdout_bytes = limit;
    policy.limits.time_limit = Duration::from_secs(100);
    Capabilities {
        exec: Grant::Given(policy),
        config: Grant::Given(Config::default().value("k", "v")),
        ..Capabilities::default()
    }
}

/// What a guest wrote, and how many programs it started.
fn run(module: &hotcell_exec::Module, capabilities: Capabilities) -> (Vec<u8>, usize) {
    let output = Capture::new(&Account::unlimited(), 1 << 20);
    let standard = Standard {
        input: Arc::new(Null),
        output: Arc::new(output.clone()),
        log: Arc::new(Null),
    };
    let options = RunOptions {
        stop: StopToken::until(Instant::now() + Duration::from_secs(100)),
        ..RunOptions::default()
    };
    let ended = pollster::block_on(module.run(Host::new(capabilities, standard), options));
    assert!(matches!(ended.outcome, Outcome::Returned), "{ended:?}");
    (output.take().bytes, ended.started)
}
