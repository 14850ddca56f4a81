//! The file tools through their public face, on every kind of file system.
//!
//! - `cases`: what the tools give, from `tests/data/file-tools.json`
//! - `calls`: arguments of dynamic calls, schemas
//! - `confinement`: no way out of the workspace
//! - `races`: nor while another process rearranges it
//! - `edits`: edit beyond the cases
//! - `files`: unusual files: missing, binary, huge, oddly named
//! - `search`: grep, find and ls beyond the cases
//! - `together`: several callers at a time, cancelling
//! - `properties`: whatever the text, whatever the tree

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking, is written to be read, and has a host to look at"
)]

#[cfg(unix)]
#[path = "../../../hotcell-vfs/tests/escape/attacker.rs"]
mod attacker;
mod calls;
mod cases;
mod code;
mod confinement;
mod edits;
mod files;
mod patch;
mod properties;
#[cfg(unix)]
mod races;
mod search;
mod support;
mod together;
