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
