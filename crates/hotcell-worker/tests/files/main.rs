//! Files through shared memory: every operation and its errors, the shapes on the wire, and that nobody can tell the difference.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

mod fetch;
mod garbage;
mod model;
mod operations;
mod shapes;
mod support;
