//! What `hotcell guest` takes.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueHint};
use hotcell::exec::Schedule;
use hotcell::net::{Rule, Scheme};

use super::{
    amounts::{parse_count, parse_duration, parse_size},
    parse_variable,
};

#[derive(Args)]
pub(crate) struct GuestArgs {
    #[command(subcommand)]
    pub(crate) command: GuestCommand,
}

#[derive(Subcommand)]
pub(crate) enum GuestCommand {
    /// Run a guest
    #[command(after_long_help = RUN_HELP)]
    Run(Box<GuestRunArgs>),
}

const RUN_HELP: &str = "\
A guest is a WebAssembly module, or its text, that imports req_read, res_write, res_end, log, _alloc, _free and _ctl from \"lembeh\" and
exports memory and lembeh_handle. It reads standard input as handle 0 and writes standard output as handle 1. Programs have ids:
tools/NAME for every utility, tools/bash and tools/js, and what --program adds. Nothing may be started that --allow does not name.

Examples:
  hotcell guest run echo.wat --allow tools/echo
  hotcell guest run agent.wasm --mount src=. --view /src --allow 'tools/*' --program-timeout 2s
  hotcell guest run agent.wasm --allow tools/sort --record run.jsonl
  hotcell guest run agent.wasm --connect db.example.com:5432
  hotcell guest run agent.wasm --replay run.jsonl

Exit codes:
  0 the guest returned, 1 it trapped or left its transcript, 2 wrong usage, 124 time or fuel limit, 125 cancelled (Ctrl-C), 137 memory limit";

#[derive(Args)]
pub(crate) struct GuestRunArgs {
    /// Module to run, binary or text, or - for standard input
    #[arg(value_name = "MODULE", value_hint = ValueHint::FilePath)]
    pub(crate) module: PathBuf,
    /// A program that it may start: an id, or a beginning and *
    #[arg(long, value_name = "ID", conflicts_with = "replay")]
    pub(crate) allow: Vec<String>,
    /// A program that is a file of the tree below --mount: JavaScript (.js), a shell script (.sh), or a WASI module
    #[arg(long, value_name = "ID=PATH", value_parser = parse_variable, conflicts_with = "replay")]
    pub(crate) program: Vec<(String, String)>,
    /// A directory that programs see as /NAME; it is not changed
    #[arg(long, value_name = "NAME=DIR", value_parser = parse_variable, conflicts_with = "replay")]
    pub(crate) mount: Vec<(String, String)>,
    /// Where programs begin [default: the first --mount, or /]
    #[arg(long, value_name = "PATH", conflicts_with = "replay")]
    pub(crate) cwd: Option<String>,
    /// A directory of that tree whose files the guest may list and read itself
    #[arg(long, value_name = "PATH", conflicts_with = "replay")]
    pub(crate) view: Option<String>,
    /// A value that the guest may read
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_variable, conflicts_with = "replay")]
    pub(crate) config: Vec<(String, String)>,
    /// A value that the guest knows to be there, and may not read
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_variable, conflicts_with = "replay")]
    pub(crate) secret: Vec<(String, String)>,
    /// Where the guest may connect to by TCP: db.example.com:5432, *.example.com:443, localhost:8000-8100 (repeatable)
    #[arg(long, value_name = "HOST:PORTS", value_parser = parse_destination, conflicts_with = "replay")]
    pub(crate) connect: Vec<Rule>,
    /// Let names of --connect lead to private addresses and to this machine
    #[arg(long, requires = "connect")]
    pub(crate) connect_private: bool,
    /// Write everything that goes between guest and host to a file, arguments and inputs of programs included
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<PathBuf>,
    /// Answer as such a file says, and run no programs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) replay: Option<PathBuf>,
    /// How much reads give: all, byte, pow2, crlf, random or random:SEED
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "replay")]
    pub(crate) chunks: Option<Schedule>,
    #[command(flatten)]
    pub(crate) limits: GuestLimitArgs,
}

/// A rule of the network's for bytes, which have no methods and no paths.
fn parse_destination(text: &str) -> Result<Rule, String> {
    let target = text.strip_prefix("tcp://").unwrap_or(text);
    let rule: Rule = format!("tcp://{target}")
        .parse()
        .map_err(|error: hotcell::net::PolicyError| error.to_string())?;
    if rule.schemes != [Scheme::Tcp] || rule.path_prefix.is_some() || text.contains(' ') {
        return Err("use HOST:PORT, as in db.example.com:5432".to_owned());
    }
    Ok(rule)
}

#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct GuestLimitArgs {
    /// Time for the guest, such as 500ms, 5s or 2m
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Instructions of the guest, about [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub(crate) fuel: Option<u64>,
    /// Memory of the guest
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Memory that is kept for the guest outside of it: buffers, requests, events
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = parse_size)]
    pub(crate) host_memory: u64,
    /// Handles at once
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = parse_count)]
    pub(crate) max_handles: u64,
    /// Time for each program
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub(crate) program_timeout: Duration,
    /// Time that each program may compute [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) program_cpu: Option<Duration>,
    /// Memory of each program
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size)]
    pub(crate) program_memory: u64,
    /// Input of each program
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_size)]
    pub(crate) max_stdin: u64,
    /// Each output of each program; one byte more ends it
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = parse_size)]
    pub(crate) max_stdout: u64,
    /// Arguments of a program
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = parse_count)]
    pub(crate) max_args: u64,
    /// Variables of a program's environment
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = parse_count)]
    pub(crate) max_env: u64,
    /// Programs at once
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = parse_count)]
    pub(crate) max_running: u64,
    /// Programs in the whole run
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_starts: u32,
}
