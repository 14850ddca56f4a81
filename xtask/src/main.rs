//! Builds the image, runs every check and the benchmarks.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use hotcell_image::build::Compiler;

/// Everything there is to do in this repository.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the image that every cell starts from, unless it is up to date.
    Image {
        /// The C compiler that makes the WebAssembly.
        #[arg(long, value_enum, default_value = "zig")]
        compiler: CompilerName,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum CompilerName {
    Zig,
    Clang,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Image { compiler } => image(match compiler {
            CompilerName::Zig => Compiler::Zig,
            CompilerName::Clang => Compiler::Clang,
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn image(compiler: Compiler) -> Result<()> {
    let report =
        hotcell_image::build::image(&root(), compiler, &mut |what| eprintln!("image: {what}"))?;
    let state = if report.up_to_date {
        "is up to date"
    } else {
        "is built"
    };
    eprintln!(
        "image: {} {state}, {} KiB",
        &report.build_id[..16],
        report.bytes / 1024
    );
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
