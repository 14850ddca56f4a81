//! Processes without an operating system.
//!
//! A shell command is one process or several, connected by pipes. Here a process is a [coroutine](Kernel): plain
//! synchronous Rust code on a stack of its own, which reads and writes streams, and gives way where a real process would
//! block. All processes of one run are one future, so a pipeline costs microseconds, holds no thread while it waits, and
//! ends when the future is dropped.
//!
//! ```
//! use hotcell_process::{Capture, Kernel, KernelOptions, Spec, Status};
//! use std::io::{Read, Write};
//! use std::sync::Arc;
//!
//! let kernel = Kernel::new(KernelOptions::default());
//! let output = Capture::new(kernel.account(), 1 << 20);
//! let spec = Spec::new(["shout"]).stdout(Arc::new(output.clone()));
//! let run = kernel.run(spec, |process| {
//!     let (reader, writer) = process.pipe()?;
//!     let child = process.spec(["hello"]).stdout(writer);
//!     process.spawn(child, |child| Ok(child.stdout().write_all(b"hello").map(|()| 0)?))?;
//!     let mut text = String::new();
//!     process.input(reader).read_to_string(&mut text)?;
//!     process.stdout().write_all(text.to_uppercase().as_bytes())?;
//!     Ok(0)
//! });
//! assert_eq!(pollster::block_on(run).status, Status::Exited(0));
//! assert_eq!(output.take().bytes, b"HELLO");
//! ```
//!
//! # The parts
//!
//! - [`Kernel`] is what the processes of one run share: the file system, the stop token, the account of memory, limits.
//!   [`Kernel::run`] is the future that drives them.
//! - [`Process`] is what a program sees of itself: arguments, environment, descriptors, files, and everything that waits.
//! - [`Program`] is something that can be run by name, [`Programs`] where names are looked up.
//! - [`Stream`] is what a descriptor refers to: a pipe, an open file, the host's own input and output.
//! - [`Observer`] hears of limits that were met and of what was refused, from whoever decided it.
//!
//! # Invariants
//!
//! - **Killing needs no consent.** Whoever reads, writes, sleeps, waits or calls [`Process::spend`] is at a point where it
//!   can be killed: its stack is unwound there, and its destructors run. So every loop of a program does one of these.
//! - **A process does not suspend while it is being unwound**, and holds no lock and no thread-local borrow when it
//!   suspends: it may go on on another thread.
//! - **Foreign code** (wakers, sinks of the host) is never called under a lock of this crate.

mod alarm;
mod capture;
mod coroutine;
mod descriptors;
mod environment;
mod error;
mod fifo;
mod file;
mod given;
mod io;
mod kernel;
mod limits;
mod lookup;
mod null;
mod observer;
mod pipe;
mod process;
mod program;
mod signal;
mod spec;
mod status;
mod stream;
mod waker;

pub use alarm::Alarm;
pub use capture::{Capture, Captured, Told};
pub use descriptors::{Descriptors, Fd};
pub use environment::Environment;
pub use error::{errno, error_text, file_error, limit_error};
pub use file::OpenFile;
pub use given::Given;
pub use io::{Input, Output};
pub use kernel::{Ended, Kernel, KernelOptions, Run};
pub use limits::Limits;
pub use lookup::LookupError;
pub use null::{Null, pipe_metadata};
pub use observer::{Capability, Denial, Exchange, LimitKind, Notice, Observer};
pub use pipe::{PipeReader, PipeWriter, pipe};
pub use process::{Process, named_descriptor};
pub use program::{NoPrograms, Program, Programs};
pub use signal::{Disposition, Signal};
pub use spec::Spec;
pub use status::{Pid, Status};
pub use stream::Stream;
