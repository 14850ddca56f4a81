//! A cell: one JavaScript VM in a shielded room.
//!
//! A cell is a QuickJS-ng engine compiled to WebAssembly, with SES `lockdown()` already behind it. It owns its memory; it
//! sees the host only through the tools it is given. Making one costs microseconds, because it is not started but
//! continued from an image ([`hotcell_image`]).
//!
//! ```
//! use hotcell_cell::{CellOptions, Engine, Tool, Value};
//!
//! # pollster::block_on(async {
//! let engine = Engine::new()?;
//! let mut cell = engine.cell(CellOptions::default())?;
//! cell.define_tool("add", Tool::sync(|call| {
//!     let sum: f64 = call.arguments.iter().filter_map(Value::as_f64).sum();
//!     Ok(Value::from(sum))
//! }))?;
//!
//! let outcome = cell.evaluate("const total = add(40, 2); ({ total })").await?;
//! assert_eq!(outcome.value.get("total"), Some(&Value::from(42)));
//!
//! // What the code declared is still there.
//! let outcome = cell.evaluate("total / 2").await?;
//! assert_eq!(outcome.value, Value::from(21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Concepts, in the order you meet them
//!
//! - [`Engine`]: what all cells of a process share. Make one.
//! - [`Cell`]: one VM. [`Cell::evaluate`] runs code in it; state stays from one run to the next.
//! - [`Value`]: a copy of a JavaScript value, outside.
//! - [`Tool`]: a function of yours, inside.
//! - [`Program`]: code with its limits. A run ends at its deadline, whatever it does.
//! - [`CellError`]: how a run can end otherwise.
//! - [`Cell::snapshot`], [`Cell::fork`], [`Engine::restore`]: a cell's whole state, between jobs, as bytes or as a twin.
//!
//! Futures of this crate run wherever they are polled, on any executor. Code that computes for long gives the thread back
//! every millisecond; code that waits for a tool holds no thread at all. A program without an executor uses a [`Pool`].
//!
//! # What is trusted
//!
//! Nothing inside. Every length, tag and pointer that comes out of a cell is checked, and a cell that breaks the rules is
//! thrown away ([`CellError::Broken`]). Tools are the host's own code and run with its rights.

mod cancel;
mod cell;
mod deadline;
mod engine;
mod error;
mod foreign;
mod guest;
mod held;
mod host;
mod imports;
mod interrupt;
mod library;
mod limits;
mod memory;
mod options;
mod origin;
mod pool;
mod room;
mod snapshot;
mod stats;
mod tool;
mod value;
mod visit;
mod wire;

pub use cancel::CancelToken;
pub use cell::{Cell, Export, Interrupter, Outcome, Program, Progress};
pub use engine::{Engine, EngineOptions};
pub use error::{CellError, Exception};
pub use held::Arguments;
pub use hotcell_image::{BuildId, ImageError, TARGET_FEATURES};
pub use hotcell_meter::{Account, Charge, OverLimit, Pace, Stopped, Watch};
pub use options::{
    CellOptions, Clock, Import, Level, Line, Module, Random, Source, SourceKind, Timers,
};
pub use origin::{Origin, TraceParent, TraceParentError};
pub use pool::{Pool, Task};
pub use snapshot::{Outstanding, SnapshotError, SnapshotHeader, SnapshotKey, inspect_snapshot};
pub use stats::Stats;
pub use tool::{AnswerFuture, Called, Reply, ReplyFuture, Tool, ToolCall, ToolError, ToolKind};
pub use value::{
    BigInt, ConvertError, ErrorValue, Text, Value, View, ViewKind, decimal, from_value, to_value,
};
pub use visit::{is_leaving, leave, visit};
pub use wire::{MAX_DEPTH, WireError};

#[doc(hidden)]
pub use snapshot::{seal_for_fuzzing, unseal_for_fuzzing};
#[doc(hidden)]
pub use wire::{decode_for_fuzzing, encode_for_fuzzing};
