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
//! - **Limits have defaults** ([`ExecutorOptions`]): loop iterations, time, memory, logs, code, results, calls.
//! - **Freeze, fork, resume**: [`Executor::snapshot`], [`Executor::fork`], [`Executor::restore`].
//! - **[`json`]** writes values down for other languages; [`file_tools`] gives code files without giving it the machine.
//!
//! # What is trusted
//!
//! The host: its tools, rules, transforms and hooks run with its rights, on the thread that polls the run. Nothing else:
//! code, the values it makes, and snapshots are hostile until checked.
#![forbid(unsafe_code)]

mod approval;
mod boundary;
mod engine;
mod error;
mod executor;
mod failure;
mod file_tools;
mod hooks;
pub mod json;
mod ledger;
mod log;
mod options;
mod output;
mod plain;
mod schema;
mod share;
mod shorten;
mod snapshot;
mod sources;
mod state;
mod tool;

pub use approval::{Approval, ApprovalRequest, Permission};
pub use error::{ErrorCode, ErrorSeverity, ExecutorError};
pub use executor::Executor;
pub use file_tools::file_tools;
pub use ledger::{CallOutcome, CallRecord};
pub use log::LogEntry;
pub use options::{Concurrency, ExecutorOptions, OptionsError};
pub use output::{CodeOutput, Execution, Run, RunStats};
pub use state::State;
pub use tool::AgentTool;
