//! The tests of executors once more, with the code of each in a worker process; and what is special there.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../executor/background.rs"]
mod background;
#[path = "../executor/catalog.rs"]
mod catalog;
#[path = "../executor/clocks.rs"]
mod clocks;
#[path = "../executor/conformance.rs"]
mod conformance;
#[path = "../executor/content.rs"]
mod content;
#[path = "../executor/contract.rs"]
mod contract;
mod crash;
#[path = "../executor/deadline.rs"]
mod deadline;
#[path = "../executor/errors.rs"]
mod errors;
#[path = "../executor/events.rs"]
mod events;
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
#[path = "../executor/recover.rs"]
mod recover;
mod refused;
#[path = "../executor/rules.rs"]
mod rules;
#[path = "../executor/schema.rs"]
mod schema;
#[path = "../executor/store.rs"]
mod store;
#[path = "../executor/support.rs"]
mod support;
#[path = "../executor/suspend.rs"]
mod suspend;
#[path = "../executor/timers.rs"]
mod timers;
#[path = "../executor/tools.rs"]
mod tools;
#[path = "../executor/worker.rs"]
mod worker;

use hostile::service;
use hotcell_executor::Isolation;
use support::options;

const ISOLATION: Isolation = Isolation::Process;
