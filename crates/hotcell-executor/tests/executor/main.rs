//! Executors through the public API, one file per promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod background;
mod catalog;
mod clocks;
mod conformance;
mod content;
mod contract;
mod damage;
mod deadline;
mod errors;
mod events;
mod freeze;
mod growth;
mod host_memory;
mod kept;
mod life;
mod line;
mod logs;
mod modules;
mod positions;
mod recover;
mod rules;
mod schema;
mod store;
mod support;
mod suspend;
mod timers;
mod tools;
#[cfg(target_os = "linux")]
mod worker;

use hotcell_executor::Isolation;
use support::options;

/// Where the code of these tests runs; `tests/executor_process` has the same ones elsewhere.
const ISOLATION: Isolation = Isolation::Thread;

#[cfg(target_os = "linux")]
use hotcell_executor::worker_service as service;
