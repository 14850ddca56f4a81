//! Executors through the public API, one file per promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod conformance;
mod errors;
mod freeze;
mod life;
mod logs;
mod positions;
mod rules;
mod support;
mod tools;
