//! Executors through the public API, one file per promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod catalog;
mod conformance;
mod contract;
mod damage;
mod deadline;
mod errors;
mod freeze;
mod growth;
mod host_memory;
mod life;
mod line;
mod logs;
mod modules;
mod positions;
mod rules;
mod schema;
mod support;
mod suspend;
mod tools;
