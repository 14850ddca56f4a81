//! Cells through the public API, one file per promise.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod clocks;
mod damage;
mod deadline;
mod escape;
mod foreign;
mod globals;
mod growth;
mod host_memory;
mod hostile;
mod image;
mod language;
mod library;
mod memory;
mod modules;
mod policy;
mod process;
mod realm;
mod scheduling;
mod serde;
mod shadowing;
mod snapshot;
mod source;
mod stacks;
mod support;
mod tools;
mod values;
mod visit;
mod watch;
