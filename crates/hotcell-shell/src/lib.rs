//! A bash for agents: the language of bash 5.2 over a virtual file system, without a process of the machine.
//!
//! ```
//! use std::sync::Arc;
//! use hotcell_process::{Capture, Kernel, KernelOptions};
//! use hotcell_shell::{Shell, ShellOptions, ShellPrograms, Streams};
//! use hotcell_utilities::Utilities;
//!
//! let kernel = Kernel::new(KernelOptions {
//!     programs: Arc::new(ShellPrograms::new(Arc::new(Utilities))),
//!     ..KernelOptions::default()
//! });
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let streams = Streams { stdout: Arc::new(output.clone()), ..Streams::default() };
//!
//! let mut shell = Shell::new(ShellOptions::default());
//! pollster::block_on(shell.run(&kernel, "greet() { echo \"hello $1\"; }; who=world", streams.clone()));
//! let ended = pollster::block_on(shell.run(&kernel, "greet $who | tr a-z A-Z", streams));
//! assert_eq!(ended.status.code(), 0);
//! assert_eq!(output.take().bytes, b"HELLO WORLD\n");
//!
//! let saved = serde_json::to_string(&shell.save())?;
//! let copy = Shell::load(&serde_json::from_str(&saved)?)?;
//! assert_eq!(copy.save(), shell.save());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//!
//! - [`Shell`] is the state that one command leaves for the next: [`Shell::run`] runs a command, [`Shell::save`] and
//!   [`Shell::load`] turn the state into data and back.
//! - [`ShellPrograms`] puts `bash` and `sh` among the programs, so that `bash -c`, `#!/bin/bash` and `xargs sh -c` work.
//! - [`parse`] makes the tree of [`ast`] from a script, one complete command at a time, so that earlier lines have run when a
//!   later one turns out to be wrong, as in bash. [`mod@print`] makes text of the tree again.
//!
//! # How a command runs
//!
//! `execute` walks the tree. Words become fields in `expand`; a name is a function, a builtin (`builtins`, a file each) or a
//! program. What bash forks for is a clone of the [`Shell`], which shares what it does not change, in a process of
//! [`hotcell_process`]: the stages of a pipeline and jobs run beside the shell, while `(…)`, `$(…)`, the last stage of a
//! pipeline and programs run on its own stack, at the cost of a call.
//!
//! # What is promised
//!
//! Scripts are hostile. Whatever one does, it ends when its run is told to; what it holds is charged; recursion without end
//! and nesting without end are errors that the shell survives; and no input makes it panic.

#![forbid(unsafe_code)]

mod arithmetic;
pub mod ast;
mod brace;
mod builtins;
mod collect;
mod describe;
mod execute;
mod expand;
mod fields;
mod flow;
mod glob;
mod holdings;
mod host;
mod invoke;
mod jobs;
mod kind;
mod marked;
mod names;
pub mod parse;
mod pattern;
mod positional;
pub mod print;
mod programs;
mod quote;
mod redirect;
mod regex;
mod save;
mod session;
mod settings;
mod shell;
mod start;
mod stdin;
mod substitute;
mod text;
mod trace;
mod traps;
mod variables;

pub use kind::CommandKind;
pub use programs::{ShellPrograms, run_shell};
pub use save::{LoadError, SavedShell};
pub use session::{Running, Started, Streams};
pub use shell::Shell;
pub use start::ShellOptions;
