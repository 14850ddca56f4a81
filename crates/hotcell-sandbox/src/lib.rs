//! Shell commands over files of their own, behind a wall.
//!
//! A sandbox is a file system and a shell that works on it. Commands are bash's, with some 150 utilities; none of them is a process
//! of the machine, and none sees a file, a variable or an address that it was not given.
//!
//! ```
//! use hotcell_sandbox::{ErrorClass, Sandbox, SandboxOptions};
//! use std::time::Duration;
//!
//! # pollster::block_on(async {
//! let sandbox = Sandbox::create(SandboxOptions::default().file("prices.csv", "tea,3\ncake,4\n"))?;
//!
//! // What a command prints, and its exit code.
//! let result = sandbox.run("awk -F, '{ sum += $2 } END { print sum }' prices.csv").await?;
//! assert_eq!((result.exit_code, &*result.stdout), (0, &b"7\n"[..]));
//!
//! // The shell stays as a command leaves it: variables, functions, the working directory.
//! sandbox.run("greet() { echo \"hello $1\"; }; mkdir notes; cd notes").await?;
//! assert_eq!(sandbox.run("greet world | tee greeting").await?.stdout, b"hello world\n");
//! assert_eq!(sandbox.read_file("/workspace/notes/greeting")?, b"hello world\n");
//!
//! // Whatever a command does, it ends when it is told to. What it printed is there, and the next one runs.
//! let stuck = hotcell_sandbox::Command::new("echo begun; while :; do :; done").timeout(Duration::from_millis(50));
//! let result = sandbox.run(stuck).await?;
//! assert_eq!((result.exit_code, result.error_class), (124, Some(ErrorClass::Timeout)));
//! assert_eq!(result.stdout, b"begun\n");
//!
//! // A fork takes microseconds, however much there is.
//! let fork = sandbox.fork()?;
//! fork.run("rm greeting").await?;
//! assert!(sandbox.exists("greeting")? && !fork.exists("greeting")?);
//!
//! // And a snapshot goes on elsewhere.
//! let bytes = sandbox.snapshot()?;
//! let elsewhere = Sandbox::restore(&bytes, SandboxOptions::default())?;
//! assert_eq!(elsewhere.run("pwd; greet you").await?.stdout, b"/workspace/notes\nhello you\n");
//! # Ok::<(), hotcell_sandbox::SandboxError>(()) }).unwrap();
//! ```
//!
//! # Concepts
//!
//! - **[`Sandbox`]** has files, a shell and a history. [`run`](Sandbox::run) is a future; one command runs at a time, others wait or
//!   are refused ([`Concurrency`]).
//! - **[`RunResult`]** is what came of a command, whatever it was. [`ErrorClass`] tells the sandbox's reasons from the command's own.
//! - **[`SandboxOptions`]** say what it may: limits ([`Limits`], all with defaults), files that are [mounted](Mount), a list of
//!   programs, [commands of the host's](HostCommand), a [network](Network). Without them it has nothing of the machine's.
//! - **[`AuditEvent`]s** come from where things are decided.
//! - **Fork, snapshot, restore**: state goes along, authority does not.
//! - **In an executor** ([`Sandbox::tools`]) JavaScript, file tools and `bash(command)` work on the same files.
//!
//! # Invariants
//!
//! - **Killing needs no consent**, and reaches everything: all processes of a command are coroutines of one future, which are
//!   unwound where they stand. Nothing runs on afterwards; there is nothing else that could.
//! - **Files are whole**: an operation on them happens or does not. After a kill they are as the last completed operation left
//!   them, and the shell is as the last completed command left it.
//! - **Foreign code** (listeners, sinks, functions, file systems of the host's) is never called under a lock.
//! - **A snapshot carries state, never authority.**

#![forbid(unsafe_code)]

mod agent;
mod allow;
mod audit;
mod boundary;
mod command;
mod commands;
mod error;
mod history;
mod limits;
mod line;
mod mount;
mod network;
mod notes;
mod options;
mod output;
mod programs;
mod random;
mod result;
mod run;
mod sandbox;
mod snapshot;
mod world;

pub use audit::{AuditEvent, AuditKind, KillReason, Origin};
pub use boundary::Isolation;
#[cfg(target_os = "linux")]
pub use boundary::worker;
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use boundary::worker_service;
pub use command::Command;
pub use commands::{CommandCall, CommandInput, CommandOutput, HostCommand};
pub use error::{Result, SandboxError};
pub use history::HistoryEntry;
pub use hotcell_cell::{Pool, Random, SnapshotKey};
pub use hotcell_process::{Capability, Denial, Exchange, LimitKind, Stream};
pub use hotcell_shell::CommandKind;
pub use limits::Limits;
pub use line::Canceller;
pub use mount::Mount;
pub use network::Network;
pub use options::{Concurrency, OptionsError, SandboxOptions};
pub use output::OutputStream;
pub use result::{ErrorClass, RunResult, Truncated};
pub use run::Running;
pub use sandbox::Sandbox;
