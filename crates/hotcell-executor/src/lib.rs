//! Runs model-written JavaScript step after step.
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
