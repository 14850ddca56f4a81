//! hotcell runs code that a model wrote.
//!
//! A hot cell is a shielded room in which dangerous material is handled through manipulators. Here the code is the
//! material, tools are the manipulators, and nothing else reaches through the wall: the code runs in a JavaScript VM with
//! a memory of its own, sees what you give it, and ends when its time is over.
//!
//! # A cell in five steps
//!
//! **Make an engine** (one per process) and a cell. That takes microseconds, so a cell per task is a good habit.
//!
//! ```
//! use hotcell::{CellOptions, Engine};
//!
//! # pollster::block_on(async {
//! let engine = Engine::new()?;
//! let mut cell = engine.cell(CellOptions::default())?;
//! let outcome = cell.evaluate("[1, 2, 3].map((x) => x * 2)").await?;
//! assert_eq!(outcome.value.at(2), Some(&6.into()));
//! # Ok::<(), hotcell::CellError>(()) }).unwrap();
//! ```
//!
//! **Give it tools.** They are ordinary functions inside; values cross as copies.
//!
//! ```
//! use hotcell::{CellOptions, Engine, Tool, ToolError, Value};
//!
//! # pollster::block_on(async {
//! # let engine = Engine::new()?;
//! # let mut cell = engine.cell(CellOptions::default())?;
//! cell.define_tools([
//!     ("now", Tool::sync(|_| Ok(Value::from("Tuesday")))),
//!     ("lookup", Tool::asynchronous(|call| async move {
//!         match call.argument(0).as_str() {
//!             Some("apples") => Ok(Value::from(3)),
//!             _ => Err(ToolError::from("no such fruit")),
//!         }
//!     })),
//! ])?;
//! let code = "
//!     const apples = await lookup('apples');
//!     const pears = await lookup('pears').catch((error) => error.message);
//!     `${now()}: ${apples} apples, pears: ${pears}`
//! ";
//! assert_eq!(cell.evaluate(code).await?.value, Value::from("Tuesday: 3 apples, pears: no such fruit"));
//! # Ok::<(), hotcell::CellError>(()) }).unwrap();
//! ```
//!
//! **Go on.** What code declares stays for the next run.
//!
//! ```
//! # use hotcell::{CellOptions, Engine, Value};
//! # pollster::block_on(async {
//! # let engine = Engine::new()?;
//! # let mut cell = engine.cell(CellOptions::default())?;
//! cell.evaluate("const prices = { tea: 3 };").await?;
//! cell.evaluate("prices.cake = 4;").await?;
//! assert_eq!(cell.evaluate("prices.tea + prices.cake").await?.value, Value::from(7));
//! # Ok::<(), hotcell::CellError>(()) }).unwrap();
//! ```
//!
//! **Trust nothing.** Every run has a deadline; memory has a limit; what goes wrong is an error that says what.
//!
//! ```
//! # use hotcell::{CellError, CellOptions, Engine};
//! use std::time::Duration;
//! use hotcell::Program;
//!
//! # pollster::block_on(async {
//! # let engine = Engine::new()?;
//! # let mut cell = engine.cell(CellOptions::default())?;
//! let endless = Program::new("while (true) {}").timeout(Duration::from_millis(20));
//! assert!(matches!(cell.evaluate(endless).await, Err(CellError::Deadline { .. })));
//!
//! let error = cell.evaluate("null.x").await.unwrap_err();
//! assert!(error.to_string().starts_with("TypeError"));
//! # Ok::<(), hotcell::CellError>(()) }).unwrap();
//! ```
//!
//! **Freeze, fork, resume.** A cell is a value: copy it, keep it, take it up in another process.
//!
//! ```
//! # use hotcell::{CellOptions, Engine, Value};
//! # pollster::block_on(async {
//! # let engine = Engine::new()?;
//! # let mut cell = engine.cell(CellOptions::default())?;
//! cell.evaluate("let path = ['start'];").await?;
//! let mut left = cell.fork()?;
//! left.evaluate("path.push('left')").await?;
//!
//! let bytes = cell.snapshot()?;
//! let mut later = engine.restore(&bytes, CellOptions::default())?;
//! assert_eq!(later.evaluate("path.join()").await?.value, Value::from("start"));
//! assert_eq!(left.evaluate("path.join()").await?.value, Value::from("start,left"));
//! # Ok::<(), hotcell::CellError>(()) }).unwrap();
//! ```
//!
//! What is promised, what is not, and which layer holds it: `SECURITY.md`. How it works: `ARCHITECTURE.md`.

#![forbid(unsafe_code)]

pub use hotcell_cell::{
    BigInt, BuildId, CancelToken, Cell, CellError, CellOptions, Clock, Engine, EngineOptions,
    ErrorValue, Exception, ImageError, Interrupter, Level, MAX_DEPTH, Outcome, Outstanding,
    Program, Progress, Random, SnapshotError, Source, SourceKind, Stats, Task, Text, Tool,
    ToolCall, ToolError, Value, View, ViewKind, WireError,
};
