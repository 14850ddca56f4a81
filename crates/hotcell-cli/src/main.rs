//! The `hotcell` command.
//!
//! Each subcommand is a module of its own name; [`args`] says what they take. The way from `main` to running code is short
//! on purpose: a cold start is a few milliseconds, most of which belong to the system.
#![forbid(unsafe_code)]

mod args;
mod changes;
mod check;
mod code_mode;
mod completions;
mod doctor;
mod exit;
mod guest;
mod inspect;
mod man;
mod paint;
mod print;
mod program;
mod prompt;
mod repl;
mod report;
mod resume;
mod rpc;
mod run;
mod serve;
mod setup;
mod sh;
mod source;
mod typed;
mod wait;

use std::process::ExitCode;

use args::{Command, ProgramCommand};

fn main() -> ExitCode {
    // A worker is this program once more, and does nothing that follows.
    #[cfg(target_os = "linux")]
    hotcell::worker();
    let command = args::parse().command;
    let wants_json = match &command {
        Command::Run(args) => args.output.json,
        Command::Eval(args) => args.output.json,
        Command::Check(args) => args.json,
        Command::Resume(args) => args.output.json,
        Command::Inspect(args) => args.json,
        Command::Doctor(args) => args.json,
        Command::Program(ProgramCommand::List(args)) => args.json,
        _ => false,
    };
    let result = match command {
        // Its exit code is that of the command, which may be any.
        Command::Sh(args) => return sh::sh(&args).unwrap_or_else(fail),
        Command::Guest(args) => guest::guest(&args),
        Command::Run(args) => run::file(&args),
        Command::Eval(args) => run::eval(&args),
        Command::Resume(args) => resume::resume(&args),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Repl(args) => repl::repl(&args),
        Command::Program(command) => program::program(&command),
        Command::Check(args) => check::check(&args),
        Command::Prompt(args) => prompt::prompt(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::CodeModeHost(args) => code_mode::serve(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { dir } => man::man(dir.as_deref()),
    };
    match result {
        Err(error) if wants_json => {
            report::failure_as_json(&error);
            exit::Exit::Usage.into()
        }
        result => result.map_or_else(fail, ExitCode::from),
    }
}

/// Says what went wrong around the code.
#[expect(clippy::needless_pass_by_value, reason = "made for map_or_else")]
fn fail(error: exit::CliError) -> ExitCode {
    report::failure(&error);
    exit::Exit::Usage.into()
}
