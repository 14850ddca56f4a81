//! Measures cells beside plain native QuickJS (rquickjs), in one run on one machine.
//!
//! Prints one JSON object; `cargo xtask bench cell` turns it into the table in `bench/RESULTS.md`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a program for developers, whose main function is a list"
)]

mod hotcell_side;
mod native_side;

use bench_measure::{self as measure, Report, Row};

fn main() {
    // The process that `process start to first result` starts.
    match std::env::args().nth(1).as_deref() {
        Some("--first-hotcell") => return hotcell_side::first_result(),
        Some("--first-native") => return native_side::first_result(),
        _ => {}
    }
    let mut report = Report::new("native rquickjs");
    let mut add = |name: &str, unit: &str, bar: Option<f64>, hotcell: f64, native: Option<f64>| {
        report.add(Row {
            name: name.into(),
            unit: unit.into(),
            bar,
            hotcell,
            beside: native,
            ..Row::default()
        });
    };

    let engine = hotcell_side::engine();
    let (ours, native) = measure::side_by_side(
        &mut || hotcell_side::create_run_drop(&engine),
        &mut native_side::create_run_drop,
        2000,
    );
    add(
        "create, evaluate `1+1`, drop",
        "µs",
        Some(60.0),
        ours,
        Some(native),
    );
    let (ours, native) = measure::side_by_side(
        &mut hotcell_side::evaluate(&engine),
        &mut native_side::evaluate(),
        5000,
    );
    add(
        "evaluate `1+1` in a live cell",
        "µs",
        None,
        ours,
        Some(native),
    );
    let (ours, native) = measure::calls(
        &mut hotcell_side::sync_calls(&engine),
        &mut native_side::sync_calls(),
    );
    add(
        "sync tool call, one small argument",
        "µs",
        Some(0.5),
        ours,
        Some(native),
    );
    let (ours, native) = measure::calls(
        &mut hotcell_side::async_calls(&engine),
        &mut native_side::async_calls(),
    );
    add("async tool round trip", "µs", Some(4.0), ours, Some(native));
    let (ours, native) = measure::calls(
        &mut hotcell_side::loop_iterations(&engine),
        &mut native_side::loop_iterations(),
    );
    add(
        "loop iteration, `s = (s + i) | 0`",
        "µs",
        None,
        ours,
        Some(native),
    );

    for (name, code) in hotcell_side::ENDLESS {
        let native = native_side::kill(code);
        add(
            &format!("kill of {name}, after the deadline"),
            "ms",
            Some(2.0),
            hotcell_side::kill(&engine, code),
            native,
        );
    }
    add(
        "fork of a cell with small state",
        "µs",
        Some(500.0),
        hotcell_side::fork(&engine),
        None,
    );
    add(
        "snapshot of a cell with small state",
        "µs",
        None,
        hotcell_side::snapshot(&engine),
        None,
    );
    add("restore", "µs", None, hotcell_side::restore(&engine), None);
    add(
        "snapshot size",
        "KiB",
        None,
        hotcell_side::snapshot_size(&engine),
        None,
    );
    add(
        "memory per idle live cell (PSS, 1,000 cells)",
        "KiB",
        Some(350.0),
        hotcell_side::memory_per_cell(&engine, 1000),
        Some(native_side::memory_per_context(1000)),
    );
    let (seconds, per_cell) = hotcell_side::ten_thousand(&engine);
    add(
        "10,000 live cells, each answering: time per cell to make and answer",
        "µs",
        None,
        seconds * 1e6 / 10_000.0,
        None,
    );
    add(
        "10,000 live cells: memory per cell (PSS)",
        "KiB",
        None,
        per_cell,
        None,
    );
    let (ours, native) = measure::processes("--first-hotcell", "--first-native", 40);
    add(
        "process start to first result",
        "ms",
        Some(5.0),
        ours,
        Some(native),
    );

    report.print();
}
