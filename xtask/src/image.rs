//! `cargo xtask image`.

use anyhow::Result;
use clap::{Args, ValueEnum};
use hotcell_image::build::Compiler;

use crate::command::root;

#[derive(Args, Default)]
pub(crate) struct Options {
    /// The C compiler that makes the WebAssembly.
    #[arg(long, value_enum, default_value_t)]
    compiler: CompilerName,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum CompilerName {
    /// From `ziglang` of the Python index, installed beside the image: no root needed.
    #[default]
    Zig,
    /// Debian's clang 19 with wasi-libc.
    Clang,
}

/// Builds the image unless it is up to date.
pub(crate) fn build(options: &Options) -> Result<()> {
    let compiler = match options.compiler {
        CompilerName::Zig => Compiler::Zig,
        CompilerName::Clang => Compiler::Clang,
    };
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
