//! The tests of executors once more, with the code of each in a worker process; and what is special there.
//!
//! Not here are `content` and `store`, which are refused there (`refused` looks at that), and `recover`, `clocks` and `timers`, most of
//! whose tests recover or have no timeout: nothing is kept of a worker, and it has to have a timeout.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../executor/catalog.rs"]
mod catalog;
#[path = "../executor/conformance.rs"]
mod conformance;
#[path = "../executor/contract.rs"]
mod contract;
mod crash;
#[path = "../executor/deadline.rs"]
mod deadline;
#[path = "../executor/errors.rs"]
mod errors;
mod files;
#[path = "../executor/freeze.rs"]
mod freeze;
mod hostile;
#[path = "../executor/life.rs"]
mod life;
#[path = "../executor/line.rs"]
mod line;
#[path = "../executor/logs.rs"]
mod logs;
#[path = "../executor/modules.rs"]
mod modules;
#[path = "../executor/positions.rs"]
mod positions;
mod refused;
#[path = "../executor/rules.rs"]
mod rules;
#[path = "../executor/schema.rs"]
mod schema;
#[path = "../executor/support.rs"]
mod support;
#[path = "../executor/suspend.rs"]
mod suspend;
#[path = "../executor/tools.rs"]
mod tools;
#[path = "../executor/worker.rs"]
mod worker;

use hostile::service;
use hotcell_executor::Isolation;
use support::options;

const ISOLATION: Isolation = Isolation::Process;
