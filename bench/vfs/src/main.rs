//! Measures files in memory and the file tools; searches beside ripgrep with one thread, in turns in one run.
//!
//! Prints one JSON object; `cargo xtask bench vfs` turns it into the table in `bench/RESULTS.md`.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod files;
mod forks;
mod ripgrep;
mod samples;
mod searches;

use bench_measure::{Report, Row};

fn main() {
    let ripgrep = ripgrep::Ripgrep::find();
    let mut report = Report::new(ripgrep.name());
    forks::measure(&mut report);
    searches::measure(&mut report, &ripgrep);
    files::measure(&mut report);
    report.print();
}

/// A row that has nothing beside it.
fn alone(name: &str, unit: &str, bar: Option<f64>, hotcell: f64) -> Row {
    Row {
        name: name.into(),
        unit: unit.into(),
        bar,
        hotcell,
        ..Row::default()
    }
}
