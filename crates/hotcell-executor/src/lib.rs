//! Runs model-written JavaScript step after step: state, tools, logs, limits, and errors that a model can act on.
//!
//! ```
//! use hotcell_cell::{ToolError, Value};
//! use hotcell_executor::{AgentTool, Executor, ExecutorOptions};
//!
//! # pollster::block_on(async {
//! let executor = Executor::new(ExecutorOptions::default().max_operations(10_000));
//! executor.init().await?;
//! executor.send_variables([("city", Value::from("Lisbon"))]).await?;
//! executor
//!     .send_tools([("weather", AgentTool::asynchronous(|call| async move {
//!         match call.argument(0).as_str() {
//!             Some(city) => Ok(Value::from(format!("sunny in {city}"))),
//!             None => Err(ToolError::from("which city?")),
//!         }
//!     }))])
//!     .await?;
//!
//! // A step prints what the model wants to see, and leaves what it declared.
//! let step = executor.run("const report: string = await weather(city); console.log(report)").await?;
//! assert_eq!(step.logs, "sunny in Lisbon");
//!
//! // The next one goes on from there, and ends with the answer.
//! let step = executor.run("final_answer({ report, umbrella: report.includes('rain') })").await?;
//! assert!(step.is_final_answer);
//! assert_eq!(step.output.get("umbrella"), Some(&Value::from(false)));
//!
//! // What goes wrong says where, and what to do.
//! let error = executor.run("const words = report.split(' ');\nwords.frist()").await.unwrap_err();
//! assert_eq!(error.code.as_str(), "ERR_RUNTIME_EXCEPTION");
//! assert_eq!(error.location.map(|place| place.line), Some(2));
//! # Ok::<(), hotcell_executor::ExecutorError>(()) }).unwrap();
//! ```
//!
//! # Concepts
//!
//! - **[`Executor`]** has a life ([`State`]): `init`, then any number of runs, then `cleanup`. One run at a time; others are
//!   rejected or wait in line ([`Concurrency`]).
//! - **A run** goes the same way every time: validated and stripped of types by `hotcell-prepare`, evaluated in a cell, and
//!   made into a [`CodeOutput`] or one [`ExecutorError`]. [`Executor::execute`] gives both in one form.
//! - **Tools** ([`AgentTool`]) cross a boundary: limits, permission ([`Permission`]), the JSON Schema of their arguments, and a
//!   record of each call ([`CallRecord`]).
//! - **[`Execution::observation`]** is the text that a model should read next, whatever came of a run.
//! - **Limits have defaults** ([`ExecutorOptions`]): loop iterations, time, memory, logs, code, results, calls.
//! - **Freeze, fork, resume**: [`Executor::snapshot`], [`Executor::fork`], [`Executor::restore`]. A [`Companion`], such as a sandbox
//!   with files and a shell, goes along.
//! - **[`ContentItem`]**s are what code shows beside its result: text, data, images, sounds ([`ExecutorOptions::content`]). A
//!   [`Store`] keeps small values over cells.
//! - **[`Files`]** gives code files without giving it the machine: in memory, on top of a directory, or in one.
//! - **[`json`]** writes values down for other languages.
//!
//! # What is trusted
//!
//! The host: its tools, rules, transforms and hooks run with its rights, on the thread that polls the run. Nothing else:
//! code, the values it makes, and snapshots are hostile until checked.
#![forbid(unsafe_code)]

mod alarm;
mod approval;
mod boundary;
mod catalog;
mod companion;
mod content;
mod engine;
mod error;
mod event;
mod executor;
mod failure;
mod file_tools;
mod files;
mod grants;
mod hints;
mod hooks;
pub mod inspect;
mod isolation;
pub mod json;
mod ledger;
mod log;
mod module;
mod observation;
mod options;
mod output;
mod plain;
#[cfg(target_os = "linux")]
mod process;
#[cfg(not(target_os = "linux"))]
#[path = "process/none.rs"]
mod process;
mod rejection;
mod schema;
mod scope;
mod share;
mod shorten;
mod signature;
mod snapshot;
mod sources;
mod state;
mod store;
mod tool;
mod typed;

pub use approval::{Approval, ApprovalRequest, Permission};
pub use companion::Companion;
pub use content::{ContentBody, ContentItem};
pub use engine::shared_engine;
pub use error::{ErrorCode, ErrorSeverity, ExecutorError};
pub use event::{Event, EventKind, Events};
pub use executor::{Answer, Executor, Running, Started, SuspendedCall, Suspension};
pub use file_tools::{call_file_tool, file_tool_specs, file_tools};
pub use files::Files;
pub use isolation::Isolation;
pub use ledger::{CallOutcome, CallRecord, SuspendReason};
pub use log::LogEntry;
pub use module::Module;
pub use observation::{ObservationOptions, observation_of_json, observation_of_output};
pub use options::{Concurrency, ExecutorOptions, OptionsError};
pub use output::{CodeOutput, Execution, Run, RunStats};
#[cfg(target_os = "linux")]
pub use process::{JailHeld, JailPart, JailReport, jail_report, worker, workers_are};
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub use process::{worker_build, worker_service};
/// Derives what [`AgentTool::typed`] tells of types.
pub use schemars;
pub use signature::signature;
pub use snapshot::{SnapshotCall, SnapshotInfo, SnapshotItem, SnapshotRun, inspect_snapshot};
pub use state::State;
pub use store::{MemoryStore, Store, StoreFuture};
pub use tool::AgentTool;
