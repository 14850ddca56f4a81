//! The sandbox through its public interface.
#![expect(clippy::unwrap_used, reason = "tests")]

mod acceptance;
mod audit;
mod commands;
mod concurrency;
mod contract;
mod files;
mod kept;
mod limits;
mod mounts;
mod network;
mod output;
mod programs;
mod state;
mod support;

use hotcell_sandbox::Isolation;
use support::{PATIENCE, options, run, sandbox, text, with};

const ISOLATION: Isolation = Isolation::Thread;
