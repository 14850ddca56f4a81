//! `hotcell program` and its commands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Subcommand)]
pub(crate) enum ProgramCommand {
    /// Add programs, by name or from a file
    Add(ProgramAddArgs),
    /// Tell which programs there are
    List(ProgramListArgs),
    /// Remove programs
    Remove(ProgramRemoveArgs),
}

/// Where installed programs are.
#[derive(Args)]
pub(crate) struct DataArgs {
    /// Directory of installed programs [default: `$HOTCELL_DATA`, or hotcell in the user's data directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ProgramAddArgs {
    /// python, ruby, sqlite3, php, or a WebAssembly file (.wasm) for WASI preview 1
    #[arg(value_name = "PROGRAM", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) programs: Vec<String>,
    /// What a file is called [default: its name without .wasm]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Args)]
pub(crate) struct ProgramListArgs {
    /// Print one JSON object instead
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Args)]
pub(crate) struct ProgramRemoveArgs {
    /// Their names
    #[arg(value_name = "NAME", required = true)]
    pub(crate) programs: Vec<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}
