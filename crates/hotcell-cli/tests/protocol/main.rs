//! The stdio protocol, from the client's side.
//!
//! - `lifecycle`: executors from create to dispose, snapshots and forks, the end of the process;
//! - `concurrency`: many at once, order, cancelling;
//! - `sandboxes`: shell commands, files, forks and snapshots;
//! - `tools`: calls of tools that the client has;
//! - `wire`: lines that are no messages, and messages that are no requests.
#![expect(
    clippy::needless_pass_by_value,
    reason = "params are made where they are sent"
)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod client;
mod concurrency;
mod files;
#[cfg(target_os = "linux")]
mod isolation;
mod lifecycle;
mod sandboxes;
mod texts;
mod tools;
mod wire;
