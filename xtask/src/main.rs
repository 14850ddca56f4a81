//! Builds the image, runs every check and the benchmarks.

mod bench;
mod command;
mod demo;
mod deny;
mod image;
mod layers;
mod test;
mod twice;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Everything there is to do in this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and show what it does.
    Demo,
    /// Build everything and run every check: format, dependencies, lints, tests, documentation.
    Test {
        /// Run only the tests whose names contain this.
        filter: Option<String>,
    },
    /// Check what is built in: licences, duplicates, advisories, and that nothing is built twice.
    Dependencies,
    /// Build the image that every cell starts from, unless it is up to date.
    Image(image::Options),
    /// Measure.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    match Arguments::parse().task {
        Task::Demo => demo::run(),
        Task::Test { filter } => test::run(filter.as_deref()),
        Task::Dependencies => test::dependencies(),
        Task::Image(options) => image::build(&options),
        Task::Bench(options) => bench::run(&options),
    }
}
