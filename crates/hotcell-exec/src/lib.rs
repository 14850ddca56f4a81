//! The exec capability: WebAssembly guests that start sandboxed programs.
//!
//! A **guest** is a WebAssembly module that imports seven functions and exports one. Through them it asks its **host** which
//! capabilities it has, opens a **hub**, and registers **futures** there: start this program, tell its status, list these files.
//! What comes of them are **events**, and **handles**: streams of bytes that the guest reads and writes.
//!
//! ```
//! use hotcell_exec::{Capabilities, Engine, ExecPolicy, Grant, Host, Outcome, Registry, RunOptions, Standard};
//! use hotcell_process::{Capture, Null};
//! use hotcell_utilities::Utilities;
//! use std::sync::Arc;
//!
//! // Which programs there are, and which of them this guest may start.
//! let mut registry = Registry::new();
//! registry.programs("tools", &Utilities);
//! let mut policy = ExecPolicy::all(registry, Arc::new(hotcell_vfs::MemVfs::new()));
//! policy.allow = ["tools/echo".to_owned()].into();
//!
//! // The guest: it starts `tools/echo hi`, and copies what that prints.
//! let guest = Engine::new()?.module(include_bytes!("../examples/guests/echo.wat"))?;
//! let output = Capture::new(&hotcell_meter::Account::unlimited(), 1 << 20);
//! let standard = Standard { input: Arc::new(Null), output: Arc::new(output.clone()), log: Arc::new(Null) };
//! let capabilities = Capabilities { exec: Grant::Given(policy), ..Capabilities::default() };
//! let run = guest.run(Host::new(capabilities, standard), RunOptions::default());
//! assert!(matches!(pollster::block_on(run).outcome, Outcome::Returned));
//! assert_eq!(output.take().bytes, b"hi\n");
//! # Ok::<(), hotcell_exec::ModuleError>(())
//! ```
//!
//! # The parts
//!
//! - [`Capabilities`] say what a guest gets: each is a [`Grant`], and each has limits, which `CAPS_DESCRIBE` tells.
//!   [`ExecPolicy`] is about programs, [`FilePolicy`] and [`Config`] about files and values to read, [`net`] about
//!   connections.
//! - [`Registry`] knows programs by identity. What a program is, [`hotcell_process::Program`] says: a utility, a function of
//!   yours, JavaScript in a cell, a WASI module.
//! - [`Host`] makes the calls real. It is there without WebAssembly, too, for guests of other kinds and for tests.
//! - [`Engine`] compiles guests, [`Module::run`] runs one on a fiber: while it waits it holds no thread.
//! - [`transcript`]s record a run and replay it without its host; a [`Schedule`] lets reads end early on purpose.
//!
//! The bytes themselves are in [`hotcell_hopper`]; `docs/exec-capability.md` has every layout, choice and limit.
//!
//! # Invariants
//!
//! - **A program moves only within a call of its guest.** So what a guest sees depends on what it does, and not on how the
//!   machine schedules threads. Time shows only where somebody asked for it: limits, timeouts, `sleep`.
//! - **Nothing grows with what a guest does not read.** Streams, queues and tables have bounds; a full output makes its program
//!   wait, a full queue takes no more commands. What the host holds is charged to one account.
//! - **A call that cannot be done returns −1 and has done nothing.** No call traps, whatever its numbers are.
//! - **Nothing of arguments, environment or input is in any text of ours**: not in failures, whose words belong to their
//!   codes, not in `Debug`. A transcript has them, and is made only if somebody asks.
//! - **Names, never paths.** An id is looked up in a table, and so is whatever a program starts by name.

#![forbid(unsafe_code)]

mod chunks;
mod config;
mod control;
mod describe;
mod exec;
mod files;
#[cfg(feature = "compile")]
mod guest;
mod handles;
mod host;
mod hub;
mod ids;
pub mod net;
mod options;
mod registry;
mod ring;
mod session;
mod stream;
pub mod transcript;
mod work;

pub use chunks::{Schedule, UnknownSchedule};
pub use config::Config;
pub use files::FilePolicy;
#[cfg(feature = "compile")]
pub use guest::{
    CompileError, CompileIn, Ended, Engine, Module, ModuleError, ModuleLimits, Outcome, RunOptions,
};
pub use host::{Host, HostError, LogSink};
pub use options::{Capabilities, ExecLimits, ExecPolicy, Grant, HubLimits};
pub use registry::{BadId, Registry};
pub use session::Standard;
