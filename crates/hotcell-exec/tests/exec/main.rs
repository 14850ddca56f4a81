//! The host, through the calls that a guest makes.
//!
//! - `control`: `_ctl`, and what it lists, describes and opens;
//! - `hub`: commands, futures, events, sessions, joins, and what bounds them;
//! - `start`: what `exec.start.v1` refuses, and in which order;
//! - `running`: programs, their streams, limits and statuses;
//! - `siblings`: files, configuration, connections;
//! - `transcripts`: recording and replaying, and chunk schedules;
//! - `wasm`: guests that are WebAssembly: what they import, export and are given;
//! - `network`: connections behind a policy, to servers of this machine;
//! - `hostile`: guests that do not end, wait, grow, trap or do not read;
//! - `turns`: programs and futures beside each other, and who has a turn;
//! - `attacks`: guests that try to break one promise each;
//! - `example`: the worked examples, in WebAssembly text and in C;
//! - `client`: guests written with `hotcell-guest`;
//! - `conformance`: the checklist of the capability, point by point;
//! - `secrets`: nothing of arguments, environment and input is told;
//! - `random`: any commands in any pieces.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]
#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "in tests texts are put together as it reads best"
)]

mod attacks;
mod client;
mod conformance;
mod control;
mod example;
mod harness;
mod hostile;
mod hub;
mod network;
mod random;
mod running;
mod secrets;
mod siblings;
mod start;
mod transcripts;
mod turns;
mod wasm;
