//! The tests of the sandbox once more, with every command in a worker process; and what is special there.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../sandbox/acceptance.rs"]
mod acceptance;
#[path = "../sandbox/audit.rs"]
mod audit;
#[path = "../sandbox/commands.rs"]
mod commands;
#[path = "../sandbox/concurrency.rs"]
mod concurrency;
mod crash;
#[path = "../sandbox/files.rs"]
mod files;
#[path = "../sandbox/kept.rs"]
mod kept;
#[path = "../sandbox/limits.rs"]
mod limits;
#[path = "../sandbox/mounts.rs"]
mod mounts;
#[path = "../sandbox/network.rs"]
mod network;
#[path = "../sandbox/output.rs"]
mod output;
#[path = "../sandbox/programs.rs"]
mod programs;
#[path = "../sandbox/state.rs"]
mod state;
#[path = "../sandbox/support.rs"]
mod support;
mod warm;

use hotcell_sandbox::Isolation;
use support::{PATIENCE, options, run, sandbox, text, with};

const ISOLATION: Isolation = Isolation::Process;
