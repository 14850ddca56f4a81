//! Executors through the public API, one file per promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod conformance;
mod errors;
mod life;
mod support;
