//! The stdio protocol, from the client's side.
//!
//! - `lifecycle`: executors from create to dispose, snapshots and forks, the end of the process;
//! - `code_mode`: the host of Codex's code mode, which speaks a protocol of its own;
//! - `concurrency`: many at once, order, cancelling;
//! - `content`: what code shows, tells and stores;
//! - `load`: clients that ask for much, or read little;
//! - `runs`: runs that wait, in the background, and what happens as events;
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
mod code_mode;
mod concurrency;
mod content;
mod files;
#[cfg(target_os = "linux")]
mod isolation;
mod lifecycle;
#[cfg(target_os = "linux")]
mod load;
mod runs;
mod sandboxes;
mod texts;
mod tools;
mod wire;
