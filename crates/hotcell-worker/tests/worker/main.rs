//! Real worker processes: their life, their files, their death, and their jail.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

mod attack;
mod crash;
mod files;
mod hostile;
mod kill;
mod lifecycle;
mod service;
mod storm;
mod support;

hotcell_worker::worker_before_main!(service::main);
