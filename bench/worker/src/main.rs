//! Measures worker processes beside threads of the same program, in one run.
//!
//! Prints one JSON object; `cargo xtask bench worker` turns it into the table in `bench/RESULTS.md`. Linux only, as workers are.

#![expect(clippy::unwrap_used, reason = "a program for developers")]

mod files;
mod runs;
mod workers;

use bench_measure::{Report, machine};
use hotcell_worker::Program;

fn main() {
    // The workers of all parts are this program.
    if hotcell_worker::is_worker() {
        let (name, make) = files::service();
        hotcell_worker::run(&Program {
            build: &hotcell_executor::worker_build(),
            services: &[
                hotcell_executor::worker_service(),
                hotcell_sandbox::worker_service(),
                (name, make),
            ],
        });
    }
    hotcell_worker::this_program_can_be_a_worker();
    let mut report = Report::new("thread");
    report.machine = machine();
    runs::measure(&mut report);
    files::measure(&mut report);
    workers::measure(&mut report);
    report.print();
}
