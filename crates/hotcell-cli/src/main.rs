//! The `hotcell` command.
//!
//! Each subcommand is a module of its own name; [`args`] says what they take. The way from `main` to running code is short
//! on purpose: a cold start is a few milliseconds, most of which belong to the system.
#![forbid(unsafe_code)]

mod args;
mod check;
mod completions;
mod doctor;
mod exit;
mod inspect;
mod man;
mod paint;
mod print;
mod prompt;
mod repl;
mod report;
mod rpc;
mod run;
mod serve;
mod setup;
mod sh;
mod source;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        // Its exit code is that of the command, which may be any.
        Command::Sh(args) => return sh::sh(&args).unwrap_or_else(fail),
        Command::Run(args) => run::file(&args),
        Command::Eval(args) => run::eval(&args),
        Command::Repl(args) => repl::repl(&args),
        Command::Check(args) => check::check(&args),
        Command::Prompt(args) => prompt::prompt(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { dir } => man::man(dir.as_deref()),
    };
    result.map_or_else(fail, ExitCode::from)
}

/// Says what went wrong around the code.
#[expect(clippy::needless_pass_by_value, reason = "made for map_or_else")]
fn fail(error: exit::CliError) -> ExitCode {
    report::failure(&error);
    exit::Exit::Usage.into()
}
