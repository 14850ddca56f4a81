//! WebAssembly programs as a shell runs them.
//!
//! - `functions`: every function of WASI preview 1 and its errors, by the C programs in `tests/c`;
//! - `unstable`: the same for what differs in the older version;
//! - `places`: what paths mean;
//! - `pipelines`: programs among built-in ones, streams, descriptors;
//! - `ends`: exit codes, signals, faults, limits, kills;
//! - `policy`: clocks and chance;
//! - `lookup`: how programs are found, and what is said if they are not;
//! - `modules`: what can be compiled, and what becomes of compiled code;
//! - `hostile`: modules that nobody should run.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod ends;
mod functions;
mod hostile;
mod lookup;
mod modules;
mod pipelines;
mod places;
mod policy;
mod support;
mod unstable;
