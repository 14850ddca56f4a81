//! Ways out of a host directory, and that none of them leads anywhere.
//!
//! Every test has a directory that is mounted and one beside it that must be neither read nor changed.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the attacker of these tests is on the host"
)]

mod attacker;
mod fixture;
mod games;
mod races;
